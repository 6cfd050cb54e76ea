package tiers

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	maxGuests = 512              // connections at once
	drainTime = 10 * time.Second // that the transactions of guests may take until a store is closed
)

// holder serves the store that this process holds to other processes.
type holder struct {
	store *badgerStore
	key   []byte
	dir   string
	log   *slog.Logger
	door  *net.UnixListener // nil when there is no socket, and so no guest

	mu      sync.Mutex
	guests  map[*guest]struct{}
	leaving bool
	all     sync.WaitGroup
}

// hold lets guests in. A directory that can have no socket is held all the same.
func hold(store *badgerStore, opt StoreOptions) *holder {
	h := &holder{store: store, key: opt.EncryptionKey, dir: opt.Dir, log: opt.Logger, guests: map[*guest]struct{}{}}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	door, err := listen(opt.Dir)
	if err != nil {
		h.log.Warn("other processes cannot share the store", "error", err)
		return h
	}
	h.door = door
	h.all.Go(h.admitAll)
	return h
}

func (h *holder) admitAll() {
	for {
		conn, err := h.door.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // there are too many files, perhaps
			time.Sleep(lockPause)
			continue
		}
		if err := checkPeer(conn); err != nil {
			h.log.Warn("a process was refused the store", "error", err)
			_ = conn.Close()
			continue
		}
		h.admit(&guest{wire: newWire(conn), holder: h, gone: make(chan struct{})})
	}
}

// admit serves a guest, unless there are too many.
func (h *holder) admit(g *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leaving || len(h.guests) >= maxGuests {
		_ = g.conn.Close()
		return
	}
	h.guests[g] = struct{}{}
	h.all.Go(func() {
		defer h.dismiss(g)
		g.serve()
	})
}

func (h *holder) dismiss(g *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.guests, g)
	close(g.gone)
}

// await returns once nothing of a lane is going on any more.
func (h *holder) await(lane laneID) {
	h.mu.Lock()
	var old []*guest
	for g := range h.guests {
		if g.lane == lane {
			old = append(old, g)
		}
	}
	h.mu.Unlock()
	for _, g := range old {
		_ = g.conn.Close()
		<-g.gone
	}
}

// leave lets nobody in any more, waits for the transactions of the guests that are there, and sends them away.
func (h *holder) leave() {
	if h.door == nil {
		return
	}
	_ = h.door.Close()
	unlink(h.dir)
	h.mu.Lock()
	h.leaving = true
	for g := range h.guests {
		g.drain()
	}
	h.mu.Unlock()
	late := time.AfterFunc(drainTime, h.sendAway)
	defer late.Stop()
	h.all.Wait()
}

func (h *holder) sendAway() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for g := range h.guests {
		_ = g.conn.Close()
	}
}

// close ends the sharing, and then closes the store.
func (h *holder) close() error {
	h.leave()
	return h.store.Close()
}
