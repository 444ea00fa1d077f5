package lint

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// missingParameter reports required parameters without a default that a step
// does not give. One that is only misspelt is an undeclared-parameter.
func missingParameter(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, name := range ab.paramNames() {
			param := ab.params[name]
			if !param.required || slices.ContainsFunc(s.Args, func(a chain.Arg) bool { return a.Name == name || ab.meant(a.Name) == name }) {
				continue
			}
			f := &diag.Finding{ID: MissingParameterID, File: c.fileOf(s), Pos: s.AbilityPos,
				Message: fmt.Sprintf("step %s does not give %s the parameter %s, which it requires", s.ID, s.Ability, name),
				Hint:    "add " + name + " to the arguments of the step",
				Related: []diag.Related{{File: ab.file, Pos: param.pos, Message: "the parameter"}}}
			p.addKey(f, dsl.Key(s.Ability), false)
		}
	})
}
