//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file, for this process alone or together
// with others who only read, and reports whether it was free. Closing the file
// gives it back, as does the end of the process. bbolt takes the same lock of
// the same open file, which then succeeds at once; its own way of waiting looks
// every 50 ms only.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EINTR) {
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return false, nil
			}
			return err == nil, err
		}
	}
}
