package forge

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"

	"example.com/toolsmith/runtime/tool"
)

// MaxKeyBytes bounds the text of a key.
const MaxKeyBytes = 8 << 10

// The labels of keys in PEM.
const (
	privateLabel = "PRIVATE KEY"
	publicLabel  = "PUBLIC KEY"
)

// NewKey makes a key pair for signing packages, as PEM: PKCS #8 of the private key, which whoever signs keeps, and the public
// key, which others trust.
func NewKey(random io.Reader) (private, public []byte, err error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, nil, tool.Errorf(tool.Internal, "making a key: %w", err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, tool.Errorf(tool.Internal, "writing a key: %w", err)
	}
	open, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, tool.Errorf(tool.Internal, "writing a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateLabel, Bytes: secret}), pem.EncodeToMemory(&pem.Block{Type: publicLabel, Bytes: open}), nil
}

// ReadPrivateKey reads the PEM of an Ed25519 private key. Its errors do not repeat it.
func ReadPrivateKey(text []byte) (ed25519.PrivateKey, error) {
	return readKey[ed25519.PrivateKey](text, privateLabel, x509.ParsePKCS8PrivateKey)
}

// ReadPublicKey reads the PEM of an Ed25519 public key.
func ReadPublicKey(text []byte) (ed25519.PublicKey, error) {
	return readKey[ed25519.PublicKey](text, publicLabel, x509.ParsePKIXPublicKey)
}

func readKey[K any](text []byte, label string, parse func([]byte) (any, error)) (key K, err error) {
	bad := &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf("this is not the PEM of an Ed25519 key: a block of type %s belongs here", label),
		Hint: "make a pair with: host tool keygen FILE; the private key signs, the public one in FILE.pub is trusted",
	}
	if len(text) > MaxKeyBytes {
		return key, bad
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != label {
		return key, bad
	}
	parsed, err := parse(block.Bytes)
	key, ok := parsed.(K)
	if err != nil || !ok {
		return key, bad
	}
	return key, nil
}

// KeyID names a public key: the first 16 hexadecimal digits of its SHA-256.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])[:16]
}
