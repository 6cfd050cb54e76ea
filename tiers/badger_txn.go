package tiers

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of what one transaction writes.
const (
	maxKeyBytes = 65_000
	maxTxnBytes = 64 << 20 // keys and values together; one field is of at most maxFieldBytes
)

// mode is what a transaction is for.
type mode int

const (
	viewing  mode = iota
	updating      // alongside others; whoever commits first wins
	alone         // nobody else commits meanwhile
)

// politeTries is how often a transaction begins anew because others were faster. Then it takes its turn, lest they be
// faster for ever.
const politeTries = 3

// modeOf is how a transaction is to begin that others have overtaken so often.
func modeOf(tries int) mode {
	if tries < politeTries {
		return updating
	}
	return alone
}

// badgerTxn is a transaction of Badger's. It is for one goroutine.
type badgerTxn struct {
	txn     *badger.Txn
	store   *badgerStore
	mode    mode
	ended   bool
	bytes   int      // written
	entries [][]byte // of audit logs, written
}

// begin opens a transaction, which has to be ended.
func (s *badgerStore) begin(m mode) (*badgerTxn, error) {
	if m != viewing {
		if err := s.space.forChange(0); err != nil {
			return nil, err
		}
	}
	if m == alone {
		s.turn.Lock()
	}
	if s.db.IsClosed() {
		if m == alone {
			s.turn.Unlock()
		}
		return nil, translate(badger.ErrDBClosed)
	}
	return &badgerTxn{txn: s.db.NewTransaction(m != viewing), store: s, mode: m}, nil
}

// end drops what is not committed. Ending again does nothing.
func (t *badgerTxn) end() {
	if t.ended {
		return
	}
	t.ended = true
	t.txn.Discard()
	if t.mode == alone {
		t.store.turn.Unlock()
	}
}

// commit makes all changes at once, and tells the others of the entries in the order of commits. The error is
// badger.ErrConflict when something that was read has changed meanwhile.
func (t *badgerTxn) commit(by party) error {
	if err := t.store.space.forChange(t.bytes); err != nil {
		return err
	}
	if t.mode != alone {
		t.store.turn.Lock()
		defer t.store.turn.Unlock()
	}
	if err := t.txn.Commit(); err != nil {
		return err
	}
	t.store.feed.tell(by, t.entries)
	return nil
}

func (t *badgerTxn) Get(key []byte) ([]byte, bool, error) {
	item, err := t.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	value, err := item.ValueCopy(nil)
	if err == nil {
		err = t.checkValue(item, value)
	}
	return value, err == nil, err
}

// checkValue notices a value that could not be read from the value log: Badger gives an empty one in its place.
func (t *badgerTxn) checkValue(item *badger.Item, value []byte) error {
	if len(value) > 0 || item.ValueSize() <= 0 {
		return nil
	}
	return damagedError(t.store.dir, errors.New("a value cannot be read"))
}

func (t *badgerTxn) Scan(r Range, visit func(key, value []byte) (bool, error)) error {
	it := t.txn.NewIterator(badger.IteratorOptions{PrefetchValues: true, PrefetchSize: 64, Reverse: r.Reverse, Prefix: r.Prefix})
	defer it.Close()
	from := r.From
	if from == nil {
		from = r.Prefix
		if r.Reverse {
			from = append(append([]byte{}, r.Prefix...), partEscape) // behind every key that begins with the prefix
		}
	}
	for it.Seek(from); it.Valid(); it.Next() {
		item := it.Item()
		if item.UserMeta() == receipt {
			continue
		}
		more := true
		err := item.Value(func(value []byte) (err error) {
			if err := t.checkValue(item, value); err != nil {
				return err
			}
			more, err = visit(item.Key(), value)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (t *badgerTxn) Set(key, value []byte) error {
	if err := t.admit(len(key), len(value)); err != nil {
		return err
	}
	if isEntry(key) {
		t.entries = append(t.entries, value)
	}
	return t.txn.Set(key, value)
}

func (t *badgerTxn) Delete(key []byte) error {
	if err := t.admit(len(key), 0); err != nil {
		return err
	}
	return t.txn.Delete(key)
}

// admit counts what is written.
func (t *badgerTxn) admit(key, value int) error {
	t.bytes += key + value
	if key > maxKeyBytes || value > maxFieldBytes || t.bytes > maxTxnBytes {
		return tooMuch(key, value)
	}
	return nil
}

func tooMuch(key, value int) error {
	return &tool.Error{
		Code: tool.Limit, Message: fmt.Sprintf("a key of %d bytes with a value of %d is more than the store takes at once", key, value),
		Hint: "write less at once",
	}
}

// A receipt says that a transaction of another process was committed, in the same transaction. Whoever gets no answer to its
// commit looks for it, with the next holder if need be. It is no content: scans do not see it, and it goes by itself.
const (
	receipt     = byte(1)   // in Badger's byte for users
	receiptKept = time.Hour // the longest wait for an answer is lostPatience
)

func receiptKey(of laneID) []byte { return key(metaSpace, "receipt", string(of[:])) }

// sign leaves a receipt in the transaction.
func (t *badgerTxn) sign(of laneID, sequence uint64) error {
	return t.txn.SetEntry(badger.NewEntry(receiptKey(of), []byte(number(sequence))).WithMeta(receipt).WithTTL(receiptKept))
}

// committed reports whether a lane's last transaction was committed.
func (s *badgerStore) committed(of laneID, sequence uint64) (bool, error) {
	t, err := s.begin(viewing)
	if err != nil {
		return false, err
	}
	defer t.end()
	value, found, err := t.Get(receiptKey(of))
	return found && bytes.Equal(value, []byte(number(sequence))), translate(err)
}
