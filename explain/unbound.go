package explain

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// yes and no say what a threshold makes of the rule: of one among several
// atoms, that its part of the condition holds or not.
func (e *explainer) yes() string {
	if len(e.rule.Condition) > 1 {
		return "its part of the condition holds"
	}
	return "it fires"
}

func (e *explainer) no() string {
	if len(e.rule.Condition) > 1 {
		return "its part of the condition does not hold"
	}
	return "it does not fire"
}

// unbound says what the rule's thresholds do while nothing binds their key.
func (e *explainer) unbound() {
	for _, a := range e.rule.Condition {
		t, ok := a.(*dsl.Threshold)
		switch {
		case !ok:
		case t.Key.IsMeter():
			e.unboundMeter(t.Key)
		default:
			e.unboundKey(t.Key)
		}
	}
}

func (e *explainer) unboundMeter(k dsl.Key) {
	e.say("A meter is bound for as long as a session is attached.")
	if e.rule.Options.Missing == dsl.MissingSkip {
		e.say("Without one, for %s, %s (missing=skip).", k, e.no())
	} else {
		e.say("Without one, %s counts as missing, and %s.", k, e.yes())
	}
}

// unboundKey tells the table of keys, as far as the option leaves a choice.
func (e *explainer) unboundKey(k dsl.Key) {
	switch e.rule.Options.Missing {
	case dsl.MissingSkip:
		e.say("While nothing binds %s, %s (missing=skip).", k, e.no())
	case dsl.MissingFire:
		e.say("While nothing binds %s, %s, whatever a later step may still produce (missing=fire).", k, e.yes())
		e.afterwards()
	default:
		if e.chain != nil {
			e.declaredBy(k)
		} else {
			e.declaredByAny(k)
		}
		e.modelChains()
		e.afterwards()
	}
}

// declaredByAny says what holds for any chain.
func (e *explainer) declaredByAny(k dsl.Key) {
	e.say("Where no step of the chain declares %s, and outside a chain, %s at once, as missing.", k, e.yes())
	e.waits("While a step that can still run has " + string(k) + " as an output or an argument,")
	e.say("Once a step that had it as an argument has run, or the step that declares it was skipped, %s.", e.no())
	e.say("Where a step that ran should have put it out and did not, %s, as missing.", e.yes())
}

// waits says what a rule does about a key that is still to come.
func (e *explainer) waits(while string) {
	ability := e.positiveAbility()
	if ability == nil {
		e.say("%s it waits: %s yet.", while, e.no())
		return
	}
	e.say("%s it waits, but not at a step that %s covers, for which the rule is meant: there %s, as missing.", while, ability.Name, e.yes())
}

// declaredBy says what the chain at hand declares.
func (e *explainer) declaredBy(k dsl.Key) {
	var outputs, args []string
	for i := range e.chain.Steps {
		output, arg := e.chain.Declares(i, k)
		if output {
			outputs = append(outputs, e.chain.Steps[i].ID)
		}
		if arg {
			args = append(args, e.chain.Steps[i].ID)
		}
	}
	for _, p := range e.chain.Params {
		if p.Name == string(k) {
			e.say("In the chain %s, %s is a parameter, and bound where the run is given it.", e.chain.ID, k)
		}
	}
	if len(outputs)+len(args) == 0 {
		e.say("In the chain %s, no step declares %s: while nothing binds it, %s at once, as missing.", e.chain.ID, k, e.yes())
		return
	}
	if len(outputs) > 0 {
		e.say("In the chain %s, %s is put out by %s.", e.chain.ID, k, steps(outputs))
	}
	if len(args) > 0 {
		e.say("In the chain %s, %s is an argument of %s.", e.chain.ID, k, steps(args))
	}
	while := "While it can still run,"
	if len(outputs)+len(args) > 1 {
		while = "While one of them can still run,"
	}
	e.waits(while)
	if len(args) > 0 {
		e.say("Once the step that had it as an argument has run, %s: it was judged there.", e.no())
	}
	if len(outputs) > 0 {
		e.say("Where a step that ran should have put it out and did not, %s, as missing; where that step was skipped, %s.", e.yes(), e.no())
	}
}

func steps(ids []string) string {
	if len(ids) == 1 {
		return "the step " + ids[0]
	}
	return "the steps " + list(ids)
}

// modelChains says whom a model's declarations keep waiting.
func (e *explainer) modelChains() {
	if e.chain == nil && e.rule.Scope.Origin != registry.Model && e.coversModel() {
		e.say("What a chain that a model wrote declares does not keep it waiting: there %s at once.", e.yes())
	}
}

// coversModel reports whether the rule can apply to a chain that a model wrote.
func (e *explainer) coversModel() bool {
	p := e.rule.Scope.Pattern
	return p == "" || !p.Literal() || registry.IsModelChain(string(p))
}

// afterwards says what holds once no step is left, for rules that are asked then.
func (e *explainer) afterwards() {
	if e.rule.Stepless() {
		e.say("After a chain's last step, what nothing binds does not make it fire.")
	}
}
