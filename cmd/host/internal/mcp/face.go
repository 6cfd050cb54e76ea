package mcp

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"time"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// Options are what a face is made of.
type Options struct {
	// Desk serves a principal in a session. It is called for every request that needs the host, by several goroutines, and may
	// open the host; what is fixed, such as the list of the meta tools, is answered without it.
	Desk func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error)

	Self    []runtime.Face // tools of the host that stand beside the meta tools
	Publish tool.Tier      // the least tier whose tools appear as tools of their own, agent or shared; "" none
	// Person is who is at the clients of principals without a key: they are asked before a tool is promoted, and their approval
	// counts; "" nobody.
	Person string
	// AskAll has a person asked before any tool is promoted. Otherwise a key that may approve is the word of a person.
	AskAll bool

	BodyTime time.Duration // for a message to arrive over HTTP, the end of a line that is too large for one, and what is written last; 0 is 10 s
	Idle     time.Duration // after which a session over HTTP ends; 0 is 10 min

	Version string        // of the host, for clients; "" is dev
	Beat    time.Duration // how often an answer over HTTP that goes on is kept open; 0 is 15 s
	Tick    time.Duration // how often clients that want to know are told that a call goes on; 0 is 2 s
	Logger  *slog.Logger  // nil: nothing
	Now     func() time.Time
	Random  io.Reader // of names of sessions and of states; nil: crypto/rand
}

// Face serves clients of the protocol. It is safe for concurrent use.
type Face struct {
	opt    Options
	tools  []*metaTool
	random sync.Mutex // of opt.Random
	parked parking
	life   context.Context //nolint:containedctx // ends with Close, and ends what runs
	end    context.CancelFunc

	mu     sync.Mutex
	seats  map[string]*seat
	ending sync.WaitGroup // what uses the host of itself: ends its sessions after those over HTTP, looks for what is to be published
}

// New makes a face. The caller closes it.
func New(opt Options) *Face {
	if opt.Version == "" {
		opt.Version = "dev"
	}
	if opt.Tick <= 0 {
		opt.Tick = 2 * time.Second
	}
	if opt.Beat <= 0 {
		opt.Beat = 15 * time.Second
	}
	if opt.BodyTime <= 0 {
		opt.BodyTime = 10 * time.Second
	}
	if opt.Idle <= 0 {
		opt.Idle = 10 * time.Minute
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	f := &Face{opt: opt, seats: map[string]*seat{}}
	f.tools = append(metaTools(), selfTools(opt.Self)...)
	f.life, f.end = context.WithCancel(context.Background())
	f.parked = parking{now: opt.Now, jobs: map[string]*job{}}
	return f
}

// Close ends all sessions, what runs in them and what waits for a person, and takes no more. It returns when what waited has ended,
// and those of the host that began with the sessions, and nothing looks for what is to be published, or after 10 s; the host is
// closed after that.
func (f *Face) Close() {
	f.mu.Lock()
	f.end()
	seats := f.seats
	f.seats = map[string]*seat{}
	f.mu.Unlock()
	for _, s := range seats {
		s.close()
	}
	ended := make(chan struct{})
	go func() { f.parked.close(nil); f.ending.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(maxEnd):
	}
}

// atEnd has something done on a goroutine that Close waits for; after Close nothing.
func (f *Face) atEnd(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.life.Err() == nil {
		f.ending.Go(do)
	}
}

// bytes returns random bytes.
func (f *Face) bytes(n int) ([]byte, error) {
	f.random.Lock()
	defer f.random.Unlock()
	b := make([]byte, n)
	if _, err := io.ReadFull(f.opt.Random, b); err != nil {
		f.opt.Logger.Error("there is no randomness", "error", err)
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the host has no randomness for a name that nobody can guess", Hint: "try again later", Cause: err}
	}
	return b, nil
}

// maxSeats bounds the credentials that are served at once.
const maxSeats = 1000

// seat returns that of a principal; nil when there is no room for another, or the face is closed.
func (f *Face) seat(p tool.Principal) *seat {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.life.Err() != nil {
		return nil
	}
	key := credential(p)
	s := f.seats[key]
	if s == nil {
		if len(f.seats) >= maxSeats && !f.evict() {
			return nil
		}
		s = f.newSeat(p)
		f.seats[key] = s
	}
	s.seen = f.opt.Now()
	return s
}

// evict takes away the idle seat that was used least lately.
func (f *Face) evict() bool {
	oldest := ""
	for key, s := range f.seats {
		if s.idle() && (oldest == "" || s.seen.Before(f.seats[oldest].seen)) {
			oldest = key
		}
	}
	delete(f.seats, oldest)
	return oldest != ""
}

// Changed says that tools of a tenant were promoted, demoted, suspended, resumed or removed: what is published follows.
func (f *Face) Changed(tenant string) {
	f.follow(func(s *seat) bool { return s.who.Tenant == tenant })
}

// Lost says that such changes may have been missed, of all tenants.
func (f *Face) Lost() {
	f.follow(func(*seat) bool { return true })
}

// follow has what is published be looked at anew.
func (f *Face) follow(concerns func(*seat) bool) {
	if f.opt.Publish == "" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.life.Err() != nil {
		return
	}
	for _, s := range f.seats {
		if concerns(s) && s.stale() {
			f.ending.Go(s.catchUp)
		}
	}
}
