package remote_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/remote"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// box is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var box = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

var (
	ann   = tool.Principal{Tenant: "acme", Persona: "ann", KeyID: "1", KeyName: "ann", Scopes: tool.Scopes{tool.ScopeCall, tool.ScopeForge}}
	grace = tool.Principal{Tenant: "acme", Persona: "desk", KeyID: "2", KeyName: "grace", Scopes: tool.AllScopes()}
)

// pair is a desk here, and the same at a host elsewhere.
type pair struct{ here, there desk.Desk }

// open opens a host, and returns the desks of ann and grace at it.
func open(t *testing.T) (forAnn, forGrace pair) {
	t.Helper()
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools, c.EmergentConfig.AllowDuplicates = true, true, true
	reviewer, err := judge.New(judge.Options{Creation: judgetest.ApproveAll(), Safety: judgetest.ApproveAll(), Correctness: judgetest.ApproveAll()})
	if err != nil {
		t.Fatal(err)
	}
	sandbox, err := box()
	if err != nil {
		t.Fatal(err)
	}
	events := &server.Events{}
	host, err := toolsmith.Open(t.Context(), "", toolsmith.Options{
		Config: &c, Getenv: func(string) string { return "" }, Judge: reviewer, Sandbox: sandbox, OnAudit: events.Audit, OnForge: events.Forge,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Host: host, Events: events, Authenticate: func(_ context.Context, key string) (tool.Principal, error) {
		switch key {
		case "ann":
			return ann, nil
		case "grace":
			return grace, nil
		}
		return tool.Principal{}, &tool.Error{Code: tool.Denied}
	}})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		served.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	at := func(p tool.Principal) pair {
		client, err := remote.New(remote.Options{URL: served.URL, Key: p.KeyName, Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return pair{desk.NewKeyed(host, p, "s"), client}
	}
	return at(ann), at(grace)
}

func request(name, code string) []byte {
	text, _ := json.Marshal(map[string]any{
		"name": name, "description": "Adds two numbers.",
		"inputSchema":    json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		"outputSchema":   json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`),
		"implementation": map[string]any{"mode": "sandbox", "code": code, "allowlist": []string{}},
		"testCases":      json.RawMessage(`[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`),
	})
	return text
}

const adding = "function execute(input) { console.log('adding'); return { sum: input.a + input.b }; }"

// same compares what two desks say, as JSON, and their errors.
func same[T any](t *testing.T, what string, p pair, ask func(desk.Desk) (T, error)) T {
	t.Helper()
	here, wrongHere := ask(p.here)
	there, wrongThere := ask(p.there)
	if diff := cmp.Diff(text(t, here), text(t, there)); diff != "" {
		t.Errorf("%s (-here +there)\n%s", what, diff)
	}
	if diff := cmp.Diff(text(t, tool.AsError(wrongHere)), text(t, tool.AsError(wrongThere))); diff != "" {
		t.Errorf("the error of %s (-here +there)\n%s", what, diff)
	}
	return there
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A desk at a host elsewhere says and does what one here does.
func TestSameAsHere(t *testing.T) {
	t.Parallel()
	a, g := open(t)
	ctx := t.Context()
	result, err := a.there.Forge(ctx, request("add_numbers", adding))
	if err != nil || !result.Success || result.Tool.Name != "add_numbers" || result.Verdict == nil || len(result.TestResults) != 2 {
		t.Fatalf("%+v %v", result, err)
	}
	id := result.ToolID
	if _, err := a.there.Forge(ctx, request("mul_numbers", adding)); err != nil {
		t.Fatal(err)
	}
	const other = "emergent:00000000-0000-4000-8000-000000000000"
	for _, which := range []string{"add_numbers", id, "nothing", other, "text_template", "a b/c?d"} {
		same(t, "Show "+which, a, func(d desk.Desk) (*desk.Whole, error) { return d.Show(ctx, which) })
		same(t, "Versions "+which, a, func(d desk.Desk) ([]*tool.Record, error) { return d.Versions(ctx, which) })
		same(t, "Diff "+which, a, func(d desk.Desk) (*desk.Diff, error) { return d.Diff(ctx, which, "", "7") })
	}
	same(t, "Tools", a, func(d desk.Desk) ([]runtime.Face, error) { return d.Tools(ctx) })
	same(t, "Search", a, func(d desk.Desk) ([]runtime.Hit, error) { return d.Search(ctx, "add numbers", 2) })
	same(t, "Search for nothing", a, func(d desk.Desk) (int, error) { found, err := d.Search(ctx, "?", 2); return len(found), err })
	same(t, "List", a, func(d desk.Desk) ([]*tool.Record, error) { return d.List(ctx, desk.ListQuery{Tier: tool.SessionTier}) })
	same(t, "List all", a, func(d desk.Desk) (int, error) {
		all, err := d.List(ctx, desk.ListQuery{All: true})
		return len(all), err
	})
	same(t, "List all", g, func(d desk.Desk) ([]*tool.Record, error) {
		return d.List(ctx, desk.ListQuery{All: true, History: true})
	})
	same(t, "Sessions", g, func(d desk.Desk) ([]desk.Session, error) { return d.Sessions(ctx) })
	same(t, "Usage", g, func(d desk.Desk) (tool.Usage, error) { return d.Usage(ctx) })
	same(t, "Usage", a, func(d desk.Desk) (tool.Usage, error) { return d.Usage(ctx) })
	same(t, "VerifyAudit", g, func(d desk.Desk) (tiers.Chain, error) { return d.VerifyAudit(ctx) })
	same(t, "VerifyAudit", a, func(d desk.Desk) (tiers.Chain, error) { return d.VerifyAudit(ctx) })
	for _, q := range []tiers.AuditQuery{{}, {After: 2, Limit: 3}, {Newest: true, Limit: 2}, {Newest: true, Before: 3}, {ToolID: id}, {After: 1e6}} {
		last := same(t, "Audit", a, func(d desk.Desk) (uint64, error) { _, last, err := d.Audit(ctx, q); return last, err })
		same(t, "Audit", g, func(d desk.Desk) (int, error) { events, _, err := d.Audit(ctx, q); return len(events), err })
		if q.After == 1e6 && last != 0 {
			t.Errorf("after the end there is %d", last)
		}
	}
	p := same(t, "Export", a, func(d desk.Desk) (string, error) {
		text, err := d.Export(ctx, "add_numbers", toolsmith.ExportOptions{WithSource: true})
		before, _, _ := strings.Cut(string(text), "exportedAt:")
		return before, err
	})
	if p == "" {
		t.Error("an export is empty")
	}
	for what, do := range map[string]func(desk.Desk) error{
		"Demote without a reason":   func(d desk.Desk) error { _, err := d.Demote(ctx, id, " "); return err },
		"Demote of nothing":         func(d desk.Desk) error { _, err := d.Demote(ctx, "nothing", "x"); return err },
		"Promote":                   func(d desk.Desk) error { _, _, err := d.Promote(ctx, id, tool.AgentTier, ""); return err },
		"Revert":                    func(d desk.Desk) error { _, err := d.Revert(ctx, id, "9"); return err },
		"EndSession of another":     func(d desk.Desk) error { _, err := d.EndSession(ctx, "desk", "s"); return err },
		"EndSession that is not":    func(d desk.Desk) error { _, err := d.EndSession(ctx, "", "nothing"); return err },
		"Call of what is not there": func(d desk.Desk) error { _, err := d.Call(ctx, "nothing", json.RawMessage(`{}`)); return err },
		"Call that does not fit": func(d desk.Desk) error {
			_, err := d.Call(ctx, "add_numbers", json.RawMessage(`{"a":"x"}`))
			return err
		},
		"Forge of nothing":  func(d desk.Desk) error { _, err := d.Forge(ctx, []byte(`{}`)); return err },
		"Import of nothing": func(d desk.Desk) error { _, err := d.Import(ctx, []byte(`x: 1`), forge.Trust{}); return err },
	} {
		same(t, what, a, func(d desk.Desk) (int, error) { return 0, do(d) })
	}
}

// What is decided elsewhere has happened here.
func TestDecisions(t *testing.T) {
	t.Parallel()
	a, g := open(t)
	ctx := t.Context()
	if _, err := a.there.Forge(ctx, request("add_numbers", adding)); err != nil {
		t.Fatal(err)
	}
	call, err := a.there.Call(ctx, "add_numbers", json.RawMessage(`{"a":1,"b":2}`))
	if err != nil || string(call.Output) != `{"sum":3}` || call.Stats.Fuel == 0 || call.Tool.Name != "add_numbers" || len(call.Logs) != 1 {
		t.Errorf("%+v %v", call, err)
	}
	list, err := a.there.List(ctx, desk.ListQuery{})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	id := list[0].ID
	pack, err := a.there.Export(ctx, id, toolsmith.ExportOptions{WithSource: true, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, _, err := g.there.Promote(ctx, id, tool.AgentTier, ""); err != nil || r.Tier != tool.AgentTier || r.PromotedBy != "grace" {
		t.Errorf("%+v %v", r, err)
	}
	if r, verdict, err := g.there.Promote(ctx, id, tool.SharedTier, ""); err != nil || r.Tier != tool.SharedTier || verdict == nil {
		t.Errorf("%+v %+v %v", r, verdict, err)
	}
	if r, err := g.there.Suspend(ctx, id, "under review"); err != nil || r.Suspended == nil || r.Suspended.Reason != "admin: under review" {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := g.there.Resume(ctx, id, tiers.Resumption{}); err != nil || r.Suspended != nil {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := g.there.Demote(ctx, id, "wrong"); err != nil || r.IsActive {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := g.there.Revert(ctx, id, "1"); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := g.there.Remove(ctx, "add_numbers"); err != nil || r.Name != "add_numbers" {
		t.Errorf("%+v %v", r, err)
	}
	if result, err := a.there.Import(ctx, pack, forge.Trust{}); err != nil || !result.Success {
		t.Errorf("%+v %v", result, err)
	}
	if gone, err := a.there.EndSession(ctx, "", "s"); err != nil || len(gone) != 1 {
		t.Errorf("%v %v", gone, err)
	}
	if result, err := a.there.Forge(ctx, request("bad", "function execute() { return {sum: 0}; }")); !errors.Is(err, tool.Rejected) || result.Stage != forge.StageTests {
		t.Errorf("%+v %v", result, err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "tools.example", "ftp://a", "http://", "http://a/b", "http://u:p@a", "http://a?b", "http://a#b", "http://%zz"} {
		if _, err := remote.New(remote.Options{URL: address}); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, ok := range map[string]bool{
		"http://192.0.2.1": false, "http://tools.example:80": false, "http://localhost.evil.test": false, "https://tools.example": true, "http://127.0.0.1:1": true,
		"http://[::1]:1/": true, "http://localhost": true,
	} {
		if _, err := remote.New(remote.Options{URL: address, Key: "k"}); (err == nil) != ok || err != nil && !errors.Is(err, tool.Denied) {
			t.Errorf("%s: %v", address, err)
		}
		if _, err := remote.New(remote.Options{URL: address, Key: "k", Insecure: true}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A host whose certificate comes from no authority of the system is reached by those alone who name its authority.
func TestAuthorities(t *testing.T) {
	t.Parallel()
	served := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"version":"v9"}`) }))
	served.Config.ErrorLog = log.New(io.Discard, "", 0)
	served.StartTLS()
	defer served.Close()
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) }))
	defer stranger.Close()
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: served.Certificate().Raw})
	_, port, _ := strings.Cut(strings.TrimPrefix(served.URL, "https://"), ":")
	for name, test := range map[string]struct {
		address string
		ca      []byte
		want    tool.Code
		hint    string
	}{
		"named":          {served.URL, own, "", ""},
		"among others":   {served.URL, append([]byte("# ours\n"), own...), "", ""},
		"of the system":  {served.URL, nil, tool.Unavailable, "--ca FILE"},
		"another name":   {"https://localhost:" + port, own, tool.Unavailable, "a name that the certificate has"},
		"no certificate": {served.URL, []byte("-----BEGIN CERTIFICATE-----\n"), tool.InvalidRequest, "PEM"},
		"nothing":        {served.URL, []byte{}, tool.InvalidRequest, "PEM"},
		"no host":        {stranger.URL, own, tool.Unavailable, "the same version"},
	} {
		version, err := "", error(nil)
		client, err := remote.New(remote.Options{URL: test.address, CA: test.ca})
		if err == nil {
			version, err = client.Version(t.Context())
			client.Close()
		}
		e := tool.AsError(err)
		if test.want == "" && (err != nil || version != "v9") || test.want != "" && (!errors.Is(err, test.want) || !strings.Contains(e.Hint, test.hint)) {
			t.Errorf("%s: %q, %+v", name, version, e)
		}
	}
}

// A key that cannot be sent is not taken for a host that cannot be reached.
func TestMalformedKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"tsk_a\n", "tsk_a b", "tsk_\x00", "tsk_ä", "tsk_\ta"} {
		_, err := remote.New(remote.Options{URL: "http://127.0.0.1:1", Key: key})
		if e := tool.AsError(err); e == nil || e.Code != tool.InvalidRequest || !strings.Contains(e.Message, "key") || strings.Contains(err.Error(), "tsk") {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// records are all that a desk answers with records, by what is asked for.
var records = map[string]func(context.Context, desk.Desk) ([]*tool.Record, error){
	"forge": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) {
		result, err := d.Forge(ctx, []byte("{}"))
		return []*tool.Record{result.Tool}, err
	},
	"list":     func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) { return d.List(ctx, desk.ListQuery{}) },
	"versions": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) { return d.Versions(ctx, "x") },
	"show": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) {
		whole, err := d.Show(ctx, "x")
		if err != nil {
			return nil, err
		}
		return []*tool.Record{whole.Record}, nil
	},
	"promote": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) {
		r, _, err := d.Promote(ctx, "x", tool.AgentTier, "")
		return []*tool.Record{r}, err
	},
	"demote": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) {
		r, err := d.Demote(ctx, "x", "wrong")
		return []*tool.Record{r}, err
	},
	"remove": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) {
		r, err := d.Remove(ctx, "x")
		return []*tool.Record{r}, err
	},
	"end": func(ctx context.Context, d desk.Desk) ([]*tool.Record, error) { return d.EndSession(ctx, "ann", "s") },
}

// An answer that leaves out what belongs to it is none: whoever gets a record uses it.
func TestAnswersWithGaps(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{}`, `null`, `{"items":[null]}`, `{"tool":null}`} {
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		client, err := remote.New(remote.Options{URL: stranger.URL})
		if err != nil {
			t.Fatal(err)
		}
		for name, ask := range records {
			got, err := ask(t.Context(), client)
			e := tool.AsError(err)
			if e == nil && slices.Contains(got, nil) || e != nil && (e.Code != tool.Unavailable || e.Hint == "") {
				t.Errorf("%s answered with %s: %v, %v", name, answer, got, err)
			}
		}
		if _, err := client.Call(t.Context(), "x", nil); !errors.Is(err, tool.Unavailable) {
			t.Errorf("a call answered with %s: %v", answer, err)
		}
		client.Close()
		stranger.Close()
	}
}

// A refusal says of each test that failed how it did.
func TestRefusalsWithGaps(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"code":"rejected","result":{"stage":"tests","testResults":[null]}}`)
	}))
	defer stranger.Close()
	client, err := remote.New(remote.Options{URL: stranger.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if result, err := client.Forge(t.Context(), []byte("{}")); !errors.Is(err, tool.Unavailable) || len(result.TestResults) > 0 {
		t.Errorf("%+v %v", result, err)
	}
}

// Whatever stands at an address, the answer is bounded and typed, and the key goes nowhere else.
func TestStrangers(t *testing.T) {
	t.Parallel()
	var asked []string
	var mu sync.Mutex
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   tool.Code
	}{
		"a page":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, tool.Unavailable},
		"an error": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) }, tool.Unavailable},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, tool.Unavailable},
		"a cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, tool.Unavailable},
		"an unknown code": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"code":"new_code","detail":"d"}`)
		}, "new_code"},
		"no end": {func(w http.ResponseWriter, _ *http.Request) {
			for range 45 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}, tool.OutputTooLarge},
		"a list without end": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"items":[],"next":"x"}`) }, tool.Unavailable},
		"a list that goes around": {func(w http.ResponseWriter, r *http.Request) {
			next := map[string]string{"": "x", "x": "y", "y": "x"}[r.URL.Query().Get("cursor")]
			_, _ = io.WriteString(w, `{"items":[{}],"next":"`+next+`"}`)
		}, tool.Unavailable},
	} {
		stranger := httptest.NewServer(c.answer)
		client, err := remote.New(remote.Options{URL: stranger.URL, Key: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Tools(t.Context()); tool.AsError(err) == nil || tool.AsError(err).Code != c.code || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		client.Close()
		stranger.Close()
	}
	if len(asked) > 0 {
		t.Errorf("the key went elsewhere: %q", asked)
	}
	client, err := remote.New(remote.Options{URL: elsewhere.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Tools(ctx); !errors.Is(err, tool.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
