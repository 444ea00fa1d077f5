package registry

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Source is where a rule was written. The zero value: nowhere in a file.
type Source struct {
	File string
	Pos  diag.Position
}

// String returns file:line:column, or what of it is known.
func (s Source) String() string {
	if s.Pos.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Pos.Line, s.Pos.Column)
}

// Rule is a registered rule: the parsed line with where it applies, who wrote
// it and where. It is identified by its scope and ID.
type Rule struct {
	dsl.Rule
	Scope  Scope
	Source Source
	ID     string
	Exact  bool // abilities are compared letter by letter
	// Standby: the rule concerns only steps of tasks whose Tuning has it on.
	Standby bool

	key      string     // Key, made when the rule is compiled
	written  string     // the rule as text, made then if it asks for a confirmation
	unsaid   string     // what stands for a reason, made then if it has none
	ordinal  int        // place in the listing of a verdict; increases with origin and order
	compiled []compiled // one per atom of the condition
	ability  bool       // has a positive ability atom
	stepless bool       // can be judged without a step
	// It reads a meter of the task, or of the session.
	taskMeter, sessionMeter bool
	freqs                   []freqRef // the frequency atoms
	reason                  *reason   // nil: nothing is filled in
	twin                    *Rule     // with the other of abort and review; nil: the rule has none
	tuned                   bool      // it is such a twin
}

// Key is the identity of the rule as text, unique in a Set.
func (r *Rule) Key() string {
	if r.key != "" {
		return r.key
	}
	var b strings.Builder
	for _, part := range []string{r.Scope.Origin.String(), r.Scope.Session, string(r.Scope.Pattern), r.ID} {
		b.WriteString(part)
		b.WriteByte(0)
	}
	return b.String()
}

// ReasonText is the reason as written; a rule without one is described by its id.
func (r *Rule) ReasonText() string {
	switch {
	case r.Reason != "":
		return r.Reason
	case r.unsaid != "":
		return r.unsaid
	}
	return "rule " + r.ID
}

// deciding reports whether the rule can refuse a step.
func (r *Rule) deciding() bool {
	return r.Options.Mode == dsl.Enforce && r.Action.Kind != dsl.Warn
}

// RuleDef is a rule to be registered, with its place.
type RuleDef struct {
	*dsl.Rule
	Source Source
	// Exact compares abilities letter by letter, as a permission must: a
	// guard is wide, a grant is narrow.
	Exact bool
	// Standby has the rule concern only steps of tasks whose [Tuning] says of it
	// that it is not off. It is for built-in rules.
	Standby bool
}
