package selfimprove_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

func TestReadWorkflow(t *testing.T) {
	t.Parallel()
	plan, misread, err := selfimprove.ReadWorkflow([]byte(`{"name":"n","description":"d","steps":[{"tool":"echo","args":{"a":1},"condition":"$input"}]}`))
	if err != nil || misread != nil || plan.Name != "n" || len(plan.Steps) != 1 || plan.Steps[0].Condition != "$input" || string(plan.Steps[0].Args) != `{"a":1}` {
		t.Errorf("%+v %v", plan, err)
	}
	for text, want := range map[string][2]string{
		`{"name":"n","nam":1}`:            {"/nam", "no member"},
		`{"Name":"n"}`:                    {"/Name", "no member"},
		`{"steps":{}}`:                    {"/steps", "no list"},
		`{"steps":[1]}`:                   {"/steps/0", "is an object"},
		`{"steps":[{"arguments":{}}]}`:    {"/steps/0/arguments", "no member"},
		`{"name":1}`:                      {"/name", "is a text"},
		`{"steps":[{"condition":true}]}`:  {"/steps/0/condition", "is a text"},
		`{"steps":[{}, {"a/b":1}]}`:       {"/steps/1/a~1b", "no member"},
		`{"steps":[{"tool":"a","if":1}]}`: {"/steps/0/if", "no member"},
	} {
		_, misread, err := selfimprove.ReadWorkflow([]byte(text))
		if err != nil || len(misread) != 1 || misread[0].Path != want[0] || !strings.Contains(misread[0].Message, want[1]) || misread[0].Hint == "" {
			t.Errorf("%s: %v %v, want %q", text, misread, err, want)
		}
	}
	for _, text := range []string{`[1]`, `null`, `{"name":"a","name":"b"}`, `{`, ``} {
		if _, _, err := selfimprove.ReadWorkflow([]byte(text)); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzReadWorkflow wants a plan, or an error that says what is wrong.
func FuzzReadWorkflow(f *testing.F) {
	for _, seed := range []string{`{"name":"n","description":"d","steps":[{"tool":"echo","args":{"a":"$input"}}]}`, `[]`, `{"steps":[null]}`, `{"steps":[{"tool":1}]}`, ``, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, misread, err := selfimprove.ReadWorkflow(text)
		if e, ok := errors.AsType[*tool.Error](err); err != nil && (!ok || e.Message == "") || len(misread) > 20 {
			t.Errorf("%v %v", misread, err)
		}
	})
}
