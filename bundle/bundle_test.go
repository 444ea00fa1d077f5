package bundle_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/bundle"
)

// key is a pair of keys that is the same each time.
func key(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

func signed(t testing.TB) *bundle.Bundle {
	t.Helper()
	b, err := bundle.New(7, []bundle.File{{"team/b.cbp", []byte("B:x>1|abort\n")}, {"a.cbp", []byte("B:y>1|warn\n")}})
	if err != nil {
		t.Fatal(err)
	}
	b.Sign(key(1))
	return b
}

func TestRoundTrip(t *testing.T) {
	b := signed(t)
	got, err := bundle.Read(b.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b, got); d != "" {
		t.Error(d)
	}
	if err := got.Verify(key(2).Public().(ed25519.PublicKey), key(1).Public().(ed25519.PublicKey)); err != nil {
		t.Errorf("signed by one of two: %v", err)
	}
	if !bytes.Equal(b.Append(nil), signed(t).Append(nil)) {
		t.Error("the same files make other bytes")
	}
}

// Nothing of a signed bundle can be changed without being found.
func TestAnyChangeIsFound(t *testing.T) {
	good := signed(t).Append(nil)
	public := key(1).Public().(ed25519.PublicKey)
	original := signed(t)
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		b, err := bundle.Read(bad)
		if err != nil || b.Verify(public) != nil {
			continue
		}
		// Bytes of the archive itself, such as a mode, may differ; what is in force may not.
		if d := cmp.Diff(original, b); d != "" {
			t.Fatalf("byte %d: %s", i, d)
		}
	}
}

func TestVerify(t *testing.T) {
	b := signed(t)
	if err := b.Verify(key(2).Public().(ed25519.PublicKey), nil); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("another's key: %v", err)
	}
	if err := b.Verify(); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("no key: %v", err)
	}
	b.Signature = nil
	if err := b.Verify(key(1).Public().(ed25519.PublicKey)); !errors.Is(err, bundle.ErrUnsigned) {
		t.Errorf("no signature: %v", err)
	}
	c := signed(t)
	c.Revision++
	if err := c.Verify(key(1).Public().(ed25519.PublicKey)); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("another revision: %v", err)
	}
}

func TestNew_Refuses(t *testing.T) {
	ok := bundle.File{Path: "a.cbp"}
	for name, c := range map[string]struct {
		revision uint64
		files    []bundle.File
		want     string
	}{
		"no revision":       {0, []bundle.File{ok}, "revision"},
		"no file":           {1, nil, "no file"},
		"twice":             {1, []bundle.File{ok, ok}, "twice"},
		"absolute":          {1, []bundle.File{{Path: "/etc/a.cbp"}}, "no path"},
		"above":             {1, []bundle.File{{Path: "../a.cbp"}}, "no path"},
		"above, in between": {1, []bundle.File{{Path: "b/../../a.cbp"}}, "no path"},
		"a drive":           {1, []bundle.File{{Path: "C:a.cbp"}}, "no path"},
		"no policy":         {1, []bundle.File{{Path: "a.txt"}}, ".cbp"},
		"too large":         {1, []bundle.File{{Path: "a.cbp", Data: make([]byte, bundle.MaxSize+1)}}, "bytes"},
	} {
		if _, err := bundle.New(c.revision, c.files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestKeys(t *testing.T) {
	private, public, err := bundle.EncodeKeys(key(3))
	if err != nil {
		t.Fatal(err)
	}
	if k, err := bundle.ParsePrivateKey(private); err != nil || !k.Equal(key(3)) {
		t.Errorf("%v", err)
	}
	if k, err := bundle.ParsePublicKey(public); err != nil || !k.Equal(key(3).Public()) {
		t.Errorf("%v", err)
	}
	if _, err := bundle.ParsePrivateKey(public); err == nil {
		t.Error("a public key is read as a private one")
	}
	if _, err := bundle.ParsePublicKey([]byte("nothing")); err == nil {
		t.Error("nothing is read as a public key")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(signed(f).Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.Read(data)
		if err != nil {
			return
		}
		again, err := bundle.Read(b.Append(nil))
		if err != nil || cmp.Diff(b, again) != "" {
			t.Errorf("what is read is not what is written: %v", err)
		}
	})
}
