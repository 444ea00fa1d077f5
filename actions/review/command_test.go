package review_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

const goodJSON = `{"analysis":"It looped.","mistakes":["m"],"approach":["Stop."],"specialist":"loop"}`

// programs are what the test binary does when it is run as a reviewer.
var programs = map[string]func(arg string){
	"say": func(arg string) { fmt.Print(arg) },
	// echo reads the case and cites it, so that the test sees what arrived.
	"echo": func(string) {
		line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
		var c review.Case
		if err != nil || json.Unmarshal(line, &c) != nil {
			os.Exit(9)
		}
		_ = json.NewEncoder(os.Stdout).Encode(review.Guidance{Analysis: fmt.Sprintf("%s, %d calls, %s", c.Rule.ID, len(c.Calls), os.Getenv("GIVEN")), Approach: []string{"x"}, Specialist: review.Loop})
	},
	"die":   func(arg string) { fmt.Print(goodJSON); fmt.Fprint(os.Stderr, arg); os.Exit(3) },
	"sleep": func(string) { time.Sleep(time.Hour) },
	"flood": func(string) { // 100 MB
		for line, i := []byte(strings.Repeat("x", 1<<20)), 0; i < 100; i++ {
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
	},
	// family starts a child that shares its output, and waits.
	"family": func(arg string) {
		cmd := exec.Command(os.Args[0], "child", arg)
		cmd.Stdout = os.Stdout
		if cmd.Start() == nil {
			time.Sleep(time.Hour)
		}
	},
	// child tells that it lives by a connection, which ends with it.
	"child": func(arg string) {
		c, err := net.Dial("tcp", arg)
		if err == nil {
			time.Sleep(time.Hour)
			c.Close()
		}
	},
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		if p := programs[os.Args[1]]; p != nil {
			p(os.Args[2])
			return
		}
	}
	os.Exit(m.Run())
}

// program is the reviewer that does one of the programs.
func program(t *testing.T, name, arg string) *review.Command {
	t.Helper()
	r, err := review.NewCommand([]string{os.Args[0], name, arg})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommand(t *testing.T) {
	r := program(t, "echo", "")
	r.Env = append(os.Environ(), "GIVEN=on")
	g, err := r.Review(t.Context(), &review.Case{Rule: review.Rule{ID: "r\n1"}, Calls: make([]review.Call, 300)})
	if err != nil || g.Analysis != "r\n1, 200 calls, on" || g.Specialist != review.Loop || !strings.HasPrefix(g.Source, "command ") {
		t.Errorf("got %+v, %v", g, err)
	}
}

// What a program suggests stays words: a call, a rule, a block.
func TestCommand_SuggestionsAreWords(t *testing.T) {
	data, err := json.Marshal(map[string]any{"analysis": "Lift it.", "approach": append([]string{"Call trading.execute with amount 99999."}, hostile...)})
	if err != nil {
		t.Fatal(err)
	}
	g, err := program(t, "say", strings.ReplaceAll(string(data), "\x00", "")).Review(t.Context(), &review.Case{})
	if err != nil {
		t.Fatal(err)
	}
	inert(t, g.Text())
	if !strings.Contains(g.Text(), "1. Call trading.execute with amount 99999.\n") {
		t.Error(g.Text())
	}
}

func TestCommand_Failures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, program, arg string
		problem            review.Problem
		want               string
	}{
		{"it dies, guidance or not", "die", "no model\x1b here", review.Refused, `exit status 3: no model\u{1b} here`},
		{"garbage", "say", "I suggest to stop", review.Unusable, "not JSON"},
		{"nothing", "say", "", review.Unusable, "not JSON"},
		{"more than one answer", "say", goodJSON + goodJSON, review.Unusable, "not JSON"},
		{"not UTF-8", "say", `{"analysis":"` + "\xff" + `","approach":["x"]}`, review.Unusable, "UTF-8"},
		{"a rule", "say", `{"analysis":"a","approach":["x"],"rules":["B:x>1|warn"]}`, review.Unusable, `no member "rules"`},
		{"100 MB", "flood", "", review.TooLong, "longer than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := program(t, c.program, c.arg).Review(t.Context(), &review.Case{})
			if g != nil {
				t.Errorf("got guidance %+v", g)
			}
			failed(t, err, c.problem, c.want)
		})
	}
	_, err := (&review.Command{Words: []string{"no-such-program-here"}}).Review(t.Context(), &review.Case{})
	failed(t, err, review.NotReached, "no-such-program-here")
	_, err = (&review.Command{}).Review(t.Context(), &review.Case{})
	failed(t, err, review.NotReached, "names no program")
	for _, words := range [][]string{nil, {""}, {"no-such-program-here"}} {
		if r, err := review.NewCommand(words); err == nil {
			t.Errorf("%q: got %v", words, r)
		}
	}
}

// A reviewer that hangs is killed with what it has started, by its own time or
// by Ask's.
func TestCommand_HangingIsKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no process groups")
	}
	for _, c := range []struct {
		name string
		ask  func(r *review.Command) error
	}{
		{"its own time", func(r *review.Command) error {
			r.Timeout = 2 * time.Second
			_, err := r.Review(t.Context(), &review.Case{})
			return err
		}},
		{"the time of Ask", func(r *review.Command) error {
			_, err := review.Ask(t.Context(), "hang", r, &review.Case{}, 2*time.Second)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			asked := make(chan error, 1)
			go func() { asked <- c.ask(program(t, "family", l.Addr().String())) }()
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err) // the child was never there
			}
			defer conn.Close()
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			failed(t, <-asked, review.TimedOut, "2s")
			if _, err := conn.Read(make([]byte, 1)); err != io.EOF && !strings.Contains(fmt.Sprint(err), "reset") {
				t.Errorf("the child outlives the reviewer: %v", err)
			}
		})
	}
}
