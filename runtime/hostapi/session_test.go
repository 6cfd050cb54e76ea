package hostapi

import (
	"context"
	"testing"
	"time"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// TestFinishTellsWhatWasNotAwaited ends a session while its functions still run.
func TestFinishTellsWhatWasNotAwaited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends bool
		want string
	}{
		"on its way out":      {true, OK},
		"hangs in the system": {false, string(tool.Canceled)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := New(Options{}).Begin(&policy.Policy{}, 0)
			defer session.Close()
			begun, release := make(chan struct{}), make(chan struct{})
			defer close(release)
			f := session.recorded("fetch", "send", func(context.Context, wasmjs.Request, *Use) (wasmjs.Reply, error) {
				close(begun)
				if c.ends {
					time.Sleep(10 * time.Millisecond)
				} else {
					<-release
				}
				return wasmjs.Reply{}, nil
			})
			go func() { _, _ = f(t.Context(), wasmjs.Request{}) }()
			<-begun
			uses := session.Finish()
			if len(uses) != 1 || uses[0].API != "fetch" || uses[0].Op != "send" || uses[0].Outcome != c.want {
				t.Errorf("%+v, want one use of outcome %s", uses, c.want)
			}
		})
	}
}
