package review

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Work is what is known of a task before it begins. What is not known is left
// out; a number below 0 says that it is known to have no bound.
type Work struct {
	Risk      dsl.Risk      // of its chain; the zero value is the lowest
	Abilities []string      // that it is expected to use
	Calls     int           // tool calls that are expected
	Duration  time.Duration // that is expected
	Files     int           // that are expected to change
	Blocks    int           // other tasks that wait for it
	// Plan are the calls that are planned, for the reviewer to see; they count for nothing.
	Plan []Call
}

// Limits say from where on work needs a review. The zero value of each field
// is its default; a number below 0 is a limit of 0.
type Limits struct {
	Calls    int           // more than these; default 10
	Duration time.Duration // more than this; default 15 minutes
	Files    int           // more than these; default 5
	// Critical are patterns of abilities of which one use is enough; nil: those
	// that the function Critical finds. An empty list that is not nil: none.
	Critical []dsl.NamePattern
}

// The defaults of Limits.
const (
	DefaultCalls    = 10
	DefaultDuration = 15 * time.Minute
	DefaultFiles    = 5
)

// Reason is one thing that makes work complex or risky.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	What   string     `json:"what"`   // in words, with the figure and its limit
	Weight int        `json:"weight"` // its share of the score
	// Mandatory: this alone asks for a review.
	Mandatory bool `json:"mandatory"`
}

// Why is what asks for the review, in words; "": nothing does.
func (e *Estimate) Why() string {
	var why []string
	for _, r := range e.Reasons {
		if r.Mandatory {
			why = append(why, r.What)
		}
	}
	return strings.Join(why, "; ")
}

// ReasonKind is what a reason is about.
type ReasonKind string

// The kinds.
const (
	OfRisk     ReasonKind = "risk"
	OfAbility  ReasonKind = "ability"
	OfCalls    ReasonKind = "calls"
	OfDuration ReasonKind = "duration"
	OfFiles    ReasonKind = "files"
	OfBlocking ReasonKind = "blocking"
)

// Level is how complex work is.
type Level string

// The levels, by score.
const (
	Simple  Level = "simple"  // 0 to 19
	Medium  Level = "medium"  // 20 to 49
	Complex Level = "complex" // 50 and more
)

// Estimate says whether work needs a review, and why.
type Estimate struct {
	Review  bool     `json:"review"`  // some reason is mandatory
	Score   int      `json:"score"`   // the sum of the weights, at most 100
	Level   Level    `json:"level"`   // by the score
	Reasons []Reason `json:"reasons"` // in a fixed order; those that weigh nothing are left out
}

// Assess judges work by the default limits.
func Assess(w Work) Estimate { return Limits{}.Assess(w) }

// The weights of reasons.
const (
	weighTopRisk    = 50
	weighHighRisk   = 40
	weighMediumRisk = 15
	weighCritical   = 30
	weighFurther    = 10
	weighBlocking   = 20
	// A figure weighs in proportion to its limit: this much at the limit, and at
	// most twice as much.
	weighFigure = 15
)

// Assess judges work. Risk high, a critical ability, a figure above its limit,
// and other tasks that wait make a review mandatory; the score is the sum of
// what all reasons weigh, and says how complex the work is.
func (l Limits) Assess(w Work) Estimate {
	e := &Estimate{Reasons: []Reason{}}
	switch {
	case w.Risk > dsl.RiskHigh:
		e.add(OfRisk, weighTopRisk, true, "the risk is critical")
	case w.Risk == dsl.RiskHigh:
		e.add(OfRisk, weighHighRisk, true, "the risk is high")
	case w.Risk == dsl.RiskMedium:
		e.add(OfRisk, weighMediumRisk, false, "the risk is medium")
	}
	l.abilities(e, w.Abilities)
	figure(e, OfCalls, "tool calls expected", w.Calls, limit(l.Calls, DefaultCalls))
	figure(e, OfDuration, "expected duration", w.Duration, limit(l.Duration, DefaultDuration))
	figure(e, OfFiles, "files expected to change", w.Files, limit(l.Files, DefaultFiles))
	switch {
	case w.Blocks == 1:
		e.add(OfBlocking, weighBlocking, true, "1 other task waits for it")
	case w.Blocks > 1:
		e.add(OfBlocking, weighBlocking, true, "%d other tasks wait for it", w.Blocks)
	case w.Blocks < 0:
		e.add(OfBlocking, weighBlocking, true, "an unknown number of other tasks waits for it")
	}
	e.Score = min(e.Score, 100)
	switch {
	case e.Score >= 50:
		e.Level = Complex
	case e.Score >= 20:
		e.Level = Medium
	default:
		e.Level = Simple
	}
	return *e
}

// maxCritical is how many critical abilities are named.
const maxCritical = 10

// abilities adds a reason that names the critical abilities. The first weighs
// weighCritical, and each further one weighFurther, up to twice as much in all.
func (l Limits) abilities(e *Estimate, names []string) {
	var found []string
	for _, name := range names {
		if cited := cite(name); l.critical(name) && !slices.Contains(found, cited) {
			found = append(found, cited)
		}
	}
	if len(found) == 0 {
		return
	}
	weight := min(weighCritical+(len(found)-1)*weighFurther, 2*weighCritical)
	if len(found) == 1 {
		e.add(OfAbility, weight, true, "the ability %s is critical", found[0])
		return
	}
	if more := len(found) - maxCritical; more > 0 {
		found = append(found[:maxCritical], fmt.Sprintf("%d more", more))
	}
	last := len(found) - 1
	e.add(OfAbility, weight, true, "the abilities %s and %s are critical", strings.Join(found[:last], ", "), found[last])
}

// critical reports whether an ability is critical.
func (l Limits) critical(ability string) bool {
	if l.Critical == nil {
		return Critical(ability)
	}
	plain, spelt := dsl.Fold(ability), dsl.Fold(underscored(ability))
	return slices.ContainsFunc(l.Critical, func(p dsl.NamePattern) bool {
		p = p.Fold()
		return p.Match(plain) || p.Match(spelt)
	})
}

// underscored writes deletePullRequest as delete_Pull_Request.
func underscored(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// add adds a reason.
func (e *Estimate) add(kind ReasonKind, weight int, mandatory bool, format string, args ...any) {
	e.Reasons = append(e.Reasons, Reason{kind, fmt.Sprintf(format, args...), weight, mandatory})
	e.Score += weight
	e.Review = e.Review || mandatory
}

// figure adds what a figure says against its limit.
func figure[T int | time.Duration](e *Estimate, kind ReasonKind, what string, n, limit T) {
	switch weight := 2 * weighFigure; {
	case n < 0:
		e.add(kind, weight, true, "%s: without a bound (limit %v)", what, limit)
	case n > limit:
		if n/2 < limit {
			weight = int(weighFigure * float64(n) / float64(limit))
		}
		e.add(kind, weight, true, "%s: %v (limit %v)", what, n, limit)
	case n > 0:
		if weight = int(weighFigure * float64(n) / float64(limit)); weight > 0 {
			e.add(kind, weight, false, "%s: %v (limit %v)", what, n, limit)
		}
	}
}

// limit is a limit, its default for 0, and 0 for what is below.
func limit[T int | time.Duration](n, def T) T {
	if n == 0 {
		return def
	}
	return max(n, 0)
}
