package runtime

import (
	"context"
	"strings"
	"sync"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// refusals remembers how to mend what host functions refused: the hint does not pass through the tool. It is safe for
// concurrent use; the zero value is ready.
type refusals struct {
	mu    sync.Mutex
	hints map[string]string // by message
}

// maxHints bounds what is remembered of one call.
const maxHints = 64

// watched are the host functions, watched.
func (r *refusals) watched(funcs map[string]wasmjs.Func) map[string]wasmjs.Func {
	for op, f := range funcs {
		funcs[op] = func(ctx context.Context, req wasmjs.Request) (wasmjs.Reply, error) {
			reply, err := f(ctx, req)
			if e := tool.AsError(err); e != nil && e.Hint != "" {
				r.note(e)
			}
			return reply, err
		}
	}
	return funcs
}

func (r *refusals) note(e *tool.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hints == nil {
		r.hints = map[string]string{}
	}
	if len(r.hints) < maxHints {
		r.hints[e.Message] = e.Hint
	}
}

// explain gives an error that ended the call the hint of the refusal that it is.
func (r *refusals) explain(e *tool.Error) {
	if e.Code != tool.Denied && e.Code != tool.Limit {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if hint := r.hints[e.Message]; e.Hint == "" && !strings.Contains(e.Message, hint) {
		e.Hint = hint
	}
}
