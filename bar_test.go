package toolsmith_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// Who forges again what an operator has suspended has not undone that, in no session; the judge is not asked.
func TestWhatIsSuspendedIsNotForgedAgain(t *testing.T) {
	t.Parallel()
	judge := watched(approveAll)
	w := open(t, "", judge, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	twin, err := w.Forge(t.Context(), session("twin"), request(t, nil))
	w.must(err)
	_, _, err = w.Promote(t.Context(), tool.Actor{Caller: session("twin")}, twin.ToolID, tool.AgentTier, "eve")
	w.must(err)
	_, err = w.shelf().Suspend(t.Context(), tool.Actor{Caller: ann, Name: "eve"}, result.ToolID, tool.ByAdmin+": exfiltrates")
	w.must(err)
	asked := judge.calls.Load()
	again := func(by tool.Caller, members map[string]string) (*forge.Result, error) {
		return w.Forge(t.Context(), by, request(t, members))
	}
	for what, by := range map[string]tool.Caller{"in its session": ann, "in another": session("other")} {
		for name, members := range map[string]map[string]string{"the same": nil, "by another name": {"name": `"sum_up"`, "description": `"Something else altogether."`}} {
			refused, err := again(by, members)
			w.wants(what+", "+name, err, tool.Suspended, "version 1 of add_numbers, which does just this, was suspended: admin: exfiltrates")
			if e := tool.AsError(err); refused.Stage != forge.StageDuplicate || e.Path != "/implementation" || !strings.Contains(e.Hint, "host tool resume "+result.ToolID) {
				t.Errorf("%s, %s: at %q %+v", what, name, refused.Stage, e)
			}
		}
	}
	_, _, err = w.Promote(t.Context(), tool.Actor{Caller: ann}, twin.ToolID, tool.SharedTier, "eve")
	w.wants("a twin is to rise", err, tool.Suspended, "which does just this")
	if judge.calls.Load() != asked {
		t.Error("the judge was asked")
	}
	if _, err := w.call(ann, "add_numbers", `{"a":1,"b":2}`); !errors.Is(err, tool.Suspended) {
		t.Errorf("called: %v", err)
	}
	mended, err := again(ann, map[string]string{"implementation": `{"mode":"sandbox","code":"function execute({ a, b }) { return { sum: b + a }; }","allowlist":[]}`})
	w.must(err)
	if mended.Tool.Version != 2 {
		t.Errorf("%+v", mended.Tool)
	}
}
