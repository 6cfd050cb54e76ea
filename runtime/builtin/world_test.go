package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// call calls a tool as the host does: an input that fits the schema goes in, an output that fits comes out.
func call(t testing.TB, one runtime.Tool, p *policy.Policy, input string) (string, *tool.Error) {
	t.Helper()
	return callWith(t.Context(), t, one, hostapi.Options{Resolver: loopback{}}, p, input)
}

func callWith(ctx context.Context, t testing.TB, one runtime.Tool, opt hostapi.Options, p *policy.Policy, input string) (string, *tool.Error) {
	t.Helper()
	if err := compiled(t, one.InputSchema).Validate([]byte(input)); err != nil {
		t.Fatalf("%s: the input does not fit: %v", one.Name, err)
	}
	session := hostapi.New(opt).Begin(p, 0)
	defer session.Close()
	output, err := one.Run(ctx, &runtime.Invocation{Input: json.RawMessage(input), Policy: p, Powers: session})
	if err == nil {
		if err := compiled(t, one.OutputSchema).Validate(output); err != nil {
			t.Errorf("%s: the output %.200s does not fit: %v", one.Name, output, err)
		}
		return string(output), nil
	}
	e, typed := errors.AsType[*tool.Error](err)
	if !typed || output != nil {
		t.Fatalf("%s: got %s, %v", one.Name, output, err)
	}
	return "", e
}

func compiled(t testing.TB, text json.RawMessage) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A row is one call and what comes of it: an output, or a code with parts of the message and the hint, and a path.
type row struct {
	input, output string
	code          tool.Code
	message, hint string
	path          string
}

func (r row) check(t *testing.T, output string, e *tool.Error) {
	t.Helper()
	if e == nil {
		if r.code != "" {
			t.Fatalf("got %.300s, want the code %s", output, r.code)
		}
		sameJSON(t, output, r.output)
		return
	}
	if e.Code != r.code || !strings.Contains(e.Message, r.message) || !strings.Contains(e.Hint, r.hint) || e.Path != r.path || e.Hint == "" {
		t.Errorf("got %v (hint %q, path %q), want %s with %q, hint %q, path %q %s", e, e.Hint, e.Path, r.code, r.message, r.hint, r.path, r.output)
	}
}

// sameJSON compares texts of JSON; numbers have to have the same digits.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	if !reflect.DeepEqual(read(want), read(got)) { // not cmp.Diff, whose time doubles with each level
		t.Errorf("got %.1000s, want %.1000s", got, want)
	}
}

// loopback resolves every name to this machine.
type loopback struct{}

func (loopback) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// serve starts a server and returns the policy that grants it, as api.test, and its address.
func serve(t testing.TB, handler http.HandlerFunc) (*policy.Policy, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, digits, err := net.SplitHostPort(at.Host)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	rule := policy.Network{
		Host: "api.test", Methods: []string{"GET", "HEAD", "POST"}, Ports: []int{port}, Private: true, CIDR: netip.MustParsePrefix("127.0.0.0/8"),
	}
	return &policy.Policy{Network: []policy.Network{rule}}, "http://api.test:" + digits
}

// encode is a value as JSON.
func encode(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pure are the tools that reach nothing.
func pure() []runtime.Tool { return []runtime.Tool{builtin.JSONQuery(), builtin.TextTemplate()} }
