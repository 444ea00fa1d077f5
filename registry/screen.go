package registry

import (
	"sync/atomic"

	"github.com/cbpolicy/cbpolicy/internal/prefilter"
)

// screen tells which of a group's regular expressions may match a text, in one
// pass over it however many there are. It is immutable.
type screen struct {
	filter *prefilter.Filter
	reads  bool // some test looks at a leaf also as a reader sees it
	size   int
}

// screen has the group's regular expressions looked for together.
func (g *group) screen() {
	var tests []*matchTest
	var patterns []*prefilter.Regexp
	for _, r := range g.rules {
		for _, c := range r.compiled {
			if t, ok := c.(*matchTest); ok && t.re != nil {
				tests, patterns = append(tests, t), append(patterns, t.re)
			}
		}
	}
	s := &screen{filter: prefilter.New(patterns), size: len(tests)}
	for i, t := range tests {
		if !s.filter.Blind(i) {
			t.screen, t.screenAt = s, i
			s.reads = s.reads || t.reads
		}
	}
}

// sight is what a screen saw of a bound value, in which nothing changes: which
// tests may match a leaf of it.
type sight struct {
	screen *screen
	may    []uint64
	few    [1]uint64 // backs may where it suffices
}

// reset empties the sight, and keeps its memory.
func (s *sight) reset(of *screen) {
	s.screen = of
	words := (of.size + 63) / 64
	switch {
	case words <= len(s.few):
		s.may = s.few[:words]
	case cap(s.may) < words:
		s.may = make([]uint64, words)
	}
	s.may = s.may[:words]
	clear(s.may)
}

func (s *sight) has(test int) bool { return s.may[test/64]&(1<<(test%64)) != 0 }

// sights are what several screens saw of a value: each group of rules has its
// own. They may be used by several goroutines at once, where one may be lost.
type sights [4]atomic.Pointer[sight]

// of returns what the screen saw, looking at the value if it is new to it.
func (ss *sights) of(p *Plan, s *screen, v *Value) *sight {
	for i := range ss {
		if seen := ss[i].Load(); seen != nil && seen.screen == s {
			return seen
		}
	}
	seen := p.newSight()
	s.look(p, v, seen)
	for i := len(ss) - 1; i > 0; i-- {
		ss[i].Store(ss[i-1].Load())
	}
	ss[0].Store(seen)
	return seen
}

// newSight is a sight of a value that will keep it. Those of the outputs that come
// are cut from pieces.
func (p *Plan) newSight() *sight {
	if len(p.sights) == 0 {
		p.sights = make([]sight, sightPiece)
	}
	s := &p.sights[0]
	p.sights = p.sights[1:]
	return s
}

const sightPiece = 16

// look scans every leaf of a value. In a value that cannot be read all may be.
func (s *screen) look(p *Plan, v *Value, seen *sight) {
	seen.reset(s)
	broken := v.leaves(func(leaf string) bool {
		s.mark(p, leaf, seen)
		if s.reads {
			if read, differs := p.readings.of(leaf); differs {
				s.mark(p, read, seen)
			}
		}
		return true
	})
	if broken {
		for i := range seen.may {
			seen.may[i] = ^uint64(0)
		}
	}
}

// mark adds the tests that may match the text.
func (s *screen) mark(p *Plan, text string, seen *sight) {
	found := p.scans.of(s.filter, text)
	for i := range s.size {
		if !seen.has(i) && s.filter.May(i, found) {
			seen.may[i/64] |= 1 << (i % 64)
		}
	}
}

// may reports whether the test may match the text.
func (t *matchTest) may(p *Plan, text string) bool {
	if t.screen == nil || len(text) < fewBytes {
		return true
	}
	return t.screen.filter.May(t.screenAt, p.scans.of(t.screen.filter, text))
}

// fewBytes is how short a text must be for a regular expression to be as quick
// as a screen.
const fewBytes = 16

// scans are what was found in the texts that were screened last: many rules look
// at the same one after each other. The zero value is ready.
type scans struct {
	last [4]scan
	next int
}

type scan struct {
	filter *prefilter.Filter // nil: there is none
	text   string
	found  prefilter.Found
}

// of returns which literals the text holds. It is valid until the next call.
func (ss *scans) of(x *prefilter.Filter, text string) *prefilter.Found {
	for i := range ss.last {
		if s := &ss.last[i]; s.filter == x && s.text == text {
			return &s.found
		}
	}
	s := &ss.last[ss.next%len(ss.last)]
	ss.next++
	s.filter, s.text = x, text
	x.Scan(text, &s.found)
	return &s.found
}

// drop forgets them, and keeps their memory.
func (ss *scans) drop() {
	if ss.next == 0 {
		return
	}
	ss.next = 0
	for i := range ss.last {
		ss.last[i].filter, ss.last[i].text = nil, ""
	}
}
