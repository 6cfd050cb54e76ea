package runtime

import (
	"container/list"
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Admission bounds what runs at once. A zero field is its default.
type Admission struct {
	Running int           // calls of the host, of which one tenant may have three quarters; 0 is 8 for each processor, 16 to 256
	Waiting int           // calls of one tenant that wait for others to end; 0 is 128
	Wait    time.Duration // how long at most; 0 is 1 s. Calls that would come near to it are refused at once
}

// The quotas of whoever has no other.
var (
	defaultTenantQuota = tool.Quota{ConcurrentCalls: 64, CallsPerMinute: 60_000, FuelPerMinute: 60e9, MemoryMB: 8192}
	defaultPersona     = tool.Quota{ConcurrentCalls: 64, CallsPerMinute: 30_000, FuelPerMinute: 30e9, MemoryMB: 4096}
)

const defaultSessionCalls = 6000

func (a Admission) withDefaults() Admission {
	if a.Running <= 0 {
		a.Running = min(max(8*goruntime.GOMAXPROCS(0), 16), 256)
	}
	if a.Waiting <= 0 {
		a.Waiting = 128
	}
	if a.Wait <= 0 {
		a.Wait = time.Second
	}
	return a
}

// Load is how busy a host is.
type Load struct {
	Running int // calls
	Waiting int // calls that wait for others to end
}

// Load returns how busy the host is now.
func (h *Host) Load() Load { return h.admission.load() }

// admission lets calls begin, as many as there is room for. Who finds none waits in turn: tenants after each other, within a
// tenant its personas, and within those their sessions, each of which is served in the order of its calls. Whatever it is
// asked, it takes no longer however many run, wait or are refused.
type admission struct {
	most    Admission
	session int64                                                   // calls within a minute
	persona tool.Quota                                              // complete
	quota   func(tenant string) tool.Quota                          // complete
	warn    func(tenant, persona, limit string, used, most float64) // may be nil

	mu       sync.Mutex
	host     account
	now      time.Time // of the last call that was let in or refused
	warnings []warning
}

// place is what a call takes up while it runs.
type place struct {
	of     *account // a session's
	memory int64    // bytes
}

// waiter is a call that waits for its place.
type waiter struct {
	place

	waits bool          // it did not get it at once
	ready chan struct{} // closed when it has it
	turn  *list.Element // in the turns of its session; nil when it waits no more
}

// warning is a limit that is nearly reached.
type warning struct {
	tenant, persona string
	tool.Gauge
}

func newAdmission(opt HostOptions) *admission {
	a := &admission{most: opt.Admission.withDefaults(), session: int64(opt.SessionCallsPerMinute), persona: opt.PersonaQuota.WithDefaults(defaultPersona), warn: opt.Warn}
	if a.session <= 0 {
		a.session = defaultSessionCalls
	}
	a.quota = func(tenant string) tool.Quota {
		var q tool.Quota
		if opt.Quota != nil {
			q = opt.Quota(tenant)
		}
		return q.WithDefaults(defaultTenantQuota)
	}
	a.host.most = [kinds]int64{int64(a.most.Running), none, none, none}
	return a
}

// enter lets a call begin that would take so much memory, once there is room, or says why not. The place may have less memory, if
// no more is allowed at all. Whoever enters calls leave when the call has ended.
func (a *admission) enter(ctx context.Context, c tool.Caller, memory int64, now time.Time) (place, error) {
	quota := a.quota(c.Tenant)
	a.mu.Lock()
	of := a.account(c, quota, now)
	at := place{of, of.atMost(memory)}
	w, err := a.ask(at)
	a.unlock()
	if w == nil {
		return at, err
	}
	return at, a.wait(ctx, w)
}

// account finds what counts for a caller, and brings it up to date. A specialist's calls are its manager's, of a session with the
// same name.
func (a *admission) account(c tool.Caller, quota tool.Quota, now time.Time) *account {
	tenant := a.host.child(&a.host, c.Tenant)
	persona := tenant.child(tenant, tool.Root(c.Persona))
	session := persona.child(tenant, c.Session)
	a.bind(session, quota)
	a.touch(session, now)
	tenant.tidy(now)
	a.host.tidy(now)
	return session
}

// bind gives a session, and what it belongs to, their limits.
func (a *admission) bind(session *account, quota tool.Quota) {
	persona := session.parent
	tenant := persona.parent
	tenant.most, persona.most = bounds(quota), bounds(a.persona)
	part := int64(a.most.Running - a.most.Running/4) // so that others find room however long its calls run
	if tenant.part = part < tenant.most[runningCalls]; tenant.part {
		tenant.most[runningCalls] = part
	}
	session.most[callsPerMinute] = a.session
}

// touch brings a session, and what it belongs to, up to date.
func (a *admission) touch(session *account, now time.Time) {
	persona := session.parent
	tenant := persona.parent
	session.seenNow(tenant, now)
	persona.seenNow(tenant, now)
	tenant.seenNow(&a.host, now)
	session.move(now)
	a.now = now
}

func bounds(q tool.Quota) [kinds]int64 {
	memory := max(int64(q.MemoryMB)<<20, tool.MinMemoryBytes)
	return [kinds]int64{int64(q.ConcurrentCalls), memory, int64(q.CallsPerMinute), q.FuelPerMinute}
}

// ask gives a call its place, or a waiter that will have it, or says why there will be none.
func (a *admission) ask(at place) (*waiter, error) {
	if err := at.of.refusal(a.now); err != nil {
		return nil, err
	}
	if a.host.waiting == 0 && at.of.full(at.memory) == nil {
		a.count(at)
		a.take(at)
		return nil, nil
	}
	w := a.queue(at)
	tenant := at.of.parent.parent
	if w.turn == nil { // those that wait are others, who have no room
		a.count(at)
		return nil, nil
	}
	if tenant.waiting > a.most.Waiting || tenant.pace.of(tenant.waiting) > a.most.Wait/2 {
		a.withdraw(w)
		return nil, a.overQueue(tenant)
	}
	a.count(at)
	w.waits = true
	return w, nil
}

// queue gives a call its turn, behind those that wait, and perhaps its place.
func (a *admission) queue(at place) *waiter {
	w := &waiter{place: at, ready: make(chan struct{})}
	w.turn = at.of.turns.PushBack(w)
	at.of.wait(1)
	at.of.join()
	a.serve()
	return w
}

// serve gives places to those that wait, as long as there is room.
func (a *admission) serve() {
	for a.host.turns.Len() > 0 {
		w := a.host.next()
		switch full := w.of.full(w.memory); full {
		case nil:
			if w.waits {
				w.of.parent.parent.pace.next(a.now)
			}
			a.remove(w)
			w.of.pass()
			a.take(w.place)
			close(w.ready)
		case &a.host:
			return
		default:
			full.park() // until something of it ends
		}
	}
}

// remove takes a waiter out of the turns of its session.
func (a *admission) remove(w *waiter) {
	w.of.turns.Remove(w.turn)
	w.turn = nil
	w.of.wait(-1)
}

// withdraw takes a waiter out of turn.
func (a *admission) withdraw(w *waiter) {
	a.remove(w)
	if w.of.turns.Len() == 0 {
		w.of.park()
	}
}

// wait returns when a call has its place, or says why it gave up.
func (a *admission) wait(ctx context.Context, w *waiter) error {
	timer := time.NewTimer(a.most.Wait)
	defer timer.Stop()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		return a.giveUp(w, tool.AsError(ctx.Err()))
	case <-timer.C:
		return a.giveUp(w, nil)
	}
}

// giveUp takes a call out of turn, unless it has its place by now. why is nil when it has waited for too long.
func (a *admission) giveUp(w *waiter, why *tool.Error) error {
	a.mu.Lock()
	defer a.unlock()
	if w.turn == nil {
		return nil
	}
	full := w.of.full(w.memory)
	a.withdraw(w)
	w.of.join() // whoever waited behind it may find room
	a.serve()
	switch {
	case why != nil:
		return why
	case full != nil:
		return full.overRoom(w.memory, a.most.Wait)
	}
	return a.overQueue(w.of.parent.parent)
}

// leave gives a place free, and counts the fuel that the call has used.
func (a *admission) leave(at place, fuel uint64, now time.Time) {
	a.mu.Lock()
	defer a.unlock()
	a.now = now
	if fuel > 0 {
		a.touch(at.of, now)
		a.burn(at.of, fuel)
	}
	for of := at.of; of != nil; of = of.parent {
		of.running--
		of.memory -= at.memory
	}
	if a.host.waiting > 0 {
		at.of.join()
		a.serve()
	}
}

// take takes a place up.
func (a *admission) take(at place) {
	for of := at.of; of != nil; of = of.parent {
		of.running++
		of.memory += at.memory
		a.look(of, runningCalls)
		a.look(of, memoryInFlight)
	}
}

// count counts a call within its minute.
func (a *admission) count(at place) {
	for of := at.of; of.rank != hostRank; of = of.parent {
		of.calls.add(1)
		a.look(of, callsPerMinute)
	}
}

// charge counts fuel that a caller's code has used within a call, or in a trial.
func (a *admission) charge(c tool.Caller, fuel uint64, now time.Time) {
	quota := a.quota(c.Tenant)
	a.mu.Lock()
	defer a.unlock()
	a.burn(a.account(c, quota, now), fuel)
}

func (a *admission) burn(of *account, fuel uint64) {
	for ; of.rank != hostRank; of = of.parent {
		of.fuel.add(int64(fuel)) //nolint:gosec // at most 1e10
		a.look(of, fuelPerMinute)
	}
}

// look warns of a limit of which four fifths are used, once a minute.
func (a *admission) look(of *account, k kind) {
	used, most := of.used(k), of.most[k]
	if of.rank == hostRank || most == none || used < most-most/5 || a.warn == nil {
		return
	}
	minute := a.now.Unix() / 60
	if of.warned[k] == minute {
		return
	}
	of.warned[k] = minute
	w := warning{Gauge: of.gauge(k)}
	for ; of.rank != hostRank; of = of.parent {
		switch of.rank {
		case tenantRank:
			w.tenant = of.name
		case personaRank:
			w.persona = of.name
		case hostRank, sessionRank:
		}
	}
	a.warnings = append(a.warnings, w)
}

// unlock lets others in, and then says what there is to warn of.
func (a *admission) unlock() {
	warnings := a.warnings
	a.warnings = nil
	a.mu.Unlock()
	for _, w := range warnings {
		a.warn(w.tenant, w.persona, w.Limit, w.Used, w.Most)
	}
}

func (a *admission) load() Load {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Load{Running: int(a.host.running), Waiting: a.host.waiting}
}

// overQueue is the error of a call that may not wait, or has waited behind others in vain.
func (a *admission) overQueue(tenant *account) error {
	e := &tool.Error{
		Code: tool.OverQuota, Limit: "waitingCalls", RetryAfter: a.most.Wait,
		Message: fmt.Sprintf("waitingCalls: %d calls of %s wait for others to end; %d may, for %v each", tenant.waiting, tenant, a.most.Waiting, a.most.Wait),
		Hint:    "make fewer calls at once, or call again later",
	}
	if within := tenant.pace.of(tenant.waiting + 1); tenant.waiting < a.most.Waiting && within > a.most.Wait/2 {
		e.Message = fmt.Sprintf("waitingCalls: %d calls of %s wait for others to end, and one more would for about %v, which is too close to the %v that it may",
			tenant.waiting, tenant, within.Round(time.Millisecond), a.most.Wait)
	}
	return e
}
