// Package filelock owns locks between processes on open files.
//
// They hold between those who ask for them only, end with the process, and are
// for local disks: network file systems may not honour them.
package filelock

import (
	"errors"
	"os"
	"time"
)

// ErrBusy: another process has held the lock for too long; it may have been
// stopped while it held it.
var ErrBusy = errors.New("another process has not let go of it")

// Between two tries lies a pause, which grows.
const (
	firstPause = 50 * time.Microsecond
	lastPause  = 5 * time.Millisecond
)

// Try takes the lock of an open file or folder, for this process alone or with
// others that only read, if it is free, and reports whether it was. Closing the
// file gives it back. Where files cannot be locked it always is.
func Try(f *os.File, alone bool) (free bool, err error) { return try(f, alone) }

// Release gives back a lock of a file that stays open.
func Release(f *os.File) error { return release(f) }

// Take waits for the lock until a time at the latest, but tries it once at
// least; ErrBusy: it was not free. The operating system's own wait has no end.
func Take(f *os.File, alone bool, until time.Time) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		if ok, err := try(f, alone); ok || err != nil {
			return err
		}
		left := time.Until(until)
		if left <= 0 {
			return ErrBusy
		}
		time.Sleep(min(pause, left))
	}
}
