package bundle

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
)

// The ways in which a bundle is not trusted.
var (
	// ErrUnsigned: nobody has signed it.
	ErrUnsigned = errors.New("the bundle is not signed")
	// ErrSignature: none of the keys made the signature.
	ErrSignature = errors.New("the bundle is signed by none of the keys")
	// ErrOlder: a newer one was in force before.
	ErrOlder = errors.New("the bundle is older than the one in force")
)

// context separates these signatures from others made with the same key.
const context = "cbpolicy bundle 1\n"

// Sign signs the bundle, in the place of who did before.
func (b *Bundle) Sign(key ed25519.PrivateKey) {
	b.Signature = ed25519.Sign(key, append([]byte(context), b.Manifest()...))
}

// Verify checks that one of the keys signed the bundle: ErrUnsigned, ErrSignature.
func (b *Bundle) Verify(keys ...ed25519.PublicKey) error {
	return verify(b.Manifest(), b.Signature, keys)
}

func verify(manifest, signature []byte, keys []ed25519.PublicKey) error {
	if signature == nil {
		return ErrUnsigned
	}
	signed := append([]byte(context), manifest...)
	for _, key := range keys {
		if len(key) == ed25519.PublicKeySize && ed25519.Verify(key, signed, signature) {
			return nil
		}
	}
	return ErrSignature
}

// revisionOf reads the revision of a manifest, and not its files: nobody has been
// trusted yet.
func revisionOf(data []byte) (uint64, error) {
	var m struct {
		Version  int    `json:"version"`
		Revision uint64 `json:"revision"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return 0, fmt.Errorf("bundle: the manifest cannot be read: %w", err)
	}
	if m.Version != format {
		return 0, fmt.Errorf("bundle: the manifest has version %d; %d is known", m.Version, format)
	}
	return m.Revision, nil
}

// ParsePrivateKey reads a private key as PEM, PKCS #8, as openssl genpkey
// -algorithm ed25519 writes it.
func ParsePrivateKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("bundle: this is no private key in PEM (PKCS #8)")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("bundle: the private key cannot be read: %w", err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("bundle: the private key is of another kind than ed25519: %T", key)
	}
	return private, nil
}

// ParsePublicKey reads a public key as PEM, as openssl pkey -pubout writes it.
func ParsePublicKey(data []byte) (ed25519.PublicKey, error) {
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("bundle: this is no public key in PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("bundle: the public key cannot be read: %w", err)
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("bundle: the public key is of another kind than ed25519: %T", key)
	}
	return public, nil
}

// EncodeKeys writes a pair of keys as PEM.
func EncodeKeys(key ed25519.PrivateKey) (private, public []byte, err error) {
	p, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	q, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, fmt.Errorf("bundle: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: p}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: q}), nil
}
