package runtime

import (
	"container/list"
	"fmt"
	"math"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// account is what counts for the host, for a tenant, a persona or a session, each of which belongs to the one before it. What
// is counted of an account is counted of those that it belongs to as well.
type account struct {
	rank     rank
	name     string // "" is the host, or those that there was no room for
	parent   *account
	children map[string]*account

	seen   time.Time
	place  *list.Element // in the kept of its keeper
	kept   list.List     // of *account, those not seen for the longest first: of the host its tenants, of a tenant all below it
	warned [kinds]int64  // the last minute in which a limit was nearly reached, since the Unix epoch

	most        [kinds]int64
	part        bool  // its most running calls are a part of those of the host
	running     int64 // calls
	memory      int64 // bytes that running calls may take
	calls, fuel window
	waiting     int
	pace        pace          // at which those of a tenant that wait are served
	turns       list.List     // of *account, those below that wait and are not known to have no room; of a session of *waiter
	turn        *list.Element // in the parent's turns
}

// rank says what an account is of.
type rank int

const (
	hostRank rank = iota
	tenantRank
	personaRank
	sessionRank
)

// kind is something that is limited.
type kind int

const (
	runningCalls kind = iota
	memoryInFlight
	callsPerMinute
	fuelPerMinute
	kinds
)

// The limits as the configuration names them.
var limitNames = [kinds]string{"concurrentCalls", "memoryMB", "callsPerMinute", "fuelPerMinute"}

const limitNameOfHost = "runningCalls"

// none is the limit of what is not limited here: something above or below is.
const none = math.MaxInt64

func (a *account) used(k kind) int64 {
	return [kinds]int64{a.running, a.memory, a.calls.sum, a.fuel.sum}[k]
}

// limit names a limit of the account.
func (a *account) limit(k kind) string {
	switch a.rank {
	case hostRank:
		return limitNameOfHost
	case sessionRank:
		return "maxCallsPerMinute"
	case tenantRank, personaRank:
		if k == runningCalls && a.part {
			return limitNameOfHost
		}
	}
	return limitNames[k]
}

// String names the account in messages.
func (a *account) String() string {
	kind := [...]string{"host", "tenant", "persona", "session"}[a.rank]
	switch {
	case a.rank == hostRank:
		return "the host"
	case a.name == "":
		return "the " + kind + "s beyond those that are counted one by one"
	}
	return fmt.Sprintf("the %s %.80q", kind, a.name)
}

// move lets the windows of an account, and of those above it, forget what is too old.
func (a *account) move(now time.Time) {
	for ; a.rank != hostRank; a = a.parent {
		a.calls.move(now)
		a.fuel.move(now)
	}
}

// refusal says which rate is used up, of an account or of those above it; nil when none is.
func (a *account) refusal(now time.Time) error {
	for ; a.rank != hostRank; a = a.parent {
		switch {
		case a.calls.sum >= a.most[callsPerMinute]:
			return a.overRate(callsPerMinute, a.calls.below(a.most[callsPerMinute], now), "calls were made")
		case a.fuel.sum >= a.most[fuelPerMinute]:
			return a.overRate(fuelPerMinute, a.fuel.below(a.most[fuelPerMinute], now), "units of fuel were used")
		}
	}
	return nil
}

func (a *account) overRate(k kind, wait time.Duration, what string) error {
	return &tool.Error{
		Code: tool.OverQuota, Limit: a.limit(k), RetryAfter: wait,
		Message: fmt.Sprintf("%s: %d %s within a minute by %s; %d are allowed", a.limit(k), a.used(k), what, a, a.most[k]),
		Hint:    fmt.Sprintf("call again in %v, or raise %s", wait.Round(time.Second), a.limit(k)),
	}
}

// full returns the account that has no room for one more call: this one, or the nearest above it. nil when all have.
func (a *account) full(memory int64) *account {
	for ; a != nil; a = a.parent {
		if a.running >= a.most[runningCalls] || memory > a.most[memoryInFlight]-a.memory {
			return a
		}
	}
	return nil
}

// overRoom is the error of a call that there was no room for.
func (a *account) overRoom(memory int64, wait time.Duration) error {
	e := &tool.Error{Code: tool.OverQuota, Limit: a.limit(runningCalls), RetryAfter: wait}
	e.Message = fmt.Sprintf("%s: %d calls of %s are running; %d may at once", e.Limit, a.running, a, a.most[runningCalls])
	if a.running < a.most[runningCalls] {
		e.Limit = a.limit(memoryInFlight)
		e.Message = fmt.Sprintf("%s: running calls of %s may take %d MiB, and this one %d MiB; %d are allowed",
			e.Limit, a, a.memory>>20, memory>>20, a.most[memoryInFlight]>>20)
	}
	e.Hint = "call again when one of them has ended, or raise " + e.Limit
	return e
}

// atMost is how much of some memory a call may ever have.
func (a *account) atMost(memory int64) int64 {
	for ; a != nil; a = a.parent {
		memory = min(memory, a.most[memoryInFlight])
	}
	return memory
}

// wait counts a call that begins to wait, or ends to.
func (a *account) wait(n int) {
	for ; a != nil; a = a.parent {
		if a.waiting += n; a.waiting == 0 {
			a.pace = pace{}
		}
	}
}

// join gives an account, and those above it, the turns that they left, where something waits.
func (a *account) join() {
	for ; a.rank != hostRank; a = a.parent {
		if a.turn == nil && a.turns.Len() > 0 {
			a.turn = a.parent.turns.PushBack(a)
		}
	}
}

// park takes an account out of turn, and those above it that have nobody else waiting.
func (a *account) park() {
	for ; a.rank != hostRank && a.turn != nil; a = a.parent {
		a.parent.turns.Remove(a.turn)
		a.turn = nil
		if a.parent.turns.Len() > 0 {
			return
		}
	}
}

// pass lets others go first, once a waiter of an account was served.
func (a *account) pass() {
	if a.turns.Len() == 0 {
		a.park()
	}
	for ; a.rank != hostRank; a = a.parent {
		if a.turn != nil {
			a.parent.turns.MoveToBack(a.turn)
		}
	}
}

// next is whose turn it is below an account.
func (a *account) next() *waiter {
	for {
		switch at := a.turns.Front().Value.(type) {
		case *account:
			a = at
		case *waiter:
			return at
		}
	}
}

// busy reports whether something below an account runs or waits.
func (a *account) busy() bool { return a.running > 0 || a.waiting > 0 }

// child returns the account that has a name below another, and is kept by its tenant, or as a tenant by the host. When there
// are too many, the new ones share one that has no name.
func (a *account) child(keeper *account, name string) *account {
	found := a.known(keeper, name)
	if found.place != nil {
		return found
	}
	if a.children == nil {
		a.children = map[string]*account{}
	}
	a.children[found.name] = found
	found.place = keeper.kept.PushBack(found)
	return found
}

// known returns what child would, and where it would make an account one that is not kept, of which nothing is counted.
func (a *account) known(keeper *account, name string) *account {
	if found := a.children[name]; found != nil {
		return found
	}
	if keeper.kept.Len() >= maxKept {
		name = ""
		if found := a.children[name]; found != nil {
			return found
		}
	}
	return &account{rank: a.rank + 1, name: name, parent: a, most: [kinds]int64{none, none, none, none}}
}

// maxKept is how many tenants, and how many personas and sessions of a tenant, are counted one by one within a minute.
const maxKept = 4096

// seenNow keeps an account for as long as its windows know anything.
func (a *account) seenNow(keeper *account, now time.Time) {
	a.seen = now
	keeper.kept.MoveToBack(a.place)
}

// tidy drops a few of the accounts that nothing was heard of for so long that there is nothing left to know.
func (a *account) tidy(now time.Time) {
	for range 2 {
		front := a.kept.Front()
		if front == nil {
			return
		}
		old := front.Value.(*account) //nolint:forcetypeassert,revive,nolintlint // no others are kept
		if now.Sub(old.seen) < forgotten {
			return
		}
		if old.busy() {
			old.seenNow(a, now)
			continue
		}
		a.kept.Remove(front)
		delete(old.parent.children, old.name)
	}
}
