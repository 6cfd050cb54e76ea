package server_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// A server says why it is not ready where its operator looks.
func TestReady(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Logger, o.Now = slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now }
	})
	w.ok(nil, "", "GET", "/readyz", "")
	w.broken = true
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	p, _ := w.refused(503, tool.Unavailable, "", "GET", "/readyz", "")
	if p.Detail != "the store does not answer" || !strings.Contains(log.String(), "the host is closed") {
		t.Errorf("%s, and the log: %s", p.Detail, &log)
	}
	for range 3 { // once a minute
		now = now.Add(25 * time.Second)
		w.refused(503, tool.Unavailable, "", "GET", "/readyz", "")
	}
	if n := strings.Count(log.String(), "the server is not ready"); n != 2 {
		t.Errorf("told of %d times:\n%s", n, &log)
	}
}

// Metrics are served while the store hangs where nobody needs a key, and refused soon where they would have to be looked up.
func TestMetricsOfAHungStore(t *testing.T) {
	t.Parallel()
	hung := func(ctx context.Context) error {
		hold(ctx.Done())
		return ctx.Err()
	}
	deaf := make(chan struct{})
	defer close(deaf)
	keyed := map[string]func(context.Context) (bool, error){
		"that says so": func(context.Context) (bool, error) {
			return false, &tool.Error{Code: tool.Unavailable, Cause: tiers.ErrHung}
		},
		"that hangs":            func(ctx context.Context) (bool, error) { return false, hung(ctx) },
		"that heeds no context": func(context.Context) (bool, error) { <-deaf; return false, nil },
	}
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"all":"metrics"}`) })
	for name, keys := range keyed {
		w := open(t, "", func(_ *toolsmith.Options, o *server.Options) { o.Metrics, o.Keyed = metrics, keys })
		if got := w.ask("", "GET", "/metrics", ""); got.status != http.StatusOK {
			t.Errorf("a store %s: %d %s", name, got.status, got.body)
		}
	}
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Metrics, o.Keyed = metrics, func(context.Context) (bool, error) { return true, nil }
		o.Authenticate = func(ctx context.Context, _ string) (tool.Principal, error) { return tool.Principal{}, hung(ctx) }
	})
	if p, _ := w.refused(503, tool.Unavailable, rootKey, "GET", "/metrics", ""); !strings.HasPrefix(p.Detail, "the store does not answer") {
		t.Error(p.Detail)
	}
}

// A store that does not answer is called so, whatever is asked, and what holds it is not told.
func TestHungStoreIsCalledSo(t *testing.T) {
	t.Parallel()
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Keyed = func(context.Context) (bool, error) {
			return false, &tool.Error{Code: tool.Unavailable, Message: "process 7 does not answer", Cause: tiers.ErrHung}
		}
	})
	if p, _ := w.refused(503, tool.Unavailable, "", "GET", "/v1/tools", ""); p.Detail != "the store does not answer" {
		t.Error(p.Detail)
	}
}
