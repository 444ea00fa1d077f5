package registry

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Modes is a set of what rules say about a store that cannot be reached. The
// zero Modes is that of no rule.
type Modes uint8

// ModesOf returns the set of one.
func ModesOf(o dsl.OnStoreError) Modes { return 1 << o }

func modesOf(r *Rule) Modes { return ModesOf(r.Options.OnStoreError) }

// Away is what was done about a store that could not be reached: a part of
// the tally, so that the decision can be made again from its record. The nil
// Away is that of a store that answered.
type Away struct {
	// Reason is why it could not be reached, in words.
	Reason string `json:"reason"`
	// Default is for rules that do not say what to do; StoreDefault is deny.
	Default dsl.OnStoreError `json:"on_store_error"`
	// Fleet is by what the limits of rules that are counted locally are
	// divided. 0: nothing was counted.
	Fleet int64 `json:"fleet,omitempty"`
}

// Mode is what holds for a rule that says o.
func (a *Away) Mode(o dsl.OnStoreError) dsl.OnStoreError {
	switch {
	case o != dsl.StoreDefault:
		return o
	case a.Default != dsl.StoreDefault:
		return a.Default
	}
	return dsl.StoreDeny
}

// Says reports whether a mode holds for one of the rules of a set.
func (a *Away) Says(m Modes, mode dsl.OnStoreError) bool {
	return m&ModesOf(mode) != 0 || m&ModesOf(dsl.StoreDefault) != 0 && a.Mode(dsl.StoreDefault) == mode
}

// Limit is the part of a limit that one process of the fleet may use by
// itself. It is rounded down, so that all of them together do not pass the
// limit: where it is less than the fleet, nothing is left for anybody.
func (a *Away) Limit(limit int64) int64 {
	if a == nil || a.Fleet < 2 {
		return limit
	}
	return limit / a.Fleet
}

// counted reports whether a rule is judged by the counts of the tally: by
// those of a store that answered, or if it asks for local ones.
func (t *Tally) counted(r *Rule) bool {
	return t.Away == nil || t.Away.Fleet > 0 && t.Away.Mode(r.Options.OnStoreError) == dsl.StoreLocal
}

// maxNamed bounds the rules that a note names.
const maxNamed = 20

// awayNotes say what became of the rules of a plan that wait for a count.
func (p *Plan) awayNotes(a *Away) []string {
	var local, allowed named
	say := func(r *Rule, w Window) {
		switch a.Mode(r.Options.OnStoreError) {
		case dsl.StoreLocal:
			if a.Fleet > 0 {
				local.add(fmt.Sprintf("%s %d of %d", r.ID, a.Limit(w.Limit), w.Limit))
			}
		case dsl.StoreAllow:
			allowed.add(r.ID)
		}
	}
	for need, c := range p.counters {
		for w, rules := range c.rules {
			for _, r := range rules {
				say(r, p.Needs[need].Windows[w])
			}
		}
	}
	for i := range p.held {
		h := &p.held[i]
		for _, ref := range h.windows {
			say(h.rule, p.Needs[ref.Need].Windows[ref.Window])
		}
	}
	notes := []string{"store unavailable: " + a.Reason}
	if local.n > 0 {
		notes = append(notes, fmt.Sprintf("counted locally, limits for a fleet of %d: %s", a.Fleet, &local))
	}
	if allowed.n > 0 {
		notes = append(notes, "let pass uncounted (on_store_error=allow): "+allowed.String())
	}
	return notes
}

// named is a list of rules, of which the first few are named.
type named struct {
	names []string
	n     int
}

func (l *named) add(name string) {
	if l.n++; l.n <= maxNamed {
		l.names = append(l.names, name)
	}
}

// String lists them.
func (l *named) String() string {
	text := strings.Join(l.names, ", ")
	if more := l.n - len(l.names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
