package run

import (
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// ClassOpen is the class of a step that an open breaker refused.
const ClassOpen = "CircuitBreakerOpen"

// Breakers are those of the operator, and before them what the chain's
// circuit_breaker asks for: a half-open breaker for each of its abilities. Where
// both give an ability one, the stricter of each setting holds, as a chain may
// only add to what the operator says. They belong in the session that it runs in.
func Breakers(c *chain.Chain, operator []session.Breaker) []session.Breaker {
	if c.Breaker == nil {
		return operator
	}
	var all []session.Breaker
	for i := range c.Steps {
		b := session.Breaker{
			Abilities: dsl.NamePattern(c.Steps[i].Ability),
			Config:    breaker.Config{Threshold: c.Breaker.FailureThreshold, Reset: c.Breaker.ResetTimeout},
		}
		if o := session.BreakerOf(operator, c.Steps[i].Ability); o != nil {
			b.Config, b.Count, b.Ignore = b.Stricter(o.Config), o.Count, o.Ignore
		}
		all = append(all, b)
	}
	return append(all, operator...)
}

// circuitOpen is the failure of a step that nothing but an open breaker
// refused; nil if something else did, or nothing.
func circuitOpen(v *registry.Verdict) error {
	if f := v.Blocking(); f != nil && f.Rule.ID == session.SlugCircuitOpen && f.Why == registry.Refused {
		return &AbilityError{ClassOpen, f.ReasonText()}
	}
	return nil
}
