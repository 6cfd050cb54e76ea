package hostapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// attack is a case of testdata/fetch: a hostile tool or server, the outcomes that are right, and what must hold besides.
type attack struct {
	ID, Title, Source string
	Input             json.RawMessage
	Allowlist         []string
	Config            struct {
		SandboxTimeoutMs     int
		FetchDomainAllowlist []string
	}
	Fixtures struct {
		DNS      map[string][][]string // name: one set of addresses for each lookup, the last one again and again
		Dial     map[string]string     // address and port: name of a server
		Servers  map[string]serverSpec
		Canaries []string
		Env      map[string]string
		Netrc    string
	}
	Expect            string
	ExpectAny         []string
	Output, OutputAny json.RawMessage
	OutputMustNotMatch, ServerMustNotSee,
	Invariants []string
	Follow *attack
}

// patience is how long a busy machine may take for what takes no time.
const patience = 30 * time.Second

// limit is the time that a case has: what it says if time may end it, and otherwise enough for any machine.
func (a *attack) limit(ms int) time.Duration {
	if a.Expect != "error:timeout" && !slices.Contains(a.ExpectAny, "error:timeout") {
		return patience
	}
	return time.Duration(ms) * time.Millisecond
}

// codes are the names that the cases have for outcomes beside error:CODE.
var codes = map[string]tool.Code{
	"error:exception": tool.GuestError, "error:fuel": tool.OutOfFuel, "error:memory": tool.OutOfMemory,
	"reject-at-validation": tool.InvalidSource,
}

func readAttacks(t *testing.T, name string) []attack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "fetch", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []attack
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAttacks runs the handed attacks, one after the other so that leaks can be told.
func TestAttacks(t *testing.T) {
	engine(t)
	for _, name := range []string{"ssrf.json", "abuse.json", "lifecycle.json"} {
		for _, a := range readAttacks(t, name) {
			t.Run(a.ID, func(t *testing.T) { a.run(t) })
		}
	}
}

func (a *attack) run(t *testing.T) {
	t.Helper()
	if testing.Short() && a.Expect == "error:timeout" {
		a.Config.SandboxTimeoutMs /= 3
	}
	s := a.stage(t)
	goroutines, memory := goruntime.NumGoroutine(), resident()
	a.play(t, s)
	if a.Follow != nil {
		a.Follow.Config.FetchDomainAllowlist, a.Follow.Config.SandboxTimeoutMs = a.Config.FetchDomainAllowlist, a.Config.SandboxTimeoutMs
		a.Follow.play(t, s)
	}
	for _, invariant := range a.Invariants {
		switch invariant {
		case "host-alive":
			alive(t)
		case "no-goroutine-leak":
			settled(t, goroutines)
		case "rss":
			if grown := resident() - memory; grown > (128+64)<<20 {
				t.Errorf("the process has grown by %d bytes", grown)
			}
		}
	}
	for _, unseen := range a.ServerMustNotSee {
		s.mustNotSee(t, unseen)
	}
}

// play runs the tool once and checks its outcome and what holds of a single call.
func (a *attack) play(t *testing.T, s *stage) {
	t.Helper()
	dialled := len(s.net.addresses())
	session := s.host.Begin(a.policy(t), 0)
	defer session.Close()
	apis, err := hostapi.APIs(a.Allowlist)
	if err != nil {
		t.Fatal(err)
	}
	limits := tool.Limits{Timeout: a.limit(a.Config.SandboxTimeoutMs)}
	program, err := engine(t).Load(t.Context(), wasmjs.Source{Code: a.Source, APIs: apis}, limits)
	if err != nil {
		t.Fatal(err)
	}
	input := a.Input
	if input == nil {
		input = json.RawMessage("{}")
	}
	start := time.Now()
	result, err := program.Call(t.Context(), input, wasmjs.CallOptions{Limits: limits, Funcs: session.Funcs()})
	took := time.Since(start)
	a.judge(t, result, err)
	after := s.net.addresses()[dialled:]
	for _, invariant := range a.Invariants {
		switch invariant {
		case "deadline":
			if took > limits.Timeout+patience {
				t.Errorf("took %v of %v", took, limits.Timeout)
			}
		case "no-egress":
			if len(after) > 0 {
				t.Errorf("connected to %v", after)
			}
		case "no-egress-private":
			s.noPrivate(t, after)
		case "no-late-egress":
			time.Sleep(100 * time.Millisecond)
			if late := s.net.addresses()[dialled:]; len(late) > len(after) {
				t.Errorf("connected after the result to %v", late[len(after):])
			}
		case "denied-audited":
			if !audited(session.Finish()) {
				t.Errorf("no use says what was denied: %+v", session.Finish())
			}
		case "bounded-inflight":
			if s.net.most > policy.DefaultFetchLimits.MaxConcurrent {
				t.Errorf("%d requests at once", s.net.most)
			}
		case "bounded-total":
			if len(after) > policy.DefaultFetchLimits.MaxRequests {
				t.Errorf("%d requests", len(after))
			}
		}
	}
}

func audited(uses []hostapi.Use) bool {
	return slices.ContainsFunc(uses, func(u hostapi.Use) bool { return u.API == "fetch" && u.Outcome == "denied" && u.Detail != "" })
}

func (a *attack) policy(t *testing.T) *policy.Policy {
	t.Helper()
	p := new(policy.Policy)
	for _, host := range a.Config.FetchDomainAllowlist {
		if err := p.AllowHost(host); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (a *attack) judge(t *testing.T, result *wasmjs.Result, err error) {
	t.Helper()
	right := append([]string{a.Expect}, a.ExpectAny...)
	outcome, output := "ok", string(result.Output)
	if err != nil {
		outcome, output = "error:"+string(tool.AsError(err).Code), err.Error()
	}
	if !slices.ContainsFunc(right, func(name string) bool {
		return name == outcome || codes[name] != "" && outcome == "error:"+string(codes[name])
	}) {
		t.Fatalf("%s: got %s (%s), want one of %v", a.Title, outcome, output, right)
	}
	t.Logf("%s: %s %.300s", a.Title, outcome, output)
	if err == nil && !a.rightOutput(result.Output) {
		t.Errorf("%s: got %s, want %s %s", a.Title, result.Output, a.Output, a.OutputAny)
	}
	for _, pattern := range a.OutputMustNotMatch {
		if regexp.MustCompile(pattern).MatchString(output) {
			t.Errorf("the output shows %s: %s", pattern, output)
		}
	}
	if len(output) > 4096 && err != nil {
		t.Errorf("an error of %d bytes", len(output))
	}
}

func (a *attack) rightOutput(output []byte) bool {
	right := []json.RawMessage{a.Output}
	if a.OutputAny != nil {
		if string(a.OutputAny) == `"*"` {
			return true
		}
		right = nil
		_ = json.Unmarshal(a.OutputAny, &right)
	}
	var got any
	_ = json.Unmarshal(output, &got)
	return slices.ContainsFunc(right, func(text json.RawMessage) bool {
		var want any
		return json.Unmarshal(text, &want) == nil && reflect.DeepEqual(got, want)
	})
}

// stage is a host whose network is made of fixtures.
type stage struct {
	host     *hostapi.Host
	net      *dialled
	servers  map[string]*server
	canaries []string
}

func (a *attack) stage(t *testing.T) *stage {
	t.Helper()
	s := &stage{net: &dialled{routes: map[string]*server{}}, servers: map[string]*server{}}
	for name, spec := range a.Fixtures.Servers {
		s.servers[name] = startServer(t, spec)
	}
	for address, name := range a.Fixtures.Dial {
		s.net.routes[address] = s.servers[name]
	}
	canary := startServer(t, serverSpec{Behaviour: "ok", Body: "canary"})
	for _, address := range a.Fixtures.Canaries {
		s.canaries = append(s.canaries, strings.ReplaceAll(address, "$CANARY", canary.address()))
	}
	for name, value := range a.Fixtures.Env {
		t.Setenv(name, strings.ReplaceAll(value, "$CANARY", canary.address()))
	}
	if a.Fixtures.Netrc != "" {
		t.Setenv("HOME", t.TempDir())
		if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), ".netrc"), []byte(a.Fixtures.Netrc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if seen := canary.requests(); len(seen) > 0 {
			t.Errorf("the canary got %q", seen)
		}
	})
	s.host = hostapi.New(hostapi.Options{Resolver: &names{sets: a.Fixtures.DNS}, Dial: s.net.dial})
	return s
}

func (s *stage) noPrivate(t *testing.T, addresses []string) {
	t.Helper()
	for _, address := range addresses {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !at.Addr().IsGlobalUnicast() || at.Addr().IsPrivate() || slices.Contains(s.canaries, address) {
			t.Errorf("connected to %s", address)
		}
	}
}

// mustNotSee checks what no server may have got: "/path", "header:TEXT", "SERVER:TEXT" or "SERVER:*".
func (s *stage) mustNotSee(t *testing.T, unseen string) {
	t.Helper()
	where, what, named := strings.Cut(unseen, ":")
	for name, server := range s.servers {
		if named && where != "header" && where != name {
			continue
		}
		for _, request := range server.requests() {
			line, header, _ := strings.Cut(request, "\r\n")
			found := strings.Contains(request, unseen)
			switch {
			case named && where == "header":
				found = strings.Contains(strings.ToLower("\r\n"+header), strings.ToLower("\r\n"+what))
			case named:
				found = what == "*" || strings.Contains(request, what)
			case strings.HasPrefix(unseen, "/"):
				found = strings.Contains(line, " "+unseen)
			}
			if found {
				t.Errorf("the server %s got %s in %q", name, unseen, request)
			}
		}
	}
}

// names is a resolver whose answers change from lookup to lookup.
type names struct {
	mu   sync.Mutex
	sets map[string][][]string
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	sets := n.sets[host]
	if len(sets) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
	}
	if len(sets) > 1 {
		n.sets[host] = sets[1:]
	}
	addrs := make([]netip.Addr, len(sets[0]))
	for i, text := range sets[0] {
		addrs[i] = netip.MustParseAddr(text)
	}
	return addrs, nil
}

// alive checks that the engine still gives a right answer.
func alive(t *testing.T) {
	t.Helper()
	r, err := runTool(t, nil, new(policy.Policy), `function execute(n) { return n + 1 }`, `41`)
	if err != nil || string(r.Output) != "42" {
		t.Errorf("the host answers %s, %v", r.Output, err)
	}
}

// settled waits until there are no more goroutines than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if goruntime.NumGoroutine() <= before {
			return
		}
	}
	stacks := make([]byte, 64<<10)
	t.Errorf("%d goroutines, %d before: %s", goruntime.NumGoroutine(), before, stacks[:goruntime.Stack(stacks, true)])
}

// resident is the memory of the process, or 0 where that cannot be told.
func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}

// engine is the one engine of all tests.
var sharedEngine = sync.OnceValues(func() (*wasmjs.Engine, error) {
	return wasmjs.New(context.Background(), wasmjs.Options{})
})

func engine(t testing.TB) *wasmjs.Engine {
	t.Helper()
	e, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// runTool runs a tool that has been given fetch, or nothing when there is no host.
func runTool(t testing.TB, h *hostapi.Host, p *policy.Policy, code, input string) (*wasmjs.Result, error) {
	t.Helper()
	src, opt := wasmjs.Source{Code: code}, wasmjs.CallOptions{}
	if h != nil {
		session := h.Begin(p, 0)
		defer session.Close()
		src.APIs, _ = hostapi.APIs([]string{"fetch"})
		opt.Funcs = session.Funcs()
	}
	program, err := engine(t).Load(t.Context(), src, opt.Limits)
	if err != nil {
		t.Fatal(err)
	}
	return program.Call(t.Context(), []byte(input), opt)
}
