package chain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// allRules returns the rules of the chain and those that a model wrote for it.
func (c *Chain) allRules() []*dsl.Rule {
	rules := make([]*dsl.Rule, 0, len(c.Rules))
	for i := range c.Rules {
		rules = append(rules, c.Rules[i].Rule)
	}
	if c.Block != nil {
		rules = append(rules, c.Block.Rules...)
	}
	return rules
}

// names is a set of names that values may be bound to.
type names []string

// hold reports whether a value bound to one of the names is, or holds, the key's value.
func (n names) hold(key dsl.Key) bool {
	return slices.ContainsFunc(n, func(name string) bool { return covers(name, key) })
}

// matched reports whether a pattern over keys may mean a value bound to one
// of the names, or something inside it.
func (n names) matched(p dsl.KeyPattern) bool {
	if p.Literal() {
		return n.hold(dsl.Key(p))
	}
	if p.IsClass() {
		return slices.ContainsFunc(n, p.Match)
	}
	fixed, _, _ := strings.Cut(string(p), "*")
	return slices.ContainsFunc(n, func(name string) bool { return strings.HasPrefix(name, fixed) || strings.HasPrefix(fixed, name+".") })
}

// mentioned reports whether a text holds one of the names.
func (n names) mentioned(text string) bool {
	return slices.ContainsFunc(n, func(name string) bool { return strings.Contains(text, name) })
}

// stepReads says which step reads a value by one of the names, and from
// where, but for one step; "" if none does.
func (c *Chain) stepReads(n names, but int) string {
	for i := range c.Steps {
		s := &c.Steps[i]
		if i == but {
			continue
		}
		for _, arg := range s.Args {
			for _, ref := range arg.Value.Refs() {
				if n.hold(ref.Key) {
					return fmt.Sprintf("step %s reads %s", s.ID, ref.Key)
				}
			}
		}
	}
	return c.conditionReads(n, but)
}

// conditionReads says which step's condition reads a value by one of the
// names, but for one step; "" if none does.
func (c *Chain) conditionReads(n names, but int) string {
	for i := range c.Steps {
		s := &c.Steps[i]
		if i == but || s.Condition == nil {
			continue
		}
		for _, key := range append(s.Condition.Value.Keys(), s.Condition.RefKey) {
			if n.hold(key) {
				return fmt.Sprintf("the condition of step %s reads %s", s.ID, key)
			}
		}
	}
	return ""
}

// ruleReads says which rule reads a value by one of the names; "" if none
// does. An expression is not looked into: it reads what it mentions.
func (c *Chain) ruleReads(n names) string {
	for _, r := range c.allRules() {
		for _, atom := range r.Condition {
			switch a := atom.(type) {
			case *dsl.Threshold:
				for _, key := range []dsl.Key{a.Key, a.Value.Param} {
					if n.hold(key) {
						return fmt.Sprintf("rule %s reads %s", r.ID(), key)
					}
				}
			case *dsl.Match:
				if n.matched(a.Key) {
					return fmt.Sprintf("rule %s reads %s", r.ID(), a.Key)
				}
			case *dsl.When:
				if n.mentioned(a.Expr) {
					return fmt.Sprintf("rule %s reads it in an expression", r.ID())
				}
			}
		}
	}
	return ""
}

// claimed says what of the chain reads a name that a model wants to give a
// value to; "" if nothing does. What only a host may supply stays the host's.
func (c *Chain) claimed(n names) string {
	if who := c.stepReads(n, -1); who != "" {
		return who
	}
	return c.ruleReads(n)
}
