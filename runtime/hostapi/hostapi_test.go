package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// given is a run of a tool that was given APIs.
type given struct {
	host   *hostapi.Host // nil: the real world
	policy *policy.Policy
	apis   []string
	seed   uint64
	limits tool.Limits
	input  string // "" is {}
}

// run loads and calls a tool. The uses are those of the whole call.
func (g given) run(t testing.TB, code string) (*wasmjs.Result, []hostapi.Use, error) {
	t.Helper()
	apis, err := hostapi.APIs(g.apis)
	if err != nil {
		t.Fatal(err)
	}
	if g.host == nil {
		g.host = hostapi.New(hostapi.Options{})
	}
	if g.input == "" {
		g.input = "{}"
	}
	program, err := engine(t).Load(t.Context(), wasmjs.Source{Code: code, APIs: apis}, g.limits)
	if err != nil {
		t.Fatal(err)
	}
	session := g.host.Begin(g.policy, g.seed)
	defer session.Close()
	result, err := program.Call(t.Context(), []byte(g.input), wasmjs.CallOptions{Limits: g.limits, Funcs: session.Funcs()})
	return result, session.Finish(), err
}

// answers checks the output of a tool that must succeed.
func (g given) answers(t testing.TB, code, want string) {
	t.Helper()
	r, _, err := g.run(t, code)
	if err != nil || string(r.Output) != want {
		t.Errorf("%s: got %s, %v, want %s", code, r.Output, err, want)
	}
}

// fails checks the code and a part of the message of a tool that must fail.
func (g given) fails(t testing.TB, code string, want tool.Code, part string) {
	t.Helper()
	r, _, err := g.run(t, code)
	if !errors.Is(err, want) || !strings.Contains(err.Error(), part) {
		t.Errorf("%s: got %s, %v, want %s: %s", code, r.Output, err, want, part)
	}
}

func TestAPIs(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"fetch", "fs.readFile", "crypto"}, hostapi.Names()); diff != "" {
		t.Error(diff)
	}
	apis, err := hostapi.APIs([]string{"crypto", "fs.readFile", "crypto"})
	if err != nil || len(apis) != 2 || apis[0].Name != "fs.readFile" || apis[1].Name != "crypto" {
		t.Errorf("%v, %v", apis, err)
	}
	if apis, err := hostapi.APIs(nil); err != nil || len(apis) != 0 {
		t.Errorf("%v, %v", apis, err)
	}
	for _, name := range []string{"", "fs", "Fetch", "process", strings.Repeat("a", 1000), "\xff"} {
		_, err := hostapi.APIs([]string{"crypto", name})
		if !errors.Is(err, tool.InvalidRequest) || len(err.Error()) > 300 || tool.AsError(err).Hint == "" {
			t.Errorf("%.40q: %v", name, err)
		}
	}
}

// What was not asked for is absent; what was asked for and is not granted fails.
func TestPowersAreAskedForAndGranted(t *testing.T) {
	t.Parallel()
	const probe = `function execute() { return [typeof fetch, typeof fs, typeof crypto] }`
	for _, c := range []struct {
		apis []string
		want string
	}{
		{nil, `["undefined","undefined","undefined"]`},
		{[]string{"fetch"}, `["function","undefined","undefined"]`},
		{[]string{"fs.readFile"}, `["undefined","object","undefined"]`},
		{[]string{"crypto"}, `["undefined","undefined","object"]`},
	} {
		given{apis: c.apis, policy: policy.Open(".")}.answers(t, probe, c.want)
	}
	all := given{apis: hostapi.Names()} // no policy
	all.fails(t, `async function execute() { await fs.readFile('/a') }`, tool.Denied, "permissions.storage.allow")
	all.fails(t, `function execute() { return crypto.randomUUID() }`, tool.Denied, "permissions.crypto.allow")
	all.fails(t, `async function execute() { await fetch('https://a.example/') }`, tool.Denied, "permissions.network.allow")
}

func TestUsesAreCounted(t *testing.T) {
	t.Parallel()
	clock := time.Unix(0, 0)
	var mu sync.Mutex
	host := hostapi.New(hostapi.Options{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Millisecond)
		return clock
	}})
	g := given{host: host, apis: []string{"crypto", "fs.readFile"}, policy: &policy.Policy{Crypto: []string{"sha256", "random-values"}}, seed: 5}
	_, uses, err := g.run(t, `async function execute() {
		crypto.createHash('sha256').update('abcd').digest('hex');
		crypto.getRandomValues(new Uint16Array(4));
		try { crypto.createHmac('md5', 'k').update('xyz').digest() } catch {}
		try { await fs.readFile('a.txt') } catch {}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []hostapi.Use{
		{API: "crypto", Op: "digest", Outcome: hostapi.OK, Detail: "sha256", Count: 1, BytesOut: 4, BytesIn: 32, Duration: time.Millisecond},
		{API: "crypto", Op: "randomValues", Outcome: hostapi.OK, Seeded: true, Count: 1, BytesIn: 8, Duration: time.Millisecond},
		{API: "crypto", Op: "hmac", Outcome: "denied", Detail: "hmac-md5", Count: 1, Duration: time.Millisecond},
		{API: "fs.readFile", Op: "readFile", Outcome: "denied", Detail: `"a.txt"`, Count: 1, Duration: time.Millisecond},
	}
	if diff := cmp.Diff(want, uses); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// However much a tool does, what is kept of it is bounded, and nothing is lost from the sums.
func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	g := given{apis: []string{"crypto"}, policy: policy.Open(".")}
	_, uses, err := g.run(t, `function execute() {
		for (let i = 0; i < 5000; i++) crypto.createHash('md5').update('abc').digest();
		return crypto.randomUUID();
	}`)
	if err != nil || len(uses) > 300 {
		t.Fatalf("%d uses, %v", len(uses), err)
	}
	count, in, out := 0, int64(0), int64(0)
	for _, u := range uses {
		if u.Op == "digest" {
			count, in, out = count+u.Count, in+u.BytesIn, out+u.BytesOut
		}
	}
	if count != 5000 || in != 5000*16 || out != 5000*3 || uses[len(uses)-1].Op != "randomUUID" {
		t.Errorf("%d digests, %d bytes in, %d out; last %+v", count, in, out, uses[len(uses)-1])
	}
}

func TestSessionsAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &policy.Policy{Storage: []policy.Storage{{Root: dir}}, Crypto: []string{"*"}}
	session := hostapi.New(hostapi.Options{}).Begin(p, 9)
	funcs := session.Funcs()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				_, _ = funcs["crypto.randomUUID"](t.Context(), wasmjs.Request{})
				_, _ = funcs["fs.readFile"](t.Context(), wasmjs.Request{Value: json.RawMessage(`{"path":"a"}`)})
				session.Finish()
				if i == 7 {
					session.Close()
				}
			}
		})
	}
	all.Wait()
	if n := len(session.Finish()); n == 0 {
		t.Error("no uses")
	}
}

func TestClosedSessionsReadNothing(t *testing.T) {
	t.Parallel()
	session := hostapi.New(hostapi.Options{}).Begin(&policy.Policy{Storage: []policy.Storage{{Root: t.TempDir()}}}, 0)
	funcs := session.Funcs()
	session.Close()
	session.Close()
	_, err := funcs["fs.readFile"](t.Context(), wasmjs.Request{Value: json.RawMessage(`{"path":"a"}`)})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What reaches the host came out of a sandbox that may have been broken: no request may do more than fail.
func FuzzRequests(f *testing.F) {
	f.Add("crypto.digest", `{"algorithm":"sha256","encoding":"hex","key":0}`, []byte("abc"))
	f.Add("crypto.hmac", `{"algorithm":"md5","encoding":"bytes","key":2}`, []byte("abc"))
	f.Add("crypto.hmac", `{"algorithm":"sha1","key":-1}`, []byte("abc"))
	f.Add("crypto.timingSafeEqual", `null`, []byte("abc"))
	f.Add("crypto.randomValues", `1e9`, []byte("abc"))
	f.Add("fs.readFile", `{"path":"../a","text":true}`, []byte(nil))
	session := hostapi.New(hostapi.Options{}).Begin(&policy.Policy{Storage: []policy.Storage{{Root: f.TempDir()}}, Crypto: []string{"*"}}, 1)
	f.Cleanup(session.Close)
	funcs := session.Funcs()
	var ops []string
	for op := range funcs {
		if !strings.HasPrefix(op, "fetch") {
			ops = append(ops, op)
		}
	}
	f.Fuzz(func(t *testing.T, op, value string, body []byte) {
		if !slices.Contains(ops, op) {
			return
		}
		reply, err := funcs[op](t.Context(), wasmjs.Request{Value: json.RawMessage(value), Bytes: body})
		if err != nil && tool.AsError(err).Code == tool.Internal {
			t.Errorf("%s %q: %v", op, value, err)
		}
		if err == nil && (!json.Valid(reply.Value) || reply.Bytes != nil && reply.Value[0] != '{') {
			t.Errorf("%s %q: the reply %q cannot be carried", op, value, reply.Value)
		}
	})
}

func ExampleHost_Begin() {
	ctx := context.Background()
	engine, err := wasmjs.New(ctx, wasmjs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	apis, _ := hostapi.APIs([]string{"crypto"})
	program, err := engine.Load(ctx, wasmjs.Source{
		Code: `function execute({text}) { return crypto.createHash('sha256').update(text).digest('hex').slice(0, 8) }`,
		APIs: apis,
	}, tool.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	session := hostapi.New(hostapi.Options{}).Begin(&policy.Policy{Crypto: []string{"sha256"}}, 0)
	defer session.Close()
	result, err := program.Call(ctx, []byte(`{"text":"abc"}`), wasmjs.CallOptions{Funcs: session.Funcs()})
	fmt.Println(string(result.Output), err)
	for _, use := range session.Finish() {
		fmt.Println(use.API, use.Op, use.Detail, use.Outcome, use.BytesOut)
	}
	// Output:
	// "ba7816bf" <nil>
	// crypto digest sha256 ok 3
}
