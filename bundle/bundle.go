package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Limits of a bundle.
const (
	MaxFiles = 10_000
	MaxSize  = 64 << 20 // bytes of all files
)

// Extension is how the name of a bundle ends.
const Extension = ".cbb"

// format is the version of the manifest.
const format = 1

// Bundle is policy files with what is said of them.
type Bundle struct {
	Revision  uint64
	Files     []File // by path
	Signature []byte // of the manifest; nil: it is not signed
}

// File is a policy file.
type File struct {
	Path string // relative, with slashes
	Data []byte
}

// manifest is what is signed.
type manifest struct {
	Version  int     `json:"version"`
	Revision uint64  `json:"revision"`
	Files    []entry `json:"files"`
}

type entry struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// New makes a bundle of files, which it sorts. The revision is at least 1. It
// is an error if a path is not a relative one of a .cbp file, is there twice,
// or if the files are more or larger than the limits.
func New(revision uint64, files []File) (*Bundle, error) {
	b := &Bundle{Revision: revision, Files: slices.Clone(files)}
	slices.SortFunc(b.Files, func(a, c File) int { return strings.Compare(a.Path, c.Path) })
	return b, b.check()
}

func (b *Bundle) check() error {
	size := 0
	for i, f := range b.Files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		if i > 0 && b.Files[i-1].Path == f.Path {
			return fmt.Errorf("bundle: %q is there twice", f.Path)
		}
		size += len(f.Data)
	}
	switch {
	case b.Revision == 0:
		return errors.New("bundle: the revision is a number of at least 1")
	case len(b.Files) == 0:
		return errors.New("bundle: there is no file in it")
	case len(b.Files) > MaxFiles:
		return fmt.Errorf("bundle: there are %d files; at most %d are allowed", len(b.Files), MaxFiles)
	case size > MaxSize:
		return fmt.Errorf("bundle: the files have %d bytes; at most %d are allowed", size, MaxSize)
	}
	return nil
}

// checkPath refuses what would not stay where the bundle is unpacked.
func checkPath(p string) error {
	switch {
	case p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") || strings.ContainsAny(p, "\\\x00:"):
		return fmt.Errorf("bundle: %q is no path of a file within a bundle", p)
	case path.Ext(p) != ".cbp":
		return fmt.Errorf("bundle: %q is no policy file: its name does not end in .cbp", p)
	}
	return nil
}

// Manifest returns what is signed: JSON with the revision and the hash of
// every file.
func (b *Bundle) Manifest() []byte {
	m := manifest{Version: format, Revision: b.Revision, Files: []entry{}}
	for _, f := range b.Files {
		sum := sha256.Sum256(f.Data)
		m.Files = append(m.Files, entry{f.Path, len(f.Data), hex.EncodeToString(sum[:])})
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // texts and numbers only
	}
	return append(data, '\n')
}
