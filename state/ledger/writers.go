package ledger

import "slices"

// MaxWriters is of how many writers a ledger knows which of their writes was the
// last that was made.
const MaxWriters = 16

type write struct{ writer, seq uint64 }

// Sign says that a writer has written the ledger, and which of his writes it is.
// Numbers grow.
func (s State) Sign(writer, seq uint64) State {
	if before := (write{s.Writer, s.Seq}); before != (write{}) && before.writer != writer {
		earlier := make([]write, 1, min(len(s.earlier)+1, MaxWriters-1))
		earlier[0] = before
		for _, w := range s.earlier {
			if w.writer != writer && len(earlier) < MaxWriters-1 {
				earlier = append(earlier, w)
			}
		}
		s.earlier = earlier
	}
	s.Writer, s.Seq = writer, seq
	return s
}

// Fate is what became of a write whose answer was lost.
type Fate int

// The fates of a write.
const (
	NotMade Fate = iota
	Made
	Unknown
)

// FateOf tells by a ledger as it is now what became of a write that was to replace
// it as it was seen before, by the session that has both. Nobody knows where
// MaxWriters others have written since.
func (s State) FateOf(writer, seq uint64, seen State) Fate {
	switch last, known := s.last(writer); {
	case known && last >= seq:
		return Made
	case known || 1+len(s.earlier) < MaxWriters || s.has(write{seen.Writer, seen.Seq}) || slices.ContainsFunc(seen.earlier, s.has):
		return NotMade // a writer is forgotten only once all others have written after him
	}
	return Unknown
}

// last is the last write of a writer that was made, if it is known.
func (s State) last(writer uint64) (seq uint64, known bool) {
	if s.Writer == writer {
		return s.Seq, true
	}
	for _, w := range s.earlier {
		if w.writer == writer {
			return w.seq, true
		}
	}
	return 0, false
}

// has reports whether a write is the last one of its writer.
func (s State) has(w write) bool {
	last, known := s.last(w.writer)
	return known && last == w.seq
}
