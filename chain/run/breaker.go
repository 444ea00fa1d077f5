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

// Breakers are what a chain's circuit_breaker asks for: a half-open breaker
// for each of its abilities. They belong in the session that it runs in.
func Breakers(c *chain.Chain) []session.Breaker {
	if c.Breaker == nil {
		return nil
	}
	var all []session.Breaker
	for i := range c.Steps {
		all = append(all, session.Breaker{
			Abilities: dsl.NamePattern(c.Steps[i].Ability),
			Config:    breaker.Config{Threshold: c.Breaker.FailureThreshold, Reset: c.Breaker.ResetTimeout},
		})
	}
	return all
}

// circuitOpen is the failure of a step that nothing but an open breaker
// refused; nil if something else did, or nothing.
func circuitOpen(v *registry.Verdict) error {
	if f := v.Blocking(); f != nil && f.Rule.ID == session.SlugCircuitOpen && f.Why == registry.Refused {
		return &AbilityError{ClassOpen, f.ReasonText()}
	}
	return nil
}
