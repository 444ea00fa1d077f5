package registry

import (
	"errors"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Step is one thing about to be done: a chain step, a tool call, a
// delegation. What the agent supplies is Ability, Args and CallID; every
// other field comes from the host or the store.
type Step struct {
	Chain   string // "" outside a chain
	Run     string // identifies one execution of Chain; "": every step is a run of its own
	Session string
	Task    string
	ID      string // the chain step's id
	Ability string
	Worker  string // the worker a delegation goes to
	CallID  string // "": every call is a new one
	Risk    string

	Args, Outputs, Params *Values

	Declared  Declarations // nil: nothing is declared
	History   History      // nil: nothing was admitted before
	Words     Provenance   // nil: nobody said anything
	Meters    Meters       // nil: no session is attached, meters are unbound
	Tuning    *Tuning      // of the task; nil: built-in rules are as in the policy
	Now       int64        // Unix nanoseconds; 0: the store's clock
	Past      []PastCall   // calls that count for this step only
	PastRuns  []int64      // executions that count for this step only, ascending
	foldedFor string       // Ability as it was when folded
	folded    string
}

// PastCall is an admitted call that the host knows of and the store does not.
type PastCall struct {
	Ability string
	At      time.Time
}

// Declarations tells what became of a key that is not bound.
type Declarations interface {
	Declared(key dsl.Key) Declared
}

// Declared is what is known of an unbound key. The zero value is Undeclared.
type Declared int

// The states of an unbound key, by the table of the language's reference.
const (
	Undeclared  Declared = iota // no step declares or declared it
	Pending                     // a step that can still run declares it
	Judged                      // it was an argument of a step that ran, or belongs to a step that was skipped
	NotProduced                 // a step that ran declared it as output and did not produce it
)

// History answers what was admitted before in the session. The pattern is
// folded, and may be a class.
type History interface {
	Admitted(folded dsl.NamePattern) bool
}

// Provenance answers where a text occurred before.
type Provenance interface {
	InUser(text string) bool
	InOutputs(text string) bool
}

// Meters reads the meters of the session's running task. It reports false
// for one that is not bound.
type Meters interface {
	Meter(name dsl.Key) (decimal.Decimal, bool)
}

// errNoObject refuses arguments that are no JSON object.
var errNoObject = errors.New("want a JSON object of named values")

// fold returns the ability as rules compare it.
func (st *Step) fold() string {
	if st.foldedFor != st.Ability {
		st.foldedFor, st.folded = st.Ability, dsl.Fold(st.Ability)
	}
	return st.folded
}

// folds are how the latest abilities fold that are not as rules compare them:
// an agent has few, and uses them again and again. The zero value is ready.
type folds struct {
	of   [8]struct{ name, folded string }
	next int
}

// fold folds the step's ability.
func (f *folds) fold(st *Step) {
	if st.foldedFor == st.Ability || dsl.Folded(st.Ability) {
		return
	}
	for i := range f.of {
		if known := &f.of[i]; known.name == st.Ability {
			st.foldedFor, st.folded = known.name, known.folded
			return
		}
	}
	if len(st.Ability) > maxKept {
		return
	}
	known := &f.of[f.next]
	f.next = (f.next + 1) % len(f.of)
	known.name, known.folded = st.Ability, st.fold()
}

// covered reports whether a folded pattern covers the step's ability.
func (st *Step) covered(folded dsl.NamePattern) bool {
	if folded.IsClass() {
		return folded.Covers(st.Ability)
	}
	return folded.Match(st.fold())
}

// modelChain reports whether the step belongs to a model-written chain.
func (st *Step) modelChain() bool { return IsModelChain(st.Chain) }

// Check refuses a step that could be read as something other than what runs:
// an empty ability, a name with a character that cannot be seen, arguments
// whose names differ only in case. It returns nil or an error that says what
// is wrong.
func (st *Step) Check() error {
	if st.Ability == "" {
		return errors.New("the step names no ability")
	}
	if err := checkName("ability", st.Ability); err != nil {
		return err
	}
	if err := checkBlanks(st.Ability); err != nil {
		return err
	}
	lower, err := st.Args.checkNames()
	if err != nil {
		return err
	}
	for _, vs := range [...]*Values{st.Outputs, st.Params} {
		if _, err := vs.checkNames(); err != nil {
			return err
		}
	}
	if lower || st.Args.Len() < 2 {
		return nil
	}
	return st.Args.checkVariants()
}

// checkBlanks refuses an ability with blanks that a person does not see and a
// host may drop: at its ends, and any other than the common one.
func checkBlanks(ability string) error {
	if ability[0] == ' ' || ability[len(ability)-1] == ' ' {
		return errors.New("ability " + quoteASCII(ability) + " begins or ends with a blank")
	}
	for _, r := range ability {
		if (r < ' ' || r >= utf8.RuneSelf) && unicode.IsSpace(r) || r == brailleBlank {
			return &NameError{What: "ability", Name: ability, Rune: r}
		}
	}
	return nil
}

// brailleBlank shows as a blank and is a symbol to Unicode.
const brailleBlank = '\u2800'

// checkName refuses control, zero-width and bidirectional characters.
func checkName(what, name string) error {
	for i := range len(name) {
		if c := name[i]; c < 0x20 || c >= 0x7f {
			return checkRunes(what, name)
		}
	}
	return nil
}

func checkRunes(what, name string) error {
	for _, r := range name {
		if r == unicode.ReplacementChar || diag.Invisible(r) {
			return &NameError{What: what, Name: name, Rune: r}
		}
	}
	return nil
}

// NameError refuses a name that holds a character a person cannot see.
type NameError struct {
	What string // "ability" or "key"
	Name string
	Rune rune
}

// Error names the character by its code point and quotes the name in ASCII.
func (e *NameError) Error() string {
	return e.What + " " + quoteASCII(e.Name) + " holds the character " + codePoint(e.Rune) + ", which cannot be seen"
}
