package tiers

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// SourceAtRest says how the code of sandbox tools is kept.
type SourceAtRest string

// The ways. Whatever the way, audit entries hold no code.
const (
	Sealed    SourceAtRest = "sealed" // encrypted, apart from the record
	Plain     SourceAtRest = "plain"  // in the record
	NotStored SourceAtRest = "none"   // in memory only: after a restart the tool is suspended
)

const (
	sourceKeyBytes = 32
	sourceKeyFile  = "source.key"
)

// ParseSourceKey reads Options.SourceKey from its text: 64 hexadecimal digits.
func ParseSourceKey(text string) ([]byte, error) {
	return parseKey("source", "64", text, sourceKeyBytes)
}

// ParseStoreKey reads StoreOptions.EncryptionKey from its text, which is that of TOOLSMITH_STORE_KEY: 32, 48 or 64
// hexadecimal digits. No text is no key.
func ParseStoreKey(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return parseKey("store", "32, 48 or 64", text, storeKeyBytes...)
}

// parseKey reads a key that has one of some lengths. Its errors do not repeat it.
func parseKey(what, digits, text string, lengths ...int) ([]byte, error) {
	k, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || !slices.Contains(lengths, len(k)) {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: "the " + what + " key is not " + digits + " hexadecimal digits",
			Hint: "give the one that the data was kept under; only for a new data directory make one, with: openssl rand -hex 32",
		}
	}
	return k, nil
}

// writeFile makes a file whole or not at all, for the user alone. It is on disk when writeFile returns.
func writeFile(path string, text []byte) error { return placeFile(path, text, os.Rename) }

// makeFile is writeFile for a file that is not there. The error is fs.ErrExist when somebody else has made it meanwhile, as far
// as the disk's kind of files can tell.
func makeFile(path string, text []byte) error {
	return placeFile(path, text, func(from, to string) error {
		if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.Rename(from, to)
	})
}

// placeFile writes a file beside its place, and lets place bring it there.
func placeFile(path string, text []byte, place func(from, to string) error) error {
	dir, name := filepath.Dir(path), filepath.Base(path)
	f, err := os.CreateTemp(dir, name+".*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	err = place(f.Name(), path)
	if gone := os.Remove(f.Name()); err == nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

// sealer keeps the code of sandbox tools in one of the ways.
type sealer struct {
	way  SourceAtRest
	aead cipher.AEAD
	key  []byte

	mu   sync.Mutex
	held map[toolKey]string // code that is not stored
}

// toolKey names a version of a tool.
type toolKey struct{ tenant, id string }

func newSealer(opt Options) (*sealer, error) {
	s := &sealer{way: opt.Source, key: opt.SourceKey, held: map[toolKey]string{}}
	switch {
	case opt.Source != Sealed && opt.Source != Plain && opt.Source != NotStored:
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf("sourceAtRest %q is not known", opt.Source), Hint: "sealed, plain or none"}
	case len(opt.SourceKey) != sourceKeyBytes:
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf("the source key has %d bytes", len(opt.SourceKey)), Hint: "give 32"}
	}
	block, err := aes.NewCipher(s.key)
	if err == nil {
		s.aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "preparing the source key: %w", err)
	}
	return s, nil
}

// label is what sealed code belongs to. The nonce is derived from it: two texts never share one, since the label holds
// the hash of the text, and no randomness is needed, however a run is scripted.
func (s *sealer) label(k toolKey, r *tool.Record) (label, nonce []byte) {
	label = key(sourceSpace, k.tenant, k.id, r.SourceHash)
	mac := hmac.New(sha256.New, s.key)
	mac.Write(label)
	return label, mac.Sum(nil)[:s.aead.NonceSize()]
}

// keep puts a record's code where it belongs, and makes the record one that may be written.
func (s *sealer) keep(txn Txn, tenant string, r *tool.Record, whole tool.Implementation) error {
	r.Implementation = whole
	if whole.Mode != tool.SandboxMode || s.way == Plain {
		return nil
	}
	r.Implementation = whole.Redact()
	k := toolKey{tenant, r.ID}
	if s.way == NotStored {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held[k] = whole.Code
		return nil
	}
	label, nonce := s.label(k, r)
	return txn.Set(key(sourceSpace, tenant, r.ID), s.aead.Seal(nil, nonce, []byte(whole.Code), label))
}

// whole returns a record's implementation with its code.
func (s *sealer) whole(r Reader, tenant string, rec *tool.Record) (tool.Implementation, error) {
	i := rec.Implementation
	if !i.Redacted {
		return i, nil
	}
	k := toolKey{tenant, rec.ID}
	s.mu.Lock()
	code, held := s.held[k]
	s.mu.Unlock()
	if !held {
		sealed, found, err := r.Get(key(sourceSpace, tenant, rec.ID))
		if err != nil {
			return i, err
		}
		label, nonce := s.label(k, rec)
		text, err := s.aead.Open(nil, nonce, sealed, label)
		if !found || err != nil {
			return i, &tool.Error{
				Code: tool.Unavailable, Message: "the source of " + rec.Name + " is not stored, or sealed under another key",
				Hint: "give the key it was sealed under, in source.key or TOOLSMITH_SOURCE_KEY, or resume the tool with its source", Cause: err,
			}
		}
		code = string(text)
	}
	i.Code, i.CodeBytes, i.Redacted, i.Reason = code, 0, false, ""
	return i, nil
}

// forgetTenant drops the code of a tenant that is not stored.
func (s *sealer) forgetTenant(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.held, func(k toolKey, _ string) bool { return k.tenant == tenant })
}

// forget deletes a record's code.
func (s *sealer) forget(txn Txn, tenant, id string) error {
	s.mu.Lock()
	delete(s.held, toolKey{tenant, id})
	s.mu.Unlock()
	return txn.Delete(key(sourceSpace, tenant, id))
}
