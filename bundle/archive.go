package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The names of what is not a policy file.
const (
	manifestName  = "manifest.json"
	signatureName = "signature"
)

// Append writes the bundle as a file.
func (b *Bundle) Append(to []byte) []byte {
	out := bytes.NewBuffer(to)
	w := tar.NewWriter(out)
	add := func(name string, data []byte) {
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err == nil {
			_, _ = w.Write(data) // to memory, as many as were said
		}
	}
	add(manifestName, b.Manifest())
	if b.Signature != nil {
		add(signatureName, []byte(base64.StdEncoding.EncodeToString(b.Signature)+"\n"))
	}
	for _, f := range b.Files {
		add(f.Path, f.Data)
	}
	_ = w.Close()
	return out.Bytes()
}

// Read reads a bundle and checks that its files are those of its manifest. Who
// signed it, if anybody did, is for Verify to say; to put it in force, there is
// ReadSigned.
func Read(data []byte) (*Bundle, error) {
	return readArchive(data, func([]byte, []byte) error { return nil })
}

// ReadSigned reads a bundle that one of the keys has signed: ErrUnsigned,
// ErrSignature. Until that is known none of its files is read.
func ReadSigned(data []byte, keys ...ed25519.PublicKey) (*Bundle, error) {
	return readArchive(data, func(manifest, signature []byte) error { return verify(manifest, signature, keys) })
}

// readArchive reads a bundle whose manifest and signature, nil if there is none,
// are trusted.
func readArchive(data []byte, trust func(manifest, signature []byte) error) (*Bundle, error) {
	if len(data) > 2*MaxSize {
		return nil, fmt.Errorf("bundle: the file has %d bytes; at most %d are allowed", len(data), 2*MaxSize)
	}
	in := archive{tar.NewReader(bytes.NewReader(data)), int64(min(len(data), MaxSize))}
	first, err := in.next()
	if err != nil {
		return nil, err
	}
	if first == nil || first.Path != manifestName {
		return nil, errors.New("bundle: this is no bundle: it does not begin with " + manifestName)
	}
	b := &Bundle{}
	if b.Revision, err = revisionOf(first.Data); err != nil {
		return nil, err
	}
	second, err := in.header()
	if err != nil {
		return nil, err
	}
	if second != nil && second.Name == signatureName {
		if b.Signature, err = in.signature(second); err != nil {
			return nil, err
		}
		if second, err = in.header(); err != nil {
			return nil, err
		}
	}
	if err := trust(first.Data, b.Signature); err != nil {
		return nil, err
	}
	in.left = int64(min(len(data), MaxSize)) // the manifest is none of the files
	for h := second; h != nil; {
		f, err := in.file(h)
		if err != nil {
			return nil, err
		}
		if b.Files = append(b.Files, *f); len(b.Files) > MaxFiles {
			return nil, fmt.Errorf("bundle: there are more than %d files", MaxFiles)
		}
		if h, err = in.header(); err != nil {
			return nil, err
		}
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	// What the files make again must be what was signed: nothing is missing,
	// added, changed, or in another order.
	if !bytes.Equal(b.Manifest(), first.Data) {
		return nil, errors.New("bundle: the files are not those of the manifest")
	}
	return b, nil
}

// archive reads the files of an archive.
type archive struct {
	tar  *tar.Reader
	left int64 // bytes that they may still have: no more than the archive itself
}

// next reads the next file; nil: there is none.
func (a *archive) next() (*File, error) {
	h, err := a.header()
	if h == nil || err != nil {
		return nil, err
	}
	return a.file(h)
}

// header reads what is said of the next file; nil: there is none.
func (a *archive) header() (*tar.Header, error) {
	h, err := a.tar.Next()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: this is no bundle: %w", err)
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") { // a few bytes that stand for as many as one likes
			return nil, fmt.Errorf("bundle: %q has holes, which no file of a bundle has", h.Name)
		}
	}
	if h.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("bundle: %q is no file", h.Name)
	}
	return h, nil
}

// file reads the contents of a file.
func (a *archive) file(h *tar.Header) (*File, error) {
	if h.Size > a.left {
		return nil, fmt.Errorf("bundle: with %q the files have more than %d bytes, or more than the archive", h.Name, MaxSize)
	}
	a.left -= h.Size
	data := make([]byte, h.Size)
	if _, err := io.ReadFull(a.tar, data); err != nil {
		return nil, fmt.Errorf("bundle: %q cannot be read: %w", h.Name, err)
	}
	return &File{h.Name, data}, nil
}

func (a *archive) signature(h *tar.Header) ([]byte, error) {
	f, err := a.file(h)
	if err != nil {
		return nil, err
	}
	signature, err := base64.StdEncoding.DecodeString(string(bytes.TrimSuffix(f.Data, []byte("\n"))))
	if err != nil {
		return nil, fmt.Errorf("bundle: the signature cannot be read: %w", err)
	}
	return signature, nil
}
