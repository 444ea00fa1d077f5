package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
	bolt "go.etcd.io/bbolt"
)

// How long a process waits before it asks again for a lock that another one
// holds: about as long as an operation takes, then longer.
const (
	firstPause = 50 * time.Microsecond
	lastPause  = 2 * time.Millisecond
)

// errHeld: nothing is wrong with the file, but its turn does not come.
var errHeld = errors.New("another process has held its lock")

// acquire opens the file, made if need be, and locks it.
func (s *Store) acquire(ctx context.Context, exclusive bool, late <-chan time.Time) (*os.File, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		f, err := s.lockNow(exclusive)
		if err != nil {
			return nil, s.fail(err)
		}
		if f != nil {
			return f, nil
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, unreachable(ctx.Err())
		case <-late:
			wait.Stop()
			return nil, s.fail(fmt.Errorf("%w for %v", errHeld, s.wait))
		}
	}
}

// lockNow opens and locks the file; nil: somebody else has the lock, or the
// file was replaced in this moment.
func (s *Store) lockNow(exclusive bool) (*os.File, error) {
	flag := os.O_RDONLY
	if exclusive {
		flag = os.O_RDWR
	}
	info, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.create(func(made string) error { return os.Link(made, s.path) })
	}
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.path, flag, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was moved away in this moment
	}
	if err != nil {
		return nil, err
	}
	locked, err := s.lockOpen(f, exclusive)
	if err != nil || !locked {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lockOpen takes the lock of an open file, if it is free and the file is still
// the one at the path. bbolt takes the same lock of the same open file, which
// then succeeds at once; its own way of waiting looks every 50 ms only.
func (s *Store) lockOpen(f *os.File, exclusive bool) (bool, error) {
	if ok, err := filelock.Try(f, exclusive); !ok {
		return false, err
	}
	have, err := f.Stat()
	if err != nil {
		return false, err
	}
	// The lock is that of the open file: it says nothing of one that took its place.
	named, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(have, named) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if have.Size() == 0 {
		return false, s.create(func(made string) error { return os.Rename(made, s.path) })
	}
	return true, nil
}

// create makes a new file under another name and has it put in its place as
// a whole, so that nobody ever sees a part of it.
func (s *Store) create(place func(made string) error) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".new-*") // mode 0600
	if err != nil {
		return noDirectory(filepath.Dir(s.path), err)
	}
	made := f.Name()
	defer os.Remove(made)
	f.Close()
	db, err := bolt.Open(made, 0o600, &bolt.Options{NoSync: s.noSync})
	if err != nil {
		return err
	}
	if err = db.Update(s.layout.begin); err != nil {
		db.Close()
		return err
	}
	if err = db.Close(); err != nil {
		return err
	}
	if err = place(made); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // another process was first
		}
		return err
	}
	if s.noSync {
		return nil
	}
	return syncDir(filepath.Dir(s.path))
}

// syncDir makes the names in a directory durable, where that can be asked for.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
