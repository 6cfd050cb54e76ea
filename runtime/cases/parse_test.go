package cases_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/tool"
)

func TestParseWhole(t *testing.T) {
	t.Parallel()
	text := `{"cases": [
  {"id": "a", "class": "c", "source": "x\ud800\ud83d\ude00\n", "input": {"s": "\ud800"},
   "allowlist": ["crypto"], "limits": {"timeoutMs": 300, "fuel": 7, "memoryMB": 8},
   "policy": {"allowHosts": ["*.example"], "readRoots": ["/srv"]},
   "expectAny": ["ok", "error:timeout"], "expect": "error:denied", "output": -0.0, "outputAny": ["*", 2], "why": "w"}
]}`
	got, err := cases.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []cases.Case{{
		ID: "a", Class: "c", Why: "w", Line: 2, Source: "x\xed\xa0\x80😀\n", Input: json.RawMessage(`{"s": "\ud800"}`),
		Allow:  []string{"crypto"},
		Limits: tool.Limits{Timeout: 300 * time.Millisecond, Fuel: 7, MemoryBytes: 8 << 20},
		Policy: cases.Policy{AllowHosts: []string{"*.example"}, ReadRoots: []string{"/srv"}},
		Expect: []cases.Outcome{"error:denied", cases.OK, "error:timeout"},
		AnyOK:  true, Outputs: []json.RawMessage{json.RawMessage("-0.0"), json.RawMessage("2")},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each mistake is met with an error that names the case, the place and the cure.
func TestParseMistakes(t *testing.T) {
	t.Parallel()
	const good = `"id":"a","source":"s","input":1,"expect":"error:timeout"`
	for name, c := range map[string]struct {
		text         string
		want         string // part of the message
		line, column int
	}{
		"empty":           {``, "this is not JSON", 1, 1},
		"not json":        {"[\n  {\"id\" 1}]", "this is not JSON", 2, 9},
		"not utf-8":       {"[\n\"\xff\"]", "not UTF-8", 2, 2},
		"two values":      {`[] []`, "this is not JSON", 1, 4},
		"not a list":      {` 7`, "a case file is a list of cases", 1, 2},
		"other member":    {`{"case":[]}`, `one member, "cases"`, 1, 1},
		"cases no list":   {`{"cases":{}}`, "a case file is a list", 1, 10},
		"no object":       {`[1]`, "case 1 is not an object", 1, 2},
		"unknown member":  {"[{" + good + ",\n\"inputs\":1}]", `case "a": unknown member "inputs"`, 2, 1},
		"wrong case":      {`[{"ID":"a"}]`, `case 1: unknown member "ID"`, 1, 3},
		"twice":           {`[{` + good + `,"id":"b"}]`, `case "a": the member "id" is given twice`, 1, 60},
		"id twice":        {"[{" + good + "},\n{" + good + "}]", `the id "a" is given twice, first in line 1`, 2, 1},
		"empty id":        {strings.Replace("[{"+good+"}]", `"a"`, `""`, 1), "the id is empty", 1, 2},
		"no source":       {`[{"id":"a","input":1,"expect":"ok"}]`, `case "a": the member "source" is missing`, 1, 2},
		"no input":        {`[{"id":"a","source":"","expect":"ok"}]`, `the member "input" is missing`, 1, 2},
		"source null":     {`[{"id":"a","source":null}]`, `"source" must be text`, 1, 21},
		"limits list":     {`[{"id":"a","limits":[]}]`, `"limits" must be an object`, 1, 21},
		"unknown limit":   {`[{"id":"a","limits":{"timeout":1}}]`, `unknown member "timeout"`, 1, 22},
		"limit zero":      {`[{"id":"a","limits":{"timeoutMs":0}}]`, `"timeoutMs" must be a whole number of 1 or more`, 1, 34},
		"limit negative":  {`[{"id":"a","limits":{"fuel":-1}}]`, `"fuel" must be a whole number`, 1, 29},
		"limit fraction":  {`[{"id":"a","limits":{"fuel":1.5}}]`, `"fuel" must be a whole number`, 1, 29},
		"limit huge":      {`[{"id":"a","limits":{"memoryMB":1e9}}]`, `"memoryMB" must be a whole number`, 1, 33},
		"beyond maximum":  {`[{` + good + `,"limits":{"timeoutMs":60001}}]`, "the timeout limit 1m0.001s is not above zero", 1, 2},
		"unknown policy":  {`[{"id":"a","policy":{"hosts":[]}}]`, `unknown member "hosts"`, 1, 22},
		"host no text":    {`[{"id":"a","policy":{"allowHosts":[1]}}]`, `"allowHosts" must be text`, 1, 36},
		"unknown api":     {`[{"id":"a","allowlist":["net"]}]`, `there is no API "net"`, 1, 24},
		"no outcome":      {`[{"id":"a","expect":"timeout"}]`, `"timeout" is no outcome`, 1, 21},
		"unknown code":    {`[{"id":"a","expect":"error:fuel"}]`, `"error:fuel" is no outcome`, 1, 21},
		"expectAny text":  {`[{"id":"a","expectAny":"ok"}]`, `"expectAny" must be a list`, 1, 24},
		"ok without":      {`[{"id":"a","source":"","input":1,"expect":"ok"}]`, `"ok" is expected, but not with which output`, 1, 2},
		"output in vain":  {`[{` + good + `,"output":1}]`, `an output is given, but "ok" is not expected`, 1, 2},
		"outputAny value": {`[{` + good + `,"outputAny":"*"}]`, `"outputAny" must be a list`, 1, 72},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cases.Parse([]byte(c.text))
			if err == nil {
				t.Fatal("accepted")
			}
			e := tool.AsError(err)
			if e.Code != tool.InvalidRequest || !strings.Contains(e.Message, c.want) || e.Line != c.line || e.Column != c.column {
				t.Errorf("got %s at %d:%d: %s\nwant %d:%d: %s", e.Code, e.Line, e.Column, e.Message, c.line, c.column, c.want)
			}
		})
	}
}

// A line of any length is shown in part only.
func TestParseCutsTheSnippet(t *testing.T) {
	t.Parallel()
	_, err := cases.Parse([]byte(`[{"` + strings.Repeat("ü", 100_000) + `":1}]`))
	if n := len([]rune(tool.AsError(err).Snippet)); n != 120 {
		t.Errorf("a snippet of %d characters", n)
	}
}

func FuzzParseCases(f *testing.F) {
	for _, name := range []string{"benign", "memory", "result-marshalling"} {
		text, err := os.ReadFile("../testdata/cases/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"cases":[{"id":"a","source":"\ud800","input":1,"expect":"ok","outputAny":["*"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := cases.Parse(text)
		if err != nil {
			if e := tool.AsError(err); e.Code != tool.InvalidRequest || e.Line < 1 || e.Column < 1 {
				t.Fatalf("an error without a place: %#v", err)
			}
			return
		}
		for _, c := range all {
			if c.ID == "" || len(c.Expect) == 0 || !json.Valid(c.Input) || c.Limits.Validate() != nil {
				t.Fatalf("accepted %+v", c)
			}
			for _, o := range c.Outputs {
				if !cases.Equal(o, o) {
					t.Fatalf("%s is not itself", o)
				}
			}
		}
	})
}
