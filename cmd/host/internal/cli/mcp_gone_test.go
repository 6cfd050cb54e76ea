package cli

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
)

// brokenPipe is where nobody reads any more.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A client of MCP that is gone before it was answered is nothing to complain of.
func TestAClientThatIsGone(t *testing.T) {
	t.Parallel()
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	for _, out := range []io.Writer{io.Discard, brokenPipe{}} {
		var told bytes.Buffer
		if got := Main([]string{"host", "mcp", "--data", t.TempDir()}, strings.NewReader(begin), out, &told); got != 0 || told.Len() > 0 {
			t.Errorf("%T: the status is %d, and %q was said", out, got, told.String())
		}
	}
}
