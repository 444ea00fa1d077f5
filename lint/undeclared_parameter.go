package lint

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// undeclaredParameter reports arguments that the ability's manifest does not
// declare: the plugin drops them, or refuses the call.
func undeclaredParameter(p *pass) {
	p.eachKnownStep(func(c *flowChain, s *chain.Step, ab *ability) {
		for _, a := range s.Args {
			if ab.params[a.Name] != nil {
				continue
			}
			f := &diag.Finding{ID: UndeclaredParameterID, File: c.fileOf(s), Pos: a.Pos,
				Message: fmt.Sprintf("step %s gives %s the parameter %s, which it does not declare", s.ID, s.Ability, a.Name),
				Hint:    didYouMean(dsl.Key(a.Name), ab.paramNames(), ab.declares()),
				Related: []diag.Related{{File: ab.file, Pos: ab.pos, Message: "the ability"}}}
			p.addKey(f, dsl.Key(a.Name), false)
		}
	})
}
