package registry

import (
	"slices"
	"sync/atomic"
)

// memory is what rules did not find in a bound value, which does not change: they
// need not look again.
type memory struct {
	without [4]atomic.Pointer[literals]
	quiet   quietFor
	sights  sights
}

// memoryPiece is of how many values the memory is made at once: most values are
// bound once and never looked at, the outputs of a long session at every step.
const memoryPiece = 16

// remembers returns the memory of the value.
func (b *binding) remembers(p *Plan) *memory {
	if m := b.memory.Load(); m != nil {
		return m
	}
	if len(p.memories) == 0 {
		p.memories = make([]memory, memoryPiece)
	}
	if b.memory.CompareAndSwap(nil, &p.memories[0]) {
		p.memories = p.memories[1:]
	}
	return b.memory.Load()
}

// quiet reports whether the test is known to find nothing in the value.
func (b *binding) quiet(t *matchTest) bool {
	m := b.memory.Load()
	return m != nil && m.quiet.has(t)
}

// maxQuiet is how many tests a value remembers that found nothing in it.
const maxQuiet = 64

// quietFor remembers the tests that looked at the whole of a value and found
// nothing. A value does not change once it is bound, nor does a test, so that it
// need not be read again: at every step of a long session, all its outputs
// would be. It may be used by several goroutines at once, where a note may be lost.
type quietFor struct {
	first [4]atomic.Pointer[matchTest] // few rules need no list
	tests atomic.Pointer[[]*matchTest]
}

func (q *quietFor) has(t *matchTest) bool {
	for i := range q.first {
		if q.first[i].Load() == t {
			return true
		}
	}
	tests := q.tests.Load()
	return tests != nil && slices.Contains(*tests, t)
}

// note notes a test, in the place of the one noted longest ago if there are many.
func (q *quietFor) note(t *matchTest) {
	for i := range q.first {
		if q.first[i].CompareAndSwap(nil, t) {
			return
		}
	}
	var tests []*matchTest
	if old := q.tests.Load(); old != nil {
		tests = *old
	}
	tests = append(slices.Clone(tests[max(len(tests)-maxQuiet+1, 0):]), t)
	q.tests.Store(&tests)
}

// search calls look for every value that the pattern of a test covers, but for
// those that are known to be quiet, or that the test's screen finds to be. look reports whether a value is.
func (vs *Values) search(p *Plan, t *matchTest, look func(*Value) (quiet bool)) {
	if vs == nil {
		return
	}
	every := func(v *Value) bool { look(v); return true }
	for name, b := range vs.bindings {
		switch {
		case !t.glob.Match(name) || t.glob.IsClass():
			eachCovered(t.glob, name, &b.Value, every)
		case t.screen != nil && !b.remembers(p).sights.of(p, t.screen, &b.Value).has(t.screenAt):
		case !b.quiet(t) && look(&b.Value):
			b.remembers(p).quiet.note(t)
		}
	}
	for name, s := range vs.texts {
		v := Text(s)
		eachCovered(t.glob, name, &v, every)
	}
}
