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
)

// Files returns the files of a log: those that were put aside, in their order,
// and the one that is written now, if it is there.
func Files(path string) ([]string, error) {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	type numbered struct {
		path  string
		first uint64
	}
	var old []numbered
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		middle, begins := strings.CutPrefix(name, filepath.Clean(stem)+".")
		middle, ends := strings.CutSuffix(middle, ext)
		if n, err := strconv.ParseUint(middle, 10, 64); err == nil && begins && ends {
			old = append(old, numbered{name, n})
		}
	}
	slices.SortFunc(old, func(a, b numbered) int { return cmp.Compare(a.first, b.first) })
	var files []string
	for _, f := range old {
		files = append(files, f.path)
	}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	}
	return files, nil
}

// prune removes the oldest of the files that were put aside, beyond those that
// are kept. Another process may do the same.
func (l *Log) prune() error {
	if l.opts.Keep <= 0 {
		return nil
	}
	old, err := l.older()
	if err != nil {
		return err
	}
	for _, f := range old[:max(len(old)-l.opts.Keep, 0)] {
		if err := os.Remove(f); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("audit: %w", err)
		}
	}
	return nil
}

// older returns the files that were put aside.
func (l *Log) older() ([]string, error) {
	files, err := Files(l.path)
	return slices.DeleteFunc(files, func(f string) bool { return f == l.path }), err
}

// before is the last line of the file that was put aside last: what the first
// line of a new file follows.
func (l *Log) before() (Line, error) {
	files, err := l.older()
	if err != nil || len(files) == 0 {
		return Line{}, err
	}
	var last Line
	for line, err := range ReadFile(files[len(files)-1]) {
		if err != nil {
			return Line{}, err
		}
		last = line
	}
	return Line{Seq: last.Seq, Hash: last.Hash}, nil
}
