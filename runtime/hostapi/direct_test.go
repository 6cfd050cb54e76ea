package hostapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

func TestFetchFromGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := hostapi.New(w.options).Begin(w.policy, 0)
	defer session.Close()
	resp, err := session.Fetch(t.Context(), hostapi.FetchRequest{
		Method: "POST", URL: w.at("api.test", "/echo?q=1"), Header: http.Header{"X-A": {"1", "caf\u00e9"}, "Host": {"elsewhere"}}, Body: []byte("text"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Method, Body, Host, Query string
		Header                    http.Header
	}
	if err := json.Unmarshal(resp.Body, &seen); err != nil {
		t.Fatal(err)
	}
	if resp.Status != 200 || resp.StatusText != "OK" || resp.Redirected || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", resp)
	}
	if seen.Method != "POST" || seen.Body != "text" || seen.Host != "api.test" || seen.Query != "q=1" || len(seen.Header["X-A"]) != 1 {
		t.Errorf("the server saw %+v", seen)
	}
	if got := w.requests()[0].Header.Get("X-A"); got != "1, caf\xe9" {
		t.Errorf("the header went out as %q", got)
	}
	if uses := session.Finish(); len(uses) != 1 || uses[0].API != "fetch" || uses[0].Outcome != hostapi.OK || uses[0].BytesOut != 4 {
		t.Errorf("got %+v", uses)
	}
}

// All requests of a session are under the same limits, and do not end each other.
func TestFetchFromGoSharesLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy.FetchLimits.MaxRequests = 5
	session := hostapi.New(w.options).Begin(w.policy, 0)
	defer session.Close()
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if _, err := session.Fetch(t.Context(), hostapi.FetchRequest{Method: "GET", URL: w.at("api.test", "/echo")}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	_, err := session.Fetch(t.Context(), hostapi.FetchRequest{Method: "GET", URL: w.at("api.test", "/echo")})
	if !errors.Is(err, tool.Limit) {
		t.Errorf("got %v", err)
	}
}

func TestFetchFromGoDenied(t *testing.T) {
	t.Parallel()
	session := hostapi.New(hostapi.Options{}).Begin(nil, 0)
	defer session.Close()
	for name, req := range map[string]hostapi.FetchRequest{
		"no rule": {Method: "GET", URL: "https://api.test/"},
		"method":  {Method: "CONNECT", URL: "https://api.test/"},
		"nothing": {},
	} {
		if _, err := session.Fetch(t.Context(), req); !errors.Is(err, tool.Denied) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestReadFileFromGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "abc", "empty": "", "bytes": "\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &policy.Policy{Storage: []policy.Storage{{Root: dir}}, FSLimits: policy.FSLimits{MaxTotalBytes: 10}}
	session := hostapi.New(hostapi.Options{}).Begin(p, 0)
	defer session.Close()
	for _, c := range []struct {
		path, want string
		fails      error
	}{
		{"text", "abc", nil},
		{"empty", "", nil},
		{"bytes", "\xff", nil},
		{"absent", "", tool.NotFound},
		{"../text", "", tool.Denied},
		{"text", "abc", nil},
		{"text", "abc", nil},
		{"text", "", tool.Limit}, // the tenth byte is gone
	} {
		got, err := session.ReadFile(t.Context(), c.path)
		if string(got) != c.want || !errors.Is(err, c.fails) || (err == nil) != (c.fails == nil) {
			t.Errorf("%s: got %q, %v, want %q, %v", c.path, got, err, c.want, c.fails)
		}
		if e := tool.AsError(err); e != nil && strings.Contains(e.Message, dir) {
			t.Errorf("the message tells where the folder is: %s", e.Message)
		}
	}
}
