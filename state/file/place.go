package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mostLinks bounds a chain of links, which may be a circle.
const mostLinks = 40

// place follows links to where the file is, or is to be: what is put there would
// otherwise take the place of a link. A file that is no regular one, or whose
// directory is not there, is an error.
func place(path string) (string, error) {
	for range mostLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", noDirectory(filepath.Dir(path), err)
		}
		path = filepath.Join(dir, filepath.Base(path))
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", noDirectory(dir, err)
		case info.Mode()&fs.ModeSymlink == 0:
			return path, regular(info)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", errors.New("it is a link that leads on and on, perhaps in a circle")
}

// regular returns an error for what is no regular file: opening it may hang, as
// that of a pipe does, or do anything, as that of a device may.
func regular(info fs.FileInfo) error {
	what := "no regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeSymlink != 0:
		what = "a link by now, which it was not when it was opened"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%w: it is %s, want a file", ErrFormat, what)
}

// noDirectory is the error of a directory in which there can be no file.
func noDirectory(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("its directory %s is not there; make it first: %w", dir, fs.ErrNotExist)
	}
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		err = inner.Err // the name in it is not one that anybody gave
	}
	return fmt.Errorf("its directory %s cannot be used: %w", dir, err)
}
