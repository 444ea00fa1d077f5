package policies

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Stdin is the path that means Options.Stdin.
const Stdin = "-"

// Extension is how the names of policy files end that are read from a directory.
const Extension = ".cbp"

// Kind is what a source is.
type Kind string

// The kinds of sources. A path that ends in bundle.Extension is a bundle,
// whatever lies there: what has to be signed cannot be replaced by what has not.
const (
	File      Kind = "file"
	Directory Kind = "directory"
	Bundle    Kind = "bundle"
	Input     Kind = "input" // standard input, or a pipe: read once
)

// SourceError says which source cannot be put in force, and why.
type SourceError struct {
	Path string
	Err  error
}

// Error names the source, unless the error does so itself.
func (e *SourceError) Error() string {
	if strings.Contains(e.Err.Error(), e.Path) {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// content is what a source held when it was looked at.
type content struct {
	path  string
	kind  Kind
	files []bundle.File // of a bundle: the one file that it is
}

// reader looks at sources.
type reader struct {
	stdin io.Reader
	kept  map[string]content // what can be read only once
	again bool               // this is not the first look
}

// read looks at a source.
func (r *reader) read(path string) (content, error) {
	if c, ok := r.kept[path]; ok {
		return c, nil
	}
	c, err := r.look(path)
	if err != nil {
		return content{}, &SourceError{path, err}
	}
	if c.kind == Input {
		if r.kept == nil {
			r.kept = map[string]content{}
		}
		r.kept[path] = c
	}
	return c, nil
}

func (r *reader) look(path string) (content, error) {
	if path == Stdin && r.stdin != nil {
		data, err := readAll(r.stdin)
		return content{path, Input, []bundle.File{{Path: "<stdin>", Data: data}}}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return content{}, err
	}
	switch mode := info.Mode(); {
	case filepath.Ext(path) == bundle.Extension:
		data, err := readFile(path)
		return content{path, Bundle, []bundle.File{{Path: path, Data: data}}}, err
	case mode.IsDir():
		files, err := ReadDir(path)
		return content{path, Directory, files}, err
	case mode.IsRegular():
		data, err := readFile(path)
		return content{path, File, []bundle.File{{Path: path, Data: data}}}, err
	case r.again: // reading it now could wait for ever
		return content{}, errors.New("it is no file and no directory any more")
	}
	f, err := os.Open(path)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	data, err := readAll(f)
	return content{path, Input, []bundle.File{{Path: path, Data: data}}}, err
}

// readFile reads a file. Of anything else it would not be known when it ends.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

func readAll(in io.Reader) ([]byte, error) {
	const limit = 2 * bundle.MaxSize
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return data, err
}

// digest is the SHA-256 of what a source that is no bundle holds: that of a file
// itself; of a directory that of lines as sha256sum prints them, with the paths
// of the files in it, so that the same files have the same digest anywhere.
func (c *content) digest() registry.Digest {
	if c.kind != Directory {
		return sha256.Sum256(c.files[0].Data)
	}
	h := sha256.New()
	for _, f := range c.files {
		inside, err := filepath.Rel(c.path, f.Path)
		if err != nil { // every file was found below the directory
			inside = f.Path
		}
		fmt.Fprintf(h, "%x  %s\n", sha256.Sum256(f.Data), filepath.ToSlash(inside))
	}
	return registry.Digest(h.Sum(nil))
}
