package audit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
	"github.com/cbpolicy/cbpolicy/internal/link"
)

// DefaultWait is how long a writer waits for its turn.
const DefaultWait = 2 * time.Second

// ErrBusy: another process has held the lock of the log for too long; it may
// have been stopped while it wrote.
var ErrBusy = filelock.ErrBusy

// snapshot opens the files of a log as they are at one moment, with the size of
// the last: a writer may begin a new file, or remove an old one, meanwhile.
func snapshot(path string) (files []*os.File, size int64, err error) {
	path = link.Target(path)
	until := time.Now().Add(DefaultWait)
	for {
		files, size, err = openAll(path, until)
		if !errors.Is(err, errMoved) {
			return files, size, err
		}
		if time.Now().After(until) {
			return nil, 0, fmt.Errorf("audit: the files of %s change faster than they can be opened", path)
		}
	}
}

// errMoved: a writer has put a file aside, or removed one, just now.
var errMoved = errors.New("the files have changed")

// openAll is one try of snapshot. While the file that is written is locked
// nothing moves; where it is not there, what is put aside is all there is.
func openAll(path string, until time.Time) (files []*os.File, size int64, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	current, err := os.Open(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, 0, fmt.Errorf("audit: %w", err)
	}
	if current != nil {
		defer func() {
			if err != nil {
				err = errors.Join(err, current.Close())
			}
		}()
		// A writer that was stopped moves nothing either.
		if err := filelock.Take(current, false, until); err != nil && !errors.Is(err, ErrBusy) {
			return nil, 0, fmt.Errorf("audit: lock %s: %w", path, err)
		}
		defer func() { err = errors.Join(err, filelock.Release(current)) }()
	}
	old, err := older(path)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range old {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			return files, 0, errMoved
		}
		if err != nil {
			return files, 0, fmt.Errorf("audit: %w", err)
		}
		files = append(files, f)
	}
	here, err := isAt(current, path)
	if err == nil && !here {
		err = errMoved
	}
	if err != nil {
		return files, 0, err
	}
	if current == nil {
		return files, -1, nil
	}
	info, err := current.Stat()
	if err != nil {
		return files, 0, fmt.Errorf("audit: %w", err)
	}
	return append(files, current), info.Size(), nil
}

// isAt reports whether a file is still the one at the path; nil: whether there
// is still none.
func isAt(f *os.File, path string) (bool, error) {
	there, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return f == nil, nil
	}
	if err == nil && f == nil {
		return false, nil
	}
	var open os.FileInfo
	if err == nil {
		open, err = f.Stat()
	}
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	return os.SameFile(open, there), nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
