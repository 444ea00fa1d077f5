package run_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

const mailing = `id: mailing
params: [{name: most, param_type: number, default: 3}]
circuit_breakers:
  - {condition: "count>{{input.most}}", action: abort, reason: "{{count}} of {{input.most}} to {{input.to}}"}
  - {condition: input.seats>5, action: abort, reason: "{{input.seats}} seats"}
steps:
  - {id: send, ability: gmail.send, params: {to: "{{input.to}}", count: "{{look.output.n}}"}, depends_on: [look]}
  - {id: look, ability: contacts.find, params: {name: "{{input.to}}"}, on_failure: continue}
`

func TestCatalogueRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		found, params, outcomes, halt string
	}{
		"in the order of depends_on": {`{"n":2}`, "to=bob seats=2", "look:ran send:ran", ""},
		"above the default":          {`{"n":4}`, "to=bob seats=2", "look:ran send:refused", "4 of 3 to bob"},
		"above what was supplied":    {`{"n":2}`, "to=bob seats=2 most=1", "look:ran send:refused", "2 of 1 to bob"},
		"a rule over an input":       {`{"n":2}`, "to=bob seats=6", "look:refused", "6 seats"},
	} {
		h := newHost(t, mailing, "")
		h.puts("contacts.find", tt.found)
		r, err := h.run(strings.Fields(tt.params)...)
		if got := outcomes(r); got != tt.outcomes {
			t.Errorf("%s: %s, want %s (%v)", name, got, tt.outcomes, err)
		}
		if tt.halt == "" && r.Halt != nil || tt.halt != "" && (r.Halt == nil || !strings.Contains(r.Halt.Reason, tt.halt)) {
			t.Errorf("%s: %+v, want %q", name, r.Halt, tt.halt)
		}
	}
}

// depends_on is an order: a step runs though what it waits for has failed and
// let the run go on. A member of what is not there fails it.
func TestCatalogueStepRunsAfterOneThatFailed(t *testing.T) {
	h := newHost(t, mailing, "")
	h.fails("contacts.find")
	r, err := h.run("to=bob", "seats=2")
	var fail *run.FailError
	if !errors.As(err, &fail) || fail.Step != "send" || fail.Class != run.ClassArguments || outcomes(r) != "look:failed send:failed" {
		t.Errorf("%s, %v", outcomes(r), err)
	}
	h = newHost(t, strings.Replace(mailing, `"{{look.output.n}}"`, "1", 1), "")
	h.fails("contacts.find")
	if r, err := h.run("to=bob", "seats=2"); err != nil || r.Status != run.Recovered || outcomes(r) != "look:failed send:ran" {
		t.Errorf("%s, %v", outcomes(r), err)
	}
	h = newHost(t, strings.Replace(mailing, "on_failure: continue", "on_failure: abort", 1), "")
	h.fails("contacts.find")
	if r, err := h.run("to=bob", "seats=2"); !errors.As(err, &fail) || fail.Step != "look" || outcomes(r) != "look:failed" {
		t.Errorf("%s, %v", outcomes(r), err)
	}
}

func TestCatalogueDryRun(t *testing.T) {
	recording, l := run.ParseRecording("r.yaml", []byte("chain: mailing\nparams: {to: {name: bob}, seats: {front: 1, all: 5}, most: '5'}\nsteps:\n  - {step: look, output: {n: 5}}\n  - {step: send, output: done}\n"))
	if recording == nil {
		t.Fatal(l)
	}
	inside := strings.NewReplacer("{{input.to}}", "{{input.to.name}}", "input.seats", "input.seats.all").Replace(mailing)
	for name, tt := range map[string]struct {
		text   string
		set    map[string]chain.Value
		status run.Status
		halt   string
	}{
		"the recording's parameters":       {inside, nil, run.Completed, ""},
		"others in their place":            {inside, map[string]chain.Value{"most": chain.Text("4")}, run.Aborted, "5 of 4 to bob"},
		"an object that must be a number":  {mailing, nil, run.Aborted, "seats"},
		"an input that has no such member": {strings.ReplaceAll(inside, "to.name", "to.address"), nil, run.Failed, "{{input.to.address}}"},
	} {
		r, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: parse(t, tt.text), Recording: recording, Params: tt.set})
		if r == nil || r.Status != tt.status || (err == nil) != (tt.halt == "") || r.Halt != nil && !strings.Contains(r.Halt.Reason, tt.halt) {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}

// TestPublishedChains runs every chain that people have published, with the
// inputs that it is known to have and made-up outputs.
func TestPublishedChains(t *testing.T) {
	const root = "../../../shared/traces-dev/chains"
	labels, err := os.Open(filepath.Join(root, "labels.jsonl"))
	if err != nil {
		t.Skip("the published chains are not beside the repository")
	}
	defer labels.Close()
	n := 0
	for lines := bufio.NewScanner(labels); lines.Scan(); {
		var label struct {
			File   string   `json:"file"`
			Steps  int      `json:"steps"`
			Inputs []string `json:"inputs"`
		}
		if err := json.Unmarshal(lines.Bytes(), &label); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(label.File, "chains/")
		if !strings.HasPrefix(name, "docs/") {
			published(t, filepath.Join(root, name), label.Steps, label.Inputs)
			n++
		}
	}
	if n != 97 {
		t.Errorf("%d chains, want 65 of the catalogue and 32 demos", n)
	}
}

func published(t *testing.T, name string, steps int, inputs []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, l := chain.Parse(name, data)
	if c == nil || len(l) > 0 || len(c.Steps) != steps {
		t.Errorf("%s: %v", name, l)
		return
	}
	recording := &run.Recording{File: "made-up", Chain: c.ID, Params: map[string]chain.Value{}}
	for _, input := range inputs {
		param := strings.TrimPrefix(input, "input.")
		recording.Params[param] = chain.Text("1")
		if p := c.Param(param); p != nil && p.Type == chain.BooleanType {
			recording.Params[param] = chain.Text("true")
		}
	}
	for i := range c.Steps {
		recording.Steps = append(recording.Steps, run.RecordedStep{Step: c.Steps[i].ID, Output: madeUp(c, i)})
	}
	r, err := run.DryRun(t.Context(), run.DryRunOptions{Chain: c, Recording: recording})
	if err != nil || r.Status != run.Completed || len(r.Steps) != steps {
		t.Errorf("%s: %v", name, err)
	}
	if c.Dialect != chain.Catalogue {
		return
	}
	if slices.ContainsFunc(r.Steps, func(s run.StepResult) bool { return s.Outcome != run.Ran }) {
		t.Errorf("%s: %s", name, outcomes(r))
	}
	for _, input := range inputs {
		without := recording.Params[strings.TrimPrefix(input, "input.")]
		delete(recording.Params, strings.TrimPrefix(input, "input."))
		if _, err := c.Start(recording.Params, chain.Host); err == nil {
			t.Errorf("%s starts without %s", name, input)
		}
		recording.Params[strings.TrimPrefix(input, "input.")] = without
	}
}

// madeUp is an output of a step that has the members that other steps read.
func madeUp(c *chain.Chain, step int) *chain.Value {
	var members []string
	for i := range c.Steps {
		for _, ref := range c.Steps[i].Refs() {
			if member, ok := strings.CutPrefix(string(ref.Key), c.Steps[step].OutputName()+"."); ok {
				members = append(members, member)
			}
		}
	}
	output := chain.Text("made up")
	if len(members) > 0 {
		output = jsonv.OfObject(members, slices.Repeat([]jsonv.Value{output}, len(members)))
	}
	return &output
}
