package toolsmith_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// A closed host says so, whatever it is asked, and closing waits for what runs.
func TestClose(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Tools = []runtime.Tool{ownTool("wait", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			close(entered)
			<-leave
			return json.RawMessage(`{}`), nil
		})}
	})
	ended := make(chan error, 1)
	go func() {
		_, err := w.call(ann, "wait", `{}`)
		ended <- err
	}()
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- w.Close() }()
	select {
	case err := <-closed:
		t.Errorf("closed while a call runs: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(leave)
	if err := <-ended; err != nil {
		t.Errorf("the call that ran: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	w.closed = true
	if err := w.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	_, err := w.call(ann, "json_query", `{"data":1,"query":"$"}`)
	w.wants("call", err, tool.Unavailable, "the host is closed")
	_, err = w.Forge(t.Context(), ann, request(t, nil))
	w.wants("forge", err, tool.Unavailable, "the host is closed")
	_, err = w.Tools(t.Context(), ann)
	w.wants("tools", err, tool.Unavailable, "the host is closed")
	_, err = w.Shelf(t.Context())
	w.wants("shelf", err, tool.Unavailable, "the host is closed")
	w.wants("register", w.Register(ownTool("late", "", nil)), tool.Unavailable, "the host is closed")
}
