package statetest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// The environment of a child process of RunProcesses.
const (
	childWork    = "STATETEST_CHILD"
	childAddress = "STATETEST_ADDRESS"
)

// How many processes race, and how many calls each makes.
const (
	children      = 8
	callsOfChild  = 50
	raceLimit     = 100
	failuresCount = children * callsOfChild
)

// Work is what a child process does on its home, and how much of it.
type Work struct {
	Name string
	Do   func(state.Store) (int, error)
}

// Main runs the tests of a package that calls RunProcesses; TestMain calls it.
// It does not return. In a process that RunProcesses or Processes has started it
// does that one's part on the home at an address instead: it knows the works that
// are given beside its own.
func Main(m *testing.M, open func(address string) (state.Store, error), works ...Work) {
	work := os.Getenv(childWork)
	if work == "" {
		os.Exit(m.Run())
	}
	if err := child(work, os.Getenv(childAddress), open, works); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// RunProcesses tests a home that processes share: with several of them at
// once, each with a store of its own. address makes a new and empty home and
// returns what Main's open takes. Its time must be one for all processes.
func RunProcesses(t *testing.T, address func(*testing.T) string) {
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	repeat := func(t *testing.T, work string, want int) {
		for range rounds {
			got := Processes(t, work, address(t))
			sum := 0
			for _, n := range got {
				sum += n
			}
			if sum != want {
				t.Fatalf("%v were done by %d processes, %d in all, want %d", got, children, sum, want)
			}
		}
	}
	t.Run("Racing processes fill a limit exactly", func(t *testing.T) { repeat(t, "claims", raceLimit) })
	t.Run("One of many processes gets the probe", func(t *testing.T) { repeat(t, "probe", 1) })
	// Of each call one process is told that it is new, and the counter has an entry:
	// "same" adds up the former, and "entries" looks for the latter.
	t.Run("One call that many processes ask for counts once", func(t *testing.T) {
		for range rounds {
			home := address(t)
			sum := 0
			for _, n := range Processes(t, "same", home) {
				sum += n
			}
			if entries := Processes(t, "entries", home)[0]; sum != callsOfChild || entries != callsOfChild {
				t.Fatalf("%d calls that %d processes asked for were new %d times and have %d entries, want %[1]d", callsOfChild, children, sum, entries)
			}
		}
	})
	t.Run("Failures told by many processes are all counted", func(t *testing.T) {
		for range rounds {
			home := address(t)
			Processes(t, "failures", home)
			// The last process to look finds them all.
			if got := Processes(t, "count", home)[0]; got != failuresCount {
				t.Fatalf("%d failures were counted, want %d", got, failuresCount)
			}
		}
	})
}

// Processes starts child processes and, once they all have opened the home at an
// address, lets them work; it returns what each has done.
func Processes(t *testing.T, work, address string) []int {
	t.Helper()
	var wg sync.WaitGroup
	starts := make([]io.WriteCloser, children)
	outs := make([]*bufio.Reader, children)
	cmds := make([]*exec.Cmd, children)
	for i := range cmds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childWork+"="+work, childAddress+"="+address)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		cmds[i], starts[i], outs[i] = cmd, in, bufio.NewReader(out)
	}
	for _, out := range outs {
		if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("a child says %q, %v; want ready", line, err)
		}
	}
	for _, start := range starts {
		start.Close()
	}
	done := make([]int, children)
	for i := range cmds {
		wg.Go(func() {
			line, err := outs[i].ReadString('\n')
			if err == nil {
				done[i], err = strconv.Atoi(strings.TrimSpace(line))
			}
			if err = errors.Join(err, cmds[i].Wait()); err != nil {
				t.Errorf("child %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	return done
}

// child does one process's part.
func child(work, address string, open func(string) (state.Store, error), works []Work) error {
	s, err := open(address)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	n, err := 0, error(nil)
	switch work {
	case "claims":
		n, err = childClaims(s, state.Claim{Needs: needs(calls("c", atMost(raceLimit, time.Hour)))})
	case "probe":
		probe := state.Lease{Key: "probe", Holder: strconv.Itoa(os.Getpid()), TTL: time.Hour}
		var g state.Grant
		if err = s.Claim(bg, &state.Claim{Leases: []state.Lease{probe}}, &g); g.Admitted {
			n = 1
		}
	case "same":
		n, err = childSame(s)
	case "entries":
		n, err = childEntries(s)
	case "failures":
		n, err = childFailures(s)
	case "count":
		var st breaker.State
		st, _, err = loadBreaker(s)
		n = int(st.Failures)
	default:
		i := slices.IndexFunc(works, func(w Work) bool { return w.Name == work })
		if i < 0 {
			return fmt.Errorf("no such work: %q", work)
		}
		n, err = works[i].Do(s)
	}
	fmt.Println(n)
	return err
}

func childClaims(s state.Store, c state.Claim) (admitted int, err error) {
	for range callsOfChild {
		var g state.Grant
		if err := s.Claim(bg, &c, &g); err != nil {
			return admitted, err
		}
		if g.Admitted {
			admitted++
		}
	}
	return admitted, nil
}

// childSame asks for calls that all processes ask for, by one identity each. All
// of them are admitted, the last by a full window; it returns how many were new.
func childSame(s state.Store) (fresh int, err error) {
	for i := range callsOfChild {
		c := state.Claim{Call: state.CallID{1, byte(i)}, Needs: needs(calls("c", atMost(callsOfChild, time.Hour)))}
		var g state.Grant
		if err := s.Claim(bg, &c, &g); err != nil {
			return fresh, err
		}
		if !g.Admitted {
			return fresh, fmt.Errorf("call %d was refused: %+v", i, g)
		}
		if !g.Repeated {
			fresh++
		}
	}
	return fresh, nil
}

// childEntries counts the entries of all calls.
func childEntries(s state.Store) (int, error) {
	c := state.Claim{Refused: true, Needs: needs(calls("c", atMost(0, time.Hour)))}
	var g state.Grant
	if err := s.Claim(bg, &c, &g); err != nil || len(g.Counts) == 0 {
		return 0, errors.Join(err, fmt.Errorf("counts: %v", g.Counts))
	}
	return int(g.Counts[0].N) - 1, nil
}

// childFailures tells the breaker of one ability of failures, as sessions do.
func childFailures(s state.Store) (told int, err error) {
	patient := breaker.Config{Threshold: failuresCount + 1}.WithDefaults()
	for told < callsOfChild {
		st, version, err := loadBreaker(s)
		if err != nil {
			return told, err
		}
		after, _ := st.After(breaker.Failure, st.Generation, start, patient)
		w := state.Write{Key: "breaker", Version: version, Value: after.Append(nil)}
		if err = s.Settle(bg, &state.Settlement{Cells: []state.Write{w}}); err == nil {
			told++
		} else if !errors.Is(err, state.ErrConflict) {
			return told, err
		}
	}
	return told, nil
}

func loadBreaker(s state.Store) (breaker.State, int64, error) {
	var v state.View
	if err := s.Load(bg, state.Query{Cells: []string{"breaker"}}, &v); err != nil {
		return breaker.State{}, 0, err
	}
	st, err := breaker.Parse(v.Cells[0].Value)
	return st, v.Cells[0].Version, err
}
