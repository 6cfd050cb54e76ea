package tiers

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Key lets whoever presents it act as a persona of a tenant. What has to be presented is shown once and kept nowhere: see NewKey.
type Key struct {
	ID         string      `json:"id"` // no secret
	Tenant     string      `json:"tenant"`
	Persona    string      `json:"persona"` // that it acts as
	Name       string      `json:"name"`    // of who holds it
	Scopes     tool.Scopes `json:"scopes"`
	CreatedAt  tool.Time   `json:"createdAt"`
	CreatedBy  string      `json:"createdBy"`
	ExpiresAt  *tool.Time  `json:"expiresAt,omitempty"`
	LastUsedAt *tool.Time  `json:"lastUsedAt,omitempty"` // to the minute
	RotatedAt  *tool.Time  `json:"rotatedAt,omitempty"`
	RevokedAt  *tool.Time  `json:"revokedAt,omitempty"`
}

// Works reports whether a key works at a moment.
func (k Key) Works(at time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || at.Before(k.ExpiresAt.Time))
}

// NewKey is a key with what has to be presented, which nobody can find out later.
type NewKey struct {
	Key
	Secret string `json:"key"`
}

// heldKey is a key with the SHA-256, hexadecimal, of what has to be presented.
type heldKey struct {
	Key
	Hash     string     `json:"hash"`
	OldHash  string     `json:"oldHash,omitempty"` // before it was rotated
	OldUntil *tool.Time `json:"oldUntil,omitempty"`
}

// KeyRequest says what a key is to be.
type KeyRequest struct {
	Persona   string      // that it acts as; "" is that of the command line, local
	Name      string      // of who holds it, such as a person who approves; "" is the persona
	Scopes    tool.Scopes // at least one
	ExpiresAt time.Time   // zero is never
}

const (
	// MaxKeys is how many keys a tenant may have that work.
	MaxKeys = 100
	// MaxGrace is how long a key may work on after it was rotated.
	MaxGrace = 30 * 24 * time.Hour

	localPersona = "local"
)

func (r KeyRequest) withDefaults() KeyRequest {
	r.Persona = orDefault(r.Persona, localPersona)
	r.Name = orDefault(r.Name, r.Persona)
	return r
}

// Validate returns an *Error of code InvalidRequest that says what is wrong with a request.
func (r KeyRequest) Validate() error {
	r = r.withDefaults()
	for _, part := range []struct{ path, value string }{{"/persona", r.Persona}, {"/name", r.Name}} {
		if err := tool.CheckPersonName(part.value); err != nil {
			return &tool.Error{Code: tool.InvalidRequest, Path: part.path, Message: tool.Quote(part.value) + " is not a name", Hint: tool.AsError(err).Hint}
		}
	}
	_, err := tool.ParseScopes(r.Scopes.String())
	return err
}

func keyAt(tenant string, id ...string) []byte {
	return key(keySpace, append([]string{tenant}, id...)...)
}
func keyIDAt(id string) []byte { return key(keyIDSpace, id) }

// readKey returns a key of a tenant; nil when there is none.
func readKey(r Reader, tenant, id string) (*heldKey, error) {
	text, found, err := r.Get(keyAt(tenant, id))
	if err != nil || !found {
		return nil, err
	}
	k := &heldKey{}
	return k, decode(text, k)
}

func keysOf(r Reader, tenant ...string) (list []heldKey, err error) {
	err = r.Scan(Range{Prefix: key(keySpace, tenant...)}, func(_, text []byte) (bool, error) {
		var k heldKey
		err := decode(text, &k)
		list = append(list, k)
		return true, err
	})
	return list, err
}

// CreateKey makes a key of a tenant. What it returns is on disk, without the secret.
func (s *Shelf) CreateKey(ctx context.Context, by tool.Actor, tenant string, r KeyRequest) (made NewKey, err error) {
	if err := r.Validate(); err != nil {
		return made, err
	}
	r = r.withDefaults()
	err = s.administer(ctx, by, func(e *edit) (err error) {
		made, err = e.createKey(tenant, r)
		return err
	})
	if err != nil {
		return NewKey{}, err
	}
	return made, nil
}

func (e *edit) createKey(tenant string, r KeyRequest) (made NewKey, err error) {
	if _, err := e.liveTenant(tenant); err != nil {
		return made, err
	}
	if err := e.roomForKey(tenant); err != nil {
		return made, err
	}
	id, err := e.randomText(keyIDBytes)
	if err != nil {
		return made, err
	}
	k := heldKey{Key: Key{ID: id, Tenant: tenant, Persona: r.Persona, Name: r.Name, CreatedAt: tool.At(e.now), CreatedBy: e.by.String()}}
	if k.Scopes, err = tool.ParseScopes(r.Scopes.String()); err != nil { // in their order, each once
		return made, err
	}
	if !r.ExpiresAt.IsZero() {
		at := tool.At(r.ExpiresAt)
		if k.ExpiresAt = &at; !k.Works(e.now) {
			return made, &tool.Error{Code: tool.InvalidRequest, Path: "/expiresAt", Message: "the key would have expired already", Hint: "give a time to come"}
		}
	}
	secret, err := e.newSecret(&k)
	if err != nil {
		return made, err
	}
	if err := errors.Join(e.Set(keyIDAt(id), []byte(tenant)), e.saveKey(&k)); err != nil {
		return made, err
	}
	told := fields{"keyId": id, "name": k.Name, "persona": k.Persona, "scopes": k.Scopes}
	if k.ExpiresAt != nil {
		told["expiresAt"] = k.ExpiresAt
	}
	return NewKey{k.Key, secret}, e.tell(tenant, tool.KeyCreated, told)
}

func (e *edit) saveKey(k *heldKey) error { return e.set(keyAt(k.Tenant, k.ID), k) }

// roomForKey checks that a tenant may have one more key. Those that do not work any more are forgotten when there are many.
func (e *edit) roomForKey(tenant string) error {
	list, err := keysOf(e, tenant)
	if err != nil || len(list) < MaxKeys {
		return err
	}
	working := slices.DeleteFunc(slices.Clone(list), func(k heldKey) bool { return !k.Works(e.now) })
	if len(working) >= MaxKeys {
		return &tool.Error{Code: tool.Limit, Message: fmt.Sprintf("the tenant has %d keys, which is all that it may have", MaxKeys), Hint: "revoke one that is no longer needed"}
	}
	for _, k := range list {
		if !k.Works(e.now) {
			err = errors.Join(err, e.dropKey(k.Tenant, k.ID))
		}
	}
	return err
}

func (e *edit) dropKey(tenant, id string) error {
	return errors.Join(e.Delete(keyAt(tenant, id)), e.Delete(keyIDAt(id)))
}

func (e *edit) dropKeys(tenant string) error {
	list, err := keysOf(e, tenant)
	for _, k := range list {
		err = errors.Join(err, e.dropKey(k.Tenant, k.ID))
	}
	return err
}

// Keys returns the keys of a tenant, by id, those among them that do not work any more.
func (s *Shelf) Keys(ctx context.Context, tenant string) (list []Key, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		if _, err := tenantOf(r, tenant); err != nil {
			return err
		}
		stored, err := keysOf(r, tenant)
		for _, k := range stored {
			list = append(list, k.Key)
		}
		return err
	})
	return list, asError(err)
}

// Keyed reports whether whoever asks needs a key: whether one was ever made, or a tenant. It stays so when all keys are revoked
// and all tenants deleted: to take a key away must not let everybody in.
func (s *Shelf) Keyed(ctx context.Context) (keyed bool, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		all, err := keysOf(r)
		if keyed = len(all) > 0; keyed || err != nil {
			return err
		}
		return r.Scan(Range{Prefix: key(tenantSpace)}, func(_, text []byte) (bool, error) {
			var t Tenant
			err := decode(text, &t)
			keyed = err == nil && t.Name != tool.LocalTenant
			return !keyed, err
		})
	})
	return keyed, asError(err)
}

// RotateKey gives a key another secret. The old one works on for a while, of at most MaxGrace; 0 is not at all. One that was
// rotated before ceases now.
func (s *Shelf) RotateKey(ctx context.Context, by tool.Actor, tenant, id string, grace time.Duration) (made NewKey, err error) {
	if grace < 0 || grace > MaxGrace {
		return made, &tool.Error{Code: tool.InvalidRequest, Path: "/grace", Message: "the old secret cannot work on for " + grace.String(), Hint: "give 0 to " + MaxGrace.String()}
	}
	err = s.administer(ctx, by, func(e *edit) error {
		k, err := e.liveKey(tenant, id)
		if err != nil {
			return err
		}
		if !k.Works(e.now) {
			return &tool.Error{Code: tool.Inactive, Message: "the key " + id + " was revoked or has expired", Hint: "make another key"}
		}
		now, until := tool.At(e.now), tool.At(e.now.Add(grace))
		k.RotatedAt, k.OldHash, k.OldUntil = &now, k.Hash, &until
		if grace == 0 {
			k.OldHash, k.OldUntil = "", nil
		}
		if made.Secret, err = e.newSecret(k); err != nil {
			return err
		}
		made.Key = k.Key
		return errors.Join(e.saveKey(k), e.tell(tenant, tool.KeyRotated, fields{"keyId": id, "oldUntil": until}))
	})
	if err != nil {
		return NewKey{}, err
	}
	return made, nil
}

// liveKey returns a key of a tenant that is not being deleted.
func (e *edit) liveKey(tenant, id string) (*heldKey, error) {
	if _, err := e.liveTenant(tenant); err != nil {
		return nil, err
	}
	k, err := readKey(e, tenant, id)
	if err == nil && k == nil {
		return nil, &tool.Error{Code: tool.NotFound, Message: "the tenant " + tenant + " has no key " + tool.Quote(id), Hint: "list its keys to see their ids"}
	}
	return k, err
}

// RevokeKey ends a key for good, at once. It stays in the list. Revoking it again does nothing.
func (s *Shelf) RevokeKey(ctx context.Context, by tool.Actor, tenant, id string) error {
	return s.administer(ctx, by, func(e *edit) error {
		k, err := e.liveKey(tenant, id)
		if err != nil || k.RevokedAt != nil {
			return err
		}
		now := tool.At(e.now)
		k.RevokedAt, k.Hash, k.OldHash, k.OldUntil = &now, "", "", nil
		return errors.Join(e.saveKey(k), e.tell(tenant, tool.KeyRevoked, fields{"keyId": id}))
	})
}

// ErrNoKey is the cause of a refusal of what cannot be a key, whatever keys there are.
var ErrNoKey = errors.New("not a key")

// Authenticate returns who a key stands for. What is no key of ours at all, such as one that was cut off or mistyped, is Denied
// because of ErrNoKey. So is one that does not work, without that cause: unknown, revoked, expired or of a tenant that is gone look
// the same. One that would work, were its tenant not suspended, is Suspended. Whatever is presented, it costs one look at the store at
// most; nobody is let in without it, so that what an operator has ended ends at once, in every process that shares the store.
func (s *Shelf) Authenticate(ctx context.Context, presented string) (tool.Principal, error) {
	id, ok := keyIDOf(presented)
	if !ok {
		return tool.Principal{}, &tool.Error{Code: tool.Denied, Cause: ErrNoKey, Message: "this is not a key: its check sum does not match", Hint: "copy the whole key, which begins with " + keyPrefix}
	}
	var k *heldKey
	var t *Tenant
	err := s.store.View(ctx, func(r Reader) (err error) { k, t, err = s.keyByID(r, id); return err })
	if err != nil {
		return tool.Principal{}, asError(err)
	}
	now := s.opt.Now()
	if !k.is(presented, now) {
		return tool.Principal{}, &tool.Error{Code: tool.Denied, Message: "the key does not work", Hint: "ask the operator of the host for another"}
	}
	if err := t.suspended(); err != nil {
		return tool.Principal{}, err
	}
	s.keyUsed(ctx, k, now)
	return tool.Principal{Tenant: k.Tenant, Persona: k.Persona, KeyID: k.ID, KeyName: k.Name, Scopes: slices.Clone(k.Scopes)}, nil
}

// keyByID returns the key that has an id, with its tenant, nil for one that nobody made. None is a key that nothing fits, and so is one
// of a tenant that is gone.
func (s *Shelf) keyByID(r Reader, id string) (*heldKey, *Tenant, error) {
	tenant, found, err := r.Get(keyIDAt(id))
	if err != nil || !found {
		return &heldKey{}, nil, err
	}
	t, err := s.tenants.get(r, tenantKey(string(tenant)))
	if err != nil || t.gone() {
		return &heldKey{}, nil, err
	}
	k, err := s.keys.get(r, keyAt(string(tenant), id))
	if err != nil || k == nil {
		return &heldKey{}, nil, err
	}
	return k, t, nil
}

// is reports whether what was presented is the key, and the key works. It takes the same time whatever was presented.
func (k *heldKey) is(presented string, now time.Time) bool {
	hash := []byte(secretHash(presented))
	fits := subtle.ConstantTimeCompare(hash, []byte(k.Hash))
	old := subtle.ConstantTimeCompare(hash, []byte(k.OldHash))
	if k.OldUntil == nil || !now.Before(k.OldUntil.Time) {
		old = 0
	}
	return fits|old == 1 && k.Works(now)
}

// keyUsed notes, once a minute at most, that a key is in use. A store that takes nothing more is no reason to turn its holder away.
func (s *Shelf) keyUsed(ctx context.Context, k *heldKey, now time.Time) {
	minute := tool.At(now.Truncate(time.Minute))
	if minute.Before(k.CreatedAt.Time) {
		minute = k.CreatedAt
	}
	if k.LastUsedAt != nil && !minute.After(k.LastUsedAt.Time) || s.keyUses.fresh(tool.Caller{Tenant: k.Tenant, Session: k.ID}, now) {
		return
	}
	_, _ = s.commit(ctx, tool.Actor{Caller: tool.Caller{Tenant: k.Tenant}, Name: hostName}, func(e *edit) error {
		at, err := readKey(e, k.Tenant, k.ID)
		if err != nil || at == nil {
			return err
		}
		at.LastUsedAt = &minute
		return e.saveKey(at)
	})
}

// What is presented is tsk_ID_SECRET and a check sum behind it, in letters and digits that nobody mixes up with others.
const (
	keyPrefix   = "tsk_"
	keyIDBytes  = 10
	secretBytes = 20 // 160 bits
)

var (
	keyText   = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	keyIDLen  = keyText.EncodedLen(keyIDBytes)
	secretLen = keyText.EncodedLen(secretBytes)
	sumLen    = keyText.EncodedLen(crc32.Size)
)

// randomText makes text of so many random bytes.
func (e *edit) randomText(n int) (string, error) {
	random := make([]byte, n)
	if _, err := io.ReadFull(e.shelf.opt.Random, random); err != nil {
		return "", tool.Errorf(tool.Internal, "making a key: %w", err)
	}
	return keyText.EncodeToString(random), nil
}

// newSecret makes what has to be presented, and puts its hash into the key.
func (e *edit) newSecret(k *heldKey) (string, error) {
	random, err := e.randomText(secretBytes)
	if err != nil {
		return "", err
	}
	secret := keyPrefix + k.ID + "_" + random
	secret += checkSum(secret)
	k.Hash = secretHash(secret)
	return secret, nil
}

func secretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func checkSum(text string) string {
	return keyText.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))))
}

// keyIDOf returns the id in what was presented; false when that cannot be a key.
func keyIDOf(presented string) (id string, ok bool) {
	if len(presented) != len(keyPrefix)+keyIDLen+len("_")+secretLen+sumLen || !strings.HasPrefix(presented, keyPrefix) {
		return "", false
	}
	end := len(presented) - sumLen
	id, rest := presented[len(keyPrefix):][:keyIDLen], presented[len(keyPrefix)+keyIDLen:end]
	random, err := keyText.DecodeString(id + rest[1:])
	return id, err == nil && len(random) == keyIDBytes+secretBytes && rest[0] == '_' && checkSum(presented[:end]) == presented[end:]
}
