package match_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/match"
)

func equal(a, b json.RawMessage) bool {
	_, same := match.JSON(a, b, match.Rules{})
	return same
}

func TestEqualValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1 } `, true},
		{`[1,2]`, `[2,1]`, false},
		{`[]`, `{}`, false},
		{`[]`, `[]`, true},
		{`null`, `false`, false},
		{`null`, `{}`, false},
		{`{"a":null}`, `{}`, false},
		{`-0`, `0`, true},
		{`[-0.0e7]`, `[0]`, true},
		{`1`, `-1`, false},
		{`100`, `1e2`, true},
		{`1e21`, `1000000000000000000000`, true},
		{`0.1`, `1e-1`, true},
		{`98.6`, `986E-1`, true},
		{`1`, `"1"`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`0.1`, `0.10000000000000001`, false},
		{`1e99999999999`, `1e99999999999`, true},
		{`1e99999999999`, `1e99999999998`, false},
		{`"\u0041\/\b\f\n\r\t\"\\"`, `"A/\u0008\u000c\u000a\u000d\u0009\u0022\u005c"`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`"\ud83d"`, `"\ud83e"`, false},
		{`"\ud83d"`, `"\ufffd"`, false},
		{`"\ud83d"`, `"\uD83D"`, true},
		{`"\ude00\ud83d"`, `"😀"`, false},
		{`"\ud83d\u0041"`, `"\ud83dA"`, true},
		{`"\u0000"`, `""`, false},
		{`{"\ud800":1}`, `{"\ud801":1}`, false},
		{`{"\ud800":1}`, `{"\ud800":1}`, true},
		{`{"__proto__":1}`, `{"__proto__":1}`, true},
		{`"*"`, `1`, false},
		{``, ``, false},
		{`[`, `[`, false},
		{strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), `1`, false},
	} {
		if got := equal(json.RawMessage(c.a), json.RawMessage(c.b)); got != c.want {
			t.Errorf("%.40s and %.40s: %v", c.a, c.b, got)
		}
	}
}

// Deep and wide texts are compared in linear time.
func TestDeepAndWide(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 4_900) + strings.Repeat(`0,`, 200_000) + `1` + strings.Repeat(`]}`, 4_900)
	if !equal(json.RawMessage(deep), json.RawMessage(deep)) {
		t.Error("not itself")
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got string
		rules     match.Rules
		path      string // "=" is that there is none
	}{
		{`1`, `2`, match.Rules{}, ""},
		{`[1,2,3]`, `[1,2]`, match.Rules{}, "/2"},
		{`[1]`, `[1,null]`, match.Rules{Partial: true}, "/1"},
		{`[[1],[2,[3]]]`, `[[1],[2,[4]]]`, match.Rules{}, "/1/1/0"},
		{`{"b":1,"a":{"c":[true]}}`, `{"b":2,"a":{"c":[false]}}`, match.Rules{}, "/a/c/0"},
		{`{"a":null}`, `{}`, match.Rules{Partial: true}, "/a"},
		{`{}`, `{"a":null}`, match.Rules{}, "/a"},
		{`{}`, `{"a":null}`, match.Rules{Partial: true}, "="},
		{`{"a":[{}]}`, `{"a":[{"b":{}}],"c":1}`, match.Rules{Partial: true}, "="},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, match.Rules{Partial: true}, "/b"},
		{`{}`, `[]`, match.Rules{Partial: true}, ""},
		{`{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, match.Rules{}, "/a~1b/~0"},
		{`{"":{"":1}}`, `{"":{"":2}}`, match.Rules{}, "//"},
		{`{"a":1,"a":2}`, `{"a":2}`, match.Rules{}, "="},
		{`{"\ud800":1}`, `{"\ud800":2}`, match.Rules{}, "/\uFFFD"},

		{`0.3`, `0.30000000000000004`, match.Rules{}, ""},
		{`0.3`, `0.30000000000000004`, match.Rules{Close: true}, "="},
		{`[1000000000]`, `[1000000000.5]`, match.Rules{Close: true}, "="},
		{`1`, `1.000000002`, match.Rules{Close: true}, ""},
		{`-1`, `1`, match.Rules{Close: true}, ""},
		{`-0`, `0`, match.Rules{Close: true}, "="},
		{`0`, `1e-300`, match.Rules{Close: true}, ""},
		{`0`, `1e-400`, match.Rules{Close: true}, ""},
		{`1e-400`, `2e-400`, match.Rules{Close: true}, ""},
		{`1e400`, `1e400`, match.Rules{Close: true}, "="},
		{`1e400`, `10e400`, match.Rules{Close: true}, ""},
		{`1e308`, `-1e308`, match.Rules{Close: true}, ""},
		{`9007199254740993`, `9007199254740992`, match.Rules{Close: true}, ""},
		{`9007199254740993`, `9007199254740993.0`, match.Rules{Close: true}, "="},
		{`9007199254740993`, `9007199254740993.5`, match.Rules{Close: true}, "="},
		{`-9007199254740993`, `-9007199254740992`, match.Rules{Close: true}, ""},
		{`9007199254740991`, `9007199254740990`, match.Rules{Close: true}, ""},
		{`1700000000000`, `1700000000001`, match.Rules{Close: true}, ""},
		{`"0.3"`, `"0.30000000000000004"`, match.Rules{Close: true}, ""},
	} {
		path, same := match.JSON(json.RawMessage(c.want), json.RawMessage(c.got), c.rules)
		if same != (c.path == "=") || path != strings.TrimPrefix(c.path, "=") {
			t.Errorf("%s and %s: %q %v, want %q", c.want, c.got, path, same, c.path)
		}
	}
}

// The pointer to what lies deep is cut, and costs no more than the texts.
func TestPointersAreShort(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 100)
	deep := func(inner string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"`+key+`":`, 9_000) + inner + strings.Repeat(`}`, 9_000))
	}
	path, same := match.JSON(deep("1"), deep("2"), match.Rules{})
	if same || len(path) > 2060 || !strings.HasPrefix(path, "/"+key+"/"+key) || !strings.HasSuffix(path, "/…") {
		t.Errorf("%v, %d bytes: %s", same, len(path), path)
	}
}

// Spacing never counts, what is equal here is equal to encoding/json too, and looser rules never find more differences.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":[1,"\ud800",-0.5e3]}`, `{"a":[1.0,"\uD800",-500]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var left, right any
		var spaced bytes.Buffer
		if json.Unmarshal([]byte(a), &left) != nil || json.Unmarshal([]byte(b), &right) != nil {
			return
		}
		if err := json.Indent(&spaced, []byte(a), " ", "  "); err != nil || !equal(json.RawMessage(a), spaced.Bytes()) {
			t.Errorf("%q does not equal %q (%v)", a, spaced.String(), err)
		}
		_, loose := match.JSON(json.RawMessage(a), json.RawMessage(b), match.Rules{Partial: true, Close: true})
		same := equal(json.RawMessage(a), json.RawMessage(b))
		if same && !loose {
			t.Errorf("%q does not loosely equal %q", a, b)
		}
		if same && !reflect.DeepEqual(left, right) {
			t.Errorf("%q equals %q", a, b)
		}
	})
}
