package registry

import (
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// Origin says who wrote a rule, and so what it may do. The zero value is Operator.
type Origin int

// The origins, in the order in which their rules are listed in a verdict.
const (
	Operator Origin = iota // policy files and the configuration
	Chain                  // circuit_breakers of a chain: adds rules for that chain
	Model                  // a <nyaya> block: may only tighten
	Builtin                // rules that come with the program
)

var originNames = [...]string{"operator", "chain", "model", "builtin"}

// String returns "operator", "chain", "model" or "builtin".
func (o Origin) String() string {
	if o < 0 || int(o) >= len(originNames) {
		return fmt.Sprintf("Origin(%d)", int(o))
	}
	return originNames[o]
}

// MarshalText renders the origin as in String.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what String prints.
func (o *Origin) UnmarshalText(text []byte) error {
	for i, name := range originNames {
		if name == string(text) {
			*o = Origin(i)
			return nil
		}
	}
	return fmt.Errorf("registry: unknown origin %q", text)
}

// ModelPrefix begins the ids of model-written chains and of no others.
const ModelPrefix = "nyaya/"

// IsModelChain reports whether a chain was written by a model.
func IsModelChain(chain string) bool { return strings.HasPrefix(chain, ModelPrefix) }

// Scope is where a set of rules applies. Rules are replaced and removed a
// scope at a time, and within one their ids are unique.
type Scope struct {
	Origin  Origin
	Pattern dsl.NamePattern // over chain ids; "" is read as "*"
	// Session confines the rules that a model wrote, for a chain of its own or
	// its copy of another, to the session that wrote them. Required for Model,
	// refused for any other origin.
	Session string
}

// String prints the scope for messages, such as `operator rules of "*"`.
func (s Scope) String() string { return fmt.Sprintf("%s rules of %q", s.Origin, s.Pattern) }

// check refuses a scope that its origin may not have.
func (s Scope) check() error {
	literal := s.Pattern.Literal()
	switch {
	case s.Origin < 0 || int(s.Origin) >= len(originNames):
		return fmt.Errorf("registry: %s: there is no such origin", s)
	case s.Session != "" && s.Origin != Model:
		return fmt.Errorf("registry: %s are not confined to a session", s)
	case s.Origin == Model && (s.Session == "" || !literal):
		return fmt.Errorf("registry: %s: model-written rules belong to one chain of one session", s)
	case s.Origin == Chain && (!literal || IsModelChain(string(s.Pattern))):
		return fmt.Errorf("registry: %s: a chain's rules belong to that chain alone", s)
	}
	return nil
}

// checkRule refuses what the origin of a rule may not say.
func (s Scope) checkRule(r *dsl.Rule) error {
	if len(r.Condition) == 0 {
		return fmt.Errorf("a rule without a condition would hold always")
	}
	if s.Origin == Operator || s.Origin == Builtin {
		return nil
	}
	if r.Options.OnStoreError != dsl.StoreDefault {
		return fmt.Errorf("on_store_error is for operator rules only")
	}
	if s.Origin == Model {
		for _, a := range r.Condition {
			if f, ok := a.(*dsl.Frequency); ok && f.Scope != dsl.ScopeChain {
				return fmt.Errorf("a model-written rule has no wider scope than its chain")
			}
		}
	}
	return nil
}
