package toolsmith_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// quotaOf sets a tenant's own quota.
func (w *world) quotaOf(tenant string, q tool.Quota) {
	w.t.Helper()
	_, err := w.shelf().SetQuota(context.Background(), tool.Actor{Caller: ann}, tenant, q)
	w.must(err)
}

// A quota of a tenant's own binds its very next call, and another's is its own.
func TestQuotaBindsAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Config.Quotas.Tenant.CallsPerMinute = 100
		o.Tools = []runtime.Tool{ownTool("echo", ``, func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return call.Input, nil })}
	})
	for _, tenant := range []string{ann.Tenant, "other"} {
		_, _, err := w.shelf().CreateTenant(t.Context(), tool.Actor{Caller: ann}, tenant, nil)
		w.must(err)
	}
	calls := func(tenant string) (n int, last error) {
		for range 20 {
			c := ann
			c.Tenant = tenant
			if _, last = w.call(c, "echo", `{}`); last == nil {
				n++
			}
		}
		return n, last
	}
	if n, err := calls(ann.Tenant); n != 20 {
		t.Errorf("%d calls, %v", n, err)
	}
	w.quotaOf(ann.Tenant, tool.Quota{CallsPerMinute: 25})
	n, err := calls(ann.Tenant)
	w.wants("a lower quota", err, tool.OverQuota, "callsPerMinute: 25 calls were made within a minute by the tenant")
	if e := tool.AsError(err); n != 5 || e.RetryAfter <= 0 || e.RetryAfter > 65*time.Second {
		t.Errorf("%d calls, again after %v", n, e.RetryAfter)
	}
	if n, err := calls("other"); n != 20 {
		t.Errorf("another tenant: %d calls, %v", n, err)
	}
	w.quotaOf(ann.Tenant, tool.Quota{})
	if n, err := calls(ann.Tenant); n != 20 {
		t.Errorf("the default again: %d calls, %v", n, err)
	}
}

func TestQuotaWarnings(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Config.Quotas.Persona.CallsPerMinute = 10
		o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		o.Tools = []runtime.Tool{ownTool("echo", ``, func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return call.Input, nil })}
	})
	call := func(persona string) {
		c := ann
		c.Persona = persona
		for range 9 {
			if _, err := w.call(c, "echo", `{}`); err != nil {
				t.Fatal(err)
			}
		}
	}
	call("ann")
	told := w.audited(tool.QuotaWarning)
	if len(told) != 1 || told[0].PersonaID != "ann" || string(told[0].Data) != `{"limit":"callsPerMinute","most":10,"used":8}` || told[0].Actor != "host" {
		t.Errorf("%+v", told)
	}
	for i := range 100 {
		call(fmt.Sprint("p", i))
	}
	if told := w.audited(tool.QuotaWarning); len(told) != 60 {
		t.Errorf("%d entries in a minute", len(told))
	}
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	call("ann")
	if told := w.audited(tool.QuotaWarning); len(told) != 61 {
		t.Errorf("%d entries after another minute", len(told))
	}
}

// Calls that never end by themselves fill what their tenant may have, and another's call finds a place at once.
func TestNoisyTenantLeavesRoom(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Config.Quotas.RunningCalls, o.Config.Quotas.WaitingCalls = 4, 2
		o.Tools = []runtime.Tool{
			ownTool("hang", ``, func(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
				select {
				case <-leave:
				case <-ctx.Done():
				}
				return call.Input, ctx.Err()
			}),
			ownTool("echo", ``, func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return call.Input, nil }),
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls sync.WaitGroup
	refused := make(chan error, 20)
	for range 20 {
		calls.Go(func() {
			if _, err := w.Call(ctx, ann, "hang", json.RawMessage(`{}`)); errors.Is(err, tool.OverQuota) {
				refused <- err
			}
		})
	}
	for range 15 { // three run and two wait
		if e := tool.AsError(<-refused); e.Limit != "waitingCalls" && e.Limit != "runningCalls" {
			t.Errorf("got %v", e)
		}
	}
	quiet := ann
	quiet.Tenant = "quiet"
	if _, err := w.call(quiet, "echo", `{}`); err != nil {
		t.Errorf("the quiet tenant: %v", err)
	}
	close(leave)
	calls.Wait()
	if got := w.Load(); got != (runtime.Load{}) {
		t.Errorf("left behind: %+v", got)
	}
}
