//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// A link stands for the file that it leads to, which is made if need be; the
// link stays.
func TestLinks(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, dir, target string){
		"to a file": func(t *testing.T, _, target string) {
			s, err := Open(target, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(bg, &state.Settlement{}); err != nil {
				t.Fatal(err)
			}
		},
		"to nothing yet":   func(*testing.T, string, string) {},
		"to an empty file": func(t *testing.T, _, target string) { write(t, target, "") },
		"to a further link": func(t *testing.T, dir, target string) {
			link(t, "data/further", filepath.Join(dir, "state.db"))
			link(t, filepath.Base(target), filepath.Join(dir, "data", "further"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
				t.Fatal(err)
			}
			path, target := filepath.Join(dir, "state.db"), filepath.Join(dir, "data", "real.db")
			make(t, dir, target)
			if _, err := os.Lstat(path); err != nil {
				link(t, "data/real.db", path)
			}
			s, err := Open(path, Options{Now: func() int64 { return then }})
			if err != nil {
				t.Fatal(err)
			}
			fill(t, s)
			if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link has become %v (%v)", info, err)
			}
			if s, err = Open(target, Options{Now: func() int64 { return then }}); err != nil {
				t.Fatal(err)
			}
			filled(t, s)
		})
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// What is no file, or cannot be one, is refused at once, and in words that say why.
func TestNoFile(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		make       func(t *testing.T, path string)
		is         error
		want       string
	}{
		{"a pipe", "state.db", pipe, ErrFormat, "it is a named pipe, want a file"},
		{"a link to a pipe", "state.db", func(t *testing.T, path string) {
			pipe(t, path+".pipe")
			link(t, "state.db.pipe", path)
		}, ErrFormat, "it is a named pipe, want a file"},
		{"a device", "state.db", func(t *testing.T, path string) { link(t, os.DevNull, path) }, ErrFormat, "it is a device, want a file"},
		{"a directory", "state.db", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, ErrFormat, "it is a directory, want a file"},
		{"a circle", "state.db", func(t *testing.T, path string) {
			link(t, "other.db", path)
			link(t, "state.db", filepath.Join(filepath.Dir(path), "other.db"))
		}, state.ErrUnavailable, "leads on and on"},
		{"in no directory", "gone/state.db", func(*testing.T, string) {}, os.ErrNotExist, "gone is not there; make it first"},
		{"a link into no directory", "state.db", func(t *testing.T, path string) { link(t, "gone/real.db", path) }, os.ErrNotExist, "gone is not there; make it first"},
		{"in a file", "file/state.db", func(t *testing.T, path string) { write(t, filepath.Dir(path), "x") }, state.ErrUnavailable, "file cannot be used: not a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.path)
			tt.make(t, path)
			begin, failed := time.Now(), make(chan error, 1)
			go func() { _, err := Open(path, Options{Wait: time.Minute}); failed <- err }()
			select {
			case err := <-failed:
				if !errors.Is(err, tt.is) || !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), path) ||
					!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), ".new-") {
					t.Errorf("error %v, want %v: %s", err, tt.is, tt.want)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it hangs")
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func pipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What takes the place of the file later is refused as well.
func TestFileIsReplaced(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path string){
		"a pipe":   pipe,
		"a link":   func(t *testing.T, path string) { link(t, "real.db", path) },
		"a device": func(t *testing.T, path string) { link(t, os.DevNull, path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			s, err := Open(path, Options{Wait: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			put(t, path)
			begin := time.Now()
			if err := s.Settle(bg, &state.Settlement{Call: state.CallID{1}}); !errors.Is(err, ErrFormat) {
				t.Errorf("error %v, want ErrFormat", err)
			}
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	t.Run("nothing, with its directory", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "dir", "state.db")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		err = s.Settle(bg, &state.Settlement{Call: state.CallID{1}})
		if err == nil || !strings.Contains(err.Error(), "is not there; make it first") {
			t.Errorf("error %v, want one of the directory", err)
		}
	})
}
