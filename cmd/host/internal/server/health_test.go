package server_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// A server says why it is not ready where its operator looks.
func TestReady(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	w.ok(nil, "", "GET", "/readyz", "")
	w.broken = true
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}
	p, _ := w.refused(503, tool.Unavailable, "", "GET", "/readyz", "")
	if p.Detail != "the store does not answer" || !strings.Contains(log.String(), "the host is closed") {
		t.Errorf("%s, and the log: %s", p.Detail, &log)
	}
}
