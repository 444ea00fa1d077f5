package policies

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cbpolicy/cbpolicy/bundle"
)

// ReadDir reads the policy files below a directory, in the order of their names;
// their paths begin with that of the directory. Links to directories are followed.
// Hidden directories are left out, and so is, with them, what a file that is a
// symbolic link points into. A bundle is an error, and so is a directory that is
// reached twice and a link to nothing: rules are not left out without a word.
func ReadDir(dir string) ([]bundle.File, error) {
	r := dirReader{seen: map[string]string{}}
	err := r.read(dir)
	return r.files, err
}

// dirReader reads directories.
type dirReader struct {
	files []bundle.File
	size  int               // bytes of all files
	seen  map[string]string // by where a directory is without links: the path by which it was reached
}

func (r *dirReader) read(dir string) error {
	is, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if is, err = filepath.Abs(is); err != nil {
		return err
	}
	if before, again := r.seen[is]; again {
		return fmt.Errorf("%s is the directory %s again: remove the link", dir, before)
	}
	r.seen[is] = dir
	entries, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := r.entry(filepath.Join(dir, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (r *dirReader) entry(path string, e fs.DirEntry) error {
	extension := strings.ToLower(filepath.Ext(path))
	hidden := strings.HasPrefix(e.Name(), ".")
	isDir := e.IsDir()
	switch {
	case strings.HasPrefix(e.Name(), ".#"): // Emacs' lock: a link to nothing
		return nil
	case e.Type()&fs.ModeSymlink != 0 && (!hidden || extension == Extension):
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		isDir = info.IsDir()
	}
	switch {
	case isDir && hidden:
		return nil
	case isDir:
		return r.read(path)
	case extension == bundle.Extension && !hidden:
		return fmt.Errorf("%s is a bundle, which is not read out of a directory: name it as a source of its own", path)
	case extension != Extension:
		return nil
	}
	data, err := readFile(path)
	if err != nil {
		return err
	}
	r.files = append(r.files, bundle.File{Path: path, Data: data})
	if r.size += len(data); len(r.files) > bundle.MaxFiles || r.size > bundle.MaxSize {
		return fmt.Errorf("there are more than %d policy files, or %d bytes of them", bundle.MaxFiles, bundle.MaxSize)
	}
	return nil
}
