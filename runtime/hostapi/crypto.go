package hostapi

import (
	"context"
	"crypto/hmac"
	"crypto/md5"  //nolint:gosec // for checksums that others define; a policy names it to allow it
	"crypto/sha1" //nolint:gosec // as md5
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	_ "embed" // the glue
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

//go:embed glue/crypto.js
var cryptoGlue string

// cryptoAPI digests, authenticates, compares, and gives randomness. Everything answers at once; the engine charges it by
// the bytes that the tool sends.
type cryptoAPI struct{}

const cryptoName = "crypto"

func (cryptoAPI) api() wasmjs.API { return wasmjs.API{Name: cryptoName, Glue: cryptoGlue} }

func (cryptoAPI) funcs(s *Session) map[string]wasmjs.Func {
	c := &cryptoCall{s, s.randomness()}
	funcs := map[string]wasmjs.Func{}
	for op, do := range map[string]operation{
		"digest": c.digest, "hmac": c.hmac, "timingSafeEqual": c.timingSafeEqual,
		"randomUUID": c.randomUUID, "randomValues": c.randomValues,
	} {
		funcs[cryptoName+"."+op] = s.recorded(cryptoName, op, do)
	}
	return funcs
}

// cryptoCall is what one call has of cryptography.
type cryptoCall struct {
	*Session
	random io.Reader
}

// hashes are the algorithms, by the names of policies.
var hashes = map[string]func() hash.Hash{
	"sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New, "sha1": sha1.New, "md5": md5.New,
}

// maxDigestBytes is the most that is digested at once.
const maxDigestBytes = 16 << 20

// digesting is a request for a digest of the bytes that come with it.
type digesting struct {
	Algorithm string `json:"algorithm"`
	Encoding  string `json:"encoding"`
	Key       int    `json:"key"`  // how many of the bytes are the key, for hmac
	Size      int64  `json:"size"` // of what is too large to be sent
}

func readDigesting(req wasmjs.Request) (digesting, error) {
	var d digesting
	err := json.Unmarshal(req.Value, &d)
	size := max(d.Size, int64(len(req.Bytes)))
	switch {
	case err != nil || hashes[d.Algorithm] == nil || d.Key < 0 || d.Key > len(req.Bytes):
		return d, &tool.Error{Code: tool.InvalidInput, Name: "TypeError", Message: "this cannot be digested"}
	case size > maxDigestBytes:
		return d, tool.Errorf(tool.Limit, "%d bytes are too many to digest at once: the limit is %d", size, maxDigestBytes)
	}
	return d, nil
}

func (c *cryptoCall) digest(_ context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	d, err := readDigesting(req)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	use.Detail = d.Algorithm
	if err := c.policy.CryptoAllows(d.Algorithm); err != nil {
		return wasmjs.Reply{}, err
	}
	return d.sum(hashes[d.Algorithm](), req.Bytes, use)
}

func (c *cryptoCall) hmac(_ context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	d, err := readDigesting(req)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	use.Detail = "hmac-" + d.Algorithm
	if err := c.policy.CryptoAllows(use.Detail); err != nil {
		return wasmjs.Reply{}, err
	}
	return d.sum(hmac.New(hashes[d.Algorithm], req.Bytes[:d.Key]), req.Bytes[d.Key:], use)
}

// sum finishes a digest in the encoding that was asked for.
func (d digesting) sum(h hash.Hash, data []byte, use *Use) (wasmjs.Reply, error) {
	h.Write(data)
	sum := h.Sum(nil)
	use.BytesOut, use.BytesIn = int64(len(data)), int64(len(sum))
	switch d.Encoding {
	case "hex":
		return textReply(hex.EncodeToString(sum)), nil
	case "base64":
		return textReply(base64.StdEncoding.EncodeToString(sum)), nil
	case "base64url":
		return textReply(base64.RawURLEncoding.EncodeToString(sum)), nil
	}
	return bytesReply(sum), nil
}

func (c *cryptoCall) timingSafeEqual(_ context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	use.BytesOut = int64(len(req.Bytes))
	half := len(req.Bytes) / 2
	equal := subtle.ConstantTimeCompare(req.Bytes[:half], req.Bytes[half:]) == 1
	return wasmjs.Reply{Value: fmt.Append(nil, equal)}, nil
}

func (c *cryptoCall) randomUUID(_ context.Context, _ wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	b, err := c.randomBytes("random-uuid", 16, use)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80 // version 4, variant 1 (RFC 9562)
	return textReply(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), nil
}

// maxRandomBytes is the most randomness that is given at once, as on the web.
const maxRandomBytes = 64 << 10

func (c *cryptoCall) randomValues(_ context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	if len(req.Bytes) > maxRandomBytes {
		return wasmjs.Reply{}, tool.Errorf(tool.Limit, "%d random bytes are too many at once: the limit is %d", len(req.Bytes), maxRandomBytes)
	}
	b, err := c.randomBytes("random-values", len(req.Bytes), use)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	return bytesReply(b), nil
}

func (c *cryptoCall) randomBytes(grant string, n int, use *Use) ([]byte, error) {
	if err := c.policy.CryptoAllows(grant); err != nil {
		return nil, err
	}
	use.Seeded, use.BytesIn = c.seed != 0, int64(n)
	b := make([]byte, n)
	_, err := io.ReadFull(c.random, b)
	return b, err
}

// textReply is a reply of one string that JSON needs no escapes for.
func textReply(s string) wasmjs.Reply { return wasmjs.Reply{Value: []byte(`"` + s + `"`)} }

// bytesReply is a reply of bytes.
func bytesReply(b []byte) wasmjs.Reply { return wasmjs.Reply{Value: []byte("{}"), Bytes: b} }
