package toolsmith_test

import (
	"errors"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/tool"
)

// TestHostsShareADirectory lets one host change what another has ready to be called.
func TestHostsShareADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lost := make(chan struct{}, 8)
	a := open(t, dir, judgetest.ApproveAll(), nil)
	b := open(t, dir, judgetest.ApproveAll(), func(o *toolsmith.Options) { o.OnLost = func() { lost <- struct{}{} } })
	made, err := a.Forge(t.Context(), ann, request(t, nil))
	a.must(err)
	if got, err := b.call(ann, "add_numbers", `{"a":1,"b":2}`); err != nil || got != `{"sum":3}` {
		t.Fatalf("the other host says %s, %v", got, err)
	}
	_, err = a.shelf().Suspend(t.Context(), tool.Actor{Caller: ann, Name: "boss"}, made.ToolID, tool.ByAdmin)
	a.must(err)
	until(t, "the other host knows of the suspension", func() bool {
		_, err := b.call(ann, "add_numbers", `{"a":1,"b":2}`)
		return errors.Is(err, tool.Suspended)
	})
	until(t, "the other host tells of it", func() bool { return len(b.audited(tool.SuspendedTool)) == 1 })
	a.close()
	<-lost
	_, err = b.Forge(t.Context(), ann, request(t, map[string]string{
		"name": `"sum_numbers"`, "implementation": `{"mode":"sandbox","code":"function execute({ a, b }) { return { sum: b + a }; }","allowlist":[]}`,
	}))
	b.must(err)
	if got, err := b.call(ann, "sum_numbers", `{"a":1,"b":2}`); err != nil || got != `{"sum":3}` {
		t.Errorf("once alone, the other host says %s, %v", got, err)
	}
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}
