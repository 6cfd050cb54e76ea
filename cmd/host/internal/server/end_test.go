package server_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
)

// The log tells that a server ends, and that it has.
func TestEndIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read once the server has ended
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	_, stop := w.serve(true)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	begun, ended, ok := strings.Cut(log.String(), "no more requests are taken")
	if !ok || !strings.Contains(begun, "level=INFO") || !strings.Contains(ended, "has ended") {
		t.Errorf("got %s", log.String())
	}
}
