package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Abilities is what is known of the abilities that a host offers. The zero
// Abilities know nothing, and no finding comes of them.
type Abilities struct {
	known map[string]*ability // by folded name
	// plugins are the first segments of the names in manifests: a plugin
	// that has a manifest has no other abilities than those in it.
	plugins  map[string]bool
	complete bool // a list was given: there are no others at all
}

// ability is one of them.
type ability struct {
	name   string
	params map[string]*abilityParam
	listed bool // by its name only: nothing is known of its parameters
	file   string
	pos    diag.Position
}

// abilityParam is a parameter that an ability declares.
type abilityParam struct {
	typ      string // as the manifest says; "": it does not
	required bool   // and it has no default
	pos      diag.Position
}

// add takes abilities in. Of two descriptions of one ability, that with
// parameters counts.
func (a *Abilities) add(found map[string]*ability) {
	if a.known == nil {
		a.known = map[string]*ability{}
	}
	for name, ab := range found {
		if have := a.known[name]; have == nil || have.listed {
			a.known[name] = ab
		}
	}
}

// same reports whether two descriptions of an ability say the same of its parameters.
func (ab *ability) same(other *ability) bool {
	return maps.EqualFunc(ab.params, other.params, func(p, q *abilityParam) bool { return p.typ == q.typ && p.required == q.required })
}

// delegations begins the names of the abilities that hand a task to another
// agent. No plugin offers them, so no manifest and no list has them.
const delegations = "delegate"

// plugin is the first segment of an ability's name.
func plugin(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// find returns what is known of an ability, or nil.
func (a *Abilities) find(name string) *ability { return a.known[dsl.Fold(name)] }

// missing says why there is no ability of a name; "" if there is, or may be.
func (a *Abilities) missing(name string) string {
	first := plugin(dsl.Fold(name))
	switch {
	case a.find(name) != nil || first == delegations:
	case a.plugins[first]:
		return fmt.Sprintf("plugin %s has no ability %s", first, name)
	case a.complete:
		return fmt.Sprintf("there is no ability %s", name)
	}
	return ""
}

// unmatched says why there is no ability that a pattern matches; "" if there
// is, or may be.
func (a *Abilities) unmatched(pattern dsl.NamePattern) string {
	if pattern.Literal() {
		return a.missing(string(pattern))
	}
	if pattern.IsClass() {
		return "" // it is about abilities of any name
	}
	folded := pattern.Fold()
	first := plugin(string(folded))
	if !a.complete && !a.plugins[first] || dsl.NamePattern(first).Match(delegations) {
		return ""
	}
	for name := range a.known {
		if folded.Match(name) {
			return ""
		}
	}
	return fmt.Sprintf("%s matches no ability that is known", pattern)
}

// names returns the abilities that one could be a slip for, sorted.
func (a *Abilities) names() []string {
	names := make([]string, 0, len(a.known))
	for _, ab := range a.known {
		names = append(names, ab.name)
	}
	slices.Sort(names)
	return names
}

// eachKnownStep calls f for every step whose ability's parameters are known.
func (p *pass) eachKnownStep(f func(c *flowChain, s *chain.Step, ab *ability)) {
	p.eachStep(func(c *flowChain, i int) {
		if ab := p.abilities.find(c.Steps[i].Ability); ab != nil && !ab.listed {
			f(c, &c.Steps[i], ab)
		}
	})
}

// paramNames are the parameters of an ability, sorted.
func (ab *ability) paramNames() []string { return slices.Sorted(maps.Keys(ab.params)) }

// meant is the parameter that an argument's name is a slip for; "": it is a
// parameter, or like none.
func (ab *ability) meant(name string) string {
	if ab.params[name] != nil {
		return ""
	}
	return diag.Suggest(name, ab.paramNames())
}

// declares says what the ability declares.
func (ab *ability) declares() string {
	if len(ab.params) == 0 {
		return "it declares no parameters"
	}
	return "it declares " + list(ab.paramNames())
}
