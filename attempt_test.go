package toolsmith_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// Whatever is wrong with a request, it is an attempt; and who has none left fills no log by asking on.
func TestEveryRequestIsAnAttempt(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.MaxForgeAttemptsPerSession, o.Config.Quotas.Persona.ForgesPerDay = 4, 6
		o.Now = func() time.Time { return now }
	})
	asks := func(by tool.Caller, request string, stage forge.Stage, code tool.Code, attempt int) {
		t.Helper()
		result, err := w.Forge(t.Context(), by, []byte(request))
		if result.Stage != stage || !errors.Is(err, code) || result.Attempt != attempt {
			t.Errorf("%.40s: attempt %d, refused at %q: %v", request, result.Attempt, result.Stage, err)
		}
	}
	asks(ann, `{"name":"x"}`, forge.StageShape, tool.InvalidRequest, 1)
	asks(ann, `no JSON`, forge.StageShape, tool.InvalidRequest, 2)
	asks(ann, string(request(t, map[string]string{"name": `"forge_tool"`})), forge.StageCollision, tool.Collision, 3)
	result, err := w.ImportTool(t.Context(), ann, []byte(`no package`), forge.Trust{})
	if result.Stage != forge.StagePackage || !errors.Is(err, tool.InvalidRequest) || result.Attempt != 4 {
		t.Errorf("a package: attempt %d, refused at %q: %v", result.Attempt, result.Stage, err)
	}
	for range 30 {
		asks(ann, `{"name":"x"}`, forge.StageLimit, tool.Limit, 0)
	}
	asks(session("s2"), `{"name":"x"}`, forge.StageShape, tool.InvalidRequest, 1)
	asks(session("s2"), `{"name":"x"}`, forge.StageShape, tool.InvalidRequest, 2)
	for i := range 30 {
		asks(session(fmt.Sprint("s", i+3)), `{"name":"x"}`, forge.StageLimit, tool.OverQuota, 0)
	}
	if asked, refused := len(w.audited(tool.ForgeRequested)), len(w.audited(tool.ForgeRejected)); asked != 6 || refused != 8 {
		t.Errorf("%d entries of requests, %d of refusals", asked, refused)
	}
	now = now.Add(time.Minute)
	asks(ann, `{"name":"x"}`, forge.StageLimit, tool.Limit, 0)
	if refused := len(w.audited(tool.ForgeRejected)); refused != 9 {
		t.Errorf("a minute later there are %d entries of refusals", refused)
	}
}
