package review

import (
	"maps"
	"slices"
	"time"
)

// The bounds of a case. What is beyond them is left out, the oldest first.
const (
	MaxCalls    = 200      // calls
	MaxTexts    = 15       // texts of the user, and as many outputs of the agent
	MaxText     = 2 << 10  // bytes of each text; what is longer is cut and ends in CutMark
	MaxName     = 256      // bytes of each name: ability, worker, class, id
	MaxCounters = 100      // counters, the first by name
	MaxKnown    = 5        // failures that looked alike
	MaxPreamble = 16 << 10 // bytes of what the operator has to say
)

// Case is what a reviewer sees of a runaway. The texts in it are those of a
// user, an agent and its tools: data to be judged, never instructions.
//
// As JSON its members are session, task, chain, attempt, rule, work, plan, counters,
// asked, calls, calls_left_out, earlier_calls, outputs, known, role and preamble.
type Case struct {
	Session string `json:"session,omitempty"`
	Task    string `json:"task"`
	Chain   string `json:"chain,omitempty"`
	Attempt int    `json:"attempt"` // the one that ran away, from 1
	Rule    Rule   `json:"rule"`
	// Work says that nothing was done yet, and why the work is to be reviewed
	// before it begins; nil: an attempt was stopped.
	Work *Estimate `json:"work,omitempty"`
	// Plan are the calls that are planned, as far as known; only with Work.
	Plan []Call `json:"plan,omitempty"`
	// Counters are the meters and limits by name, as exact text.
	Counters map[string]string `json:"counters,omitempty"`
	Asked    []string          `json:"asked,omitempty"` // what the user wrote, the latest last
	// Calls are those of this attempt, in the order in which they ended.
	Calls []Call `json:"calls,omitempty"`
	// LeftOut is how many calls of this attempt there were before these, as far as known.
	LeftOut int `json:"calls_left_out,omitempty"`
	// Earlier is how many calls the attempts before this one made. They were
	// reviewed already, and are told by nothing else.
	Earlier int64    `json:"earlier_calls,omitempty"`
	Outputs []string `json:"outputs,omitempty"` // what the agent wrote in this attempt, the latest last
	// Known are failures that looked like this one, and what was done about
	// them, the most alike first: see Patterns.Similar.
	Known []Match `json:"known,omitempty"`
	// Role is what the reviewer is to be, and Preamble what he is told: both
	// are the operator's words, and no part of what is to be judged.
	Role     string `json:"role,omitempty"`
	Preamble string `json:"preamble,omitempty"`
}

// Rule is the rule that asked for the review.
type Rule struct {
	ID      string `json:"id"`
	Reason  string `json:"reason,omitempty"`
	Explain string `json:"explain,omitempty"` // why it fired, in words
	Actual  string `json:"actual,omitempty"`  // exact text
	Limit   string `json:"limit,omitempty"`   // exact text
}

// Call is a recorded call and what came of it.
type Call struct {
	Ability string    `json:"ability"`
	Worker  string    `json:"worker,omitempty"` // whom it delegates to
	Args    string    `json:"args,omitempty"`   // JSON text; not JSON any more where it was cut
	Output  string    `json:"output,omitempty"`
	Error   *Failure  `json:"error,omitempty"` // nil: it succeeded
	At      time.Time `json:"at,omitzero"`     // when it ended
}

// Failure is how a call failed.
type Failure struct {
	Class   string `json:"class"` // such as NetworkError
	Message string `json:"message,omitempty"`
}

// Bounded returns a copy of the case within the bounds of this package, each
// text valid UTF-8. Every reviewer of this package works on such a copy.
func (c *Case) Bounded() *Case { return c.within(MaxCalls, MaxText) }

// within returns a copy with the latest calls, texts cut to a length.
func (c *Case) within(calls, text int) *Case {
	b := *c
	b.Session, b.Task, b.Chain = cut(c.Session, MaxName), cut(c.Task, MaxName), cut(c.Chain, MaxName)
	b.Attempt, b.LeftOut = max(c.Attempt, 1), max(c.LeftOut, 0)+max(len(c.Calls)-calls, 0)
	b.Earlier = max(c.Earlier, 0)
	b.Rule = Rule{
		ID: cut(c.Rule.ID, MaxName), Reason: cut(c.Rule.Reason, text), Explain: cut(c.Rule.Explain, text),
		Actual: cut(c.Rule.Actual, text), Limit: cut(c.Rule.Limit, text),
	}
	if c.Work != nil {
		w := *c.Work
		w.Reasons = slices.Clone(first(w.Reasons, maxPoints))
		b.Work = &w
	}
	b.Role, b.Preamble = cut(c.Role, MaxName), cut(c.Preamble, MaxPreamble)
	b.Counters = nil
	for _, name := range first(slices.Sorted(maps.Keys(c.Counters)), MaxCounters) {
		if b.Counters == nil {
			b.Counters = map[string]string{}
		}
		b.Counters[cut(name, MaxName)] = cut(c.Counters[name], text)
	}
	b.Asked, b.Outputs = cutAll(last(c.Asked, MaxTexts), text), cutAll(last(c.Outputs, MaxTexts), text)
	b.Calls, b.Plan = slices.Clone(last(c.Calls, calls)), slices.Clone(first(c.Plan, calls))
	for i := range b.Calls {
		b.Calls[i] = b.Calls[i].within(text)
	}
	for i := range b.Plan {
		b.Plan[i] = b.Plan[i].within(text)
	}
	b.Known = slices.Clone(first(c.Known, MaxKnown))
	for i := range b.Known {
		k := &b.Known[i]
		k.Cause, k.Remedy = cut(k.Cause, text), cutAll(first(k.Remedy, maxPoints), text)
	}
	return &b
}

func (c Call) within(text int) Call {
	c.Ability, c.Worker = cut(c.Ability, MaxName), cut(c.Worker, MaxName)
	c.Args, c.Output = cut(c.Args, text), cut(c.Output, text)
	if c.Error != nil {
		c.Error = &Failure{Class: cut(c.Error.Class, MaxName), Message: cut(c.Error.Message, text)}
	}
	return c
}

func last[T any](list []T, n int) []T  { return list[max(len(list)-n, 0):] }
func first[T any](list []T, n int) []T { return list[:min(len(list), n)] }

func cutAll(texts []string, n int) []string {
	if len(texts) == 0 {
		return nil
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = cut(t, n)
	}
	return out
}
