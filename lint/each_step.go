package lint

import "github.com/cbpolicy/cbpolicy/chain"

// eachStep calls f for every step that is written in the files: those of the
// chains, and those that a block adds to its copy of a chain.
func (p *pass) eachStep(f func(c *flowChain, i int)) {
	for _, c := range p.chains {
		for i := range c.Steps {
			f(c, i)
		}
	}
	for _, c := range p.patched {
		for i := range c.Steps {
			if c.Steps[i].Added {
				f(c, i)
			}
		}
	}
}

// fileOf is the file in which a step of the chain is written.
func (c *flowChain) fileOf(s *chain.Step) string {
	if s.Added {
		return c.Block.File
	}
	return c.File
}
