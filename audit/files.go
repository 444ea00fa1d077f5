package audit

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/link"
)

// from stands in the name of a file that was put aside, before the number of
// its first line. A plain number would also be how somebody calls the log of a
// second worker, which is another log.
const from = ".from-"

// aside is the name of a file that is put aside.
func aside(path string, first uint64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s%s%d%s", strings.TrimSuffix(path, ext), from, first, ext)
}

// calledAfter is the line that the name of a file says it begins with: 1 for
// one that was not put aside.
func calledAfter(file string) uint64 {
	name := filepath.Base(file)
	if at := strings.LastIndex(name, from); at >= 0 {
		number, _, _ := strings.Cut(name[at+len(from):], ".")
		if n, err := strconv.ParseUint(number, 10, 64); err == nil {
			return n
		}
	}
	return 1
}

// Files returns the files of a log: those that were put aside, in their order,
// and the one that is written now, if it is there.
func Files(path string) ([]string, error) {
	path = link.Target(path)
	files, err := older(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	}
	return files, nil
}

// older returns the files that were put aside.
func older(path string) ([]string, error) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	var old []string
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if aside(filepath.Clean(path), calledAfter(file)) == file {
			old = append(old, file)
		}
	}
	slices.SortFunc(old, func(a, b string) int { return cmp.Compare(calledAfter(a), calledAfter(b)) })
	return old, nil
}

// prune removes the oldest of the files that were put aside, beyond those that
// are kept. Another process may do the same. What only has the name of one
// stays.
func (l *Log) prune() error {
	if l.opts.Keep <= 0 {
		return nil
	}
	old, err := older(l.path)
	if err != nil {
		return err
	}
	for _, f := range old[:max(len(old)-l.opts.Keep, 0)] {
		first, err := firstOf(f)
		if err == nil && first != calledAfter(f) {
			err = fmt.Errorf("audit: %s begins with line %d: it is not of this log, and not removed", f, first)
		}
		if err == nil {
			err = os.Remove(f)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// firstOf is the number of a file's first line.
func firstOf(file string) (uint64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("audit: %w", err)
	}
	defer f.Close()
	return readFirst(f)
}

// before is the last line of the file that was put aside last: what the first
// line of a new file follows.
func (l *Log) before() (Line, error) {
	files, err := older(l.path)
	if err != nil || len(files) == 0 {
		return Line{}, err
	}
	var last Line
	newest := files[len(files)-1]
	for line, err := range ReadFile(newest) {
		if err == nil && last.Seq == 0 && line.Seq != calledAfter(newest) {
			err = &LineError{newest, 1, fmt.Errorf("%w: it has number %d", ErrBeginning, line.Seq)}
		}
		if err != nil {
			return Line{}, err
		}
		last = line
	}
	return Line{Seq: last.Seq, Hash: last.Hash}, nil
}
