package registry

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Decision is what becomes of a step: the strongest action among the rules
// that fired and are enforced. The zero value is Allow.
type Decision int

// The decisions, from weak to strong. All above Warned block the step until
// what they ask for is given.
const (
	Allow Decision = iota
	Warned
	Throttled
	Confirm
	Review
	Abort
)

var decisionNames = [...]string{"allow", "warn", "throttle", "confirm", "review", "abort"}

// String returns the name of the decision as it stands in the verdict JSON.
func (d Decision) String() string { return decisionNames[d] }

// MarshalText renders the decision as in String.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what String prints.
func (d *Decision) UnmarshalText(text []byte) error {
	for i, name := range decisionNames {
		if name == string(text) {
			*d = Decision(i)
			return nil
		}
	}
	return fmt.Errorf("registry: unknown decision %q", text)
}

// Blocks reports whether the step must not run as things stand.
func (d Decision) Blocks() bool { return d > Warned }

// DecisionOf maps an action to the decision it asks for.
func DecisionOf(a dsl.ActionKind) Decision { return Decision(a) + 1 }

// Why tells how an atom came to hold.
type Why int

// The reasons for which an atom holds.
const (
	Matched   Why = iota // an ability, after, match or when atom holds
	Exceeded             // a comparison holds, or a window is over its limit
	Malformed            // the key is bound to something that is no number
	Missing              // the key is not bound and should be
	Faulted              // a when expression failed or ran over its bounds
	Refused              // the step itself was refused, by no rule
)

var whyNames = [...]string{"matched", "exceeded", "malformed", "missing", "faulted", "refused"}

// String returns the lower-case name.
func (w Why) String() string { return whyNames[w] }

// Fired is one rule that holds for the step.
type Fired struct {
	Rule *Rule
	Why  Why
	// Actual and Limit are what was compared, as text: the value found and
	// the bound it passed. Limit is empty where the atom has none.
	Actual, Limit string
	// Reason is the rule's reason with values filled in; "" where it has none to fill in.
	Reason string
	// Atom is the condition's atom that Actual and Limit come from.
	Atom int
	// RetryAfter is how long until a frequency atom of the rule ends; -1: no
	// time is known. Only set for throttle rules.
	RetryAfter time.Duration
	// Approved: the rule asks for a confirmation that was given.
	Approved bool
}

// ReasonText is the reason to show, with values filled in.
func (f *Fired) ReasonText() string {
	if f.Reason != "" {
		return f.Reason
	}
	return f.Rule.ReasonText()
}

// Decides reports whether the rule has a say in the decision: it is enforced,
// and was not satisfied.
func (f *Fired) Decides() bool { return f.Rule.Options.Mode == dsl.Enforce && !f.Approved }

// Verdict is the answer to a step. Reuse it: its slice is overwritten.
type Verdict struct {
	Decision Decision
	Chain    string
	Step     string
	Ability  string
	// Fired lists every rule that holds, decisive or not, in the order of origins and files.
	Fired []Fired
	// RetryAfter is the longest wait any fired throttle rule asks for; -1: no
	// time is known; 0: none asks.
	RetryAfter time.Duration
	// Notes are what whoever reads the verdict should know of how it came
	// about, beside the rules, such as a model that has no price.
	Notes []string
}

// Reset makes v an allowing verdict about the step, keeping its memory.
func (v *Verdict) Reset(st *Step) {
	v.Decision, v.RetryAfter, v.Fired, v.Notes = Allow, 0, v.Fired[:0], nil
	v.Chain, v.Step, v.Ability = st.Chain, st.ID, st.Ability
}

// Blocking returns the first rule that stands behind the decision, or nil.
func (v *Verdict) Blocking() *Fired {
	for i := range v.Fired {
		f := &v.Fired[i]
		if f.Decides() && DecisionOf(f.Rule.Action.Kind) == v.Decision {
			return f
		}
	}
	return nil
}

// Refuse makes v an abort for which no rule of a policy stands, such as a
// malformed step. The slug is what a program matches on.
func (v *Verdict) Refuse(st *Step, slug, reason string) {
	v.Reset(st)
	v.Decision = Abort
	v.Fired = append(v.Fired, Fired{Rule: refusal(slug, reason), Why: Refused, RetryAfter: 0})
}

// Add makes an abort of v for which no rule of a policy stands, beside what
// fired. The wait is how long until it may be tried again; -1: nobody knows.
func (v *Verdict) Add(slug, reason string, wait time.Duration) {
	v.Decision = Abort
	v.Fired = append(v.Fired, Fired{Rule: refusal(slug, reason), Why: Refused, RetryAfter: wait})
	if v.RetryAfter != waitNone && (wait == waitNone || wait > v.RetryAfter) {
		v.RetryAfter = wait
	}
}

// RefuseAgain makes v the abort of a rule that fired before and still stands.
func (v *Verdict) RefuseAgain(st *Step, by *Fired) {
	v.Reset(st)
	v.Decision = Abort
	v.Fired = append(v.Fired, *by)
}

// refusal stands in for a rule where the engine itself refuses.
func refusal(slug, reason string) *Rule {
	return &Rule{
		Rule:  dsl.Rule{Action: dsl.Action{Kind: dsl.Abort}, Reason: reason, Options: dsl.Options{ID: slug}},
		Scope: Scope{Origin: Builtin, Pattern: "*"},
		ID:    slug,
	}
}

// The slugs of refusals by the engine itself.
const (
	SlugMalformedStep = "malformed_step"
	SlugInternalFault = "internal_fault"
	SlugStoreError    = "store_error"
	SlugRecordError   = "record_error"
)

// Explain says in one sentence why the rule holds.
func (f *Fired) Explain() string {
	if f.Why == Refused {
		return f.Rule.Reason
	}
	switch a := f.Rule.Condition[f.Atom].(type) {
	case *dsl.Threshold:
		return explainThreshold(a, f)
	case *dsl.Frequency:
		return explainFrequency(a, f)
	case *dsl.Ability:
		if a.Not {
			return fmt.Sprintf("ability %s is not covered by %s", f.Actual, a.Name)
		}
		return fmt.Sprintf("ability %s is covered by %s", f.Actual, a.Name)
	case *dsl.After:
		if a.Not {
			return fmt.Sprintf("nothing covered by %s was admitted before in this session", a.Name)
		}
		return fmt.Sprintf("%s was admitted before in this session", a.Name)
	case *dsl.Match:
		return explainMatch(a, f)
	case *dsl.When:
		if f.Why == Faulted {
			return "the expression failed and counts as holding: " + f.Actual
		}
		return "the expression holds: " + a.Expr
	}
	return f.Rule.Condition[f.Atom].String()
}

var opWords = [...]string{
	dsl.Greater: "exceeds", dsl.GreaterEqual: "is at least", dsl.Less: "is below",
	dsl.LessEqual: "is at most", dsl.Equal: "equals", dsl.NotEqual: "differs from",
}

func explainThreshold(a *dsl.Threshold, f *Fired) string {
	switch f.Why {
	case Malformed:
		return fmt.Sprintf("%s is %s, which is no number (malformed, counts as holding)", a.Key, strconv.Quote(f.Actual))
	case Missing:
		return fmt.Sprintf("%s is missing (counts as holding)", a.Key)
	}
	return fmt.Sprintf("%s %s %s %s", a.Key, f.Actual, opWords[a.Op], f.Limit)
}

func explainFrequency(a *dsl.Frequency, f *Fired) string {
	what := "executions"
	if a.Name != "" {
		what = "calls of " + string(a.Name)
	}
	return fmt.Sprintf("%s %s in %s exceed %s", f.Actual, what, a.Window, f.Limit)
}

func explainMatch(a *dsl.Match, f *Fired) string {
	subject := "output"
	if a.Subject == dsl.Arg {
		subject = "argument"
	}
	not, verb := "", "contains"
	switch a.Kind {
	case dsl.IContains:
		verb = "contains (whatever the case)"
	case dsl.Equals:
		verb = "equals"
	case dsl.Matches:
		verb = "matches"
	case dsl.InUser, dsl.InOutputs:
		place := "what the user wrote"
		if a.Kind == dsl.InOutputs {
			place = "an earlier output"
		}
		switch {
		case !a.Not:
			return fmt.Sprintf("%s %s occurs in %s", subject, a.Key, place)
		case f.Actual == "": // there may be no such argument
			return fmt.Sprintf("no %s %s occurs in %s", subject, a.Key, place)
		}
		return fmt.Sprintf("%s of %s %s does not occur in %s", strconv.Quote(f.Actual), subject, a.Key, place)
	}
	if f.Why == Malformed {
		return fmt.Sprintf("%s %s cannot be read (malformed, counts as holding)", subject, a.Key)
	}
	if a.Not {
		not = "no leaf of "
	}
	return fmt.Sprintf("%s%s %s %s %s", not, subject, a.Key, verb, dsl.QuotePattern(a.Pattern))
}
