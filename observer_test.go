package toolsmith_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// notes is what an observer was told, in the order of it.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) addf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

type within struct{}

func (n *notes) observer() toolsmith.Observer {
	return toolsmith.Observer{
		Call: func(ctx context.Context, c tool.Caller, name string) (context.Context, func(*runtime.CallResult, error)) {
			outer, _ := ctx.Value(within{}).(string)
			n.addf("begin %s%s for %s", outer, name, c.Persona)
			return context.WithValue(ctx, within{}, outer+name+"/"), func(r *runtime.CallResult, err error) {
				n.addf("end %s%s %s %v", outer, name, r.Tool.Tier, err == nil)
			}
		},
		Forge: func(ctx context.Context, c tool.Caller) (context.Context, func(*forge.Result, error)) {
			n.addf("forge for %s", c.Persona)
			return ctx, func(r *forge.Result, err error) { n.addf("forged %v", r.Success) }
		},
		Started:  func(how wasmjs.Start, took time.Duration) { n.addf("started %s %v", how, took > 0) },
		Appended: func(entries int, took time.Duration) { n.addf("appended %v", entries > 0 && took > 0) },
	}
}

func TestObserver(t *testing.T) {
	t.Parallel()
	var told notes
	w := open(t, "", approveAll, func(opt *toolsmith.Options) {
		opt.Observer = told.observer()
		opt.Sandbox = nil // of its own, so that its starts are told
	})
	_, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	for range 2 {
		_, err := w.call(ann, "add_numbers", `{"a":1,"b":2}`)
		w.must(err)
	}
	_, err = w.call(ann, "nothing", `{}`)
	w.wants("a tool that is not there", err, tool.NotFound, "nothing")
	told.mu.Lock()
	defer told.mu.Unlock()
	for _, want := range []string{
		"forge for ann", "forged true", "appended true", "started loaded true", "started warm true",
		"begin add_numbers for ann", "end add_numbers session true", "begin nothing for ann", "end nothing  false",
	} {
		if !slices.Contains(told.list, want) {
			t.Errorf("the observer was not told %q: %q", want, told.list)
		}
	}
}
