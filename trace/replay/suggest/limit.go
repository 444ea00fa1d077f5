package suggest

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// Limit is one rule that was learned. Numbers are texts in the unit of the
// meter, or of calls.
type Limit struct {
	Kind      string `json:"kind"` // of task; "": every one
	Rule      string `json:"rule"` // its id
	Condition string `json:"condition"`
	Runs      int    `json:"runs"` // that it rests on
	Median    string `json:"median"`
	P99       string `json:"p99"`
	Max       string `json:"max"`
	Value     string `json:"limit"`
	// Stops are the runs that this limit alone stops, Of those that there are of the kind.
	Stops Stops `json:"stops"`
	Of    Stops `json:"of"`
	// Builtin is the built-in rule that is stricter; "": none is.
	Builtin string `json:"builtin,omitempty"`
	// Guessed is in how many of the runs the money is guessed; Notes tell how,
	// once for each model without a price.
	Guessed int      `json:"guessed,omitempty"`
	Notes   []string `json:"notes,omitempty"`

	rule  *dsl.Rule
	value *big.Rat
}

// subject is what a limit is for.
type subject struct {
	name   string // in ids
	reason string
	round  rounding
	atom   func(limit *big.Rat) dsl.Atom
	// of returns what a run came to; nil: nothing that counts.
	of    func(m *replay.Measures) *big.Rat
	money bool // which is guessed where a model has no price
}

// spend is the meter of money.
const spend dsl.Key = "task.spend_cents"

// meters are the meters that limits are learned for.
func meters() []subject {
	any := func(*replay.Measures) bool { return true }
	timed := func(m *replay.Measures) bool { return m.Timed }
	called := func(m *replay.Measures) bool { return m.Totals.Calls > 0 }
	return []subject{
		meter("tool-calls", "task.tool_calls", "More tool calls than recorded runs needed", toOne, 0, any),
		meter("spend", spend, "More money than recorded runs needed", toTwoDigs, 0, (*replay.Measures).Priced),
		meter("input-tokens", "task.input_tokens", "More input tokens than recorded runs needed", toWhole, 0, func(m *replay.Measures) bool { return m.Totals.InputTokens > 0 }),
		meter("output-tokens", "task.output_tokens", "More output tokens than recorded runs needed", toWhole, 0, func(m *replay.Measures) bool { return m.Totals.OutputTokens > 0 }),
		meter("duration", "task.duration", "More time than recorded runs needed", toWhole, 's', timed),
		meter("same-call", "task.same_call_streak", "More equal calls in a row than in recorded runs", toOne, 0, called),
		meter("errors", "task.error_streak", "More failed calls in a row than in recorded runs", toOne, 0, called),
	}
}

// meter is a limit of a meter, learned from the runs that count.
func meter(name string, key dsl.Key, reason string, round rounding, unit dsl.Unit, counts func(*replay.Measures) bool) subject {
	return subject{name, reason, round,
		func(limit *big.Rat) dsl.Atom {
			d, _ := decimal.Parse(text(limit)) // a number by construction
			return &dsl.Threshold{Key: key, Op: dsl.Greater, Value: dsl.Value{Number: d, Unit: unit}}
		},
		func(m *replay.Measures) *big.Rat {
			v, read := m.Meters[key]
			if !read || !counts(m) {
				return nil
			}
			r, ok := new(big.Rat).SetString(v.String())
			if !ok {
				return nil
			}
			return r
		}, key == spend}
}

// ability is a limit of the calls of an ability in a session within a window.
func ability(name string, window dsl.Duration, suffix string, peak func(m *replay.Measures) int) subject {
	return subject{name + suffix, "More calls of this ability than in recorded runs", toOne,
		func(limit *big.Rat) dsl.Atom {
			return &dsl.Frequency{Name: dsl.NamePattern(name), Scope: dsl.ScopeSession, Count: limit.Num().Int64(), Window: window}
		},
		func(m *replay.Measures) *big.Rat {
			if n := peak(m); n > 0 {
				return big.NewRat(int64(n), 1)
			}
			return nil
		}, false}
}

// fit learns the limit of a subject from runs; nil: too few count, or nothing
// was ever above 0.
func (s *Suggestion) fit(kind string, of subject, runs []*replay.Measures) *Limit {
	var all values
	var g guesses
	for _, m := range runs {
		if v := of.of(m); v != nil {
			all = append(all, v)
			if of.money {
				g.add(m.PriceNotes)
			}
		}
	}
	if all.sort(); len(all) < s.MinRuns || all[len(all)-1].Sign() == 0 {
		return nil
	}
	p99 := all.quantile(99)
	value := above(p99, s.MarginPercent, of.round)
	if value.Sign() == 0 { // whose only values above 0 are rarer than the percentile
		return nil
	}
	rule := &dsl.Rule{Condition: dsl.Condition{of.atom(value)}, Action: dsl.Action{Kind: s.action}, Reason: of.reason}
	return &Limit{
		Kind: kind, Condition: rule.Condition.String(), Runs: len(all), Median: text(all.quantile(50)), P99: text(p99), Max: text(all[len(all)-1]),
		Value: text(value), Guessed: g.runs, Notes: g.notes, rule: rule, value: value,
	}
}

// guesses are how the money of runs was guessed, each way once.
type guesses struct {
	runs  int
	notes []string
	taken map[string]bool
}

// add takes in the notes of a run.
func (g *guesses) add(notes []string) {
	if len(notes) == 0 {
		return
	}
	g.runs++
	if g.taken == nil {
		g.taken = map[string]bool{}
	}
	for _, note := range notes {
		if !g.taken[note] {
			g.taken[note] = true
			g.notes = append(g.notes, note)
		}
	}
}

// idOf makes an id of words, of which no rule has one yet.
func idOf(taken map[string]bool, words ...string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, "learned-"+strings.Join(words, "-"))
	if len(id) > 100 {
		id = id[:100]
	}
	free := id
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", id, n)
	}
	taken[free] = true
	return free
}
