//go:build unix

package process_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/process"
)

// Whatever way a program ends, what it has started ends with it, also if it
// holds none of its outputs open.
func TestRun_NothingOutlivesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end     string
		problem process.Problem // 0: none
	}{
		"well":         {"exit 0", 0},
		"with a fault": {"exit 3", process.Failed},
		"too late":     {"sleep 1000", process.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The child holds the pipe open for as long as it lives.
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			gone := make(chan error, 1)
			go func() {
				f, err := os.Open(pipe)
				if err == nil {
					_, err = io.Copy(io.Discard, f)
					f.Close()
				}
				gone <- err
			}()
			call := process.Call{
				Words:   []string{"sh", "-c", `exec 3>"$1"; sleep 1000 >/dev/null 2>&1 & exec 3>&-; echo done; ` + c.end, "sh", pipe},
				Timeout: 10 * time.Second, MaxOutput: 100,
			}
			if c.problem == process.TimedOut {
				call.Timeout = time.Second
			}
			out, err := call.Run(t.Context())
			failed := (*process.Error)(nil)
			if errors.As(err, &failed) != (c.problem != 0) || failed != nil && failed.Problem != c.problem || err == nil && string(out) != "done\n" {
				t.Errorf("%q, %v", out, err)
			}
			select {
			case err := <-gone:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(10 * time.Second):
				t.Error("a child outlives the program")
			}
		})
	}
}
