//go:build unix

package review_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// What is no file is said to be none, and not waited for.
func TestPatterns_NoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe} {
		want := "failure patterns: " + path + " is no regular file"
		if _, err := review.LoadPatterns(path); err == nil || err.Error() != want {
			t.Errorf("load: %v, want %s", err, want)
		}
		if err := new(review.Patterns).Save(path); err == nil || err.Error() != want {
			t.Errorf("save: %v, want %s", err, want)
		}
	}
}
