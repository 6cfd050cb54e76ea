package tiers

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// How long a holder waits.
const (
	helloTime  = 5 * time.Second  // for each frame of a greeting
	idleTime   = 10 * time.Minute // for the next transaction; the guest connects again when it needs to
	txnTime    = time.Minute      // for the next frame of a transaction
	aloneTime  = 2 * time.Second  // for all of a transaction that others wait for
	answerTime = 30 * time.Second // until an answer is read
	aliveEvery = 10 * time.Second // a feed says something
)

// guest is a connection of another process to the holder. All but drain is for the goroutine that serves it.
type guest struct {
	wire
	holder *holder
	party  party
	lane   laneID // written before the first frame is answered, under the holder's lock
	gone   chan struct{}
	txn    *badgerTxn // nil when none is open
	failed error      // of what was not answered
	until  time.Time  // by when a transaction must end that others wait for

	mu      sync.Mutex
	busy    bool // a transaction is open
	leaving bool
}

var (
	errProtocol = errors.New("the peer does not keep to the protocol")
	errLeaving  = errors.New("the store is being closed")
)

// serve answers until the guest goes, or does not keep to the protocol.
func (g *guest) serve() {
	defer func() {
		if r := recover(); r != nil { // whatever a peer sends must not end the process that holds the store
			g.holder.log.Error("serving the store to a process failed", "error", r)
		}
		if g.txn != nil {
			g.txn.end()
		}
		_ = g.conn.Close()
	}()
	if err := g.greet(); err != nil {
		g.holder.log.Debug("a process was not let in", "error", err)
		return
	}
	g.answerAll()
}

func (g *guest) answerAll() {
	for {
		f, err := g.receive(g.patience())
		if err != nil || g.handle(f) != nil {
			return
		}
	}
}

// greet finds out who is there.
func (g *guest) greet() error {
	f, err := g.receive(helloTime)
	if err != nil {
		return err
	}
	if f.kind != askHello || len(f.fields) != 2 || string(f.fields[0]) != greeting || len(f.fields[1]) != nonceBytes {
		return errProtocol
	}
	theirs, ours := f.fields[1], make([]byte, nonceBytes)
	_, _ = rand.Read(ours) // it cannot fail
	if err := g.send(helloTime, sayOK, []byte(greeting), ours, proof(g.holder.key, holderSide, theirs, ours)); err != nil {
		return err
	}
	if f, err = g.receive(helloTime); err != nil {
		return err
	}
	if f.kind != askProve || len(f.fields) != 3 || len(f.fields[1]) != len(party{}) || len(f.fields[2]) != len(laneID{}) {
		return errProtocol
	}
	if !hmac.Equal(f.fields[0], proof(g.holder.key, guestSide, theirs, ours)) {
		return errors.Join(errors.New("it has another key"), g.send(helloTime, sayOtherKey))
	}
	g.holder.mu.Lock()
	g.party, g.lane = party(f.fields[1]), laneID(f.fields[2])
	g.holder.mu.Unlock()
	g.most = maxFrameBytes
	return g.send(helloTime, sayOK)
}

func (g *guest) patience() time.Duration {
	switch {
	case g.txn == nil:
		return idleTime
	case g.txn.mode == alone:
		return time.Until(g.until)
	}
	return txnTime
}

// handle does what one frame asks. The error ends the connection.
func (g *guest) handle(f frame) error {
	switch f.kind {
	case askView:
		return g.begin(viewing)
	case askUpdate:
		return g.begin(updating)
	case askAlone:
		return g.begin(alone)
	case askSync, askCommitted, askFollow:
		if g.busy {
			return errProtocol
		}
		return g.outside(f)
	}
	if !g.busy {
		return errProtocol
	}
	return g.within(f)
}

// outside does what needs no transaction.
func (g *guest) outside(f frame) error {
	switch n := len(f.fields); {
	case f.kind == askSync && n == 0:
		return g.answer(g.holder.store.Sync(context.Background()))
	case f.kind == askCommitted && n == 2 && len(f.fields[0]) == len(laneID{}):
		return g.answerCommitted(laneID(f.fields[0]), f.fields[1])
	case f.kind == askFollow && n == 0:
		return g.follow()
	}
	return errProtocol
}

// within does what a transaction is made of.
func (g *guest) within(f frame) error {
	switch n := len(f.fields); {
	case f.kind == askGet && n == 1:
		return g.get(f.fields[0])
	case f.kind == askScan && (n == 3 || n == 4):
		return g.scan(f)
	case f.kind == askSet && n == 2:
		g.note(func() error { return g.txn.Set(f.fields[0], f.fields[1]) })
		return nil
	case f.kind == askDelete && n == 1:
		g.note(func() error { return g.txn.Delete(f.fields[0]) })
		return nil
	case f.kind == askCommit && n == 1:
		return g.commit(f.fields[0])
	case f.kind == askEnd && n == 0:
		return g.end()
	}
	return errProtocol
}

// note does what is not answered, unless something before it has failed.
func (g *guest) note(do func() error) {
	if g.failed == nil {
		g.failed = do()
	}
}

func (g *guest) begin(m mode) error {
	if err := g.enter(); err != nil {
		return err
	}
	g.txn, g.failed = g.holder.store.begin(m)
	g.until = time.Now().Add(aloneTime)
	return nil
}

func (g *guest) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.busy:
		return errProtocol
	case g.leaving:
		return errLeaving
	}
	g.busy = true
	return nil
}

// end drops the transaction. It is the end of the connection when the holder waits for that.
func (g *guest) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.txn != nil {
		g.txn.end()
	}
	g.txn, g.failed, g.busy = nil, nil, false
	if g.leaving {
		return errLeaving
	}
	return nil
}

// drain lets the guest end the transaction that is open, and begin no other.
func (g *guest) drain() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaving = true
	if !g.busy {
		_ = g.conn.Close()
	}
}

func (g *guest) commit(sequence []byte) error {
	n, ok := parseNumber(string(sequence))
	if !ok {
		return errProtocol
	}
	g.note(func() error { return g.txn.sign(g.lane, n) })
	g.note(func() error { return g.txn.commit(g.party) })
	if g.txn != nil {
		g.txn.end() // before the answer, which may take long to be read
	}
	return errors.Join(g.answer(g.failed), g.end())
}

// answer says that something was done, or why not.
func (g *guest) answer(err error) error {
	switch {
	case err == nil:
		return g.say(sayOK)
	case errors.Is(err, badger.ErrConflict):
		return g.say(sayConflict)
	}
	return g.say(sayFailed, encodeError(translate(err)))
}

// say sends an answer. It waits less long for its reader while others wait for the transaction.
func (g *guest) say(kind byte, fields ...[]byte) error {
	patience := answerTime
	if g.txn != nil && !g.txn.ended && g.txn.mode == alone {
		patience = time.Until(g.until)
	}
	return g.send(patience, kind, fields...)
}

func (g *guest) get(key []byte) error {
	var value []byte
	var found bool
	err := g.failed
	if err == nil {
		value, found, err = g.txn.Get(key)
	}
	if err != nil || !found {
		return g.answer(err)
	}
	return g.say(sayOK, value)
}

// How a scan goes.
const (
	backwards = 1 << iota
	behind    // where it begins, without that key itself
)

func (g *guest) scan(f frame) error {
	limit, ok := parseNumber(string(f.fields[2]))
	if !ok || limit == 0 || limit > maxPairs || len(f.fields[1]) != 1 {
		return errProtocol
	}
	how := f.fields[1][0]
	r := Range{Prefix: f.fields[0], Reverse: how&backwards != 0}
	if len(f.fields) == 4 {
		r.From = f.fields[3]
	}
	if g.failed != nil {
		return g.answer(g.failed)
	}
	pairs, more, err := g.batch(r, how&behind != 0, int(limit))
	switch {
	case err != nil:
		return g.answer(err)
	case more:
		return g.say(sayMore, pairs...)
	}
	return g.say(sayOK, pairs...)
}

// batch reads the first pairs of a range, and says whether there may be more.
func (g *guest) batch(r Range, behind bool, limit int) (pairs [][]byte, more bool, err error) {
	size := 0
	err = g.txn.Scan(r, func(key, value []byte) (bool, error) {
		if behind && bytes.Equal(key, r.From) {
			return true, nil
		}
		pairs = append(pairs, bytes.Clone(key), bytes.Clone(value))
		size += len(key) + len(value)
		more = len(pairs) >= 2*limit || size >= maxBatchBytes
		return !more, nil
	})
	return pairs, more, err
}

func (g *guest) answerCommitted(lane laneID, sequence []byte) error {
	n, ok := parseNumber(string(sequence))
	if !ok || lane == g.lane {
		return errProtocol
	}
	g.holder.await(lane)
	done, err := g.holder.store.committed(lane, n)
	if err != nil || !done {
		return g.answer(err)
	}
	return g.say(sayOK, []byte{1})
}

// follow tells the guest of entries until it goes.
func (g *guest) follow() error {
	ctx, cancel := context.WithCancel(context.Background())
	l := g.holder.store.join(g.party)
	defer l.leave()
	if err := g.answer(nil); err != nil {
		cancel()
		return err
	}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer g.conn.Close()
	defer cancel()
	_ = g.conn.SetReadDeadline(time.Time{})
	waiting.Go(func() { _, _ = io.Copy(io.Discard, g.conn); cancel() })
	for {
		entries, err := l.next(ctx, aliveEvery)
		if err != nil {
			return err
		}
		if err := g.tell(entries); err != nil {
			return err
		}
	}
}

// tell sends entries, at least one frame.
func (g *guest) tell(entries [][]byte) error {
	for {
		n, size := 0, 0
		for n < len(entries) && n < maxPairs && size < maxBatchBytes {
			size += len(entries[n])
			n++
		}
		if err := g.say(sayEntries, entries[:n]...); err != nil {
			return err
		}
		if entries = entries[n:]; len(entries) == 0 {
			return nil
		}
	}
}
