package cases_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/cases"
)

func TestEqual(t *testing.T) {
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
		if got := cases.Equal(json.RawMessage(c.a), json.RawMessage(c.b)); got != c.want {
			t.Errorf("%.40s and %.40s: %v", c.a, c.b, got)
		}
	}
}

// Deep and wide texts are compared in linear time.
func TestEqualDeep(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 4_900) + strings.Repeat(`0,`, 200_000) + `1` + strings.Repeat(`]}`, 4_900)
	if !cases.Equal(json.RawMessage(deep), json.RawMessage(deep)) {
		t.Error("not itself")
	}
}

// Spacing never counts, and what is equal here is equal to encoding/json too.
func FuzzEqual(f *testing.F) {
	f.Add(`{"a":[1,"\ud800",-0.5e3]}`, `{"a":[1.0,"\uD800",-500]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var left, right any
		var spaced bytes.Buffer
		if json.Unmarshal([]byte(a), &left) != nil || json.Unmarshal([]byte(b), &right) != nil {
			return
		}
		if err := json.Indent(&spaced, []byte(a), " ", "  "); err != nil || !cases.Equal(json.RawMessage(a), spaced.Bytes()) {
			t.Errorf("%q does not equal %q (%v)", a, spaced.String(), err)
		}
		if cases.Equal(json.RawMessage(a), json.RawMessage(b)) && !reflect.DeepEqual(left, right) {
			t.Errorf("%q equals %q", a, b)
		}
	})
}
