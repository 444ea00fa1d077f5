package bundle

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
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
// signed it, if anybody did, is for Verify to say.
func Read(data []byte) (*Bundle, error) {
	if len(data) > 2*MaxSize {
		return nil, fmt.Errorf("bundle: the file has %d bytes; at most %d are allowed", len(data), 2*MaxSize)
	}
	in := tar.NewReader(bytes.NewReader(data))
	first, err := member(in)
	if err != nil {
		return nil, err
	}
	if first == nil || first.Path != manifestName {
		return nil, errors.New("bundle: this is no bundle: it does not begin with " + manifestName)
	}
	b := &Bundle{}
	for {
		f, err := member(in)
		if err != nil {
			return nil, err
		}
		if f == nil {
			break
		}
		if f.Path == signatureName && b.Signature == nil && len(b.Files) == 0 {
			if b.Signature, err = base64.StdEncoding.DecodeString(string(bytes.TrimSuffix(f.Data, []byte("\n")))); err != nil {
				return nil, fmt.Errorf("bundle: the signature cannot be read: %w", err)
			}
			continue
		}
		if b.Files = append(b.Files, *f); len(b.Files) > MaxFiles {
			return nil, fmt.Errorf("bundle: there are more than %d files", MaxFiles)
		}
	}
	if b.Revision, err = revisionOf(first.Data); err != nil {
		return nil, err
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

// member reads the next file of an archive; nil: there is none.
func member(in *tar.Reader) (*File, error) {
	h, err := in.Next()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: this is no bundle: %w", err)
	}
	if h.Typeflag != tar.TypeReg || h.Size > MaxSize {
		return nil, fmt.Errorf("bundle: %q is no file of at most %d bytes", h.Name, MaxSize)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("bundle: %q cannot be read: %w", h.Name, err)
	}
	return &File{h.Name, data}, nil
}
