// Package link owns where a path leads to through links, also one to a file
// that is not there yet.
package link

import (
	"os"
	"path/filepath"
)

// maxLinks bounds how many links may lead to a file.
const maxLinks = 40

// Target is the path of the file that a path leads to. The folders in between
// stay as they are. What is there and is no file, such as a pipe, keeps its path,
// and so does what leads nowhere in the end.
func Target(path string) string {
	target := path
	for range maxLinks {
		to, err := os.Readlink(target)
		if err != nil { // no link
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				return path
			}
			return target
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(target), to)
		}
		target = to
	}
	return path
}

// Same reports whether two paths are of one file, be it there or not.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return os.SameFile(infoA, infoB)
	case errA == nil || errB == nil:
		return false
	}
	return place(a) == place(b)
}

// place is where a file would be made.
func place(path string) string {
	path = Target(path)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
