package file_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/sessiontest"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

// The environment of a child process of these tests: what it does, to which file.
const (
	childWork = "FILETEST_CHILD"
	childFile = "FILETEST_FILE"
)

func TestMain(m *testing.M) {
	switch path := os.Getenv(childFile); os.Getenv(childWork) {
	case "write":
		writeUntilKilled(path)
	case "decide":
		decideOnce(path)
	case "nothing":
		os.Exit(0)
	}
	statetest.Main(m, func(path string) (state.Store, error) { return file.Open(path, file.Options{Wait: time.Minute}) }, sessiontest.Works()...)
}

func TestProcesses(t *testing.T) {
	address := func(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }
	statetest.RunProcesses(t, address)
	t.Run("Failures told by racing sessions of many processes are all counted", func(t *testing.T) { sessiontest.RunFailures(t, address) })
}

func TestReopened(t *testing.T) {
	statetest.RunReopened(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") },
		func(path string) (state.Store, error) { return file.Open(path, file.Options{}) })
}

func child(work, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childWork+"="+work, childFile+"="+path)
	return cmd
}

// writers is how many goroutines of a child write at once.
const writers = 3

// writeUntilKilled makes claims for ever, each writer for a subject of its own,
// and tells of every one that was acknowledged.
func writeUntilKilled(path string) {
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, err := file.Open(path, file.Options{Wait: time.Minute})
			for i := 0; err == nil; i++ {
				var g state.Grant
				c := oneCall(subject(os.Getpid(), w))
				c.Call = state.CallID{byte(i), byte(i >> 8), byte(w), byte(os.Getpid()), byte(os.Getpid() >> 8)}
				c.Run = "run"
				if err = s.Claim(ctx, &c, &g); err == nil && g.Admitted {
					fmt.Printf("%d\n", w) // one write of a few bytes: never half of it
				}
			}
			fmt.Println(err)
		})
	}
	wg.Wait()
	os.Exit(1)
}

func subject(pid, writer int) string { return fmt.Sprintf("process %d writer %d", pid, writer) }

func oneCall(subject string) state.Claim {
	window := []registry.Window{{Span: time.Hour, Limit: 9_999, Refuses: true}}
	return state.Claim{Needs: []registry.Need{{Counter: registry.CounterID{Spec: "calls", Subject: subject}, Windows: window, Front: []int{0}}}}
}

// held returns the entries that a subject's counter holds.
func held(t *testing.T, s state.Store, subject string) int {
	t.Helper()
	c := oneCall(subject)
	c.Needs[0].Windows = []registry.Window{{Span: time.Hour}} // exceeded by the entry that would be added
	c.Refused = true
	var g state.Grant
	if err := s.Claim(ctx, &c, &g); err != nil {
		t.Fatalf("the file cannot be used: %v", err)
	}
	return int(g.Counts[0].N) - 1
}

// Processes are killed at any moment, also while they make the file. What they
// were told is there, and no more than what was on its way beside it.
func TestKilledWriters(t *testing.T) {
	kills := 500
	if testing.Short() {
		kills = 40
	}
	acknowledged := 0
	var path string
	for i := range kills {
		if i%10 == 0 {
			path = filepath.Join(t.TempDir(), "state.db")
		}
		cmd := child("write", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Every second one is killed at any moment from its start, the others once
		// they have been told of a claim, however long this machine takes for it.
		after := time.Duration(rand.IntN(60_000)) * time.Microsecond
		kill := time.AfterFunc(time.Hour, func() { cmd.Process.Kill() })
		if i%2 == 0 {
			kill.Reset(after)
		}
		var told [writers]int
		lines := bufio.NewScanner(out)
		for first := true; lines.Scan(); first = false {
			if first && i%2 == 1 {
				kill.Reset(after)
			}
			switch line := lines.Text(); {
			case len(line) == 1 && line[0] >= '0' && line[0] < '0'+writers:
				told[line[0]-'0']++
			default:
				t.Fatalf("kill %d: a writer failed: %s", i, line)
			}
		}
		cmd.Wait()
		kill.Stop()
		s, err := file.Open(path, file.Options{})
		if err != nil {
			t.Fatalf("kill %d: the file cannot be opened: %v", i, err)
		}
		for w, n := range told {
			if got := held(t, s, subject(cmd.Process.Pid, w)); got != n && got != n+1 {
				t.Fatalf("kill %d: %d entries of writer %d, who was told of %d", i, got, w, n)
			}
			acknowledged += n
		}
	}
	if acknowledged < kills/2 {
		t.Errorf("only %d claims were acknowledged in %d processes: they were killed too soon to show anything", acknowledged, kills)
	}
}

// decideOnce does what a guard does that is started for one tool call.
func decideOnce(path string) {
	s, err := file.Open(path, file.Options{})
	if err == nil {
		var g state.Grant
		c := oneCall("subject 77777")
		if err = s.Claim(ctx, &c, &g); err == nil {
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A process that opens a file of 100,000 counters, decides and leaves, beside
// one that only comes and goes.
func BenchmarkProcess(b *testing.B) {
	path := manyCounters(b, 100_000)
	for _, work := range []string{"nothing", "decide"} {
		b.Run(work, func(b *testing.B) {
			for b.Loop() {
				if out, err := child(work, path).CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

func manyCounters(b *testing.B, n int) string {
	path := filepath.Join(b.TempDir(), "state.db")
	s, err := file.Open(path, file.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < n; {
		c := state.Claim{}
		for range 500 {
			c.Needs = append(c.Needs, oneCall(fmt.Sprint("subject ", i)).Needs...)
			i++
		}
		var g state.Grant
		if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
			b.Fatalf("%+v, %v", g, err)
		}
	}
	return path
}

// One decision in a process that goes on, by what is in the counter.
func BenchmarkDecide(b *testing.B) {
	for _, entries := range []int{0, 100, 9_000} {
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("entries=%d/sync=%t", entries, sync), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "state.db")
				s, err := file.Open(path, file.Options{NoSync: !sync})
				if err != nil {
					b.Fatal(err)
				}
				// The window is full when it holds the entries: one leaves for each that comes.
				now := time.Now().UnixNano()
				c := oneCall("subject")
				c.Needs[0].Windows = []registry.Window{{Span: time.Duration(entries+1) * time.Second, Limit: 9_999, Refuses: true}}
				for range entries {
					c.Now, now = now, now+int64(time.Second)
					if err := s.Claim(ctx, &c, new(state.Grant)); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					c.Now, now = now, now+int64(time.Second)
					var g state.Grant
					if err := s.Claim(ctx, &c, &g); err != nil || !g.Admitted {
						b.Fatalf("%+v, %v", g, err)
					}
				}
			})
		}
	}
}

// The parts of a write as such, for scale: one page written and synced.
func BenchmarkSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "page"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := []byte(strings.Repeat("x", 4096))
	for b.Loop() {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
