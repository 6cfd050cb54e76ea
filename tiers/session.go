package tiers

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Session is a session that has something of its own: tools, documents, attempts to forge, or what models have cost.
type Session struct {
	tool.Caller
	CreatedAt  tool.Time `json:"createdAt"`
	LastUsedAt tool.Time `json:"lastUsedAt"` // to the minute

	Attempts int        `json:"attempts,omitempty"` // to forge
	Spent    tool.Spent `json:"spent,omitzero"`     // by models, on its behalf
}

func sessionKey(c tool.Caller) []byte { return key(sessionSpace, c.Tenant, c.Persona, c.Session) }

func readSession(r Reader, c tool.Caller) (*Session, error) {
	text, found, err := r.Get(sessionKey(c))
	if err != nil || !found {
		return nil, err
	}
	at := &Session{}
	return at, decode(text, at)
}

// touches remembers when sessions were last known to be in use, so that most touches need not ask the store.
type touches struct {
	mu   sync.Mutex
	seen map[tool.Caller]time.Time
}

// maxTouches bounds them; a full memory is emptied, which costs each session a look at the store.
const maxTouches = 100_000

// fresh reports whether a session was seen within the last half minute; otherwise it is from now on.
func (t *touches) fresh(c tool.Caller, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.seen[c]; ok && now.Sub(at) < time.Minute/2 && !now.Before(at) {
		return true
	}
	if t.seen == nil || len(t.seen) >= maxTouches {
		t.seen = map[tool.Caller]time.Time{}
	}
	t.seen[c] = now
	return false
}

func (t *touches) forgetTenant(tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.seen, func(c tool.Caller, _ time.Time) bool { return c.Tenant == tenant })
}

func (t *touches) forget(c tool.Caller) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.seen, c)
}

// Touch says that a session is in use, so that it does not end as idle. One that has nothing of its own leaves no trace. It is cheap:
// a session is looked at twice a minute and written once, at most.
func (s *Shelf) Touch(ctx context.Context, c tool.Caller) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if s.touches.fresh(c, s.opt.Now()) {
		return nil
	}
	err := s.touch(ctx, c)
	if err != nil {
		s.touches.forget(c)
	}
	return err
}

func (s *Shelf) touch(ctx context.Context, c tool.Caller) error {
	fresh := false
	err := s.store.View(ctx, func(r Reader) error {
		at, err := readSession(r, c)
		fresh = at == nil || s.opt.Now().Sub(at.LastUsedAt.Time) < time.Minute
		return err
	})
	if err != nil || fresh {
		return asError(err)
	}
	_, err = s.commit(ctx, tool.Actor{Caller: c}, func(e *edit) error {
		at, err := readSession(e, c)
		if err != nil || at == nil { // it has ended meanwhile
			return err
		}
		return e.touch(c)
	})
	return err
}

// touch begins a session that gets something of its own, or says that it is in use.
func (e *edit) touch(c tool.Caller) error {
	if err := e.shelf.mayBegin(e, c); err != nil {
		return err
	}
	at, err := e.session(c)
	if err != nil {
		return err
	}
	return e.set(sessionKey(c), at)
}

// session reads a session that is in use now, or begins it: whether it may is up to mayBegin.
func (e *edit) session(c tool.Caller) (*Session, error) {
	at, err := readSession(e, c)
	if err != nil {
		return nil, err
	}
	if at == nil {
		at = &Session{Caller: c, CreatedAt: tool.At(e.now)}
		if err := e.countSession(c, 1); err != nil {
			return nil, err
		}
	}
	at.LastUsedAt = tool.At(e.now)
	return at, nil
}

// Sessions returns the sessions of a tenant; "" is those of all.
func (s *Shelf) Sessions(ctx context.Context, tenant string) (list []Session, err error) {
	prefix := key(sessionSpace)
	if tenant != "" {
		prefix = key(sessionSpace, tenant)
	}
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		return r.Scan(Range{Prefix: prefix}, func(_, text []byte) (bool, error) {
			var at Session
			err := decode(text, &at)
			list = append(list, at)
			return true, err
		})
	})
	return list, asError(err)
}

// EndSession ends a session and deletes the tools of its tier, and what was counted of it; and its documents; tools that were promoted stay. It
// returns the deleted ones, and none when there is no such session.
func (s *Shelf) EndSession(ctx context.Context, by tool.Actor, c tool.Caller) ([]*tool.Record, error) {
	return s.endSession(ctx, by, c, 0)
}

// endSession ends a session that has been idle for so long.
func (s *Shelf) endSession(ctx context.Context, by tool.Actor, c tool.Caller, idle time.Duration) (gone []*tool.Record, err error) {
	by.Tenant = c.Tenant
	err = s.change(ctx, by, func(e *edit) error {
		at, err := readSession(e, c)
		if err != nil || at == nil || e.now.Sub(at.LastUsedAt.Time) < idle {
			return err
		}
		if gone, err = scopeRecords(e, c.Tenant, scopeOf(tool.SessionTier, c)); err != nil {
			return err
		}
		for _, r := range gone {
			if err := errors.Join(e.remove(r), e.log(r.ID, tool.CleanedUp, fields{"sessionId": c.Session})); err != nil {
				return err
			}
		}
		return errors.Join(e.dropDocuments(c), e.countSession(c, -1), e.Delete(sessionKey(c)))
	})
	s.touches.forget(c)
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// endIdle ends the sessions that have been idle for too long.
func (s *Shelf) endIdle(ctx context.Context) error {
	list, err := s.Sessions(ctx, "")
	for _, at := range list {
		if s.opt.Now().Sub(at.LastUsedAt.Time) >= s.opt.Rules.SessionIdle {
			_, endErr := s.endSession(ctx, tool.Actor{Caller: at.Caller, Name: hostName}, at.Caller, s.opt.Rules.SessionIdle)
			err = errors.Join(err, endErr)
		}
	}
	return err
}

// hostName is the actor of what the host does by itself.
const hostName = "host"
