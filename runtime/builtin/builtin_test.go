package builtin_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestAll(t *testing.T) {
	t.Parallel()
	names := func(m model.Model) (list []string) {
		for _, one := range builtin.All(m, nil) {
			list = append(list, one.Name)
		}
		return list
	}
	want := []string{"http_request", "read_file", "json_query", "text_template"}
	if diff := cmp.Diff(want, names(nil)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(append(want, "generate_text"), names(model.NewScripted())); diff != "" {
		t.Error(diff)
	}
}

// What models read is all there: every property and every tool says what it is, with an example, and nothing else is taken.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	for _, one := range builtin.All(model.NewScripted(), nil) {
		if one.SideEffects != (one.Name == "http_request") {
			t.Errorf("%s: side effects %v", one.Name, one.SideEffects)
		}
		if tool.CheckName(one.Name) != "" || !strings.Contains(one.Description, "Example: {") || !strings.Contains(one.Description, "Limits: ") {
			t.Errorf("%s: %s", one.Name, one.Description)
		}
		for _, text := range []json.RawMessage{one.InputSchema, one.OutputSchema} {
			compiled(t, text)
			var s struct {
				Properties           map[string]struct{ Description string }
				AdditionalProperties *bool
			}
			if err := json.Unmarshal(text, &s); err != nil || len(s.Properties) == 0 || s.AdditionalProperties == nil || *s.AdditionalProperties {
				t.Errorf("%s: %v, %s", one.Name, err, text)
			}
			for name, p := range s.Properties {
				if p.Description == "" {
					t.Errorf("%s: nothing is said about %s", one.Name, name)
				}
			}
		}
	}
}

// What the schema would have kept away is an error, with and without powers.
func TestInputsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, one := range builtin.All(model.NewScripted(), nil) {
		for _, input := range []string{
			``, `null`, `{}`, `[]`, `7`, `{"url": 1}`, `{"path": []}`, `{"query": {}}`, `{"template": 1}`, `{"prompt": null}`,
			`{"url": "http://a.example", "method": "FLY"}`, `{"path": "a", "encoding": "latin1"}`, `{"path": "a"}`, `{"url": "http://a.example"}`,
			`{"prompt": "a", "maxTokens": 5000}`, `{"prompt": "a", "maxTokens": 1e99}`, `{"values": 7, "template": "{{a}}"}`, `{`, `{"data": {]}`,
		} {
			output, err := one.Run(t.Context(), &runtime.Invocation{Input: json.RawMessage(input)})
			e, typed := errors.AsType[*tool.Error](err)
			fine := one.Name == "text_template" && err == nil // no template is an empty one
			if !fine && (!typed || output != nil || e.Code != tool.InvalidInput && e.Code != tool.Denied || e.Hint == "") {
				t.Errorf("%s of %s: got %s, %v", one.Name, input, output, err)
			}
		}
	}
}

// What a tool refuses whatever else it is given is known without a call.
func TestCheckText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, member, text string
		ok                 bool
	}{
		{"text_template", "template", "{{#each", false},
		{"text_template", "template", "{{#each a}}{{this}}{{/each}}", true},
		{"json_query", "query", "a[", false},
		{"json_query", "query", "$.a[0]", true},
		{"json_query", "data", "a[", true},
		{"echo", "template", "{{#each", true},
	} {
		err := builtin.CheckText(c.tool, c.member, c.text)
		if e := tool.AsError(err); (err == nil) != c.ok || e != nil && (e.Code != tool.InvalidInput || e.Hint == "") {
			t.Errorf("%v: %v", c, err)
		}
	}
}
