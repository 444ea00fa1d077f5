package bundle_test

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"errors"
	"io"
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

// entry is a file of an archive as anybody can make one.
type entry struct {
	name, body string
	records    map[string]string // of PAX
}

func archived(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.body)), Format: tar.FormatPAX, PAXRecords: e.records}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hole is a file that is one hole of many bytes, as GNU tar writes it. The
// writer refuses the real names of the records, so they stand in others' place.
func hole(name string) entry {
	const huge = "67108864"
	body := "1\n" + huge + "\n0\n"
	return entry{name, body + strings.Repeat("\x00", 512-len(body)), map[string]string{
		"GNV.sparse.major": "1", "GNV.sparse.minor": "0", "GNV.sparse.name": name, "GNV.sparse.realsize": huge,
	}}
}

const someManifest = `{"version":1,"revision":1,"files":[]}`

// A few bytes that stand for as many as one likes are not read, wherever they are.
func TestRead_Holes(t *testing.T) {
	manifest, signature := entry{name: "manifest.json", body: someManifest}, entry{name: "signature", body: "AAAA\n"}
	for name, entries := range map[string][]entry{
		"the manifest":  {hole("manifest.json")},
		"the signature": {manifest, hole("signature")},
		"a file":        {manifest, signature, hole("a.cbp"), hole("b.cbp")},
	} {
		data := bytes.ReplaceAll(archived(t, entries...), []byte("GNV.sparse."), []byte("GNU.sparse."))
		if _, err := bundle.Read(data); err == nil || !strings.Contains(err.Error(), "has holes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The files may have so many bytes together, which is known before they are read.
func TestRead_TooMuch(t *testing.T) {
	half := strings.Repeat("#", bundle.MaxSize/2)
	data := archived(t, entry{name: "manifest.json", body: someManifest}, entry{name: "a.cbp", body: half}, entry{name: "b.cbp", body: half + "#"}, entry{name: "c.txt"})
	if _, err := bundle.Read(data); err == nil || !strings.Contains(err.Error(), `with "b.cbp" the files have more than`) {
		t.Errorf("%v", err)
	}
}

// What nobody known has signed is refused before a file is looked at.
func TestReadSigned(t *testing.T) {
	own := key(1).Public().(ed25519.PublicKey)
	if _, err := bundle.ReadSigned(signed(t).Append(nil), own); err != nil {
		t.Error(err)
	}
	if _, err := bundle.ReadSigned(signed(t).Append(nil), key(2).Public().(ed25519.PublicKey)); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("another's key: %v", err)
	}
	manifest, bad := entry{name: "manifest.json", body: someManifest}, entry{name: "no policy", body: "x"}
	if _, err := bundle.ReadSigned(archived(t, manifest, bad), own); !errors.Is(err, bundle.ErrUnsigned) {
		t.Errorf("no signature: %v", err)
	}
	if _, err := bundle.ReadSigned(archived(t, manifest, entry{name: "signature", body: "AAAA\n"}, bad), own); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("a made-up signature: %v", err)
	}
	forged := signed(t)
	forged.Files[0].Data = append(forged.Files[0].Data, '#')
	data := bytes.Replace(forged.Append(nil), forged.Manifest(), signed(t).Manifest(), 1)
	if _, err := bundle.ReadSigned(data, own); err == nil || errors.Is(err, bundle.ErrSignature) {
		t.Errorf("another file under a signed manifest: %v", err)
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
