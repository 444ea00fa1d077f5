package memory

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// runKey names a run in a counter by 63 bits of a keyed hash; the zero runKey
// names none. Among the millions that a store holds two are alike once in a
// million stores, and nobody without the key can make them so. It is bytes,
// not a number, so that a mark takes nine bytes and not sixteen.
type runKey [8]byte

// runMark says that a run is in its counter.
type runMark struct {
	// joined: another call of the run was admitted after the one that entered
	// it, so that the run stays counted if that one is released.
	joined bool
}

// runHash is the part of a runKey that the counters of a claim share.
type runHash uint64

func (s *Store) hashRun(run string) runHash { return runHash(maphash.String(s.seed, run)) }

// in returns the key of the run in the counter with a hash.
func (h runHash) in(counter uint64) (k runKey) {
	binary.LittleEndian.PutUint64(k[:], uint64(h)^bits.RotateLeft64(counter, 32)|1)
	return k
}
