package file

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// transact runs a batch in one transaction on a locked file, and closes it. An
// error means that nothing of the batch was written; requests that failed by
// their own fault have an error of their own.
func (s *Store) transact(f *os.File, batch []*request, writes bool) (err error) {
	// A file that was damaged behind our back shows itself as a panic in bbolt,
	// or as a fault of the memory that maps it.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var db *bolt.DB
	defer func() {
		if p := recover(); p != nil {
			// After a panic bbolt may hold locks of its own, so that closing it
			// could wait for ever: its map of the file is left, the lock is not.
			f.Close()
			err = s.fail(fmt.Errorf("%w: %v", ErrDamaged, p))
		}
	}()
	db, err = bolt.Open(s.path, 0o600, &bolt.Options{
		Timeout:      s.wait,
		NoSync:       s.noSync,
		ReadOnly:     !writes,
		FreelistType: bolt.FreelistMapType,
		NoStatistics: true,
		OpenFile:     func(string, int, os.FileMode) (*os.File, error) { return f, nil },
	})
	if err != nil {
		f.Close()
		return s.fail(openError(err))
	}
	err = s.transactIn(db, f, batch, writes)
	if closed := db.Close(); closed != nil && err == nil {
		// What was committed stays so; the next operation opens the file anew.
		return nil
	}
	return err
}

// openError says what an error of bbolt means for the file.
func openError(err error) error {
	switch {
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	case errors.Is(err, berrors.ErrChecksum):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

func (s *Store) transactIn(db *bolt.DB, f *os.File, batch []*request, writes bool) error {
	tx, err := db.Begin(writes)
	if err != nil {
		return s.fail(err)
	}
	info, err := f.Stat()
	if err != nil {
		return s.fail(errors.Join(err, tx.Rollback()))
	}
	if info.Size() < tx.Size() {
		cut := fmt.Errorf("%w: it is %d bytes long and should be %d", ErrDamaged, info.Size(), tx.Size())
		return s.fail(errors.Join(cut, tx.Rollback()))
	}
	id := tx.ID() // of a transaction that writes: the one after the latest
	if writes {
		id--
	}
	if !s.checked.is(info, id) {
		if err := checkPages(tx, f); err != nil {
			return s.fail(errors.Join(err, tx.Rollback()))
		}
		s.checked = checked{info, id}
	}
	dirty, err := s.work(tx, batch, writes)
	if err != nil || !dirty {
		if undo := tx.Rollback(); err != nil || undo != nil {
			return s.fail(errors.Join(err, undo))
		}
		return nil
	}
	if err := tx.Commit(); err != nil {
		s.checked = checked{}
		return s.fail(err)
	}
	s.checked.id++
	return nil
}

// work runs the operations of a batch and reports whether there is anything to write.
func (s *Store) work(tx *bolt.Tx, batch []*request, writes bool) (dirty bool, err error) {
	if writes {
		if dirty, err = s.layout.migrate(tx); err != nil {
			return false, err
		}
	} else if n, err := s.layout.found(tx); err != nil {
		return false, err
	} else if n < s.layout.version {
		return false, fmt.Errorf("it has format %d, and this program writes format %d: %w", n, s.layout.version, errOlder)
	}
	t := s.begin(tx)
	t.dirty = dirty
	for _, r := range batch {
		r.err = r.do(t)
	}
	t.finish()
	return t.dirty, t.err
}

// errOlder: the file is to be migrated first.
var errOlder = errors.New("it is to be migrated first")
