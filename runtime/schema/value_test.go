package schema_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ path, message string }{
		``:                                   {"", "not JSON"},
		`{"a":1}{}`:                          {"", "not JSON"},
		`[1,]`:                               {"", "not JSON"},
		"\"\xff\"":                           {"", "not UTF-8"},
		`{"a":{"b":1,"b":2}}`:                {"/a/b", `"b" is given twice`},
		`{"a":1,"\u0061":2}`:                 {"/a", `"a" is given twice`},
		`[{"a/b":[0,1e309]}]`:                {"/0/a~1b/1", "fits no float64"},
		`{"n":1e10000000}`:                   {"/n", "fits no float64"},
		`1e-10000000`:                        {"", "fits no float64"},
		`[` + strings.Repeat("9", 129) + `]`: {"/0", "too long"},
		strings.Repeat("[", schema.MaxValueDepth+1) + strings.Repeat("]", schema.MaxValueDepth+1): {strings.Repeat("/0", schema.MaxValueDepth), "deeper than 1000"},
		`{"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"9":1}`:                    {"/9", "given twice"},
	} {
		_, err := schema.Decode([]byte(text))
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.InvalidInput || e.Path != want.path || !strings.Contains(e.Message, want.message) {
			t.Errorf("%.60s: %v, want %v", text, err, want)
		}
	}
	for _, text := range []string{"0e999999999999999999999", "-0", "1e308", "4.9e-324", " [ ] ", "\t{ \"a\" : null , \"b\" : [ true , false ] }\r\n", `"\ud800"`, `"\"\\\/"`} {
		if _, err := schema.Decode([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Numbers are compared as they are written, not as float64.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, values := range map[string]struct{ yes, no []string }{
		`{"multipleOf":0.01}`:                      {[]string{"0.07", "19.99", "1e300", "0", "-0.0", "-0.03", "4.35"}, []string{"0.075", "1e-3", "1e-300"}},
		`{"multipleOf":1e-8}`:                      {[]string{"12391239123", "1e308"}, []string{"1e-9"}},
		`{"multipleOf":0.123456789}`:               {[]string{"0.246913578"}, []string{"1e308", "1"}},
		`{"multipleOf":1234567890123456789012345}`: {[]string{"0", "2469135780246913578024690"}, []string{"1"}},
		`{"multipleOf":3}`:                         {[]string{"9007199254740993", "3e300"}, []string{"9007199254740992", "1e300"}},
		`{"type":"integer"}`:                       {[]string{"1.0", "1e2", "-0", "98249283749234923498293171823948729348710298301928331", "12.50e1"}, []string{"1.5", "1e-1", "9007199254740993.5"}},
		`{"maximum":9007199254740992}`:             {[]string{"9007199254740992", "-1e300", "9007199254740991.9"}, []string{"9007199254740993", "9007199254740992.1"}},
		`{"exclusiveMinimum":0.1}`:                 {[]string{"0.10000000000000000001", "1e0"}, []string{"0.1", "0.10", "1e-1", "-5"}},
		`{"minimum":-1.5}`:                         {[]string{"-1.5", "-15e-1", "-1.49", "0"}, []string{"-1.51", "-2", "-1e300"}},
		`{"const":1}`:                              {[]string{"1", "1.0", "10e-1", "0.1e1"}, []string{"1.0000000000000000001", "-1", "true", `"1"`}},
		`{"const":0}`:                              {[]string{"-0", "0.0", "0e5"}, []string{"false", "1e-300"}},
		`{"enum":[9007199254740993,{"a":1}]}`:      {[]string{"9007199254740993", `{"a":1.0}`}, []string{"9007199254740992", `{"a":1,"b":1}`, `{}`}},
		`{"uniqueItems":true}`:                     {[]string{`[1,"1",true,[1],{"a":1}]`, `[9007199254740993,9007199254740992]`, `["a","b"]`, `[["ab"],["a","b"]]`}, []string{`[1,1.0]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[0,-0]`}},
		`{"minLength":2,"maxLength":2}`:            {[]string{`"😀😀"`, `"\ud83d\ude00a"`, `"éé"`}, []string{`"😀"`, `"aaa"`}},
	} {
		s := compile(t, text)
		for _, v := range values.yes {
			if err := s.Validate([]byte(v)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		for _, v := range values.no {
			if s.Validate([]byte(v)) == nil {
				t.Errorf("%s admits %s", text, v)
			}
		}
	}
}
