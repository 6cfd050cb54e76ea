package forge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// Whatever comes is read or refused with problems, is not changed, and what was read is read as the same again, with
// nothing left to mend.
func FuzzRead(f *testing.F) {
	f.Add(arguments())
	f.Add(quoted(arguments("inputSchema", "", "testCases", quoted(addCases))))
	f.Add(arguments("implementation", `{"code":"`+"```ts\\nreturn 1\\n```"+`","allow_list":"fetch, crypto","timeout_ms":5}`))
	f.Add(arguments("implementation", `{"code":"const x = await 1; return x <\/b>"}`, "output_schema", `{"type":"string"}`))
	f.Add(arguments("implementation", `{"pipeline":[{"tool":"a"},{"tool":"a","args":"{\"x\":1e2}"},{"name":"a_2","tool":"a","when":"true"}]}`))
	f.Add(arguments("testCases", `[null,{"input":"{}","output":null,"partial":true},7]`))
	for _, h := range hostiles(f, "forge-gaming.json")[:6] {
		f.Add(h.request(f))
	}
	f.Fuzz(func(t *testing.T, text string) {
		given := []byte(text)
		r, err := forge.Read(given, forge.ReadRules{})
		if string(given) != text {
			t.Fatal("the arguments were changed")
		}
		if err != nil {
			problems, _ := errors.AsType[forge.Problems](err)
			if len(problems) == 0 || len(problems) > 50 || len(tool.AsError(err).Message) > 32<<10 || !errors.Is(err, tool.InvalidRequest) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := forge.Read([]byte(written(t, r)), forge.ReadRules{})
		if err != nil {
			t.Fatalf("%q: read as %s, and then %v", text, written(t, r), err)
		}
		if diff := cmp.Diff(r, again, cmpopts.IgnoreFields(forge.Request{}, "Notes"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q: (-once +twice)\n%s", text, diff)
		}
		if escaped, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		} else if _, err := forge.Read(escaped, forge.ReadRules{}); err != nil {
			t.Fatalf("%q: escaped %v", text, err)
		}
	})
}

// Code that was mended once needs no mending again, and code is never made out of nothing.
func FuzzReadCode(f *testing.F) {
	for _, code := range []string{
		addCode, "return 1", "```ts\nreturn 1\n```", "await f(); return 1 //", "run = (i) => i", "module.exports = 1", "return 1 } function x() {", "```\n```\n```",
		"return `${1}`", "return /}/", "<!-- x\nreturn 1", "'use strict'; return this",
	} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		r, err := forge.Read([]byte(arguments("implementation", `{"mode":"sandbox","code":`+quoted(code)+`}`)), forge.ReadRules{})
		if err != nil {
			if strings.TrimSpace(strings.ReplaceAll(code, "`", "")) != "" && !strings.Contains(code, "```") {
				t.Fatalf("%q: %v", code, err)
			}
			return
		}
		again := mustRead(t, written(t, r))
		if r.Implementation.Code != again.Implementation.Code || strings.TrimSpace(code) == "" {
			t.Fatalf("%q: %q became %q", code, r.Implementation.Code, again.Implementation.Code)
		}
	})
}

// A file is read within the bounds of what it is written in.
func FuzzReadFile(f *testing.F) {
	f.Add(arguments())
	f.Add("name: add\ndescription: |\n  adds\nimplementation: {code: return 1}\ntestCases:\n- input: {a: 1}\n- input: {a: 2}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := forge.ReadFile([]byte(text), forge.ReadRules{}); err != nil && !errors.Is(err, tool.InvalidRequest) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// What is as large as it may be takes no longer than its bytes do: a second at the most, and minutes if it were their square.
func TestLargeRequestsAreReadInTime(t *testing.T) {
	t.Parallel()
	large := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, ((1<<20)-len(head)-len(tail))/len(piece)) + tail
	}
	for name, text := range map[string]string{
		"members":     large(`{"x":0`, `,"a":1`, "}"),
		"unknown":     "{" + numbered(60_000) + "}",
		"steps":       large(`{"implementation":{"steps":[{}`, `,{"tool":"a"}`, "]}}"),
		"mappings":    large(`{"implementation":{"steps":[{"tool":"a","args":{"x":[1`, `,1`, "]}}]}}"),
		"cases":       large(`{"testCases":[null`, `,null`, "]}"),
		"allowlist":   large(`{"implementation":{"code":"x","allowlist":["a"`, `,"fetch"`, "]}}"),
		"names":       large(`{"implementation":{"code":"x","allowlist":"a`, `,a`, `"}}`),
		"code":        large(`{"implementation":{"code":"return `, `[`, `"}}`),
		"fences":      large(`{"implementation":{"code":"`, "```\\n", `"}}`),
		"braces":      large(`{"implementation":{"code":"`, `{return\n}`, `"}}`),
		"text":        large(`"`, `\"`, `"`),
		"text within": large(`{"testCases":"[`, `{},`, `{}]"}`),
		"description": large(`{"description":"`, `\n`, `"}`),
		"schema":      large(`{"inputSchema":{"properties":{"a":{}`, `,"b":{}`, "}}}"),
		"depth":       large(`{"x":`, "[", "}"),
	} {
		start := time.Now()
		_, err := forge.Read([]byte(text), forge.ReadRules{})
		if took := time.Since(start); err == nil || took > time.Minute {
			t.Errorf("%s: %v, %.100v", name, took, err)
		}
	}
}

// numbered are so many members of an object.
func numbered(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"k%d":0`, i)
	}
	return strings.Join(members, ",")
}
