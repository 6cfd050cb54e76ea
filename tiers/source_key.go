package tiers

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/toolsmith/runtime/tool"
)

// sourceKey reads the key of a data directory, or makes it.
func sourceKey(dir string, random io.Reader) ([]byte, error) {
	if dir != "" {
		if k, err := ReadSourceKey(dir); !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	}
	k := make([]byte, sourceKeyBytes)
	if _, err := io.ReadFull(random, k); err != nil {
		return nil, tool.Errorf(tool.Internal, "making a source key: %w", err)
	}
	if dir == "" {
		return k, nil
	}
	switch err := makeFile(filepath.Join(dir, sourceKeyFile), []byte(hex.EncodeToString(k)+"\n")); { // on disk before anything is sealed under it
	case errors.Is(err, fs.ErrExist): // another process was faster
		return ReadSourceKey(dir)
	case err != nil:
		return nil, tool.Errorf(tool.Unavailable, "writing the source key: %w", err)
	}
	return k, nil
}

// ReadSourceKey reads the key that lies in a data directory, for the user alone. The error is fs.ErrNotExist too when there is none:
// the first shelf that is opened makes it.
func ReadSourceKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, sourceKeyFile)
	text, err := os.ReadFile(path) //nolint:gosec // G304: the shelf's own file
	if err != nil {
		return nil, tool.Errorf(tool.Unavailable, "reading the source key: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, tool.Errorf(tool.Unavailable, "reading the source key: %w", err)
	}
	if !private(info) {
		return nil, &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("others may read the source key %s", path), Hint: "chmod 600 " + path}
	}
	k, err := ParseSourceKey(string(text))
	if err != nil {
		return nil, &tool.Error{
			Code: tool.Unavailable, Message: fmt.Sprintf("the source key %s, of %d bytes, is damaged: it is not 64 hexadecimal digits", path, len(text)),
			Hint: "put it back from a copy: what is sealed under it opens under no other; only where no tool was ever forged remove it, and another is made",
		}
	}
	return k, nil
}

// maxSealed is how many sources Sealed looks at.
const maxSealed = 10_000

// Sealed counts the sources that are kept sealed, of all tenants, and those of them that a key opens. It looks at 10,000 at most.
func (s *Shelf) Sealed(ctx context.Context, sourceKey []byte) (sealed, opened int, err error) {
	opt := s.opt
	opt.SourceKey = sourceKey
	by, err := newSealer(opt)
	if err != nil {
		return 0, 0, err
	}
	err = s.store.View(ctx, func(r Reader) error {
		sealed, opened = 0, 0
		return r.Scan(Range{Prefix: key(sourceSpace)}, func(k, _ []byte) (bool, error) {
			all, ok := parts(k)
			if !ok || len(all) != 3 {
				return true, nil
			}
			rec, err := findRecord(r, all[1], all[2])
			if err != nil || rec == nil {
				return true, err
			}
			sealed++
			if _, err := by.whole(r, all[1], rec); err == nil {
				opened++
			}
			return sealed < maxSealed, nil
		})
	})
	return sealed, opened, asError(err)
}
