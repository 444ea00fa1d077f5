package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// unknownKey reports keys of rules that no step, argument or parameter of the
// chain declares. A chain's own rules can mean nothing else. An operator's
// rule may be meant for other chains: it is suspect only if no chain among
// the files that it looks at knows the key.
func unknownKey(p *pass) {
	for _, c := range p.chains {
		for i := range c.Rules {
			for _, atom := range c.Rules[i].Condition {
				if u := c.unknown(atom); u != nil {
					p.addKey(u.finding(c.File, diag.Error, diag.Proved, fmt.Sprintf("of chain %q", c.ID)), u.key, false)
				}
			}
		}
	}
	for _, policy := range p.policies {
		for _, s := range policy.Sections {
			for _, r := range s.Rules {
				p.unknownToAll(policy.File, s.Pattern, r)
			}
		}
	}
}

// unknownToAll looks at an operator's rule.
func (p *pass) unknownToAll(file string, pattern dsl.NamePattern, r *dsl.Rule) {
	var chains []*flowChain
	for _, c := range p.chains {
		if pattern.Match(c.ID) && slices.ContainsFunc(c.abilities(), func(a string) bool { return selects(r, a) }) {
			chains = append(chains, c)
		}
	}
	if len(chains) == 0 || p.unread && !pattern.Literal() || r.Options.Missing == dsl.MissingSkip {
		return // not enough is known, or the author says that the key may be missing
	}
	confidence, where := diag.Possible, "of the chains that were checked with it"
	if pattern.Literal() {
		confidence, where = diag.Proved, fmt.Sprintf("of chain %q", pattern)
	}
	for _, atom := range r.Condition {
		var first *unknown
		for _, c := range chains {
			u := c.unknown(atom)
			if u == nil {
				first = nil
				break
			}
			if first == nil {
				first = u
			}
			first.known = append(first.known, u.known...)
		}
		if first != nil {
			p.addKey(first.finding(file, diag.Warning, confidence, where), first.key, false)
		}
	}
}

// unknown is a key that nothing declares.
type unknown struct {
	key   dsl.Key
	at    dsl.Span
	what  string   // what could have declared it
	known []string // names that are declared
}

func (u *unknown) finding(file string, severity diag.Severity, confidence diag.Confidence, where string) *diag.Finding {
	otherwise := "nothing of that kind is declared"
	if len(u.known) > 0 {
		otherwise = "there are " + list(u.known)
	}
	return &diag.Finding{ID: UnknownKeyID, Severity: severity, Confidence: confidence, File: file, Pos: u.at.Start, End: u.at.End,
		Message: fmt.Sprintf("no %s %s is called %s", u.what, where, u.key), Hint: didYouMean(u.key, u.known, otherwise)}
}

// unknown returns what an atom reads that the chain does not know; nil: nothing.
func (c *flowChain) unknown(atom dsl.Atom) *unknown {
	switch a := atom.(type) {
	case *dsl.Threshold:
		known := slices.Concat(c.args, c.outputs, c.params)
		if !a.Key.IsMeter() && !coveredBy(known, a.Key) {
			return &unknown{a.Key, a.At, "output, argument or parameter", known}
		}
	case *dsl.Match:
		known, what := c.outputs, "output"
		if a.Subject == dsl.Arg {
			known, what = c.args, "argument"
		}
		if a.Key.Literal() && !coveredBy(known, dsl.Key(a.Key)) {
			return &unknown{dsl.Key(a.Key), a.At, what, known}
		}
	}
	return nil
}

// abilities are those of all steps.
func (c *flowChain) abilities() []string {
	names := make([]string, len(c.Steps))
	for i := range c.Steps {
		names[i] = c.Steps[i].Ability
	}
	return names
}
