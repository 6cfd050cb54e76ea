package tiers

import (
	"context"
	"errors"
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
	waiting bool // a flush is on its way

	flushing sync.Mutex // one flush at a time, so that uses are counted in order
}

// RecordUse counts a finished call. It does not wait: uses are written together, some time later. Of an unknown id it is
// NotFound.
func (s *Shelf) RecordUse(ctx context.Context, tenant, id string, use tool.Use) error {
	err := s.store.View(ctx, func(r Reader) error {
		_, found, err := r.Get(recordKey(tenant, id))
		if err == nil && !found {
			return notFound(id)
		}
		return err
	})
	if err != nil {
		return asError(err)
	}
	b := &s.uses
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n >= maxPendingUses {
		return &tool.Error{Code: tool.Unavailable, Message: "the store does not take the uses that wait for it"}
	}
	k := toolKey{tenant, id}
	b.pending[k] = append(b.pending[k], use)
	b.n++
	if !b.waiting {
		b.waiting = true
		time.AfterFunc(s.opt.FlushAfter, func() { _ = s.Settle(context.Background()) }) // what fails stays pending
	}
	return nil
}

// take empties the buffer.
func (b *useBuffer) take() map[toolKey][]tool.Use {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.pending
	b.pending, b.n, b.waiting = map[toolKey][]tool.Use{}, 0, false
	return taken
}

// giveBack puts uses before those that came since.
func (b *useBuffer) giveBack(k toolKey, uses []tool.Use) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending[k] = append(uses, b.pending[k]...)
	b.n += len(uses)
}

// Settle writes the uses that were recorded before.
func (s *Shelf) Settle(ctx context.Context) error {
	s.uses.flushing.Lock()
	defer s.uses.flushing.Unlock()
	var failed error
	for k, uses := range s.uses.take() {
		by := tool.Actor{Caller: tool.Caller{Tenant: k.tenant}, Name: hostName}
		events, err := s.commit(ctx, by, func(e *edit) error { return e.countUses(k.id, uses) })
		if err == nil && len(events) > 0 {
			err = s.publish(ctx, events)
		} else if err != nil {
			s.uses.giveBack(k, uses)
		}
		failed = errors.Join(failed, err)
	}
	return asError(failed)
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
