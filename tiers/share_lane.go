package tiers

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// laneID names a lane.
type laneID [16]byte

// lane is a connection to the process that holds the store. It carries one transaction at a time, and is for one goroutine.
type lane struct {
	wire
	opt      StoreOptions
	id       laneID
	sequence uint64 // of the last commit
	err      error  // what broke it, for good

	open      bool // a transaction is
	following bool // it tells of entries, and does nothing else

	greeted bool
	late    bool        // an answer is, by more than lateTime
	hung    atomic.Bool // somebody else gets no answer either
}

var (
	errNobody     = errors.New("nobody serves the store")
	errLost       = errors.New("the process that holds the store is gone")
	errConflict   = errors.New("what was read has changed")
	errUnanswered = errors.New("the commit was not answered")
)

// ErrHung is in the errors of a store whose holder, another process, does not answer: it is stopped, or starved.
var ErrHung = errors.New("the process that holds the store does not answer")

// How long a holder may take that is not stopped, or starved of all that a process needs.
const (
	greetTime = 4 * time.Second // to greet a guest, which takes neither the store nor the disk
	lateTime  = time.Second     // to answer anything, until a guest looks whether it still greets others
)

// dial connects to the holder. The error is errNobody when there is none who lets guests in, and ErrHung when it does not answer.
func dial(ctx context.Context, opt StoreOptions, by party) (*lane, error) {
	began := time.Now()
	within, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	conn, err := connect(within, opt.Dir)
	switch {
	case errors.Is(err, syscall.EAGAIN): // too many wait for it already
		return nil, hungError(opt.Dir)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNobody, err)
	}
	l := &lane{wire: newWire(conn), opt: opt}
	_, _ = rand.Read(l.id[:]) // it cannot fail
	cut := context.AfterFunc(within, func() { _ = conn.Close() })
	err = checkPeer(conn)
	if err == nil {
		err = l.greet(by)
	}
	switch {
	case !cut() && !errors.Is(ctx.Err(), context.Canceled) && time.Since(began) >= lateTime:
		err = hungError(opt.Dir)
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	l.most, l.greeted = maxFrameBytes, true
	return l, nil
}

// hungError is the error of a store whose holder does not answer.
func hungError(dir string) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s is held by %s, which does not answer", dir, holderOf(dir)),
		Hint: "let it go on if it was stopped, or kill it: another process takes its place at once", Cause: ErrHung,
	}
}

// greet shows both sides that they have the same key.
func (l *lane) greet(by party) error {
	ours := make([]byte, nonceBytes)
	_, _ = rand.Read(ours) // it cannot fail
	f, err := l.ask(askHello, []byte(greeting), ours)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNobody, err)
	case len(f.fields) != 3 || string(f.fields[0]) != greeting:
		return l.refuse("it is of another version")
	case !hmac.Equal(f.fields[2], proof(l.opt.EncryptionKey, holderSide, ours, f.fields[1])):
		return otherKey(l.opt, nil)
	}
	_, err = l.ask(askProve, proof(l.opt.EncryptionKey, guestSide, ours, f.fields[1]), by[:], l.id[:])
	if l.err != nil {
		return fmt.Errorf("%w: %w", errNobody, l.err)
	}
	return err
}

func (l *lane) refuse(why string) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s is held by %s, which cannot share it: %s", l.opt.Dir, holderOf(l.opt.Dir), why),
		Hint: "wait for it to end, or use another data directory",
	}
}

// ask sends a frame, with those that were put before, and waits for the answer.
func (l *lane) ask(kind byte, fields ...[]byte) (frame, error) {
	if l.err != nil {
		return frame{}, l.err
	}
	err := l.send(answerTime, kind, fields...)
	var f frame
	if err == nil {
		err = l.await()
	}
	if err == nil {
		f, err = l.receive(answerTime)
	}
	if err != nil {
		l.err = err
		return f, err
	}
	l.late = false
	switch f.kind {
	case sayOK, sayMore:
		return f, nil
	case sayConflict:
		return f, errConflict
	case sayOtherKey:
		return f, otherKey(l.opt, nil)
	case sayFailed:
		return f, decodeError(f)
	}
	return f, l.broken()
}

// await waits a moment for the beginning of an answer. When none comes, it lets somebody look whether the holder still greets others.
func (l *lane) await() error {
	if !l.greeted {
		return nil
	}
	if err := l.conn.SetReadDeadline(time.Now().Add(lateTime)); err != nil {
		return err
	}
	_, err := l.in.Peek(1)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	l.late = true
	go l.probe()
	return nil
}

// probe cuts the lane when its holder does not even greet.
//
//nolint:contextcheck,nolintlint // it outlives the asking, by no more than greetTime; seen only where it is called
func (l *lane) probe() {
	other, err := dial(context.Background(), l.opt, party{})
	switch {
	case err == nil:
		_ = other.conn.Close()
	case errors.Is(err, ErrHung):
		l.hung.Store(true)
		_ = l.conn.Close()
	}
}

// lost is the error of a lane that broke.
func (l *lane) lost() error {
	if l.hung.Load() {
		return hungError(l.opt.Dir)
	}
	return errLost
}

// broken is what becomes of a lane whose other side makes no sense.
func (l *lane) broken() error {
	l.err = errProtocol
	return l.err
}

// tell puts a frame that is not answered.
func (l *lane) tell(kind byte, fields ...[]byte) error {
	if l.err == nil {
		l.err = l.conn.SetWriteDeadline(time.Now().Add(answerTime))
	}
	if l.err == nil {
		l.err = l.put(kind, fields...)
	}
	return l.err
}

// view runs fn over one state. The error is errLost when fn has to be run again elsewhere.
func (l *lane) view(ctx context.Context, fn func(Reader) error) error {
	return l.run(ctx, askView, func(t *laneTxn) error { return fn(t) })
}

// update runs fn and commits. The error is errConflict or errLost when it was not committed and fn has to be run again, and
// errUnanswered when nobody knows.
func (l *lane) update(ctx context.Context, m mode, fn func(Txn) error) error {
	kind := byte(askUpdate)
	if m == alone {
		kind = askAlone
	}
	wrote := false
	err := l.run(ctx, kind, func(t *laneTxn) error {
		err := fn(t)
		wrote = t.wrote
		return err
	})
	if err != nil || !wrote {
		return err
	}
	return l.commit()
}

// run runs fn in a transaction, which is open afterwards if there is something to commit.
func (l *lane) run(ctx context.Context, kind byte, fn func(*laneTxn) error) error {
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	l.open = true
	_ = l.tell(kind)
	t := &laneTxn{lane: l}
	err := fn(t)
	switch {
	case !stop():
		l.err = errLost
		if l.late && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return hungError(l.opt.Dir)
		}
		return tool.AsError(ctx.Err())
	case l.err != nil:
		return l.lost()
	case err != nil || !t.wrote:
		l.end()
	}
	return err
}

// end drops the transaction.
func (l *lane) end() {
	if l.tell(askEnd) == nil {
		l.err = l.out.Flush()
	}
	l.open = false
}

func (l *lane) commit() error {
	l.sequence++
	_, err := l.ask(askCommit, []byte(number(l.sequence)))
	l.open = false
	if l.err != nil {
		return errUnanswered
	}
	return err
}

// sync returns once everything that was committed before is on disk.
func (l *lane) sync() error {
	_, err := l.ask(askSync)
	if l.err != nil {
		return l.lost()
	}
	return err
}

// committed reports whether another lane's last transaction was committed.
func (l *lane) committed(of laneID, sequence uint64) (bool, error) {
	f, err := l.ask(askCommitted, of[:], []byte(number(sequence)))
	if l.err != nil {
		return false, l.lost()
	}
	return err == nil && len(f.fields) == 1, err
}

// follow lets the lane tell of entries from now on, and of nothing else.
func (l *lane) follow() error {
	_, err := l.ask(askFollow)
	if l.err != nil {
		return l.lost()
	}
	l.following = err == nil
	return err
}

// listen tells of entries until the holder is gone or ctx ends. The lane is of no use afterwards.
func (l *lane) listen(ctx context.Context, heard func(entry []byte)) {
	defer l.conn.Close()
	defer context.AfterFunc(ctx, func() { _ = l.conn.Close() })()
	for {
		f, err := l.receive(3 * aliveEvery)
		if err != nil || f.kind != sayEntries {
			return
		}
		for _, e := range f.fields {
			heard(e)
		}
	}
}

// laneTxn is a transaction of a lane. What it writes is with the holder, which lets its reads see it.
type laneTxn struct {
	lane  *lane
	wrote bool
}

func (t *laneTxn) Get(key []byte) ([]byte, bool, error) {
	f, err := t.lane.ask(askGet, key)
	if err != nil || len(f.fields) == 0 {
		return nil, false, err
	}
	return f.fields[0], true, nil
}

func (t *laneTxn) Scan(r Range, visit func(key, value []byte) (bool, error)) error {
	const first = 16 // pairs; a scan that goes on gets more at once
	how := byte(0)
	if r.Reverse {
		how = backwards
	}
	for limit := uint64(first); ; limit = min(2*limit, maxPairs) {
		fields := [][]byte{r.Prefix, {how}, []byte(number(limit))}
		if r.From != nil {
			fields = append(fields, r.From)
		}
		f, err := t.lane.ask(askScan, fields...)
		if err == nil && !inOrder(r, how, f) {
			err = t.lane.broken()
		}
		if err != nil {
			return err
		}
		for i := 0; i < len(f.fields); i += 2 {
			if more, err := visit(f.fields[i], f.fields[i+1]); err != nil || !more {
				return err
			}
		}
		if f.kind == sayOK {
			return nil
		}
		r.From, how = f.fields[len(f.fields)-2], how|behind
	}
}

// inOrder reports whether a batch is one of a range, so that a scan comes to an end.
func inOrder(r Range, how byte, f frame) bool {
	if len(f.fields)%2 != 0 || f.kind == sayMore && len(f.fields) == 0 {
		return false
	}
	last, given := r.From, how&behind != 0
	for i := 0; i < len(f.fields); i += 2 {
		key := f.fields[i]
		order := bytes.Compare(key, last)
		if r.Reverse {
			order = -order
		}
		if !bytes.HasPrefix(key, r.Prefix) || given && order <= 0 {
			return false
		}
		last, given = key, true
	}
	return true
}

func (t *laneTxn) Set(key, value []byte) error {
	if len(key) > maxKeyBytes || len(value) > maxFieldBytes {
		return tooMuch(len(key), len(value))
	}
	t.wrote = true
	return t.lane.tell(askSet, key, value)
}

func (t *laneTxn) Delete(key []byte) error {
	if len(key) > maxKeyBytes {
		return tooMuch(len(key), 0)
	}
	t.wrote = true
	return t.lane.tell(askDelete, key)
}
