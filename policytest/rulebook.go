package policytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// ruleBook knows the rules that a test may name.
type ruleBook struct {
	set   *registry.Set
	rules map[string][]*registry.Rule // by id
}

func newRuleBook(s *registry.Set) *ruleBook {
	b := &ruleBook{set: s, rules: map[string][]*registry.Rule{}}
	for r := range s.Rules() {
		b.rules[r.ID] = append(b.rules[r.ID], r)
	}
	return b
}

// slugs are what the engine refuses with where no rule of a policy stands.
var slugs = [...]string{
	registry.SlugMalformedStep, registry.SlugInternalFault, registry.SlugStoreError, registry.SlugRecordError, session.SlugCircuitOpen,
}

// idList is a list of rule ids that an expectation names.
type idList struct {
	ids []string // ascending, distinct
	pos diag.Position
}

// use says what a list of rule ids is for, and so which rules it may name.
type use struct {
	what string
	fits func(*registry.Rule) bool
	hint string // where a rule does not fit
}

var (
	deciding = use{"rules", enforced, "its mode is observe: name it under observed"}
	silent   = use{"not_rules", func(*registry.Rule) bool { return true }, ""}
	observed = use{"observed", func(r *registry.Rule) bool { return !enforced(r) }, "its mode is enforce: name it under rules"}
	approved = use{"approve", func(r *registry.Rule) bool { return r.Action.Kind == dsl.Confirm && enforced(r) }, "only confirm rules are approved"}
)

func enforced(r *registry.Rule) bool { return r.Options.Mode == dsl.Enforce }

// ids reads a list of rule ids, each of which must belong to a rule that
// applies to the chain and fits the use.
func (l *loader) ids(n *document.Node, u use, chain string, book *ruleBook) *idList {
	list := &idList{pos: n.Pos, ids: []string{}}
	for _, item := range l.List(n, u.what, maxListed) {
		if id, ok := l.Text(item, "a rule id"); ok {
			l.checkRule(item, id, u, chain, book)
			list.ids = append(list.ids, id)
		}
	}
	slices.Sort(list.ids)
	list.ids = slices.Compact(list.ids)
	return list
}

// checkRule reports an id of which the test could say anything, because no
// rule has it, or none that could fire where it is named.
func (l *loader) checkRule(n *document.Node, id string, u use, chain string, book *ruleBook) {
	rules := book.rules[id]
	if len(rules) == 0 {
		if slices.Contains(slugs[:], id) && u.what != approved.what {
			return
		}
		l.Report(UnknownRuleID, n.Pos, "no rule has the id "+document.Quote(id), book.hint(id))
		return
	}
	here := slices.DeleteFunc(slices.Clone(rules), func(r *registry.Rule) bool { return !r.AppliesTo(chain) })
	if len(here) == 0 {
		r := rules[0]
		l.Report(UnknownRuleID, n.Pos, fmt.Sprintf("the rule %s does not apply to the chain %s", document.Quote(id), document.Quote(chain)),
			fmt.Sprintf("it stands at %s, for the chain %s", r.Source, document.Quote(string(r.Scope.Pattern))))
		return
	}
	if !slices.ContainsFunc(here, u.fits) {
		l.Report(UnknownRuleID, n.Pos, "the rule "+document.Quote(id)+" can never stand under "+u.what, u.hint)
	}
}

// maxKnown is how many rule ids a hint lists.
const maxKnown = 12

// hint says which rule may have been meant.
func (b *ruleBook) hint(id string) string {
	known := make([]string, 0, len(b.rules)+len(slugs))
	for r := range b.set.Rules() {
		if r.Scope.Origin != registry.Builtin && !slices.Contains(known, r.ID) {
			known = append(known, r.ID)
		}
	}
	all := known
	for id := range b.rules {
		all = append(all, id)
	}
	if like := diag.Suggest(id, append(all, slugs[:]...)); like != "" {
		return "did you mean " + like + "?"
	}
	if len(known) == 0 {
		return "there are no rules"
	}
	if len(known) > maxKnown {
		return fmt.Sprintf("known are %s and %d more", strings.Join(known[:maxKnown], ", "), len(known)-maxKnown)
	}
	return "known are " + strings.Join(known, ", ")
}

// chains returns the patterns of the chains that have rules, for a hint.
func (b *ruleBook) chains() []string {
	var patterns []string
	for r := range b.set.Rules() {
		if p := string(r.Scope.Pattern); !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	return patterns
}
