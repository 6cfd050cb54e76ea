package tiers

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/toolsmith/runtime/tool"
)

// A backup is a title, each key and its value behind their lengths (4 bytes, big endian), the end mark in a length's
// place, and the SHA-256 of everything before. One that was cut off or changed is refused.
const (
	backupTitle   = "toolsmith backup 1\n"
	backupEnd     = ^uint32(0)
	maxFieldBytes = 16 << 20 // a longer key or value is refused before memory is taken
	restoreBytes  = 1 << 20  // how much one transaction of a restore holds, about
)

// Backup writes all that a store holds, as of one moment. It is written in the clear, whatever key the store has; sealed
// sources stay sealed, under a key that is not part of it.
func Backup(ctx context.Context, s Store, w io.Writer) error {
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	begun := false
	err := s.View(ctx, func(v Reader) error {
		if begun {
			return &tool.Error{Code: tool.Unavailable, Message: "the process that held the store ended in the middle of the backup", Hint: "try again"}
		}
		begun = true
		if err := checkRestored(v); err != nil {
			return err
		}
		_, _ = out.WriteString(backupTitle) // its error comes back from Flush, as those of all that follows do
		return v.Scan(Range{}, func(key, value []byte) (bool, error) {
			writeField(out, key)
			writeField(out, value)
			return true, ctx.Err()
		})
	})
	if err != nil {
		return err
	}
	_, _ = out.Write(binary.BigEndian.AppendUint32(nil, backupEnd))
	if err := out.Flush(); err != nil {
		return tool.Errorf(tool.Unavailable, "writing the backup: %w", err)
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return tool.Errorf(tool.Unavailable, "writing the backup: %w", err)
	}
	return nil
}

func writeField(out *bufio.Writer, field []byte) {
	_, _ = out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(field)))) //nolint:gosec // G115: a store takes no such lengths
	_, _ = out.Write(field)
}

// restoring marks a store that a restore has begun to fill and not finished. It is the last of all keys, so that whatever
// is deleted in their order is gone before the mark.
var restoring = key("\xff", "restoring")

// checkRestored refuses a store whose restore did not finish: what is in it may be a part.
func checkRestored(r Reader) error {
	if _, marked, err := r.Get(restoring); err != nil || !marked {
		return err
	}
	return &tool.Error{
		Code: tool.Unavailable, Message: "a backup was being restored here, and that did not finish",
		Hint: "restore the backup again: what there is of it is cleared first",
	}
}

// Restore fills an empty store from what Backup wrote, or one that a restore did not finish in. When it fails, the store is
// empty.
func Restore(ctx context.Context, s Store, r io.Reader) error {
	if err := vacate(ctx, s); err != nil {
		return err
	}
	err := restore(ctx, s, &backupReader{in: bufio.NewReader(r), sum: sha256.New()})
	if err == nil {
		err = s.Sync(ctx)
	}
	if err == nil {
		err = s.Update(ctx, func(txn Txn) error { return txn.Delete(restoring) })
	}
	if err != nil {
		return errors.Join(err, clearStore(context.WithoutCancel(ctx), s))
	}
	return s.Sync(ctx)
}

// vacate clears what an unfinished restore has left, and refuses a store that holds anything else.
func vacate(ctx context.Context, s Store) error {
	empty, err := isEmpty(ctx, s)
	if err != nil || empty {
		return err
	}
	switch err := s.View(ctx, checkRestored); {
	case err == nil:
		return &tool.Error{Code: tool.InvalidRequest, Message: "the store is not empty", Hint: "restore into a new data directory"}
	case !errors.Is(err, tool.Unavailable):
		return err
	}
	return clearStore(ctx, s)
}

// RestoreDir fills the store of a data directory from what Backup wrote. The directory must hold nothing but the key of the
// sources, and what a restore left that did not finish. When it fails, what it made is gone. The code of tools can be unsealed
// there only under the key that it was sealed with: copy source.key as well.
func RestoreDir(ctx context.Context, dir string, store StoreOptions, backup io.Reader) error {
	made, err := checkVacant(dir)
	if err != nil {
		return err
	}
	s, err := openAloneIn(dir, store)
	if err != nil {
		unmake(made, os.Remove) // what another process has put there by now stays
		return err
	}
	if err = errors.Join(Restore(ctx, s, backup), s.Close()); err != nil {
		unmake(made, os.RemoveAll)
	}
	return err
}

// openAloneIn opens the store of a data directory for this process alone.
func openAloneIn(dir string, opt StoreOptions) (Store, error) {
	opt, err := storeIn(dir, opt)
	if err != nil {
		return nil, err
	}
	return openAlone(opt)
}

// checkVacant refuses a directory that holds what no restore has put there, and says which folders are not there yet, the
// innermost first.
func checkVacant(dir string) (made []string, err error) {
	if dir == "" {
		return nil, nil
	}
	folder := filepath.Join(dir, storeFolder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{folder, dir}, nil
	}
	if err != nil {
		return nil, unusable(dir, err)
	}
	made = []string{folder}
	for _, e := range entries {
		switch e.Name() {
		case storeFolder:
			made = nil
		case sourceKeyFile, storeFolder + socketSuffix:
		default:
			return nil, &tool.Error{
				Code: tool.InvalidRequest, Message: fmt.Sprintf("the data directory %s is not empty: it holds %.100q", dir, e.Name()),
				Hint: "restore into a new data directory",
			}
		}
	}
	return made, nil
}

// unmake removes folders that a restore has made. One that cannot be removed stays, and the next restore clears it.
func unmake(made []string, remove func(string) error) {
	for _, folder := range made {
		_ = remove(folder)
	}
}

func restore(ctx context.Context, s Store, in *backupReader) error {
	if title := in.read(len(backupTitle)); string(title) != backupTitle {
		return notABackup("it does not begin as one")
	}
	if err := s.Update(ctx, func(txn Txn) error { return txn.Set(restoring, nil) }); err != nil {
		return err
	}
	for more := true; more; {
		var pairs [][2][]byte
		pairs, more = in.pairs()
		err := s.Update(ctx, func(txn Txn) error {
			for _, p := range pairs {
				if err := txn.Set(p[0], p[1]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return in.finish()
}

// backupReader reads a backup. Its first error stays, and ends everything.
type backupReader struct {
	in  *bufio.Reader
	sum hash.Hash
	err error
	end bool // the end mark was met
}

func (b *backupReader) read(n int) []byte {
	if b.err != nil {
		return nil
	}
	field := make([]byte, n)
	_, b.err = io.ReadFull(b.in, field)
	b.sum.Write(field)
	return field
}

func (b *backupReader) field() []byte {
	head := b.read(4)
	if b.err != nil {
		return nil
	}
	size := binary.BigEndian.Uint32(head)
	switch {
	case size == backupEnd:
		b.end = true
		return nil
	case size > maxFieldBytes:
		b.err = errors.New("a field is too long")
		return nil
	}
	return b.read(int(size))
}

// pairs reads keys and values for one transaction, and says whether there are more.
func (b *backupReader) pairs() (pairs [][2][]byte, more bool) {
	for size := 0; size < restoreBytes; {
		key := b.field()
		if b.end {
			return pairs, false
		}
		value := b.field()
		if b.err != nil || b.end {
			b.end = false
			return pairs, false
		}
		pairs = append(pairs, [2][]byte{key, value})
		size += len(key) + len(value)
	}
	return pairs, true
}

// finish checks that the end was met, and the digest.
func (b *backupReader) finish() error {
	want := b.sum.Sum(nil)
	got := b.read(sha256.Size)
	switch {
	case b.err != nil:
		return notABackup(b.err.Error())
	case !b.end || !bytes.Equal(got, want):
		return notABackup("its digest does not match")
	}
	switch _, err := b.in.ReadByte(); {
	case err == nil:
		return notABackup("more follows its end")
	case !errors.Is(err, io.EOF):
		return notABackup(err.Error())
	}
	return nil
}

func notABackup(why string) error {
	return &tool.Error{Code: tool.InvalidRequest, Message: "this is not a whole backup: " + why, Hint: "take the file as the backup verb wrote it"}
}

func isEmpty(ctx context.Context, s Store) (bool, error) {
	empty := true
	err := s.View(ctx, func(v Reader) error {
		empty = true
		return v.Scan(Range{}, func([]byte, []byte) (bool, error) { empty = false; return false, nil })
	})
	return empty, err
}

// clearStore deletes everything, some at a time.
func clearStore(ctx context.Context, s Store) error {
	for {
		empty, err := isEmpty(ctx, s)
		if err != nil || empty {
			return err
		}
		if err := s.Update(ctx, func(txn Txn) error { _, err := deleteAll(txn, nil, deleteChunk); return err }); err != nil {
			return err
		}
	}
}

// deleteAll deletes at most so many of the keys that begin with a prefix, and says how many there were.
func deleteAll(txn Txn, prefix []byte, most int) (int, error) {
	var keys [][]byte
	err := txn.Scan(Range{Prefix: prefix}, func(key, _ []byte) (bool, error) {
		keys = append(keys, bytes.Clone(key))
		return len(keys) < most, nil
	})
	for _, k := range keys {
		err = errors.Join(err, txn.Delete(k))
	}
	return len(keys), err
}
