package replay

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Result is what became of a run.
type Result struct {
	Source    string `json:"source"`
	Format    string `json:"format"`
	Chain     string `json:"chain"`
	ToolCalls int    `json:"tool_calls"` // of the whole run, delegations included
	// Decision is that of the verdict that stopped the run; otherwise the
	// strongest there was, allow or warn, or Unknown if the recording is broken.
	Decision string `json:"decision"`
	// Broken says why the recording does not tell what the run did; "": it does.
	Broken string `json:"broken,omitempty"`
	// HaltedAt is the number of the call that was refused, from 1; between
	// calls, that of the last one. 0: the run was not stopped, or before its first call.
	HaltedAt int    `json:"halted_at,omitempty"`
	Rule     string `json:"rule,omitempty"` // that stopped it
	// Task is the task that the rule stopped, if it is one that was open beside
	// the task at work: it had fallen silent, or taken too long. "": the one at work.
	Task    string `json:"task,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Explain string `json:"explain,omitempty"`
	// FirstConfirm is the first question, whatever followed it; nil: none was asked.
	FirstConfirm *Question `json:"first_confirm,omitempty"`
	Fired        []string  `json:"fired"` // every rule that fired, in order, those that only observe too
	Saved        *Saved    `json:"saved,omitempty"`
	// Notes tell how verdicts on the run came about, such as a model without a
	// price that was counted as the dearest; each once, in order.
	Notes []string `json:"notes,omitempty"`
}

// Unknown is the decision on a run that no rule stopped and whose recording is
// broken: what is missing from it may be what a rule would have stopped.
const Unknown = "unknown"

// Halted reports whether a verdict stopped the run.
func (r *Result) Halted() bool { return r.Rule != "" }

// Question is where a person was asked.
type Question struct {
	At   int    `json:"at"` // the number of the call
	Rule string `json:"rule"`
}

// Saved is what a run did after the point at which it is stopped.
type Saved struct {
	ToolCalls int   `json:"tool_calls"`
	Tokens    int64 `json:"tokens"`
	Cents     Cents `json:"cents"`
}

// Cents is an amount of nano-dollars that is written as cents, exactly.
type Cents int64

// nanoPerCent is how many nano-dollars a cent is.
const nanoPerCent = 10_000_000

// String returns the amount in cents.
func (c Cents) String() string {
	s := new(big.Rat).SetFrac64(int64(c), nanoPerCent).FloatString(7)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// MarshalJSON implements json.Marshaler.
func (c Cents) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// Report is what became of all runs.
type Report struct {
	Runs    []Result `json:"runs"`
	Summary Summary  `json:"summary"`
}

// Summary counts runs.
type Summary struct {
	Runs   int    `json:"runs"`
	Halted int    `json:"halted"`
	ByRule Counts `json:"by_rule"`
	// ByFormat counts the halted runs by the format of their source.
	ByFormat Counts `json:"by_format"`
	Asked    int    `json:"asked"` // runs in which a person was asked
	Saved    Saved  `json:"saved"`
	Broken   int    `json:"broken"` // runs whose recordings are broken, halted ones too
	Unread   int    `json:"unread"` // runs that could not be read
	// PassedOver is how many files of the directories are no recordings.
	PassedOver int `json:"passed_over"`
}

// Add counts a run.
func (s *Summary) Add(r *Result) {
	s.Runs++
	if r.FirstConfirm != nil {
		s.Asked++
	}
	if r.Broken != "" {
		s.Broken++
	}
	if !r.Halted() {
		return
	}
	s.Halted++
	s.ByRule.add(r.Rule)
	s.ByFormat.add(r.Format)
	s.Saved.ToolCalls += r.Saved.ToolCalls
	s.Saved.Tokens += r.Saved.Tokens
	s.Saved.Cents += r.Saved.Cents
}

// Counts counts by name. It is written as an object whose greatest count
// comes first.
type Counts struct{ all []count }

type count struct {
	name string
	n    int
}

func (c *Counts) add(name string) {
	for i := range c.all {
		if c.all[i].name == name {
			c.all[i].n++
			return
		}
	}
	c.all = append(c.all, count{name, 1})
}

// Len returns how many names there are.
func (c *Counts) Len() int { return len(c.all) }

// Each calls f for every name, the greatest count first.
func (c *Counts) Each(f func(name string, n int)) {
	slices.SortFunc(c.all, func(a, b count) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	for _, e := range c.all {
		f(e.name, e.n)
	}
}

// MarshalJSON implements json.Marshaler.
func (c Counts) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	var err error
	c.Each(func(name string, n int) {
		key, failed := json.Marshal(name)
		err = cmp.Or(err, failed)
		if len(out) > 1 {
			out = append(out, ',')
		}
		number, _ := json.Marshal(n)
		out = append(append(append(out, key...), ':'), number...)
	})
	return append(out, '}'), err
}

// blocked is the rule behind a verdict that blocks.
func blocked(v *registry.Verdict) *registry.Fired {
	if v.Decision.Blocks() {
		return v.Blocking()
	}
	return nil
}
