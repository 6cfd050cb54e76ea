package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/tool"
)

// door is an admission whose clock stands still until it is told, and that is asked by one goroutine: who waits is no goroutine.
type door struct {
	*admission
	now    time.Time
	warned []string
}

func newDoor(opt HostOptions) *door {
	d := &door{now: time.Unix(6000, 0)}
	opt.Warn = func(tenant, persona, limit string, used, most float64) {
		d.warned = append(d.warned, fmt.Sprint(tenant, "/", persona, " ", limit, " ", used, " of ", most))
	}
	d.admission = newAdmission(opt)
	return d
}

// all is a quota of every tenant.
func all(q tool.Quota) func(string) tool.Quota { return func(string) tool.Quota { return q } }

func who(tenant, persona, session string) tool.Caller {
	return tool.Caller{Tenant: tenant, Persona: persona, Session: session}
}

// knock asks for a place. Without an error and a waiter it has it.
func (d *door) knock(c tool.Caller, memory int64) (place, *waiter, error) {
	quota := d.quota(c.Tenant)
	d.mu.Lock()
	defer d.unlock()
	of := d.account(c, quota, d.now)
	at := place{of, of.atMost(memory)}
	w, err := d.ask(at)
	return at, w, err
}

// outcomes tells what becomes of calls: in, waits, or the limit that refuses them.
func (d *door) outcomes(c tool.Caller, memory int64, n int) string {
	var all []string
	for range n {
		_, w, err := d.knock(c, memory)
		switch {
		case err != nil:
			all = append(all, tool.AsError(err).Limit)
		case w != nil:
			all = append(all, "waits")
		default:
			all = append(all, "in")
		}
	}
	return strings.Join(all, " ")
}

func TestEachLimitBinds(t *testing.T) {
	t.Parallel()
	ann := who("acme", "ann", "1")
	for name, c := range map[string]struct {
		opt    HostOptions
		memory int64 // MiB
		want   string
		others string // of another persona
		away   string // of another tenant
	}{
		"calls of the host":           {HostOptions{Admission: Admission{Running: 2}}, 0, "in in waits", "waits", "waits"},
		"three quarters of them":      {HostOptions{Admission: Admission{Running: 4}}, 0, "in in in", "waits", "in"},
		"one place is one":            {HostOptions{Admission: Admission{Running: 1}}, 0, "in waits waits", "waits", "waits"},
		"calls of a tenant at once":   {HostOptions{Quota: all(tool.Quota{ConcurrentCalls: 2})}, 0, "in in waits", "waits", "in"},
		"calls of a persona at once":  {HostOptions{PersonaQuota: tool.Quota{ConcurrentCalls: 2}}, 0, "in in waits", "in", "in"},
		"memory of a tenant":          {HostOptions{Quota: all(tool.Quota{MemoryMB: 250})}, 100, "in in waits", "waits", "in"},
		"memory of a persona":         {HostOptions{PersonaQuota: tool.Quota{MemoryMB: 250}}, 100, "in in waits", "in", "in"},
		"more memory than there is":   {HostOptions{Quota: all(tool.Quota{MemoryMB: 99})}, 100, "in waits waits", "waits", "in"},
		"calls of a tenant":           {HostOptions{Quota: all(tool.Quota{CallsPerMinute: 2})}, 0, "in in callsPerMinute", "callsPerMinute", "in"},
		"calls of a persona":          {HostOptions{PersonaQuota: tool.Quota{CallsPerMinute: 2}}, 0, "in in callsPerMinute", "in", "in"},
		"calls of a session":          {HostOptions{SessionCallsPerMinute: 2}, 0, "in in maxCallsPerMinute", "in", "in"},
		"who waits":                   {HostOptions{Admission: Admission{Running: 1, Waiting: 1}}, 0, "in waits waitingCalls", "waitingCalls", "waits"},
		"who waits has made the call": {HostOptions{Admission: Admission{Running: 1}, SessionCallsPerMinute: 2}, 0, "in waits maxCallsPerMinute", "waits", "waits"},
	} {
		d := newDoor(c.opt)
		got := [3]string{
			d.outcomes(ann, c.memory<<20, 3), d.outcomes(who("acme", "bob", "1"), c.memory<<20, 1), d.outcomes(who("evil", "ann", "1"), c.memory<<20, 1),
		}
		if want := [3]string{c.want, c.others, c.away}; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// Specialists have nothing of their own: what they and their manager use counts together, and so does that of a session.
func TestSpecialistsCountForTheirManager(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt    HostOptions
		want   string // of the manager's second helper, after two calls of the first one
		others string
	}{
		"calls at once":  {HostOptions{PersonaQuota: tool.Quota{ConcurrentCalls: 2}}, "waits", "in"},
		"memory":         {HostOptions{PersonaQuota: tool.Quota{MemoryMB: 250}}, "waits", "in"},
		"rate":           {HostOptions{PersonaQuota: tool.Quota{CallsPerMinute: 2}}, "callsPerMinute", "in"},
		"rate of a run":  {HostOptions{SessionCallsPerMinute: 2}, "maxCallsPerMinute", "in"},
		"enough for all": {HostOptions{}, "in", "in"},
	} {
		d := newDoor(c.opt)
		if got := d.outcomes(who("acme", "ann/helper", "1"), 100<<20, 2); got != "in in" {
			t.Errorf("%s: the first helper: %s", name, got)
		}
		got := [3]string{
			d.outcomes(who("acme", "ann/writer/critic", "1"), 100<<20, 1), d.outcomes(who("acme", "ann", "1"), 100<<20, 1),
			d.outcomes(who("acme", "anna/helper", "1"), 100<<20, 1),
		}
		if want := [3]string{c.want, c.want, c.others}; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	ann := who("acme", "ann", "1")
	for name, c := range map[string]struct {
		opt   HostOptions
		calls int
		after time.Duration
		want  string
	}{
		"calls":  {HostOptions{SessionCallsPerMinute: 2}, 2, 65 * time.Second, `maxCallsPerMinute: 2 calls were made within a minute by the session "1"; 2 are allowed`},
		"places": {HostOptions{Admission: Admission{Running: 1, Wait: time.Millisecond}}, 1, time.Millisecond, `runningCalls: 1 calls of the tenant "acme" are running; 1 may at once`},
		"queue": {
			HostOptions{Admission: Admission{Running: 1, Waiting: 1, Wait: time.Second}},
			2, time.Second,
			`waitingCalls: 1 calls of the tenant "acme" wait for others to end; 1 may, for 1s each`,
		},
		"memory": {
			HostOptions{PersonaQuota: tool.Quota{MemoryMB: 100}, Admission: Admission{Wait: time.Millisecond}},
			1, time.Millisecond,
			`memoryMB: running calls of the persona "ann" may take 64 MiB, and this one 64 MiB; 100 are allowed`,
		},
	} {
		d := newDoor(c.opt)
		d.outcomes(ann, 64<<20, c.calls)
		_, err := d.enter(t.Context(), ann, 64<<20, d.now)
		e := tool.AsError(err)
		if e == nil || e.Code != tool.OverQuota || e.Message != c.want || e.RetryAfter != c.after || !strings.Contains(e.Hint, e.Limit) && e.Limit != "waitingCalls" {
			t.Errorf("%s: got %+v; want %s, after %v", name, e, c.want, c.after)
		}
	}
}

// Fuel is counted when it was used: a call may begin as long as there is some left.
func TestFuelIsChargedAfterwards(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Quota: all(tool.Quota{FuelPerMinute: 100}), PersonaQuota: tool.Quota{FuelPerMinute: 60}})
	ann, bob := who("acme", "ann", "1"), who("acme", "bob", "1")
	for _, step := range []struct {
		c    tool.Caller
		fuel uint64
		want string
	}{
		{ann, 59, "in"}, {ann, 30, "in"}, {ann, 0, "fuelPerMinute"}, {bob, 10, "in"}, {bob, 1, "in"}, {bob, 0, "fuelPerMinute"},
	} {
		if got := d.outcomes(step.c, 0, 1); got != step.want {
			t.Errorf("%+v: got %s", step, got)
		}
		switch {
		case step.fuel > 20:
			d.charge(step.c, step.fuel, d.now)
		case step.fuel > 0:
			at, _, _ := d.knock(step.c, 0)
			d.leave(at, step.fuel, d.now)
		}
	}
	d.now = d.now.Add(65 * time.Second)
	if got := d.outcomes(ann, 0, 1) + d.outcomes(bob, 0, 1); got != "inin" {
		t.Errorf("later: %s", got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{
		Quota: all(tool.Quota{ConcurrentCalls: 10, MemoryMB: 100}), PersonaQuota: tool.Quota{CallsPerMinute: 10, FuelPerMinute: 1000},
		Admission: Admission{Running: 100}, SessionCallsPerMinute: 20,
	})
	ann := who("acme", "ann", "1")
	d.outcomes(ann, 8<<20, 7)
	d.charge(ann, 799, d.now)
	if len(d.warned) != 0 {
		t.Errorf("too early: %q", d.warned)
	}
	d.outcomes(ann, 24<<20, 1)
	d.charge(ann, 1, d.now)
	d.charge(ann, 1, d.now)
	d.outcomes(ann, 0, 3)
	want := "acme/ann callsPerMinute 8 of 10,acme/ concurrentCalls 8 of 10,acme/ memoryMB 80 of 100,acme/ann fuelPerMinute 800 of 1000"
	if got := strings.Join(d.warned, ","); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	d.now = d.now.Add(70 * time.Second)
	d.charge(ann, 900, d.now)
	if got := strings.Join(d.warned[4:], ","); got != "acme/ann fuelPerMinute 900 of 1000" {
		t.Errorf("a minute later: %s", got)
	}
}

// Who waits in vain leaves nothing behind, and who waited behind it finds room.
func TestWaitersGiveUp(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Quota: all(tool.Quota{MemoryMB: 100})})
	ann := who("acme", "ann", "1")
	first, _, _ := d.knock(ann, 60<<20)
	_, large, _ := d.knock(ann, 90<<20)
	_, small, _ := d.knock(who("acme", "bob", "1"), 10<<20)
	if large == nil || small == nil {
		t.Fatal("they do not wait")
	}
	if err := d.giveUp(large, tool.AsError(context.Canceled)); !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-small.ready:
	default:
		t.Error("nobody looked whether the small one finds room now")
	}
	if err := d.giveUp(small, nil); err != nil {
		t.Errorf("it has its place: %v", err)
	}
	d.leave(first, 0, d.now)
	d.leave(small.place, 0, d.now)
	if got := d.load(); got != (Load{}) || d.host.turns.Len() != 0 {
		t.Errorf("left behind: %+v, %d turns", got, d.host.turns.Len())
	}
}

// However many calls of one persona wait, another of the tenant that has room is let in; and who is refused leaves no turn behind.
func TestTheQueueOfOneIsNotThatOfAll(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Admission: Admission{Waiting: 2}, PersonaQuota: tool.Quota{ConcurrentCalls: 1}})
	ann, bob := who("acme", "ann", "1"), who("acme", "bob", "1")
	first, _, _ := d.knock(ann, 0)
	if got := d.outcomes(ann, 0, 3); got != "waits waits waitingCalls" {
		t.Fatalf("ann: %s", got)
	}
	if got := d.outcomes(bob, 0, 2); got != "in waitingCalls" {
		t.Errorf("bob: %s", got)
	}
	at := d.account(bob, d.quota("acme"), d.now)
	if calls, pace := at.calls.sum, at.parent.parent.pace; calls != 1 || !pace.last.IsZero() {
		t.Errorf("%d calls of bob are counted, and the queue moves at %+v", calls, pace)
	}
	d.leave(first, 0, d.now)
	if got := d.load(); got != (Load{Running: 2, Waiting: 1}) {
		t.Errorf("when one of ann's has ended: %+v", got)
	}
}

func TestEnterEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Admission: Admission{Running: 1, Wait: time.Hour}})
	ann := who("acme", "ann", "1")
	d.outcomes(ann, 0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.enter(ctx, ann, 0, d.now); !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := d.enter(ctx, ann, 0, d.now); !errors.Is(err, tool.Timeout) {
		t.Errorf("got %v", err)
	}
	if got := d.load(); got != (Load{Running: 1}) {
		t.Errorf("%+v", got)
	}
}

// At four times of what there is room for, tenants get equal shares however many calls each of them makes.
func TestOverloadIsShared(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Admission: Admission{Running: 8, Waiting: 1000}, SessionCallsPerMinute: 1e6, Quota: all(tool.Quota{CallsPerMinute: 1e6}), PersonaQuota: tool.Quota{CallsPerMinute: 1e6}})
	tenants := map[string]int{"noisy": 80, "a": 8, "b": 8, "c": 8}
	served := map[string]int{}
	var running []place
	var waiting []*waiter
	call := func(tenant string) {
		at, w, err := d.knock(who(tenant, "p", "1"), 0)
		switch {
		case err != nil:
			t.Fatal(err)
		case w != nil:
			waiting = append(waiting, w)
		default:
			running = append(running, at)
		}
	}
	for tenant, calls := range tenants {
		for range calls {
			call(tenant)
		}
	}
	for range 400 { // one call ends, and its tenant makes the next
		done := running[0]
		running = running[1:]
		tenant := done.of.parent.parent.name
		d.leave(done, 0, d.now)
		call(tenant)
		waiting = slices.DeleteFunc(waiting, func(w *waiter) bool {
			if w.turn == nil {
				running = append(running, w.place)
				served[w.of.parent.parent.name]++
			}
			return w.turn == nil
		})
	}
	for _, quiet := range []string{"a", "b", "c"} {
		if diff := served["noisy"] - served[quiet]; diff > 1 || diff < -1 {
			t.Errorf("shares: %v", served)
		}
	}
}

// Names that nobody has heard before cost a bounded amount of memory, and are forgotten.
func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Admission: Admission{Running: 100}, Quota: all(tool.Quota{CallsPerMinute: 1e6}), SessionCallsPerMinute: 10})
	late := ""
	for i := range 3 * maxKept {
		at, w, err := d.knock(who("acme", "p", fmt.Sprint("s", i)), 0)
		if w != nil {
			t.Fatal("it waits")
		}
		if err == nil {
			d.leave(at, 0, d.now)
		} else {
			late = tool.AsError(err).Message
		}
	}
	if tenant := d.host.children["acme"]; tenant.kept.Len() > maxKept+1 || !strings.Contains(late, "the sessions beyond those") {
		t.Errorf("%d are kept; %q", tenant.kept.Len(), late)
	}
	for i := range 2 * maxKept {
		at, _, _ := d.knock(who(fmt.Sprint("t", i), "p", "s"), 0)
		d.leave(at, 0, d.now)
	}
	if n := len(d.host.children); n > maxKept+1 {
		t.Errorf("%d tenants are kept", n)
	}
	d.now = d.now.Add(2 * forgotten)
	for range 3 * maxKept {
		if at, _, err := d.knock(who("acme", "p", "s"), 0); err == nil {
			d.leave(at, 0, d.now)
		}
		d.now = d.now.Add(time.Second)
	}
	if n, m := len(d.host.children), d.host.children["acme"].kept.Len(); n != 1 || m != 2 {
		t.Errorf("%d tenants and %d of the one are kept", n, m)
	}
}

// Whatever comes in whatever order: no limit is exceeded, places are not lost, nobody waits while there is room, and a tenant
// that waits, and has room itself, is served before as many calls have ended as tenants wait.
func TestAdmissionHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tenantCalls, personaCalls := rapid.IntRange(1, 4).Draw(rt, "tenant"), rapid.IntRange(1, 3).Draw(rt, "persona")
		tenantMemory, rate := rapid.IntRange(4, 10).Draw(rt, "memory"), rapid.IntRange(3, 40).Draw(rt, "rate")
		d := newDoor(HostOptions{
			Admission: Admission{Running: rapid.IntRange(1, 6).Draw(rt, "running"), Waiting: rapid.IntRange(1, 5).Draw(rt, "waiting")},
			Quota:     all(tool.Quota{ConcurrentCalls: tenantCalls, MemoryMB: tenantMemory, CallsPerMinute: rate}), PersonaQuota: tool.Quota{ConcurrentCalls: personaCalls},
		})
		m := &model{rt: rt, d: d, ahead: map[*waiter]int{}, calls: map[string][]time.Time{}, rate: rate}
		rt.Repeat(map[string]func(*rapid.T){
			"call": m.call, "end": m.end, "give up": m.giveUp, "pass": func(rt *rapid.T) {
				d.now = d.now.Add(time.Duration(rapid.IntRange(0, 30).Draw(rt, "seconds")) * time.Second)
			},
			"": m.check,
		})
	})
}

// model is what a door ought to do.
type model struct {
	rt      *rapid.T
	d       *door
	running []place
	waiting []*waiter
	ahead   map[*waiter]int // calls that may end before one is served that is its tenant's only one, and finds room there
	calls   map[string][]time.Time
	rate    int
}

func (m *model) call(rt *rapid.T) {
	c := who(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "tenant"), rapid.SampledFrom([]string{"p", "q"}).Draw(rt, "persona"), rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "session"))
	at, w, err := m.d.knock(c, int64(rapid.IntRange(0, 4).Draw(rt, "memory"))<<20)
	if err != nil {
		return
	}
	m.calls[c.Tenant] = append(m.calls[c.Tenant], m.d.now)
	if w == nil {
		m.running = append(m.running, at)
		return
	}
	m.waiting = append(m.waiting, w)
	m.served()
}

func (m *model) end(rt *rapid.T) {
	if len(m.running) == 0 {
		rt.Skip()
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(rt, "which")
	at := m.running[i]
	m.running = append(m.running[:i], m.running[i+1:]...)
	m.d.leave(at, 0, m.d.now)
	m.served()
	tenants := map[*account]bool{}
	for _, w := range m.waiting {
		tenants[w.of.parent.parent] = true
	}
	for _, w := range m.waiting {
		tenant := w.of.parent.parent
		if w.of.full(w.memory) != &m.d.host || tenant.waiting != 1 {
			delete(m.ahead, w)
			continue
		}
		if _, counted := m.ahead[w]; !counted {
			m.ahead[w] = len(tenants)
		} else if m.ahead[w]--; m.ahead[w] == 0 {
			rt.Fatalf("%s has one call that waits, and was passed over", tenant)
		}
	}
}

func (m *model) giveUp(rt *rapid.T) {
	if len(m.waiting) == 0 {
		rt.Skip()
	}
	i := rapid.IntRange(0, len(m.waiting)-1).Draw(rt, "which")
	if err := m.d.giveUp(m.waiting[i], nil); !errors.Is(err, tool.OverQuota) {
		rt.Fatalf("got %v", err)
	}
	m.waiting = append(m.waiting[:i], m.waiting[i+1:]...)
	m.served()
}

// served moves those that have their places by now.
func (m *model) served() {
	var still []*waiter
	for _, w := range m.waiting {
		if w.turn == nil {
			m.running = append(m.running, w.place)
		} else {
			still = append(still, w)
		}
	}
	m.waiting = still
}

func (m *model) check(rt *rapid.T) {
	if got := m.d.load(); got != (Load{len(m.running), len(m.waiting)}) {
		rt.Fatalf("got %+v, want %d and %d", got, len(m.running), len(m.waiting))
	}
	for a := range m.d.host.everyone() {
		for _, k := range []kind{runningCalls, memoryInFlight, callsPerMinute} {
			if a.used(k) > a.most[k] || a.used(k) < 0 {
				rt.Fatalf("%s: %s is %d of %d", a, a.limit(k), a.used(k), a.most[k])
			}
		}
	}
	for tenant, times := range m.calls {
		n := 0
		for _, at := range times {
			if m.d.now.Sub(at) < time.Minute {
				n++
			}
		}
		if n > m.rate {
			rt.Fatalf("%s made %d calls within a minute; %d are allowed", tenant, n, m.rate)
		}
	}
	if len(m.waiting) > 0 && !m.blocked() {
		rt.Fatalf("%d wait although there is room", len(m.waiting))
	}
}

// blocked reports whether nobody whose turn it may be has room.
func (m *model) blocked() bool {
	for _, w := range m.waiting {
		if w.of.turns.Front().Value == w && w.of.full(w.memory) == nil && !m.behind(w) {
			return false
		}
	}
	return true
}

// behind reports whether somebody larger is before a waiter in its tenant or persona, who would starve if it were overtaken.
func (m *model) behind(w *waiter) bool {
	for _, other := range m.waiting {
		if other != w && other.of.parent.parent == w.of.parent.parent && other.memory > w.memory {
			return true
		}
	}
	return false
}

// everyone is an account and all below it.
func (a *account) everyone() func(func(*account) bool) {
	return func(yield func(*account) bool) {
		if !yield(a) {
			return
		}
		for _, child := range a.children {
			child.everyone()(yield)
		}
	}
}

// Many goroutines: the race detector looks on, and nothing is left behind.
func TestAdmissionAtOnce(t *testing.T) {
	t.Parallel()
	a := newAdmission(HostOptions{Admission: Admission{Running: 3, Waiting: 5, Wait: time.Millisecond}, SessionCallsPerMinute: 1e6})
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			c := who(fmt.Sprint("t", i%4), fmt.Sprint("p", i%2), "1")
			for n := range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+n%3)*time.Millisecond)
				at, err := a.enter(ctx, c, 1<<20, time.Now())
				if err == nil {
					if got := a.load(); got.Running > 3 {
						t.Errorf("%+v", got)
					}
					a.charge(c, 1000, time.Now())
					a.leave(at, uint64(n), time.Now())
				}
				cancel()
			}
		})
	}
	group.Wait()
	if got := a.load(); got != (Load{}) || a.host.turns.Len() != 0 || a.host.memory != 0 {
		t.Errorf("left behind: %+v", got)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	var w window
	for _, step := range []struct {
		at    time.Duration
		add   int64
		sum   int64
		below time.Duration // until less than 5
	}{
		{0, 3, 3, 0},
		{4 * time.Second, 2, 5, 61 * time.Second},
		{7 * time.Second, 4, 9, 58 * time.Second}, // 4 are left then
		{64 * time.Second, 0, 9, time.Second},
		{65 * time.Second, 0, 4, 0},
		{30 * time.Second, 1, 5, 5 * time.Second}, // the clock went back: it is counted as of now
		{69 * time.Second, 0, 5, time.Second},
		{70 * time.Second, 0, 1, 0},
		{time.Hour, 0, 0, 0},
	} {
		now := start.Add(step.at)
		w.move(now)
		w.add(step.add)
		if got := w.below(5, now); w.sum != step.sum || got < step.below || step.at != 30*time.Second && got != step.below {
			t.Errorf("at %v: %d, below 5 in %v; want %+v", step.at, w.sum, got, step)
		}
	}
	var early window
	early.move(time.Time{})
	early.add(1)
	if early.sum != 1 {
		t.Error("a clock that was never set")
	}
}

// What it costs to be let in and out: alone, among 1,000 personas, and to be refused.
func BenchmarkAdmission(b *testing.B) {
	many := tool.Quota{CallsPerMinute: 1e15, FuelPerMinute: 1e15}
	opt := HostOptions{Admission: Admission{Running: 8, Waiting: 1}, Quota: all(many), PersonaQuota: many, SessionCallsPerMinute: 1e15}
	for name, personas := range map[string]int{"alone": 1, "of 1000": 1000} {
		b.Run(name, func(b *testing.B) {
			a := newAdmission(opt)
			callers := make([]tool.Caller, personas)
			for i := range callers {
				callers[i] = who("acme", fmt.Sprint("p", i), "1")
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at, err := a.enter(context.Background(), callers[i%personas], 64<<20, time.Now())
				if err != nil {
					b.Fatal(err)
				}
				a.leave(at, 100_000, time.Now())
			}
		})
	}
	b.Run("refused", func(b *testing.B) {
		d := newDoor(opt)
		ann := who("acme", "ann", "1")
		d.outcomes(ann, 0, 7)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.enter(context.Background(), ann, 0, d.now); err == nil {
				b.Fatal("let in")
			}
		}
	})
}
