package tiers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"example.com/toolsmith/runtime/tool"
)

// ivBytes is how long the initialization vectors are that Badger puts before or behind what it encrypts.
const ivBytes = 16

// damagedError is the error of a store whose files are not as they were written.
func damagedError(dir string, cause error) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s is damaged: %v", dir, cause),
		Hint: "restore a backup into a new data directory", Cause: cause,
	}
}

// checkFiles finds the damage that Badger would panic about where nobody can recover, or would leave out a table for
// without a word.
func checkFiles(opt badger.Options) error {
	manifest, err := os.Open(filepath.Join(opt.Dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) {
		return checkNoTables(opt.Dir)
	}
	if err != nil {
		return unusable(opt.Dir, err)
	}
	defer manifest.Close()
	listed, _, err := badger.ReplayManifestFile(manifest, opt.ExternalMagicVersion, opt)
	if err != nil {
		return damagedError(opt.Dir, err)
	}
	for id, t := range listed.Tables {
		if err := checkTable(table.NewFilename(id, opt.Dir), id, t, opt.BlockSize); err != nil {
			return damagedError(opt.Dir, fmt.Errorf("table %d: %w", id, err))
		}
	}
	return checkRegistry(opt)
}

// checkNoTables is for a directory without a list of tables, where Badger would delete them all.
func checkNoTables(dir string) error {
	if tables, err := filepath.Glob(filepath.Join(dir, "*.sst")); err != nil || len(tables) > 0 {
		return damagedError(dir, errors.Join(errors.New("the list of its tables is gone"), err))
	}
	return nil
}

// checkTable reads a table. Of an encrypted one it checks the index alone: the rest is checked once the store is open.
func checkTable(path string, id uint64, t badger.TableManifest, blockSize int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it cannot be read")
		}
	}()
	data, err := os.ReadFile(path) //nolint:gosec // G304: the store's own file
	if err != nil {
		return err
	}
	if err := checkIndex(data); err != nil || t.KeyID != 0 {
		return err
	}
	opened, err := table.OpenInMemoryTable(data, id, &table.Options{Compression: t.Compression, BlockSize: blockSize})
	if err != nil {
		return err
	}
	return opened.VerifyChecksum()
}

// checkIndex checks the end of a table: its index, the index's length, the checksum of the index, and that one's length.
func checkIndex(data []byte) error {
	rest, sum, ok := cutField(data)
	rest, index, also := cutField(rest)
	if !ok || !also || len(rest) == 0 || len(index) <= ivBytes {
		return errors.New("it is cut off")
	}
	want, ok := parseChecksum(sum)
	if !ok {
		return errors.New("its checksum is none")
	}
	return y.VerifyChecksum(index, want)
}

// parseChecksum reads a protocol buffer of two numbers.
func parseChecksum(text []byte) (*pb.Checksum, bool) {
	const algo, sum = 1 << 3, 2 << 3 // the fields' tags
	var c pb.Checksum
	for len(text) > 0 {
		value, n := binary.Uvarint(text[1:])
		if n <= 0 {
			return nil, false
		}
		switch text[0] {
		case algo:
			c.Algo = pb.Checksum_Algorithm(value) //nolint:gosec // G115: an unknown one fails to verify
		case sum:
			c.Sum = value
		default:
			return nil, false
		}
		text = text[1+n:]
	}
	return &c, true
}

// cutField cuts the last field off, whose length stands behind it.
func cutField(data []byte) (rest, field []byte, ok bool) {
	end := len(data) - 4
	if end < 0 {
		return nil, nil, false
	}
	size := int64(binary.BigEndian.Uint32(data[end:]))
	if size > int64(end) {
		return nil, nil, false
	}
	return data[:int64(end)-size], data[int64(end)-size : end], true
}

// checkOpened checks the tables of an encrypted store, which are read with its key.
func checkOpened(db *badger.DB, opt badger.Options) (err error) {
	if len(opt.EncryptionKey) == 0 {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = damagedError(opt.Dir, errors.New("a table cannot be read"))
		}
	}()
	if err := db.VerifyChecksum(); err != nil {
		return damagedError(opt.Dir, err)
	}
	return nil
}

// checkRegistry tells a registry of keys that is damaged from one under another key: both begin otherwise than they should,
// but the damaged one not by much.
func checkRegistry(opt badger.Options) error {
	const sanity = "Hello Badger"
	text, err := os.ReadFile(filepath.Join(opt.Dir, badger.KeyRegistryFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unusable(opt.Dir, err)
	}
	if len(text) < ivBytes+len(sanity) {
		return damagedError(opt.Dir, errors.New("its registry of keys is cut off"))
	}
	iv, got := text[:ivBytes], text[ivBytes:][:len(sanity)]
	if len(opt.EncryptionKey) > 0 {
		if got, err = y.XORBlockAllocate(got, opt.EncryptionKey, iv); err != nil {
			return damagedError(opt.Dir, err)
		}
	}
	same := 0
	for i := range sanity {
		if got[i] == sanity[i] {
			same++
		}
	}
	if same != len(sanity) && same > len(sanity)/2 {
		return damagedError(opt.Dir, errors.New("its registry of keys was changed"))
	}
	return nil
}

// lacking are the errors of what the system lacks or forbids, with what mends them.
var lacking = []struct {
	no   syscall.Errno
	hint string
}{
	{syscall.EMFILE, "let the process open more files: ulimit -n"},
	{syscall.ENFILE, "end something: all processes together have too many files open"},
	{syscall.ENOMEM, "end something, or let the process have more address space: ulimit -v"},
	{syscall.ENOSPC, fullHint},
	{syscall.EDQUOT, fullHint},
	{syscall.EFBIG, "let the process write files of 128 MiB: ulimit -f"},
	{syscall.EACCES, unusableHint},
	{syscall.EPERM, unusableHint},
	{syscall.EROFS, unusableHint},
}

// systemError is the error of a store that the system keeps from being opened; nil when an error is another. Badger says so in words only.
func systemError(dir string, err error) error {
	for _, l := range lacking {
		if strings.Contains(err.Error(), l.no.Error()) {
			return &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("opening the store in %s: %v", dir, err), Hint: l.hint, Cause: err}
		}
	}
	return nil
}

const unusableHint = "name a data directory that is a folder and can be written to"

// unusable is the error of a directory that the system gives no access to.
func unusable(dir string, err error) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s cannot be used: %v", dir, err),
		Hint: unusableHint, Cause: err,
	}
}
