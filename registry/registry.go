package registry

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Registry holds the rules in force and lets them be changed while steps are
// being decided. The zero Registry is empty and ready. A change is all or
// nothing: if one rule is bad, what was in force stays in force. Deciding
// never waits for a change.
type Registry struct {
	current atomic.Pointer[Set]
	mu      sync.Mutex // serialises changes
	last    int        // the last ordinal given out
}

// Ruleset is the rules of one scope.
type Ruleset struct {
	Scope Scope
	Rules []RuleDef
	// Keys are what the chain declares, for checking when expressions; nil: unknown.
	Keys *Keys
}

// Set returns the rules in force.
func (r *Registry) Set() *Set {
	if s := r.current.Load(); s != nil {
		return s
	}
	return &Set{}
}

// Register adds rules to those their scopes have. An id that a scope already
// has is an error. The error is a [diag.List].
func (r *Registry) Register(sets ...Ruleset) error {
	return r.change(func(old *Set, e *edit) {
		for _, s := range sets {
			e.keep(old, s.Scope.normal())
			e.add(s)
		}
	})
}

// Replace puts rules in the place of all that their scopes have. An empty
// ruleset removes a scope's rules. The error is a [diag.List].
func (r *Registry) Replace(sets ...Ruleset) error {
	return r.change(func(_ *Set, e *edit) {
		for _, s := range sets {
			e.add(s)
		}
	})
}

// Remove takes rules away by id, or all of the scope's if none is named. It
// returns how many there were.
func (r *Registry) Remove(scope Scope, ids ...string) int {
	removed := 0
	scope = scope.normal()
	// Taking rules away leaves no fault to report.
	_ = r.change(func(old *Set, e *edit) {
		e.keep(old, scope)
		d := e.scopes[scope]
		n := len(d.rules)
		d.rules = slices.DeleteFunc(d.rules, func(rule *Rule) bool { return len(ids) == 0 || slices.Contains(ids, rule.ID) })
		removed = n - len(d.rules)
	})
	return removed
}

// normal spells a scope the one way by which it is identified.
func (s Scope) normal() Scope {
	if s.Pattern == "" {
		s.Pattern = "*"
	}
	return s
}

// change applies an edit and compiles the scopes it names. All other groups
// are shared with the old set.
func (r *Registry) change(f func(*Set, *edit)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.Set()
	e := &edit{last: r.last, scopes: map[Scope]*draft{}, notes: old.notes}
	f(old, e)
	next := maps.Clone(old.groups)
	if next == nil {
		next = map[Scope]*group{}
	}
	var faults diag.List
	for scope, d := range e.scopes {
		g, fs := d.build(scope)
		faults = append(faults, fs...)
		next[scope] = g
		if g == nil || len(g.rules) == 0 {
			delete(next, scope)
		}
	}
	if len(faults) > 0 {
		faults.Sort()
		return faults
	}
	r.last = e.last
	r.current.Store(newSet(next, e.notes))
	return nil
}

// edit collects what the scopes that change will hold.
type edit struct {
	last   int
	scopes map[Scope]*draft
	notes  []string
}

// draft is what a scope will hold.
type draft struct {
	rules []*Rule
	keys  *Keys
}

func (e *edit) draft(scope Scope) *draft {
	d := e.scopes[scope]
	if d == nil {
		d = &draft{}
		e.scopes[scope] = d
	}
	return d
}

// keep starts the scope's draft from the rules it has.
func (e *edit) keep(old *Set, scope Scope) {
	if e.scopes[scope] != nil {
		return
	}
	d := e.draft(scope)
	if g := old.groups[scope]; g != nil {
		d.rules, d.keys = slices.Clone(g.rules), g.keys
	}
}

// add appends rules in the order in which verdicts will list them.
func (e *edit) add(s Ruleset) {
	scope := s.Scope.normal()
	d := e.draft(scope)
	if s.Keys != nil {
		d.keys = s.Keys
	}
	for _, def := range s.Rules {
		e.last++
		d.rules = append(d.rules, &Rule{Rule: *def.Rule, Scope: scope, Source: def.Source, ID: def.Rule.ID(), Exact: def.Exact, Standby: def.Standby, ordinal: e.last})
	}
}

// build checks and compiles the draft. Rules are compiled anew, as those that
// are in force belong to their set.
func (d *draft) build(scope Scope) (*group, diag.List) {
	if err := scope.check(); err != nil && len(d.rules) > 0 {
		return nil, diag.List{{ID: "syntax", File: d.rules[0].Source.File, Pos: d.rules[0].Source.Pos, Message: err.Error()}}
	}
	var faults diag.List
	seen := map[string]*Rule{}
	rules := make([]*Rule, len(d.rules))
	for i, r := range d.rules {
		if first := seen[r.ID]; first != nil {
			faults = append(faults, duplicate(r, first))
		}
		seen[r.ID] = r
		if err := scope.checkRule(&r.Rule); err != nil {
			faults = append(faults, &diag.Finding{ID: "syntax", File: r.Source.File, Pos: r.Source.Pos, Message: fmt.Sprintf("rule %q: %v", r.ID, err)})
		}
		rules[i] = &Rule{Rule: r.Rule, Scope: r.Scope, Source: r.Source, ID: r.ID, Exact: r.Exact, Standby: r.Standby, ordinal: r.ordinal}
	}
	g, more := compileGroup(scope, d.keys, rules)
	if faults = append(faults, more...); len(faults) > 0 {
		return nil, faults
	}
	return g, nil
}

// duplicate reports a second rule of the same id in one scope.
func duplicate(r, first *Rule) *diag.Finding {
	return &diag.Finding{
		ID: "duplicate-rule", File: r.Source.File, Pos: r.Source.Pos,
		Message: fmt.Sprintf("rule %q is there twice in the %s", r.ID, r.Scope),
		Hint:    "remove one, or tell them apart with id=NAME",
		Related: []diag.Related{{File: first.Source.File, Pos: first.Source.Pos, Message: "the first one"}},
	}
}
