package redis

import (
	"math"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// reply is what is left of a script's reply.
type reply []int64

// next returns the next number; -1 at the end, which is no status, nor a number
// that any place expects.
func (r *reply) next() int64 {
	if len(*r) == 0 {
		return -1
	}
	v := (*r)[0]
	*r = (*r)[1:]
	return v
}

// at returns the index that comes next, and leaves it.
func (r reply) at() int {
	if len(r) == 0 || r[0] < 0 {
		return math.MaxInt
	}
	return int(r[0])
}

// grant reads the grant of a claim and reports whether the reply was one.
func (r reply) grant(c *state.Claim, g *state.Grant) bool {
	if len(r) < 6 {
		return false
	}
	g.Admitted, g.Repeated, g.Now = r[0] == 1, r[1] == 1, nanos(r[2])
	g.Lease, g.LeaseUntil, g.Reserve = int(r[3]), nanos(r[4]), int(r[5])
	r = r[6:]
	for i := range c.Needs {
		if r.next() < 0 {
			g.At = append(g.At, -1)
			continue
		}
		g.At = append(g.At, len(g.Counts))
		for j := range c.Needs[i].Windows {
			count := registry.Count{N: r.next()}
			if at := r.next(); at >= 0 {
				count.Free = nanos(min(at+span(c.Needs[i].Windows[j].Span), math.MaxInt64/1000))
			}
			g.Counts = append(g.Counts, count)
		}
	}
	for range c.Guards {
		g.Approved = append(g.Approved, r.next() == 1)
	}
	return len(r) == 0
}
