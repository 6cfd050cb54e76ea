package forge

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// Integrity shows whether the tool of a package was changed on its way and, when it is signed, who packed it.
type Integrity struct {
	Algorithm string     `json:"algorithm"` // sha256
	Digest    string     `json:"digest"`    // hexadecimal, of the canonical JSON of the package's tool
	Signature *Signature `json:"signature,omitempty"`
}

// Signature is one by Ed25519 of the text that signed returns.
type Signature struct {
	KeyID string `json:"keyId"` // KeyID of the public key
	Value string `json:"value"` // base64
}

// Trust says whose packages are taken. The zero value takes every package whose digest, if it has one, is right.
type Trust struct {
	Keys             []ed25519.PublicKey // of those who are trusted; with any, a signature must be by one of them
	RequireSignature bool                // refuse what is not signed, or by nobody in Keys
}

// digestOf is the digest of a tool's JSON.
func digestOf(text json.RawMessage) (string, error) {
	canonical, err := tool.Canonical(text)
	if err != nil {
		return "", tool.Errorf(tool.InvalidRequest, "the tool cannot be written as JSON: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// signed is the text that a signature is of.
func signed(digest string) []byte { return []byte(PackageVersion + " sha256:" + digest) }

// seal writes the digest into the package and, with a key, the signature.
func (p *Package) seal(key ed25519.PrivateKey) {
	p.Integrity = &Integrity{Algorithm: "sha256", Digest: p.digest}
	if key == nil {
		return
	}
	public, _ := key.Public().(ed25519.PublicKey)
	value := ed25519.Sign(key, signed(p.digest))
	p.Integrity.Signature = &Signature{KeyID: KeyID(public), Value: base64.StdEncoding.EncodeToString(value)}
}

// Digest is that of the package's tool, as it is, in hexadecimal.
func (p *Package) Digest() string { return p.digest }

func (p *Package) checkDigest() error {
	if p.Integrity == nil || p.Integrity.Digest == p.digest {
		return nil
	}
	return &tool.Error{
		Code: tool.Rejected, Path: "/integrity/digest", Message: "the package was changed: its tool has the digest " + p.digest + ", not the one that it was packed with",
		Hint: "get the package again from where it was exported",
	}
}

// Verify returns the id of the trusted key that signed the package, "" when it is not signed, or when nobody is trusted and
// it need not be. The error is of code Rejected.
func (p *Package) Verify(trust Trust) (keyID string, err error) {
	var s *Signature
	if p.Integrity != nil {
		s = p.Integrity.Signature
	}
	switch {
	case s == nil && trust.RequireSignature:
		return "", untrusted("", "the package is not signed", "have it exported with a key (--sign KEYFILE)")
	case s == nil || len(trust.Keys) == 0 && !trust.RequireSignature:
		return "", nil
	}
	for _, key := range trust.Keys {
		if KeyID(key) != s.KeyID {
			continue
		}
		if value, err := base64.StdEncoding.DecodeString(s.Value); err == nil && ed25519.Verify(key, signed(p.digest), value) {
			return s.KeyID, nil
		}
		return "", untrusted("/value", "the signature is not by the key "+s.KeyID+" that it names", "get the package again from where it was exported")
	}
	return "", untrusted("/keyId", fmt.Sprintf("the package is signed by the key %s, which is none of the %d that are trusted", s.KeyID, len(trust.Keys)),
		"trust the key of whoever packed it, if you do (--trust PUBKEYFILE)")
}

func untrusted(at, message, hint string) error {
	return &tool.Error{Code: tool.Rejected, Path: "/integrity/signature" + at, Message: message, Hint: hint}
}
