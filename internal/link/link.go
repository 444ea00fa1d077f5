package audit

import (
	"os"
	"path/filepath"
)

// maxLinks bounds how many links may lead to a log.
const maxLinks = 40

// resolved is the path of the file that a log's path leads to through links,
// which need not be there yet: files are put aside beside it, and not beside a
// link. What is no file, such as a pipe, keeps its path.
func resolved(path string) string {
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
