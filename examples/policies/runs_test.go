package policies_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
)

// data are recorded runs of public benchmarks and programs, beside the clone.
const data = "../../../shared/traces-dev"

// dirs are the folders of data that hold runs.
var dirs = []string{"agentdojo", "tau-bench", "tau2", "claude-code", "gemini-cli", "pi", "openhands", "swe-agent", "otel", "langfuse", "inspect"}

// run is a recorded run, with what is known of how it went.
type run struct {
	*trace.Run
	path  string // below data
	label *label // of an AgentDojo run
}

// label says which calls of an AgentDojo run carry out what was injected.
type label struct {
	File          string `json:"file"`
	Kind          string `json:"kind"`
	InjectedCalls []int  `json:"injected_calls"` // from 0
}

// held reports whether a run was kept out while the policies were written:
// half of all are, by their paths.
func (r *run) held() bool { return sha256.Sum256([]byte(r.path))[0]%2 == 1 }

// solved: its benchmark says that the run has done its task.
func (r *run) solved() bool { return r.Labels.Success == trace.Yes }

// endedWell: it is solved, and was not cut off while the agent went on.
func (r *run) endedWell() bool { return r.solved() && !r.cutOff() }

// cutOff: the last thing of the run is a call that nobody carried out.
func (r *run) cutOff() bool {
	for i := len(r.Events) - 1; i >= 0; i-- {
		switch r.Events[i].Type {
		case session.ToolUse, session.Delegate:
			return true
		case session.ToolResult, session.AgentSaid, session.UserSaid:
			return false
		}
	}
	return false
}

func (r *run) is(kind string) bool { return r.label != nil && r.label.Kind == kind }

// runaway: the run was cut off while the agent went on and on.
func (r *run) runaway() bool { return r.Format == trace.Tau2 && r.Labels.Stop == "max_steps" }

// equalCall is a call that was made, as far as others can equal it.
type equalCall struct{ call, outcome string }

// calls lists the calls of a run in the order in which they ended.
func (r *run) calls() []equalCall {
	begun := map[string]string{}
	var all []equalCall
	for i := range r.Events {
		e := &r.Events[i]
		switch e.Type {
		case session.ToolUse, session.Delegate:
			begun[e.CallID] = e.Ability + e.Worker + " " + e.Args.String()
		case session.ToolResult:
			c := equalCall{call: begun[e.CallID]}
			if e.Output != nil {
				c.outcome = e.Output.String()
			}
			if e.Error != nil {
				c.outcome += "\x00" + e.Error.Message
			}
			all = append(all, c)
		}
	}
	return all
}

// polls reports whether the run makes some call at least n times, in a row or
// not, and its outcome changes.
func (r *run) polls(n int) bool {
	times, changes, last := map[string]int{}, map[string]bool{}, map[string]string{}
	for _, c := range r.calls() {
		if times[c.call]++; times[c.call] > 1 && last[c.call] != c.outcome {
			changes[c.call] = true
		}
		last[c.call] = c.outcome
	}
	for call := range changes {
		if times[call] >= n {
			return true
		}
	}
	return false
}

// repeats reports whether the run makes some call n times in a row with the
// same outcome each time.
func (r *run) repeats(n int) bool {
	_, ok := r.nthEqual(n)
	return ok
}

// nthEqual is the number of the call, from 1, that is the nth in a row with the
// same outcome each time.
func (r *run) nthEqual(n int) (number int, ok bool) {
	streak := 0
	var before equalCall
	for i, c := range r.calls() {
		if c != before {
			streak = 0
		}
		if streak++; streak >= n {
			return i + 1, true
		}
		before = c
	}
	return 0, false
}

// recorded reads all runs; without the data the test is skipped.
func recorded(t *testing.T) []*run {
	t.Helper()
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there", data)
	}
	labels := labels(t)
	var all []*run
	for _, dir := range dirs {
		for r, err := range trace.Open(filepath.Join(data, dir), trace.Options{}) {
			if e := (*trace.Error)(nil); errors.As(err, &e) && filepath.Base(e.Source) == "labels.jsonl" {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Rel(data, r.Source)
			if err != nil {
				t.Fatal(err)
			}
			path = filepath.ToSlash(path)
			all = append(all, &run{Run: r, path: path, label: labels[path]})
		}
	}
	for _, r := range all {
		delete(labels, r.path)
	}
	if len(labels) > 0 {
		t.Fatalf("%d labelled runs were not read, among %d", len(labels), len(all))
	}
	return all
}

func labels(t *testing.T) map[string]*label {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(data, "agentdojo/labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*label{}
	for line := range bytes.Lines(lines) {
		l := &label{}
		if err := json.Unmarshal(line, l); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(l.File, "./")] = l
	}
	return all
}
