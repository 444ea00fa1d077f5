package memory

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// runKey names a run in a counter by 96 bits of a keyed hash: a store holds
// millions of them, and nobody without the key can make two runs look alike.
type runKey [12]byte

// runMark says that a run is in its counter.
type runMark struct {
	// joined: another call of the run was admitted after the one that entered
	// it, so that the run stays counted if that one is released.
	joined bool
}

// runHash is the part of a runKey that the counters of a claim share.
type runHash struct{ a, b uint64 }

func (s *Store) hashRun(run string) runHash {
	return runHash{maphash.String(s.seed, run), maphash.String(s.seed2, run)}
}

// in returns the key of the run in the counter with a hash.
func (h runHash) in(counter uint64) (k runKey) {
	binary.LittleEndian.PutUint64(k[:8], h.a^counter)
	binary.LittleEndian.PutUint32(k[8:], uint32(h.b+bits.RotateLeft64(counter, 32)))
	return k
}
