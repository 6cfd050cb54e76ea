package toolsmith_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// What the host could not run says nothing of the candidate.
func TestTheHostFailsATest(t *testing.T) {
	t.Parallel()
	for _, code := range []tool.Code{tool.Unavailable, tool.Internal, tool.Canceled} {
		w := open(t, "", approveAll, func(o *toolsmith.Options) {
			o.Tools = []runtime.Tool{ownTool("add", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
				return nil, tool.Errorf(code, "the engine is closed")
			})}
		})
		result, err := w.Forge(t.Context(), ann, request(t, map[string]string{
			"implementation": `{"mode":"compose","steps":[{"name":"one","tool":"add","inputMapping":{}}]}`,
		}))
		w.wants("the host failed", err, code, "test case 0 could not be run")
		if result.Stage != forge.StageTests || len(result.TestResults) != 1 || w.forged[len(w.forged)-1].Kind != forge.Failed || result.Error.Hint == "" {
			t.Errorf("%+v, %+v", result, w.forged)
		}
	}
}

func TestSkippedLastStepIsNamed(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Tools = []runtime.Tool{ownTool("add", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			return json.RawMessage(`{"sum":3}`), nil
		})}
	})
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{
		"implementation": `{"mode":"compose","steps":[{"name":"one","tool":"add","inputMapping":{},"condition":"$input.a > 9"}]}`,
	}))
	w.wants("skipped", err, tool.Rejected, `but got "null"`)
	if hint := result.Error.Hint; !strings.Contains(hint, `"one"`) || !strings.Contains(hint, "$input.a > 9") {
		t.Error(hint)
	}
}

func TestNotesOfARefusedRequest(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	result, err := w.Forge(t.Context(), ann, []byte(`{"name":"x","descripton":"Adds."}`))
	w.wants("refused", err, tool.InvalidRequest, "description is required")
	if !slices.Contains(result.Notes, "ignored member /descripton") {
		t.Errorf("%q", result.Notes)
	}
}

func TestInputThatCannotBeHeld(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	_, err := w.Forge(t.Context(), ann, request(t, map[string]string{
		"testCases": `[{"input":{"a":9007199254740993,"b":2}},{"input":{"a":-1,"b":5}}]`,
	}))
	w.wants("the input", err, tool.Rejected, "(at /a of the input)")
}
