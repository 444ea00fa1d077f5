package lint

import "slices"

// recordingOfChain holds recordings against the chains that they name, as far
// as those are among the files.
func recordingOfChain(p *pass) {
	for _, r := range p.recordings {
		i := slices.IndexFunc(p.chains, func(c *flowChain) bool { return c.ID == r.Chain })
		if i < 0 {
			continue
		}
		for _, f := range r.Check(p.chains[i].Chain) {
			p.add(f)
		}
	}
}
