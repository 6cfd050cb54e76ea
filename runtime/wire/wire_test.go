package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

type house struct {
	Name   string           `json:"name"`
	Rooms  []room           `json:"rooms"`
	Owner  *owner           `json:"owner"`
	Keys   map[string]uint8 `json:"keys"`
	Height float64          `json:"height"`
	Built  period           `json:"built"`
	Hidden int
}

type room struct {
	Door  int  `json:"door"`
	Light bool `json:"light"`
}

func (r *room) Validate() error {
	switch r.Door {
	case 13:
		return &tool.Error{Code: tool.InvalidRequest, Message: "no door has this number", Path: "/door", Hint: "take 14"}
	case 0:
		return errors.New("the door is missing")
	}
	return nil
}

type owner struct {
	Name string `json:"name"`
}

type period time.Duration

func (p *period) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*p = period(d)
	return err
}

const houseYAML = `# a house
name: "Ünder"
rooms:
  - {door: 1, light: true}
  - door: -2
owner: {name: Ann}
keys: { front: 255, "back door": 0 }
height: 2.5e1
built: 90m
`

const houseJSON = `{"name": "Ünder",
 "rooms": [{"door":1,"light":true}, {"door":-2}],
 "owner": {"name":"Ann"}, "keys":{"front":255,"back door":0},
 "height":2.5e1, "built":"90m"}`

func TestReads(t *testing.T) {
	t.Parallel()
	want := house{
		Name: "Ünder", Rooms: []room{{1, true}, {-2, false}}, Owner: &owner{"Ann"},
		Keys: map[string]uint8{"front": 255, "back door": 0}, Height: 25, Built: period(90 * time.Minute),
	}
	for name, read := range map[string]func(*house) error{
		"YAML":         func(h *house) error { return wire.YAML([]byte(houseYAML), h) },
		"JSON":         func(h *house) error { return wire.JSON([]byte(houseJSON), h) },
		"JSON as YAML": func(h *house) error { return wire.YAML([]byte(houseJSON), h) },
	} {
		var got house
		if err := read(&got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestYAMLInAFenceGetsAHint(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"```yaml\nname: a\n```", "Here it is:\n\n```json\n{\"name\": \"a\"}\n```\n"} {
		if _, err := wire.YAMLToJSON([]byte(text)); !strings.Contains(tool.AsError(err).Hint, "fences") {
			t.Errorf("%q: %#v", text, err)
		}
	}
}

func TestYAMLThatNeedsQuotesGetsAHint(t *testing.T) {
	t.Parallel()
	for text, place := range map[string]string{"rooms: [{door: $a[0]}]": "", "rooms: [1, !a.b]": "/rooms/1"} {
		_, err := wire.YAMLToJSON([]byte(text))
		if e := tool.AsError(err); !strings.Contains(e.Hint, "needs quotes") || e.Path != place {
			t.Errorf("%q: %#v", text, err)
		}
	}
}

func TestYAMLRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1)
	for text, want := range map[string]string{
		"":                                     "empty",
		" \n# nothing\n":                       "empty",
		"---\n...\n":                           "empty",
		"name: a\n---\nname: b":                "a second document: give one (line 2, column 1)",
		"name: \xff":                           "not UTF-8",
		"name: a\nrooms: [":                    "this is not YAML: ",
		"\tname: a":                            "(line 1, column 1)",
		"name: b: c":                           "(line 1, column 8)",
		"name: &x a":                           "an anchor is not taken here (line 1, column 7)",
		"owner: &x {name: a}":                  "an anchor is not taken here (line 1, column 8)",
		"name: *x":                             "unknown anchor",
		"owner: {<<: {name: a}}":               "a merge key is not taken here (line 1, column 9)",
		"name: !!str a":                        "a tag is not taken here (line 1, column 7)",
		"name: !custom a":                      "a tag is not taken here (line 1, column 7)",
		"keys: !!set {a, b}":                   "a tag is not taken here",
		"%YAML 1.2\n--- {name: a}":             "this is not YAML",
		"nmae: a":                              `unknown key "nmae" (line 1, column 1)`,
		"Name: a":                              `unknown key "Name": write name (line 1, column 1)`,
		"owner:\n  name: a\n  agee: 1":         `unknown key "agee" (line 3, column 3)`,
		"hidden: 1":                            `unknown key "hidden"`,
		"name: a\nname: b":                     `the key "name" is given twice (line 2, column 1)`,
		"keys: {a: 1, a: 1}":                   `the key "a" is given twice (line 1, column 14)`,
		"keys: {1: 1}":                         "a key is a string: put it in quotes if need be (line 1, column 8)",
		"keys: {? [a] : 1}":                    "a key is a string",
		"keys: {true: 1}":                      "a key is a string",
		"name:":                                "there is no value: give a string, or leave the key out (line 1, column 6)",
		"name: null":                           "there is no value",
		"rooms:":                               "there is no value: give a list",
		"name: 1":                              "1 is not a string: put it in quotes (line 1, column 7)",
		"name: 1.0":                            "1.0 is not a string: put it in quotes",
		"name: true":                           "true is not a string: put it in quotes",
		"name: [a]":                            "this is a list where a string belongs (line 1, column 7)",
		"name: {a: b}":                         "this is an object where a string belongs",
		"rooms: {}":                            "this is an object where a list belongs",
		"owner: []":                            "this is a list where an object belongs",
		"keys: []":                             "this is a list where an object belongs",
		"- a":                                  "this is a list where an object belongs (line 1, column 1)",
		"rooms: [{door: x}]":                   "this is a string where a number belongs (line 1, column 16)",
		"rooms: [{door: '1'}]":                 "this is a string where a number belongs",
		"rooms: [{door: 1.0}]":                 "1.0 is not a whole number in decimal digits",
		"rooms: [{door: 0x10}]":                "0x10 is not a whole number in decimal digits",
		"rooms: [{door: 010}]":                 "010 is not a whole number in decimal digits",
		"rooms: [{door: 1_0}]":                 "1_0 is not a whole number in decimal digits",
		"rooms: [{door: 1e99}]":                "1e99 is not a whole number in decimal digits",
		"rooms: [{door: 9223372036854775808}]": "9223372036854775808 is out of range",
		"rooms: [{door: 1, light: yes}]":       "a string where true or false belongs",
		"keys: {a: 256}":                       "256 is out of range (line 1, column 11)",
		"keys: {a: -1}":                        "-1 is out of range",
		"height: 1e400":                        "a string where a number belongs",
		"height: .inf":                         ".inf is not a number in decimal digits",
		"height: .nan":                         ".nan is not a number in decimal digits",
		"built: soon":                          "(line 1, column 8)",
		"built: [1]":                           "this is a list where a string belongs",
		"rooms:\n- door: 1\n- door: 13":        "no door has this number (line 3, column 9)",
		"rooms:\n- door: 1\n- light: true":     "the door is missing (line 3, column 3)",
		"rooms: " + deep:                       "nested more than 32 deep",
		"rooms:\n" + strings.Repeat("- ", 40):  "nested more than 32 deep",
		"name: " + strings.Repeat("a", wire.MaxYAMLBytes): "at most 262144 are read",
	} {
		refuses(t, text, wire.YAML([]byte(text), &house{}), want)
	}
}

func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1)
	open := strings.Repeat("[", 20_000)
	long := `"` + strings.Repeat("a", wire.MaxJSONBytes) + `"`
	for text, want := range map[string]string{
		"":                                 "empty",
		"null":                             "give an object",
		"{\"name\":\"\xff\"}":              "not UTF-8",
		"{\n \"name\": \"a\",\n}":          "this is not JSON: invalid character '}'",
		`{"name": 'a'}`:                    "(line 1, column 10)",
		`{"name":"a"} {}`:                  "this is not JSON",
		`{"name":"a"`:                      "this is not JSON",
		"{\"é\":\n\"a\"}":                  `unknown key "é" (line 1, column 2)`,
		`{"NAME":"a"}`:                     `unknown key "NAME": write name`,
		"{\"name\":\"a\",\n\"name\":\"\"}": `the key "name" is given twice (line 2, column 1)`,
		`{"n\u0061me":"a", "name":"b"}`:    `the key "name" is given twice (line 1, column 19)`,
		`{"name":null}`:                    "there is no value",
		`{"name":1}`:                       "1 is not a string",
		`{"rooms":[{"door":"1"}]}`:         "(line 1, column 19)",
		`{"rooms":[{"door":1e0}]}`:         "1e0 is not a whole number",
		`{"keys":{"a":256}}`:               "256 is out of range",
		`{"height":1e400}`:                 "1e400 is out of range",
		`{"rooms":[{"door":13}]}`:          "no door has this number (line 1, column 19)",
		`{"rooms":` + deep + `}`:           "nested more than 32 deep",
		`{"rooms":` + open:                 "this is not JSON",
		long:                               "at most 1048576 are read",
	} {
		refuses(t, text, wire.JSON([]byte(text), &house{}), want)
	}
}

func refuses(t *testing.T, text string, err error, want string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%.60q was read", text)
	case !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), want):
		t.Errorf("%.60q: %v, want %s", text, err, want)
	}
}

func TestMistakesHaveTheirPlace(t *testing.T) {
	t.Parallel()
	err := wire.YAML([]byte("name: a\nrooms:\n  - door: 1\n  - door: 13 # unlucky\n"), &house{})
	want := &tool.Error{
		Code: tool.InvalidRequest, Message: "no door has this number", Hint: "take 14",
		Path: "/rooms/1/door", Line: 4, Column: 11, Snippet: "  - door: 13 # unlucky",
	}
	if diff := cmp.Diff(want, tool.AsError(err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	err = wire.YAML([]byte("keys: {'a/b~c': x}"), &house{})
	if e := tool.AsError(err); e.Path != "/keys/a~1b~0c" || e.Column != 17 {
		t.Errorf("%+v", e)
	}
	if e := tool.AsError(wire.YAML([]byte("owner: {nme: x}"), &house{})); e.Hint != "the keys here are name" {
		t.Errorf("%+v", e)
	}
}

// What the library is given within the bounds is read in time that grows with the text alone.
func TestBombs(t *testing.T) {
	t.Parallel()
	size := wire.MaxYAMLBytes
	if testing.Short() {
		size /= 16
	}
	for _, piece := range []string{
		"#\n", "[", "{a: ", "- ", "-\n", "? ", "a:\n", "&a ", "- &a\n", "*a,", "!", "%", "%TAG !a! b\n", "\"", "'", "a: |\n", "a: b, ", "<<: {}\n",
		"?\n:\n", "[],", "\"a\":", "---\n", "...\n", ":", ": ", ",", "\t", "\u2028", "\ufeff", "- #\n", "a: 1\n\n#c\n\n", "\\x41", "1", "<<: *a\n",
	} {
		for _, head := range []string{"", "["} {
			text := []byte(head + strings.Repeat(piece, (size-len(head))/len(piece)))
			start := time.Now()
			err := wire.YAML(text, &house{})
			if took := time.Since(start); err == nil || took > 10*time.Second {
				t.Errorf("%q and many %q: %v after %v", head, piece, err, took)
			}
		}
	}
}

func ExampleYAML() {
	var config struct {
		Port int `json:"port"`
	}
	fmt.Println(wire.YAML([]byte("prot: 80"), &config))
	// Output: invalid_request: unknown key "prot" (line 1, column 1)
}

// Nothing that is read panics or stalls, and every error has the code that callers report.
func FuzzYAML(f *testing.F) {
	f.Add(houseYAML)
	f.Add("a: &a [*a, *a]\n? |\n  x\n: >-\n  y\n...\n---\n")
	f.Add("{\"a\": !!int '1', <<: [~, .inf]}")
	f.Fuzz(func(t *testing.T, text string) {
		var h house
		if err := wire.YAML([]byte(text), &h); err != nil && !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// JSON takes exactly what encoding/json takes into the same structs, save for what it is stricter about.
func FuzzJSON(f *testing.F) {
	f.Add(houseJSON)
	f.Add(`{"rooms":[{"door":1}],"rooms":[],"height":1e999}`)
	f.Fuzz(func(t *testing.T, text string) {
		var strict, loose house
		if err := wire.JSON([]byte(text), &strict); err != nil {
			if !errors.Is(err, tool.InvalidRequest) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if err := json.Unmarshal([]byte(text), &loose); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(loose, strict); diff != "" {
			t.Errorf("%q: (-encoding/json +wire)\n%s", text, diff)
		}
	})
}

func TestYAMLAllGathersMistakes(t *testing.T) {
	t.Parallel()
	var h house
	err := wire.YAMLAll([]byte("name: 5\nrooms: [{door: x, lihgt: true}, {door: 13}]\nowner: []\nheight: high\nkeys: {a: 1, b: 300}\nbuilt: 1h\n"), &h)
	all, ok := errors.AsType[wire.Mistakes](err)
	var got []string
	for _, one := range all {
		got = append(got, fmt.Sprintf("%s %d:%d", one.Path, one.Line, one.Column))
	}
	want := []string{"/name 1:7", "/rooms/0/door 2:16", "/rooms/0/lihgt 2:19", "/owner 3:8", "/height 4:9", "/keys/b 5:17"}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if h.Built != period(time.Hour) || h.Keys["a"] != 1 || !strings.Contains(err.Error(), "5 more mistakes") {
		t.Errorf("%+v, %v", h, err)
	}
	if err := wire.YAMLAll([]byte("keys: {a: x, b: x}"), &h); !strings.Contains(err.Error(), "1 more mistake") {
		t.Error(err)
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "k%d: 1\n", i)
	}
	if all, _ := errors.AsType[wire.Mistakes](wire.YAMLAll([]byte(many.String()), &h)); len(all) != wire.MaxMistakes {
		t.Errorf("%d mistakes", len(all))
	}
	for text, want := range map[string]string{"rooms: [{door: 13}]": "no door has this number", "a: [": "not YAML", houseYAML: ""} {
		if err := wire.YAMLAll([]byte(text), &h); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
