package compose_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

const sample = `{
	"text": "ab", "n": 12345678901234567890, "f": 1.50, "e": 1E+2, "no": null, "yes": true, "empty": "", "s": "\ud800 \u00e9\n\"",
	"list": [10, {"id": "x"}, [7, 8]], "o": {"z": 1, "a": {"k": [true]}}, "0": "zero", "a-b": 1, "größe": 2,
	"a b": 3, "q\"uote": 4, "__proto__": {"x": "mine"}, "dup": 1, "dup": 2, "ref": "$input.text $prev", "\ud83d": "half", "tail": "\ude00"
}`

func TestReferences(t *testing.T) {
	t.Parallel()
	const absent = "-"
	for written, want := range map[string]string{
		// whole values keep their type and their text
		`$input.n`: `12345678901234567890`, `$input.f`: `1.50`, `$input.e`: `1E+2`, `$input.yes`: `true`, `$input.no`: `null`,
		`$input.s`: `"\ud800 \u00e9\n\""`, `$input.o`: `{"z":1,"a":{"k":[true]}}`, `$input.ref`: `"$input.text $prev"`,
		`$prev`: `{"p":[1]}`, `$prev.p[0]`: `1`, `$steps[0]`: `{"p":[1]}`, `$steps.s0.p.0`: `1`, `$steps["s0"]["p"][0]`: `1`,
		// paths
		`$input.list[0]`: `10`, `$input.list.0`: `10`, `$input.list[1].id`: `"x"`, `$input.list.2.1`: `8`, `$input["list"][2]["0"]`: `7`,
		`$input.0`: `"zero"`, `$input[0]`: `"zero"`, `$input.a-b`: `1`, `$input.größe`: `2`, `$input["a b"]`: `3`,
		`$input["q\"uote"]`: `4`, `$input.__proto__.x`: `"mine"`, `$input.dup`: `2`, `$input["\ud83d"]`: `"half"`,
		// what is not there
		`$input.nope`: absent, `$input.constructor`: absent, `$input.text.length`: absent, `$input.list.length`: absent, `$input.list[3]`: absent,
		`$input.list[00]`: absent, `$input.list[99999999999999999999]`: absent, `$input.no.x`: absent, `$input.text[0]`: absent, `$prev.p.x`: absent,
		// text
		`x`: `"x"`, `$5`: `"$5"`, `$`: `"$"`, `a$`: `"a$"`, `$ input`: `"$ input"`, `$$`: `"$"`, `$$input`: `"$input"`, `$$$input.text`: `"$ab"`, `$$$$`: `"$$"`,
		`pay $usd or $5`: `"pay $usd or $5"`, `see $foo["$input.text"]`: `"see $foo[\"ab\"]"`,
		// interpolation
		`<$input.text>`: `"<ab>"`, ` $input.text`: `" ab"`, `$input.text.`: `"ab."`, `$input.text-$input.n!`: `"ab-12345678901234567890!"`,
		`$input.text$input.text`: `"abab"`, `[$input.nope]`: `"[]"`, `$input.no/$input.yes`: `"null/true"`, `$input.o!`: `"{\"z\":1,\"a\":{\"k\":[true]}}!"`,
		`$steps[0]foo`: `"{\"p\":[1]}foo"`, `$input.s|`: `"\ud800 \u00e9\n\"|"`, `ref: $input.ref`: `"ref: $input.text $prev"`, `a\n"$input.text"`: `"a\n\"ab\""`,
		`\ud83d$input.tail`: `"\ud83d\ude00"`, `\ud83d\ude00 $input.text`: `"😀 ab"`, `$prev.p[0].x y`: `" y"`, `$input.empty-`: `"-"`,
	} {
		mapping := strings.ReplaceAll(written, `"`, `\"`)
		if strings.Contains(written, `\"`) {
			mapping = strings.ReplaceAll(strings.ReplaceAll(written, `\"`, `\q`), `"`, `\"`)
			mapping = strings.ReplaceAll(mapping, `\q`, `\\\"`)
		}
		got, _, err := echo(t, sample, compose.Options{}, `{"p": [1]}`, `{"v": "`+mapping+`"}`)
		if want == absent {
			if !errors.Is(err, tool.InvalidInput) || !strings.Contains(err.Error(), written) {
				t.Errorf("%s is %s, %v", written, got, err)
			}
			got, _, err = echo(t, sample, compose.Options{Lenient: true}, `{"p": [1]}`, `{"a": 1, "v": "`+mapping+`", "l": ["`+mapping+`"]}`)
			if err != nil || got != `{"a":1,"l":[null]}` {
				t.Errorf("lenient: %s leaves %s, %v", written, got, err)
			}
			continue
		}
		if err != nil || got != `{"v":`+want+`}` {
			t.Errorf("%s is %s, want %s (%v)", written, got, want, err)
		}
	}
}

func TestReferencesStandAnywhere(t *testing.T) {
	t.Parallel()
	for mapping, want := range map[string]string{
		`{"l": ["$input.text", {"x": ["$input.n"]}, "a $input.text"]}`: `{"l":["ab",{"x":[12345678901234567890]},"a ab"]}`,
		`{"$input.text": 1}`: `{"$input.text":1}`,
		`{"big": 9007199254740993, "o": {"b": 1.0,"a":2}}`: `{"big":9007199254740993,"o":{"b":1.0,"a":2}}`,
		`{"lone": "\udead", "esc": "\u0041"}`:              `{"lone":"\udead","esc":"\u0041"}`,
		`{"v": "\u0024input.text"}`:                        `{"v":"ab"}`,
		`{}`:                                               `{}`,
	} {
		got, _, err := echo(t, sample, compose.Options{}, mapping)
		if err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", mapping, got, want, err)
		}
	}
}

func TestPrevBeforeTheFirstStepIsNull(t *testing.T) {
	t.Parallel()
	got, _, err := echo(t, ``, compose.Options{}, `{"p": "$prev", "i": "$input"}`)
	if err != nil || got != `{"p":null,"i":null}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]bool{
		`true`: true, `false`: false, `null`: false, `0`: false, `-0.0e5`: false, `1`: true, `0.1`: true, `""`: false, `''`: false, `'a'`: true,
		`$input.text`: true, `$input.empty`: false, `$input.no`: false, `$input.nope`: false, `$input.o`: true, `$prev`: false, `$input.nope.x`: false,
		`$input.text == 'ab'`: true, `$input.text == "ab"`: true, `$input.text != 'ab'`: false, `$input.nope == null`: true, `1 == '1'`: false,
		`1 == 1.0`: true, `100 == 1e2`: true, `$input.n == 12345678901234567890`: true, `$input.n == 12345678901234567891`: false,
		`$input.n > 12345678901234567889.5`: true, `-1 < 0`: true, `-2 < -1`: true, `0 == -0`: true, `1e999999999999999999 > 1e9`: true,
		`1e-999999999999999999 > 0`: true, `0.5 < 0.25`: false, `2 <= 2`: true, `2 >= 3`: false, `'a' < 'b'`: true, `'B' < 'a'`: true,
		`!true`: false, `!!'x'`: true, `!$input.no && true`: true, `true || false && false`: true, `(true || false) && false`: false,
		`false == false || false`: true, `1 < 2 == true`: true, `!(1 == 2)`: true, `$input.list.length == 3`: true, `$input.text.length == 2`: true,
		`$input.s.length == 5`: true, `'😀' == '\ud83d\ude00'`: true, `$input.o.length`: false, `$input.text.length.x`: false,
		`$input["a b"]==3&&$input.list[1].id=='x'`: true, `'it\'s' == "it's"`: true, `$input.dup`: true, `'$input.text' == "ab"`: false,
		// cannot be evaluated
		`1 < 'a'`: false, `!(1 < 'a')`: false, `$input.nope > 1`: false, `$input.o == $input.o`: false, `$input.o != $input.list`: true, `false && 1 < 'a'`: false,
		`true || 1 < 'a'`: true,
	} {
		step := fmt.Sprintf(`{"name": "s", "tool": "echo", "inputMapping": {"ran": true}, "condition": %s}`, quote(condition))
		out, trace, err := pipeline(t, step).Run(t.Context(), []byte(sample), newWorld().call, compose.Options{})
		if err != nil || trace.Steps[0].Skipped == want || (string(out) == "null") == want {
			t.Errorf("%s: %s, %+v, %v", condition, out, trace.Steps, err)
		}
		if failed := strings.Contains(condition, "< 'a'") && !want && !strings.HasPrefix(condition, "false") && condition != `'B' < 'a'`; failed != (len(trace.Steps[0].Notes) > 0) &&
			!strings.Contains(condition, "nope > 1") && !strings.Contains(condition, "o == ") {
			t.Errorf("%s: notes %q", condition, trace.Steps[0].Notes)
		}
	}
}

// quote writes a text as JSON; the escapes in it stay escapes of the condition.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func TestSkippedStepsCountWithNull(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `
		{"name": "a", "tool": "echo", "inputMapping": {"v": 1}},
		{"name": "b", "tool": "echo", "inputMapping": {"v": 2}, "condition": "$input.no"},
		{"name": "c", "tool": "echo", "inputMapping": {"prev": "$prev", "b": "$steps[1]", "named": "$steps.b", "a": "$steps[0].v"}}`)
	out, trace, err := p.Run(t.Context(), []byte(sample), newWorld().call, compose.Options{})
	if err != nil || string(out) != `{"prev":null,"b":null,"named":null,"a":1}` || !trace.Steps[1].Skipped {
		t.Errorf("%s, %+v, %v", out, trace, err)
	}
}
