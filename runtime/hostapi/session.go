package hostapi

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Session is what one call may do, and what it did. It is safe for concurrent use.
type Session struct {
	host   *Host
	policy *policy.Policy
	seed   uint64 // zero: real randomness

	made    sync.Once
	funcs   map[string]wasmjs.Func // once made
	fetches atomic.Uint32          // that were not the glue's

	mu      sync.Mutex
	uses    ledger
	running map[*Use]Use  // what has begun and not ended, as it began
	quiet   chan struct{} // closed when nothing runs any more; nil unless someone waits
	closed  bool
	ends    []func()
}

// Funcs are the host functions of the call, by operation, for wasmjs.CallOptions. They are the same ones however often they
// are asked for, so that the call's limits hold for all of its uses together.
func (s *Session) Funcs() map[string]wasmjs.Func {
	s.made.Do(func() {
		s.funcs = map[string]wasmjs.Func{}
		for _, c := range capabilities {
			maps.Copy(s.funcs, c.funcs(s))
		}
	})
	return maps.Clone(s.funcs)
}

// patience is how long Finish waits for host functions on their way out. Their context is over by then, so they need
// moments; only what hangs in the operating system takes longer.
const patience = 250 * time.Millisecond

// Finish returns what a call did that is over: the first uses each, later ones of a kind as one with a count. It waits for functions that the call left behind, so that what was begun
// and not awaited is told too; one that still does not end is told as canceled.
func (s *Session) Finish() []Use {
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	uses := slices.Clone(s.uses.list)
	for _, use := range s.running {
		use.Outcome = string(tool.Canceled)
		uses = append(uses, use)
	}
	return uses
}

// settle waits until nothing runs, or for as long as patience lasts.
func (s *Session) settle() {
	s.mu.Lock()
	if len(s.running) == 0 {
		s.mu.Unlock()
		return
	}
	if s.quiet == nil {
		s.quiet = make(chan struct{})
	}
	quiet := s.quiet
	s.mu.Unlock()
	select {
	case <-quiet:
	case <-time.After(patience):
	}
}

// Close frees what the session holds. It does not wait for host functions that still run; they end with the call's context.
// Closing again does nothing.
func (s *Session) Close() {
	s.mu.Lock()
	ends := s.ends
	s.ends, s.closed = nil, true
	s.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
}

// atClose has end called when the session closes, or at once when it has.
func (s *Session) atClose(end func()) {
	s.mu.Lock()
	if !s.closed {
		s.ends = append(s.ends, end)
		end = func() {}
	}
	s.mu.Unlock()
	end()
}

// operation is a host function that fills in, besides its reply, the bytes and the detail of its use.
type operation func(ctx context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error)

// recorded makes the host function of an operation: each call of it is a use of the session.
func (s *Session) recorded(api, op string, do operation) wasmjs.Func {
	return func(ctx context.Context, req wasmjs.Request) (wasmjs.Reply, error) {
		use := Use{API: api, Op: op, Outcome: string(tool.Internal), Count: 1} // as it stays when do panics
		start := s.host.options.Now()
		s.begin(&use)
		defer s.end(&use)
		reply, err := do(ctx, req, &use)
		use.Duration = s.host.options.Now().Sub(start)
		use.Outcome = OK
		if err != nil {
			use.Outcome = string(tool.AsError(err).Code)
		}
		return reply, err
	}
}

// begin notes that a use has begun.
func (s *Session) begin(use *Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = map[*Use]Use{}
	}
	s.running[use] = *use
}

// end puts a use that has ended into the ledger.
func (s *Session) end(use *Use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses.add(*use)
	delete(s.running, use)
	if len(s.running) == 0 && s.quiet != nil {
		close(s.quiet)
		s.quiet = nil
	}
}

// OK is the outcome of a use that did not fail.
const OK = "ok"

// Use is one use of a power, or several of a kind.
type Use struct {
	API      string // as allowlists name it
	Op       string // what of it, such as "digest"
	Outcome  string // OK or the code of the error
	Seeded   bool   // the randomness was repeatable
	Detail   string // for the operator alone: what was asked for, and which rule answered; of the first, when there are several
	Count    int
	BytesIn  int64 // to the tool: files, answers, digests
	BytesOut int64 // from the tool: request bodies, data to digest
	Duration time.Duration
}

// kind is what uses that are counted together have in common.
type kind struct {
	api, op, outcome string
	seeded           bool
}

// maxUses is how many uses are kept one by one.
const maxUses = 256

// ledger keeps uses in bounded space: beyond maxUses those of a kind are added to the last of that kind.
type ledger struct {
	list []Use
	last map[kind]int // where the latest use of a kind stands
}

func (l *ledger) add(u Use) {
	k := kind{u.API, u.Op, u.Outcome, u.Seeded}
	at, ok := l.last[k]
	if ok && len(l.list) >= maxUses {
		sum := &l.list[at]
		sum.Count += u.Count
		sum.BytesIn += u.BytesIn
		sum.BytesOut += u.BytesOut
		sum.Duration += u.Duration
		return
	}
	if l.last == nil {
		l.last = map[kind]int{}
	}
	l.last[k] = len(l.list)
	l.list = append(l.list, u)
}
