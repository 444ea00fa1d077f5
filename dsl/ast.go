package dsl

import (
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Rule is one parsed line: Condition "|" Action [ "|" Reason ] [ "|" Options ].
type Rule struct {
	Condition Condition
	Action    Action
	Reason    string // unescaped; "" if the line gives none
	Options   Options
	Pos       Span // of the condition's first to the rule's last character
}

// ID returns the rule's identifier: the id option, else one derived from the
// condition, such as "amount-gt-1000".
func (r *Rule) ID() string {
	if r.Options.ID != "" {
		return r.Options.ID
	}
	return r.Condition.slug()
}

// Span is where a piece of text stands in its file. Columns count code points from 1.
type Span struct {
	Start, End diag.Position // End is the first position after the text
}

// Condition is a conjunction: every atom must hold.
type Condition []Atom

// Atom is one test of a condition: Threshold, Frequency, Ability, After, Match or When.
type Atom interface {
	// String prints the atom canonically.
	String() string
	// Span tells where the atom was written.
	Span() Span
	atom()
}

// Op is a comparison operator.
type Op int

// The comparison operators.
const (
	Greater Op = iota
	GreaterEqual
	Less
	LessEqual
	Equal
	NotEqual
)

// Threshold compares every binding of a key with a value: Key Op Value.
type Threshold struct {
	Key   Key
	Op    Op
	Value Value
	At    Span
}

// Value is a threshold's right side: a number, or a chain parameter's name.
type Value struct {
	Number decimal.Decimal // the number as written, before the unit
	Unit   Unit            // 0: none
	Param  Key             // not empty: {{Param}}; Number and Unit are then zero
}

// Unit is a unit of time: 's', 'm', 'h' or 'd'. The zero Unit means none.
type Unit byte

// Seconds returns how many seconds the unit has; 1 for the zero Unit.
func (u Unit) Seconds() int64 {
	switch u {
	case 'm':
		return 60
	case 'h':
		return 3600
	case 'd':
		return 86400
	}
	return 1
}

// Scope says what one frequency counter covers. The zero value is one counter per chain.
type Scope int

// The scopes of a frequency counter.
const (
	ScopeChain Scope = iota
	ScopeSession
	ScopeAll
)

// Frequency holds when admitting the step would make more than Count entries in Window.
type Frequency struct {
	Name   NamePattern // empty: counts executions of the chain, else admitted calls; a class is one
	Scope  Scope
	Count  int64    // 0 to MaxHistory-1
	Window Duration // at least 1 unit
	At     Span
}

// Duration is an amount of time as written: an integer of at least 1 and a unit.
type Duration struct {
	N    int64
	Unit Unit
}

// Time returns the duration; Parse refuses what would overflow.
func (d Duration) Time() time.Duration {
	return time.Duration(d.N) * time.Duration(d.Unit.Seconds()) * time.Second
}

// IsZero reports whether no duration was given.
func (d Duration) IsZero() bool { return d.N == 0 }

// Ability holds when the step's ability matches: [ "!" ] "ability:" Name.
type Ability struct {
	Not  bool
	Name NamePattern
	At   Span
}

// After holds when an ability that matches was already admitted in this session.
type After struct {
	Not  bool
	Name NamePattern
	At   Span
}

// Subject is what a Match reads.
type Subject int

// The subjects of a Match.
const (
	Output Subject = iota
	Arg
)

// MatchKind is how a Match compares.
type MatchKind int

// The kinds of a Match. InUser and InOutputs ask for provenance and take no pattern.
const (
	Contains MatchKind = iota
	IContains
	Equals
	Matches
	InUser
	InOutputs
)

// Match looks at every leaf of the outputs or arguments that Key names. In an
// output, Contains, IContains and Matches also look at a leaf as a reader sees
// it: escapes and entities undone, characters that look different made plain.
// A negated match does not, as that would keep it from holding.
type Match struct {
	Not     bool
	Subject Subject
	Key     KeyPattern
	Kind    MatchKind
	Pattern string // unescaped text; RE2 for Matches
	At      Span
}

// When is an expr-lang expression, kept as written without outer blanks.
type When struct {
	Expr   string
	ExprAt Span // of the expression alone
	At     Span
}

// ActionKind is what a rule asks for. They are ordered from weak to strong.
type ActionKind int

// The actions. The zero value is Warn; "allow" is no action but the absence of one.
const (
	Warn ActionKind = iota
	Throttle
	Confirm
	Review
	Abort
)

// Action is an action with its optional limit: how long to wait for an answer or for room.
type Action struct {
	Kind  ActionKind
	Limit Duration // confirm and throttle only; zero: the default (5m, 60s)
}

// Mode says whether a rule decides. The zero value is Enforce.
type Mode int

// The modes.
const (
	Enforce Mode = iota
	Observe
)

// Missing says what a threshold does while its key is unbound. The zero
// value, MissingWait, is the default.
type Missing int

// The ways to treat an unbound key.
const (
	MissingWait Missing = iota
	MissingFire
	MissingSkip
)

// OnStoreError says what a rule does when the state cannot be reached. The
// zero value means that the rule does not say; the default is deny.
type OnStoreError int

// The ways to treat a store that fails.
const (
	StoreDefault OnStoreError = iota
	StoreDeny
	StoreAllow
	StoreLocal
)

// Options are a rule's trailing options; the zero value of each is its default.
type Options struct {
	ID           string
	Mode         Mode
	Missing      Missing
	OnStoreError OnStoreError
}

// Limits of the language. MaxLine is bytes; MaxHistory is the number of
// entries a counter keeps, so a count at or above it could never be observed.
const (
	MaxLine    = 4096
	MaxHistory = 10_000
)

func (*Threshold) atom() {}
func (*Frequency) atom() {}
func (*Ability) atom()   {}
func (*After) atom()     {}
func (*Match) atom()     {}
func (*When) atom()      {}

// Span tells where the atom was written.
func (a *Threshold) Span() Span { return a.At }

// Span tells where the atom was written.
func (a *Frequency) Span() Span { return a.At }

// Span tells where the atom was written.
func (a *Ability) Span() Span { return a.At }

// Span tells where the atom was written.
func (a *After) Span() Span { return a.At }

// Span tells where the atom was written.
func (a *Match) Span() Span { return a.At }

// Span tells where the atom was written.
func (a *When) Span() Span { return a.At }
