package tiers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

const (
	openPatience = 5 * time.Second  // with a store that is held and not served: by one who opens, closes or restores it
	lostPatience = 30 * time.Second // with a holder that is gone, or serves nobody
	maxLanes     = 64               // transactions of this process at once, as a guest
	maxIdleLanes = 8
)

// shared is the Store in a directory that several processes use. One of them holds the lock of the directory and serves the
// others. When it is gone, whoever of them comes first takes its place, and what was not committed is run again.
type shared struct {
	opt    StoreOptions
	folder os.FileInfo // of the store: a takeover is of this very one
	self   party
	lanes  chan struct{} // one for each in use

	taking sync.Mutex // one attempt at a time to become the holder
	mu     sync.Mutex // guards the following
	held   *holder    // nil as long as another process holds the store
	idle   []*lane
	closed bool

	stop      context.CancelFunc // ends following
	following sync.WaitGroup
}

// share opens the store in a directory, or connects to the process that has done so.
func share(ctx context.Context, opt StoreOptions) (Store, error) {
	if err := os.MkdirAll(opt.Dir, 0o700); err != nil {
		return nil, unusable(opt.Dir, err)
	}
	folder, err := os.Stat(opt.Dir)
	if err != nil {
		return nil, unusable(opt.Dir, err)
	}
	s := &shared{opt: opt, folder: folder, lanes: make(chan struct{}, maxLanes), stop: func() {}}
	_, _ = rand.Read(s.self[:]) // it cannot fail
	_, l, err := s.reach(ctx, time.Now().Add(openPatience))
	if err != nil {
		return nil, err
	}
	if l != nil {
		s.release(l)
	}
	return s, nil
}

// reach returns this process's holder, or a lane to that of another, which has to be released. It waits until then for a
// store that is held and not served.
func (s *shared) reach(ctx context.Context, until time.Time) (*holder, *lane, error) {
	for {
		h, l, err := s.tryReach(ctx)
		switch {
		case err == nil:
			return h, l, nil
		case errors.Is(err, ErrHung):
			return nil, nil, err
		case ctx.Err() != nil:
			return nil, nil, tool.AsError(ctx.Err())
		case !isHeld(err) || time.Now().After(until):
			return nil, nil, err
		}
		time.Sleep(lockPause)
	}
}

// tryReach looks for a holder once, and becomes it if there is none.
func (s *shared) tryReach(ctx context.Context) (*holder, *lane, error) {
	h, l, err := s.known(ctx)
	if h != nil || l != nil || err != nil {
		return h, l, err
	}
	l, err = dial(ctx, s.opt, s.self)
	if err == nil {
		return nil, l, nil
	}
	<-s.lanes
	if !errors.Is(err, errNobody) || ctx.Err() != nil {
		return nil, nil, err
	}
	h, err = s.take()
	return h, nil, err
}

// known returns the holder or an idle lane, if there is one, or else leave to dial one.
func (s *shared) known(ctx context.Context) (*holder, *lane, error) {
	if h, err := s.holder(); h != nil || err != nil {
		return h, nil, err
	}
	select {
	case s.lanes <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		l := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return nil, l, nil
	}
	return nil, nil, nil
}

func (s *shared) holder() (*holder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the store is closed"}
	}
	return s.held, nil
}

// release gives a lane back.
func (s *shared) release(l *lane) {
	<-s.lanes
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.following {
		return
	}
	if l.err != nil || l.open || s.closed || s.held != nil || len(s.idle) >= maxIdleLanes {
		_ = l.conn.Close()
		return
	}
	s.idle = append(s.idle, l)
}

// take makes this process the holder, if nobody is.
func (s *shared) take() (*holder, error) {
	s.taking.Lock()
	defer s.taking.Unlock()
	if h, err := s.holder(); h != nil || err != nil {
		return h, err
	}
	if now, err := os.Stat(s.opt.Dir); err != nil || !os.SameFile(now, s.folder) {
		return nil, unusable(s.opt.Dir, errors.New("it is not the folder that was opened any more"))
	}
	store, err := tryOpen(s.opt)
	if err != nil {
		return nil, err
	}
	if err := store.syncLogs(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	store.self = s.self
	h := hold(store, s.opt)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = h
	for _, l := range s.idle {
		_ = l.conn.Close()
	}
	s.idle = nil
	return h, nil
}

func (s *shared) View(ctx context.Context, fn func(Reader) error) error {
	return s.retry(ctx, func(h *holder, l *lane) error {
		if h != nil {
			return h.store.View(ctx, fn)
		}
		return l.view(ctx, fn)
	})
}

func (s *shared) Update(ctx context.Context, fn func(Txn) error) error {
	overtaken := 0
	for {
		err := s.retry(ctx, func(h *holder, l *lane) error {
			if h != nil {
				return h.store.Update(ctx, fn)
			}
			err := l.update(ctx, modeOf(overtaken), fn)
			if errors.Is(err, errUnanswered) {
				return &unansweredError{l.id, l.sequence}
			}
			return err
		})
		if open, ok := errors.AsType[*unansweredError](err); ok {
			err = s.lookUp(context.WithoutCancel(ctx), open)
		}
		if !errors.Is(err, errConflict) {
			return err
		}
		overtaken++
	}
}

// unansweredError is a commit of which nobody knows whether it was made.
type unansweredError struct {
	lane     laneID
	sequence uint64
}

func (u *unansweredError) Error() string { return errUnanswered.Error() }

// lookUp finds out what became of a commit: the error is errConflict when nothing did, so that it has to be made again.
func (s *shared) lookUp(ctx context.Context, u *unansweredError) error {
	done := false
	err := s.retry(ctx, func(h *holder, l *lane) (err error) {
		if h != nil {
			done, err = h.store.committed(u.lane, u.sequence)
		} else {
			done, err = l.committed(u.lane, u.sequence)
		}
		return err
	})
	switch {
	case err != nil:
		return &tool.Error{
			Code: tool.Unavailable, Message: "the store was lost while a change was made, and nobody knows yet whether it was: " + err.Error(),
			Hint: "look whether it is there before making it again", Cause: err,
		}
	case !done:
		return errConflict
	}
	return nil
}

func (s *shared) Sync(ctx context.Context) error {
	return s.retry(ctx, func(h *holder, l *lane) error {
		if h != nil {
			return h.store.Sync(ctx)
		}
		return l.sync()
	})
}

// retry does something with the holder or a lane to it, and again elsewhere when the holder is lost.
func (s *shared) retry(ctx context.Context, do func(*holder, *lane) error) error {
	for until := time.Now().Add(lostPatience); ; {
		if err := ctx.Err(); err != nil {
			return tool.AsError(err)
		}
		h, l, err := s.reach(ctx, until)
		if err != nil {
			return err
		}
		err = s.with(h, l, do)
		switch {
		case !errors.Is(err, errLost):
			return err
		case time.Now().After(until):
			return &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s was lost again and again", s.opt.Dir), Hint: "try again", Cause: err}
		}
		time.Sleep(lockPause)
	}
}

// with lends a lane.
func (s *shared) with(h *holder, l *lane, do func(*holder, *lane) error) error {
	if l != nil {
		defer s.release(l)
	}
	return do(h, l)
}

// Close leaves the store to the others, and lets their transactions end before if this process holds it.
func (s *shared) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for _, l := range s.idle {
		_ = l.conn.Close()
	}
	s.idle = nil
	s.mu.Unlock()
	s.stop()
	s.following.Wait()
	s.taking.Lock() // whoever was taking the store has taken it now
	defer s.taking.Unlock()
	if s.held == nil {
		return nil
	}
	return s.held.close()
}

// source tells of the audit entries that other processes commit.
type source interface {
	listen(ctx context.Context, heard func(entry []byte))
}

// follow tells of the audit entries that other processes commit from now on, until the store is closed: each once, those of a
// tenant in their order. lost is told when entries may have been missed.
func (s *shared) follow(heard func(entry []byte), lost func()) error {
	ctx, cancel := context.WithCancel(context.Background())
	from, err := s.source(ctx)
	if err != nil {
		cancel()
		return err
	}
	s.stop = cancel
	s.following.Go(func() {
		for {
			from.listen(ctx, heard)
			if ctx.Err() != nil {
				return
			}
			lost()
			if from = s.nextSource(ctx); from == nil {
				return
			}
			lost() // of what came between the two
		}
	})
	return nil
}

func (s *shared) source(ctx context.Context) (from source, err error) {
	err = s.retry(ctx, func(h *holder, l *lane) error {
		if h != nil {
			from = h.store.join(s.self)
			return nil
		}
		from = l
		return l.follow()
	})
	return from, err
}

// nextSource waits for a source, until ctx ends.
func (s *shared) nextSource(ctx context.Context) source {
	const pause = time.Second
	for ctx.Err() == nil {
		from, err := s.source(ctx)
		if err == nil {
			return from
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}
