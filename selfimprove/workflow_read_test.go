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
	plan, err := selfimprove.ReadWorkflow([]byte(`{"name":"n","description":"d","steps":[{"tool":"echo","args":{"a":1},"condition":"$input"}]}`))
	if err != nil || plan.Name != "n" || len(plan.Steps) != 1 || plan.Steps[0].Condition != "$input" || string(plan.Steps[0].Args) != `{"a":1}` {
		t.Errorf("%+v %v", plan, err)
	}
	for text, want := range map[string][2]string{
		`[1]`:                             {"", "is an object"},
		`null`:                            {"", "is an object"},
		`{"name":"n","nam":1}`:            {"/nam", "no member"},
		`{"Name":"n"}`:                    {"/Name", "no member"},
		`{"steps":{}}`:                    {"/steps", "no list"},
		`{"steps":[1]}`:                   {"/steps/0", "is an object"},
		`{"steps":[{"arguments":{}}]}`:    {"/steps/0/arguments", "no member"},
		`{"name":1}`:                      {"/name", "are texts"},
		`{"steps":[{"tool":"a","if":1}]}`: {"/steps/0/if", "no member"},
	} {
		_, err := selfimprove.ReadWorkflow([]byte(text))
		if e := tool.AsError(err); e == nil || e.Code != tool.InvalidRequest || e.Path != want[0] || !strings.Contains(e.Message, want[1]) || e.Hint == "" {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := selfimprove.ReadWorkflow([]byte(`{"name":"a","name":"b"}`)); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a name that is given twice: %v", err)
	}
}

// FuzzReadWorkflow wants a plan, or an error that says what is wrong.
func FuzzReadWorkflow(f *testing.F) {
	for _, seed := range []string{`{"name":"n","description":"d","steps":[{"tool":"echo","args":{"a":"$input"}}]}`, `[]`, `{"steps":[null]}`, `{"steps":[{"tool":1}]}`, ``, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := selfimprove.ReadWorkflow(text); err != nil {
			if e, ok := errors.AsType[*tool.Error](err); !ok || e.Message == "" {
				t.Errorf("%v", err)
			}
		}
	})
}
