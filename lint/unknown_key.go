package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// unknownKey reports keys of rules that no step, argument or parameter of the
// chain declares. A chain's own rules, and those of the block that wrote or
// changed it, can mean nothing else. An operator's
// rule may be meant for other chains: it is suspect only if no chain among
// the files that it looks at knows the key.
func unknownKey(p *pass) {
	for _, c := range p.chains {
		for i := range c.Rules {
			for _, atom := range c.Rules[i].Condition {
				if u := c.unknown(atom); u != nil {
					p.unknown(u, c.known(u.kind), &diag.Finding{File: c.File}, fmt.Sprintf("of chain %q", c.ID))
				}
			}
		}
	}
	for _, c := range append(slices.Clone(p.chains), p.patched...) {
		if c.by == nil {
			continue
		}
		for _, r := range c.by.Rules {
			for _, atom := range r.Condition {
				if u := c.unknown(atom); u != nil {
					p.unknown(u, c.known(u.kind), &diag.Finding{File: c.by.File}, fmt.Sprintf("of chain %q", c.ID))
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
		if pattern.Match(c.ID) && slices.ContainsFunc(c.Steps, func(s chain.Step) bool { return selects(r, s.Ability) }) {
			chains = append(chains, c)
		}
	}
	if len(chains) == 0 || p.unread && !pattern.Literal() || r.Options.Missing == dsl.MissingSkip {
		return // not enough is known, or the author says that the key may be missing
	}
	for _, atom := range r.Condition {
		u := chains[0].unknown(atom)
		if u == nil || slices.ContainsFunc(chains[1:], func(c *flowChain) bool { return c.unknown(atom) == nil }) {
			continue
		}
		var known []string
		for _, c := range chains {
			known = append(known, c.known(u.kind)...)
		}
		slices.Sort(known)
		f := &diag.Finding{File: file, Severity: diag.Warning, Confidence: diag.Possible}
		where := "of the chains that were checked with it"
		if pattern.Literal() {
			f.Confidence, where = diag.Proved, fmt.Sprintf("of chain %q", pattern)
		}
		p.unknown(u, slices.Compact(known), f, where)
	}
}

// undeclaredKey is a key that nothing declares.
type undeclaredKey struct {
	key  dsl.Key
	at   dsl.Span
	kind string // of names among which it is not
}

// unknown completes a finding about a key.
func (p *pass) unknown(u *undeclaredKey, known []string, f *diag.Finding, where string) {
	if p.full(f.File) {
		return
	}
	otherwise := "nothing of that kind is declared"
	if len(known) > 0 {
		otherwise = "there are " + list(known)
	}
	f.ID, f.Pos, f.End = UnknownKeyID, u.at.Start, u.at.End
	f.Message = fmt.Sprintf("no %s %s is called %s", u.kind, where, u.key)
	f.Hint = didYouMean(u.key, known, otherwise)
	p.addKey(f, u.key, false)
}

// unknown returns what an atom reads that the chain does not know; nil: nothing.
func (c *flowChain) unknown(atom dsl.Atom) *undeclaredKey {
	switch a := atom.(type) {
	case *dsl.Threshold:
		if !a.Key.IsMeter() && !c.knows(a.Key) {
			return &undeclaredKey{a.Key, a.At, allNames}
		}
	case *dsl.Match:
		key := dsl.Key(a.Key)
		switch {
		case !a.Key.Literal():
		case a.Subject == dsl.Arg && !c.isArg(key):
			return &undeclaredKey{key, a.At, argNames}
		case a.Subject == dsl.Output && !c.produced(key):
			return &undeclaredKey{key, a.At, outputNames}
		}
	}
	return nil
}
