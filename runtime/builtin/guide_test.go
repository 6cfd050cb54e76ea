package builtin_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/policy"
)

// TestGuide runs the examples of docs/builtin-tools.md: each input with the output that follows it.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/builtin-tools.md")
	if err != nil {
		t.Fatal(err)
	}
	m, _ := open(t, modeltest.Text("How Tea Is Made"))
	host, p := guideWorld(t)
	examples := regexp.MustCompile("(?ms)^```json (\\w+)\\.input\n(.*?)^```\n\n```json (\\w+)\\.output\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1)
	shown := map[string]bool{}
	for _, example := range examples {
		shown[example[1]] = example[1] == example[3]
	}
	for _, one := range builtin.All(m, nil) {
		if !shown[one.Name] {
			t.Errorf("the guide has no example of %s", one.Name)
		}
		for _, example := range examples {
			if example[1] == one.Name {
				got, e := callWith(t.Context(), t, one, host, p, example[2])
				row{output: example[4]}.check(t, got, e)
			}
		}
	}
}

// The examples in the descriptions give what they say.
func TestDescriptionsHoldTrue(t *testing.T) {
	t.Parallel()
	host, p := guideWorld(t)
	example := regexp.MustCompile(`Example: (\{.*\}) gives (\{.*\})$`)
	for _, one := range []runtime.Tool{builtin.ReadFile(), builtin.JSONQuery(), builtin.TextTemplate()} {
		m := example.FindStringSubmatch(strings.ReplaceAll(one.Description, "\n", " "))
		if m == nil {
			t.Fatalf("%s has no example: %s", one.Name, one.Description)
		}
		got, e := callWith(t.Context(), t, one, host, p, m[1])
		row{output: m[2]}.check(t, got, e)
	}
}

// guideWorld has what the examples ask for: https://example.com/users/7, and two files.
func guideWorld(t *testing.T) (hostapi.Options, *policy.Policy) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name": "Ada", "id": 12345678901234567890}`+"\n")
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	for name, content := range map[string]string{"notes/todo.txt": "buy milk\n", "pixel.gif": "GIF89a"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	host := hostapi.Options{
		Resolver: public{}, RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	return host, &policy.Policy{Network: []policy.Network{{Host: "example.com"}}, Storage: []policy.Storage{{Root: dir}}}
}

// public resolves every name to an address of the internet, which no test connects to.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}
