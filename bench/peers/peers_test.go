package peers_test

import (
	"context"
	"errors"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
)

// TestMain lets the test binary serve engines to the tests, as the real one does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == peers.Command {
		if err := peers.ServeStandard(context.Background(), os.Args[2], os.Args[3]); err != nil {
			_, _ = os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start starts a contender of a kind that is always there.
func start(t *testing.T, name string) *peers.Process {
	t.Helper()
	list, err := peers.Select([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, list[0])
}

func open(t *testing.T, c peers.Contender) *peers.Process {
	t.Helper()
	p, err := peers.Start(t.Context(), c, t.TempDir())
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func do(t *testing.T, p *peers.Process, r peers.Request) *peers.Reply {
	t.Helper()
	reply, err := p.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func load(p programs.Program, mode peers.Mode) peers.Request {
	return peers.Request{Do: "load", Name: p.Name, Mode: mode, Source: p.Source}
}

func run(p programs.Program, n int) peers.Request {
	return peers.Request{Do: "run", Name: p.Name, Input: p.Input, N: n, Timeout: 5000}
}

// here starts the contenders that are part of this binary.
func here(t *testing.T) map[string]*peers.Process {
	t.Helper()
	return map[string]*peers.Process{
		"ours": open(t, peers.Ours), "unmetered": open(t, peers.Unmetered),
		"goja": start(t, "goja"), "modernc": start(t, "modernc"),
	}
}

func TestGoEnginesAgree(t *testing.T) {
	all := append(programs.Compute(), programs.Slug)
	for engine, p := range here(t) {
		for _, mode := range []peers.Mode{peers.Fresh, peers.Kept} {
			for _, program := range all {
				do(t, p, load(program, mode))
				reply := do(t, p, run(program, 2))
				if reply.Output != program.Want || reply.Outcome != "" {
					t.Errorf("%s %s %s: got %s %s, want %s", engine, mode, program.Name, reply.Output, reply.Outcome, program.Want)
				}
				if len(reply.Nanos) != 2 || reply.Nanos[0] <= 0 {
					t.Errorf("%s %s %s: times %v", engine, mode, program.Name, reply.Nanos)
				}
			}
		}
	}
}

func TestFreshForgetsAndKeptRemembers(t *testing.T) {
	counter := programs.Program{Name: "counter", Source: `let n = 0; function execute() { return ++n }`, Input: "null"}
	for _, engine := range []string{"goja", "modernc"} {
		p := start(t, engine)
		for mode, want := range map[peers.Mode]string{peers.Fresh: "1", peers.Kept: "5"} {
			do(t, p, load(counter, mode))
			r := run(counter, 2)
			r.Warm = 3
			if reply := do(t, p, r); reply.Output != want || len(reply.Nanos) != 2 {
				t.Errorf("%s %s: got %s after %d counted calls, want %s after 2", engine, mode, reply.Output, len(reply.Nanos), want)
			}
		}
	}
}

func TestTimeoutStopsALoop(t *testing.T) {
	loop := programs.Program{Name: "loop", Source: `function execute() { for (;;) {} }`, Input: "null"}
	for engine, p := range here(t) {
		if engine == "unmetered" {
			continue // nothing stops it
		}
		do(t, p, load(loop, peers.Fresh))
		r := run(loop, 1)
		r.Timeout = 30
		reply := do(t, p, r)
		if reply.Outcome == "" {
			t.Errorf("%s: the loop returned %s", engine, reply.Output)
		}
		if took := time.Duration(reply.Nanos[0]); took < 20*time.Millisecond {
			t.Errorf("%s: stopped after %v, before its deadline", engine, took)
		}
	}
}

func TestSpinAndHold(t *testing.T) {
	for engine, p := range here(t) {
		do(t, p, load(programs.Slug, peers.Fresh))
		spin := peers.Request{Do: "spin", Name: "slug", Input: programs.Slug.Input, Workers: 2, Millis: 20, Timeout: 5000}
		if reply := do(t, p, spin); reply.Calls == 0 {
			t.Errorf("%s: no call ended", engine)
		}
		hold := peers.Request{Do: "hold", Mode: peers.Kept, Source: programs.Slug.Source, Input: programs.Slug.Input, Timeout: 5000}
		do(t, p, hold) // nothing more than what is held: the garbage of the calls above goes
		before, err := p.ResidentBytes()
		if err != nil {
			if goruntime.GOOS == "linux" {
				t.Fatal(err)
			}
			t.Skip("resident memory is not known here:", err)
		}
		hold.N = 60
		do(t, p, hold)
		if after, err := p.ResidentBytes(); err != nil || after <= before {
			t.Errorf("%s: holding 60 VMs took memory from %d to %d (%v)", engine, before, after, err)
		}
	}
}

func TestRequestsThatFail(t *testing.T) {
	p := start(t, "goja")
	for _, c := range []struct {
		request peers.Request
		want    string
	}{
		{peers.Request{Do: "dance"}, `unknown request "dance"`},
		{peers.Request{Do: "run", Name: "nobody"}, `program "nobody" is not loaded`},
		{peers.Request{Do: "load", Name: "bad", Mode: peers.Fresh, Source: "not a program"}, "SyntaxError"},
	} {
		if _, err := p.Do(t.Context(), c.request); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.request.Do, err, c.want)
		}
	}
	do(t, p, load(programs.Slug, peers.Fresh)) // it still serves
}

func TestAProcessThatHangsIsKilled(t *testing.T) {
	p := start(t, "goja")
	hang := programs.Program{Name: "hang", Source: `function execute() { for (;;) {} }`, Input: "null"}
	do(t, p, load(hang, peers.Fresh))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r := run(hang, 1)
	r.Timeout = 60_000
	begin := time.Now()
	if _, err := p.Do(ctx, r); err == nil {
		t.Fatal("the hanging program returned")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v to give up", took)
	}
	if _, err := p.Do(t.Context(), peers.Request{Do: "hello"}); err == nil {
		t.Error("a killed process answered")
	}
}

func TestSelect(t *testing.T) {
	list, err := peers.Select([]string{"node", "goja"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if got, want := strings.Join(names, " "), "goja node:vm isolated-vm quickjs-emscripten"; got != want {
		t.Errorf("selected %s, want %s", got, want)
	}
	if _, err := peers.Select([]string{"deno"}); err == nil || !strings.Contains(err.Error(), "goja, modernc, native, node") {
		t.Errorf("an unknown peer gives %v", err)
	}
}

// TestOtherLanguages runs the peers that need tools from outside, where they are at hand.
func TestOtherLanguages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and installs the peers")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	list, err := peers.Select([]string{"native", "node"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			p, err := peers.Start(t.Context(), c, cache+"/toolsmith/bench")
			if errors.Is(err, peers.ErrUnavailable) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			for _, mode := range []peers.Mode{peers.Fresh, peers.Kept} {
				for _, program := range append(programs.Compute(), programs.Slug) {
					do(t, p, load(program, mode))
					if reply := do(t, p, run(program, 1)); reply.Output != program.Want {
						t.Errorf("%s %s: got %s %s, want %s", mode, program.Name, reply.Output, reply.Outcome, program.Want)
					}
				}
			}
		})
	}
}
