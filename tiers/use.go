package tiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// maxPendingUses bounds the uses that wait for a store which does not take them.
const maxPendingUses = 1 << 16

// useBuffer gathers uses until they are written.
type useBuffer struct {
	mu      sync.Mutex
	pending map[toolKey][]tool.Use
	n       int
	coming  bool // a flush is

	flushing sync.Mutex // one flush at a time, so that uses are counted in order

	refused error     // why the store took no changes when it was asked last
	askNext time.Time // before which that holds
}

// askPause is how long what the store has said of changes is taken to hold for uses.
const askPause = time.Second

// Counts is nil when the use of a tool can be counted, and else why not, as on a full disk. What the store has said holds for a
// second, and while it is asked again.
func (s *Shelf) Counts(ctx context.Context) error {
	b := &s.uses
	if known, holds := b.mayCount(time.Now()); holds {
		return known
	}
	refused := s.Writable(ctx)
	if ctx.Err() != nil {
		return refused // that says nothing of the store
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = refused
	return refused
}

// mayCount is what is known; false when the caller is to ask.
func (b *useBuffer) mayCount(now time.Time) (known error, holds bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.n >= maxPendingUses:
		return tooManyUses(), true
	case now.Before(b.askNext):
		return b.refused, true
	}
	b.askNext = now.Add(askPause)
	return nil, false
}

func tooManyUses() error {
	return &tool.Error{Code: tool.Unavailable, Message: "the store does not take the uses that wait for it", Hint: "try again later"}
}

// RecordUse counts a finished call. It does not wait: uses are written together, some time later. Of an unknown id it is
// NotFound.
func (s *Shelf) RecordUse(ctx context.Context, tenant, id string, use tool.Use) error {
	k := toolKey{tenant, id}
	if !s.uses.waitsFor(k) {
		if err := s.mustExist(ctx, k); err != nil {
			return err
		}
	}
	b := &s.uses
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n >= maxPendingUses {
		return tooManyUses()
	}
	b.pending[k] = append(b.pending[k], use)
	b.n++
	if !b.coming {
		b.coming = true
		time.AfterFunc(s.opt.FlushAfter, func() { _ = s.Settle(context.WithoutCancel(ctx)) }) // what fails stays pending
	}
	return nil
}

// waitsFor reports whether uses of a tool are waiting already.
func (b *useBuffer) waitsFor(k toolKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pending[k]) > 0
}

// waiting is how many uses wait.
func (b *useBuffer) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func (s *Shelf) mustExist(ctx context.Context, k toolKey) error {
	return asError(s.store.View(ctx, func(r Reader) error {
		_, found, err := r.Get(recordKey(k.tenant, k.id))
		if err == nil && !found {
			return notFound(k.id)
		}
		return err
	}))
}

// take empties the buffer.
func (b *useBuffer) take() map[toolKey][]tool.Use {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.pending
	b.pending, b.n, b.coming = map[toolKey][]tool.Use{}, 0, false
	return taken
}

// giveBack puts uses before those that came since.
func (b *useBuffer) giveBack(tools []toolKey, uses map[toolKey][]tool.Use) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range tools {
		b.pending[k] = append(uses[k], b.pending[k]...)
		b.n += len(uses[k])
	}
}

// settleChunk is the uses of how many tools one transaction counts.
const settleChunk = 500

// Settle writes the uses that were recorded before. What it cannot write waits for the next time.
func (s *Shelf) Settle(ctx context.Context) error {
	s.uses.flushing.Lock()
	defer s.uses.flushing.Unlock()
	uses := s.uses.take()
	tools := slices.SortedFunc(maps.Keys(uses), compareTools)
	var failed error
	for len(tools) > 0 {
		n := min(len(tools), settleChunk)
		if at := slices.IndexFunc(tools[:n], func(k toolKey) bool { return k.tenant != tools[0].tenant }); at > 0 {
			n = at
		}
		if err := s.settle(ctx, tools[:n], uses); err != nil {
			failed = errors.Join(failed, err)
		}
		tools = tools[n:]
	}
	return asError(failed)
}

// settleLast is Settle for the last time. What it cannot write is lost, and said to be.
func (s *Shelf) settleLast() error {
	err := s.Settle(context.Background())
	if err == nil {
		return nil
	}
	return &tool.Error{
		Code: tool.AsError(err).Code, Message: fmt.Sprintf("%d uses of tools could not be counted: %s", s.uses.waiting(), tool.AsError(err).Message),
		Hint: tool.AsError(err).Hint, Cause: err,
	}
}

func compareTools(a, b toolKey) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.id, b.id))
}

// settle counts the uses of some tools of one tenant. It waits for the disk only when that led to a decision.
func (s *Shelf) settle(ctx context.Context, tools []toolKey, uses map[toolKey][]tool.Use) error {
	by := tool.Actor{Caller: tool.Caller{Tenant: tools[0].tenant}, Name: hostName}
	events, err := s.commit(ctx, by, func(e *edit) error {
		for _, k := range tools {
			if err := e.countUses(k.id, uses[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, tool.NotFound) { // the tenant was deleted
		return nil
	}
	if err != nil {
		s.uses.giveBack(tools, uses)
		return err
	}
	if len(events) == 0 {
		return nil
	}
	return s.publish(ctx, events)
}

// countUses counts uses of one tool. One that was removed meanwhile has no counts any more.
func (e *edit) countUses(id string, uses []tool.Use) error {
	r, err := findRecord(e, e.by.Tenant, id)
	if err != nil || r == nil {
		return err
	}
	at, err := e.minute(id)
	if err != nil {
		return err
	}
	for _, use := range uses {
		if err := e.countUse(r, at, use); err != nil {
			return err
		}
	}
	if err := e.set(minuteKey(e.by.Tenant, id), at); err != nil {
		return err
	}
	return e.save(r)
}

func (e *edit) countUse(r *tool.Record, at *useMinute, use tool.Use) error {
	if minute := use.At.Unix() / 60; at.Minute != minute {
		if err := e.logMinute(r.ID, at); err != nil {
			return err
		}
		*at = useMinute{Minute: minute}
	}
	at.count(use)
	confidence := r.UsageStats.ConfidenceScore
	r.UsageStats.Count(use)
	if !r.IsActive {
		r.UsageStats.ConfidenceScore = confidence // a call that began before the demotion changes nothing of it
	}
	if use.Success {
		r.FailuresInARow = 0
		return nil
	}
	r.FailuresInARow++
	if r.Suspended == nil && r.FailuresInARow >= e.shelf.opt.Rules.MaxFailuresInARow {
		return e.suspend(r, tool.RepeatedFailure)
	}
	return nil
}

// useMinute is what one audit entry says of a tool's uses.
type useMinute struct {
	Minute       int64   `json:"minute"` // since the Unix epoch
	Uses         int     `json:"uses"`
	SuccessCount int     `json:"successCount"`
	FailureCount int     `json:"failureCount"`
	Millis       float64 `json:"executionTimeMs"` // of all uses together
}

func (m *useMinute) count(use tool.Use) {
	m.Uses++
	if use.Success {
		m.SuccessCount++
	} else {
		m.FailureCount++
	}
	m.Millis += tool.Millis(use.Duration)
}

func minuteKey(tenant, id string) []byte { return key(auditSpace, tenant, "minute", id) }

// minute reads what is counted of a tool's last minute.
func (e *edit) minute(id string) (*useMinute, error) {
	at := &useMinute{}
	text, found, err := e.Get(minuteKey(e.by.Tenant, id))
	if err != nil || !found {
		return at, err
	}
	return at, decode(text, at)
}

func (e *edit) logMinute(id string, at *useMinute) error {
	if at.Uses == 0 {
		return nil
	}
	return e.log(id, tool.Used, at)
}

// closeMinutes writes the entries of the minutes that have passed.
func (s *Shelf) closeMinutes(ctx context.Context) error {
	failed := s.Settle(ctx)
	tenants, err := s.Tenants(ctx)
	failed = errors.Join(failed, err)
	for _, tenant := range tenants {
		ids, err := s.passed(ctx, tenant)
		failed = errors.Join(failed, err)
		if len(ids) > 0 {
			by := tool.Actor{Caller: tool.Caller{Tenant: tenant}, Name: hostName}
			failed = errors.Join(failed, s.change(ctx, by, func(e *edit) error { return e.closeMinutes(ids) }))
		}
	}
	return failed
}

// maxMinutes is how many entries one transaction closes; the rest waits for the next time.
const maxMinutes = 500

// passed returns the tools whose last counted minute is over.
func (s *Shelf) passed(ctx context.Context, tenant string) (ids []string, err error) {
	now := s.opt.Now().Unix() / 60
	err = s.store.View(ctx, func(r Reader) error {
		ids = nil
		return r.Scan(Range{Prefix: key(auditSpace, tenant, "minute")}, func(k, text []byte) (bool, error) {
			var at useMinute
			err := decode(text, &at)
			if all, ok := parts(k); ok && at.Minute < now {
				ids = append(ids, all[len(all)-1])
			}
			return len(ids) < maxMinutes, err
		})
	})
	return ids, err
}

func (e *edit) closeMinutes(ids []string) error {
	for _, id := range ids {
		at, err := e.minute(id)
		if err != nil || at.Minute >= e.now.Unix()/60 {
			return err
		}
		if err := errors.Join(e.logMinute(id, at), e.Delete(minuteKey(e.by.Tenant, id))); err != nil {
			return err
		}
	}
	return nil
}
