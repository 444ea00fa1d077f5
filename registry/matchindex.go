package registry

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/multimatch"
)

// matchIndex holds the rules that wait for a text in one output or argument.
// However many there are, each leaf is read once for all patterns of a kind.
type matchIndex struct {
	subject dsl.Subject
	path    *path
	rules   []*Rule // contains, then the rest
	exactly literals
	folded  literals
	others  []waiting // equals and matches: judged one by one where the key is bound
	screen  *screen   // of some of the others; nil: of none
}

// waiting is a rule with the match that it waits for.
type waiting struct {
	rule *Rule
	test *matchTest
}

// literals are the rules that wait for a literal text.
type literals struct {
	patterns []string
	rules    []*Rule
	matcher  *multimatch.Matcher
	fold     bool // letter case does not count
	reads    bool // a text counts also as a reader sees it
}

// indexable reports whether a match can be a rule's driver: it must ask for
// something to be there, under a key without "*", in the leaves themselves.
func indexable(m *dsl.Match) bool {
	return !m.Not && m.Key.Literal() && m.Kind != dsl.InUser && m.Kind != dsl.InOutputs
}

func (m *matchIndex) add(r *Rule, atom int) {
	t := r.compiled[atom].(*matchTest)
	m.rules = append(m.rules, r)
	switch t.kind {
	case dsl.Contains:
		m.exactly.add(t.text, r)
	case dsl.IContains:
		m.folded.add(t.text, r)
	default:
		m.others = append(m.others, waiting{r, t})
	}
}

func (l *literals) add(pattern string, r *Rule) {
	l.patterns = append(l.patterns, pattern)
	l.rules = append(l.rules, r)
}

func (m *matchIndex) seal() {
	m.folded.fold = true
	for _, o := range m.others {
		if o.test.screen != nil {
			m.screen = o.test.screen
		}
	}
	for _, l := range []*literals{&m.exactly, &m.folded} {
		l.matcher, l.reads = multimatch.New(l.patterns, l.fold), m.subject == dsl.Output
	}
}

// plan judges the rules whose text occurs in a leaf of the key.
func (m *matchIndex) plan(p *Plan, st *Step) {
	values := st.Outputs
	if m.subject == dsl.Arg {
		values = st.Args
	}
	if values == nil {
		return
	}
	if len(m.path.splits) == 1 && !m.plain(p, st, values) {
		return
	}
	m.path.find(values, func(v *Value) bool {
		if v.leaves(func(leaf string) bool { m.scan(p, st, leaf); return true }) {
			for _, r := range m.rules { // something cannot be read: each rule says so
				p.judgeOnce(st, r)
			}
		}
		m.rest(p, st, v, nil)
		return true
	})
}

// plain scans a key without dots that is bound to plain text, for which no
// value has to be made. It reports whether the general way must be gone.
func (m *matchIndex) plain(p *Plan, st *Step, values *Values) bool {
	name := m.path.splits[0].name
	if v, ok := values.bound[name]; ok {
		if v.kind == kindOther || v.inner || v.broken {
			return true
		}
		m.text(p, st, v.text, v)
		m.rest(p, st, &v.Value, v)
		return false
	}
	text, ok := values.texts[name]
	if !ok {
		return false
	}
	if c := firstByte(text); c == '{' || c == '[' || c == '"' {
		return true
	}
	m.text(p, st, text, nil)
	m.rest(p, st, &Value{text: text}, nil)
	return false
}

// text judges the rules by one leaf. The value it is of, if it is bound,
// remembers what was not found in it.
func (m *matchIndex) text(p *Plan, st *Step, leaf string, v *binding) {
	if len(m.exactly.rules) > 0 && (v == nil || !v.silent(&m.exactly)) {
		m.exactly.scan(p, st, leaf, v)
	}
	if len(m.folded.rules) > 0 && (v == nil || !v.silent(&m.folded)) {
		m.folded.scan(p, st, leaf, v)
	}
}

// rest judges the others by a value, except for those whose regular expression
// cannot match in it. A bound value remembers which can.
func (m *matchIndex) rest(p *Plan, st *Step, v *Value, bound *binding) {
	if len(m.others) == 0 {
		return
	}
	var seen *sight
	switch {
	case m.screen == nil:
	case bound != nil:
		seen = bound.remembers(p).sights.of(p, m.screen, v)
	default:
		seen = &p.sight
		m.screen.look(p, v, seen)
	}
	for _, o := range m.others {
		if seen == nil || o.test.screen == nil || seen.has(o.test.screenAt) {
			p.judgeOnce(st, o.rule)
		}
	}
}

// scan judges the rules whose literal occurs in the leaf.
func (m *matchIndex) scan(p *Plan, st *Step, leaf string) {
	if len(m.exactly.rules) > 0 {
		m.exactly.scan(p, st, leaf, nil)
	}
	if len(m.folded.rules) > 0 {
		m.folded.scan(p, st, leaf, nil)
	}
}

// foldText folds a text for a matcher that folds ASCII by itself.
func foldText(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return dsl.Fold(s)
		}
	}
	return s
}

// scan judges the rules whose literal occurs in the text, or in what it reads.
// A bound value that holds none of them need not be read again: it does not
// change, nor do they.
func (l *literals) scan(p *Plan, st *Step, text string, v *binding) {
	quiet := l.find(p, st, text)
	if l.reads {
		if read, differs := p.readings.of(text); differs {
			quiet = l.find(p, st, read) && quiet
		}
	}
	if quiet && v != nil {
		v.remembers(p).note(l)
	}
}

// find judges the rules whose literal occurs in the text, and reports whether none does.
func (l *literals) find(p *Plan, st *Step, text string) (quiet bool) {
	if l.fold {
		text = foldText(text)
	}
	quiet = true
	l.matcher.Find(text, func(id int) bool {
		p.judgeOnce(st, l.rules[id])
		quiet = false
		return true
	})
	return quiet
}

// silent reports whether the value is known to hold none of the literals.
func (v *binding) silent(l *literals) bool {
	m := v.memory.Load()
	if m == nil {
		return false
	}
	for i := range m.without {
		if m.without[i].Load() == l {
			return true
		}
	}
	return false
}

// note notes that the value holds none of the literals, in the place of what was
// noted longest ago.
func (m *memory) note(l *literals) {
	for i := len(m.without) - 1; i > 0; i-- {
		m.without[i].Store(m.without[i-1].Load())
	}
	m.without[0].Store(l)
}
