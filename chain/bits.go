package chain

import "slices"

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) clone() bits    { return slices.Clone(b) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }

// join adds what o holds. It reports whether that was news.
func (b bits) join(o bits) bool {
	changed := false
	for i := range b {
		changed = changed || o[i]&^b[i] != 0
		b[i] |= o[i]
	}
	return changed
}

// meet keeps what o holds, too. It reports whether anything was lost.
func (b bits) meet(o bits) bool {
	changed := false
	for i := range b {
		changed = changed || b[i]&^o[i] != 0
		b[i] &= o[i]
	}
	return changed
}
