package registry

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/prefilter"
)

// Plan is what can be said of a step before anything is counted: the rules
// whose counter-free atoms hold, and what to ask the store. Reuse it: its
// slices are overwritten. The zero Plan is ready.
type Plan struct {
	// Needs are the counters the step reads and adds to.
	Needs []Need
	// Guards stand for the rules that refuse unless their windows are open or
	// their approval is held.
	Guards []Guard
	// Refused: a rule that neither a counter nor an approval concerns refuses.
	Refused bool

	set      *Set
	counters []*counter // parallel to Needs
	held     []held
	filed    ruleSet     // the rules of held
	asked    ruleSet     // the rules that a match has led to
	refs     []WindowRef // backing of the windows of held and Guards
	final    bool        // no step is about to be done: an unbound key keeps a rule silent
	why      found       // of the atom being judged
	scans    scans
	reader   prefilter.Reader
	sight    sight // of a value that is not bound
	readings readings
	texts    texts
	names    folds
	sights   []sight  // that are left of a piece, see sights.of
	memories []memory // that are left of a piece, see binding.remembers
	env      whenEnv
	envStep  *Step
}

// held is a rule whose counter-free atoms hold.
type held struct {
	rule    *Rule
	atom    int // the atom that tells most
	found   found
	reason  string      // with values filled in, if it has any
	windows []WindowRef // every one of which must be exceeded
	guard   int         // in Guards; -1: none
}

// reset empties the plan and keeps its memory.
func (p *Plan) reset(s *Set) {
	p.Needs, p.Guards, p.Refused = p.Needs[:0], p.Guards[:0], false
	p.set, p.counters, p.held, p.refs, p.envStep = s, p.counters[:0], p.held[:0], p.refs[:0], nil
	p.filed.reset()
	p.asked.reset()
}

// drop forgets the texts that were looked at, but for a few kilobytes: a plan
// may be kept for long after its step.
func (p *Plan) drop() {
	p.readings.drop()
	p.scans.drop()
}

// Quiet reports whether no rule holds, as far as it can be told without a count.
func (p *Plan) Quiet() bool { return len(p.held) == 0 && len(p.Needs) == 0 }

// environment returns what when expressions read, made once a plan.
func (p *Plan) environment(st *Step) *whenEnv {
	if p.envStep != st {
		p.env.fill(st)
		p.envStep = st
	}
	return &p.env
}

// Plan judges every atom that needs no counter and collects what to count. It
// changes nothing but p, and is safe for any number of goroutines.
func (s *Set) Plan(st *Step, p *Plan) {
	p.reset(s)
	defer p.drop()
	p.names.fold(st)
	ability := st.fold()
	c := s.cover(st.Chain)
	c.plan(p, st, ability)
	if !s.confined {
		return
	}
	for _, g := range s.exact[st.Chain] {
		if g.confined != nil && g.scope.Session == st.Session {
			g.confined.plan(p, st, ability)
		}
	}
}

// plan judges one group's rules.
func (g *group) plan(st *Step, ability string, p *Plan) {
	for _, r := range g.exact[ability] {
		p.judge(st, r)
	}
	for _, r := range g.globs {
		p.judge(st, r)
	}
	for _, m := range g.matched {
		m.plan(p, st)
	}
	for _, r := range g.always {
		p.judge(st, r)
	}
}

func (p *Plan) count(c *counter, st *Step) {
	p.Needs = append(p.Needs, c.need(st))
	p.counters = append(p.counters, c)
}

func (p *Plan) judgeAll(st *Step, rules []limited) {
	for _, l := range rules {
		p.judge(st, l.rule)
	}
}

// judgeOnce is judge for a rule that many values, and many places in one, may
// lead to. What comes of it does not depend on which: a second time tells
// nothing new, and an agent that repeats a word would pay for it in our time.
func (p *Plan) judgeOnce(st *Step, r *Rule) {
	if p.asked.add(r) {
		p.judge(st, r)
	}
}

// judge files the rule under held if every counter-free atom of it holds and
// every frequency atom covers the step. A rule may be asked for twice.
func (p *Plan) judge(st *Step, r *Rule) {
	h := held{rule: st.Tuning.of(r), guard: -1, atom: -1}
	if h.rule == nil {
		return
	}
	tells := -1
	for i, c := range r.compiled {
		if c == nil {
			continue
		}
		f := &p.why
		if *f = (found{}); !c.holds(p, st, r, f) {
			return
		}
		if t := c.tells(); t > tells || f.why > h.found.why {
			h.atom, h.found, tells = i, *f, t
		}
	}
	if !p.windows(&h) || !p.filed.add(r) {
		return
	}
	if r.reason != nil {
		h.reason = r.reason.fill(st)
	}
	p.guard(&h, st)
	p.held = append(p.held, h)
}

// fewHeld is how many rules are looked through one by one.
const fewHeld = 32

// ruleSet is a set of rules that is mostly empty or small.
type ruleSet struct {
	few  []*Rule
	many map[*Rule]bool // once there are more than fewHeld
}

// add puts a rule in and reports whether it is new.
func (s *ruleSet) add(r *Rule) bool {
	if s.many != nil {
		if s.many[r] {
			return false
		}
		s.many[r] = true
		return true
	}
	if slices.Contains(s.few, r) {
		return false
	}
	if s.few = append(s.few, r); len(s.few) > fewHeld {
		s.many = make(map[*Rule]bool, 4*fewHeld)
		for _, r := range s.few {
			s.many[r] = true
		}
	}
	return true
}

func (s *ruleSet) reset() { s.few, s.many = s.few[:0], nil }

// windows points the rule's frequency atoms at the needs of the plan. It
// reports false if one of them does not cover the step.
func (p *Plan) windows(h *held) bool {
	start := len(p.refs)
	for _, f := range h.rule.freqs {
		need := slices.IndexFunc(p.counters, func(c *counter) bool { return c == f.counter || slices.Contains(c.parts, f.counter) })
		if need < 0 {
			p.refs = p.refs[:start]
			return false
		}
		p.refs = append(p.refs, WindowRef{Need: need, Window: p.counters[need].index(f.span)})
	}
	h.windows = p.refs[start:len(p.refs):len(p.refs)]
	return true
}

// guard tells the store what the rule refuses.
func (p *Plan) guard(h *held, st *Step) {
	if !h.rule.deciding() {
		return
	}
	confirm := h.rule.Action.Kind == dsl.Confirm
	if !confirm && len(h.windows) == 0 {
		p.Refused = true
		return
	}
	g := Guard{Windows: h.windows, Modes: modesOf(h.rule)}
	if confirm {
		g.Approval = ApprovalDigest(st, h.rule)
	}
	h.guard = len(p.Guards)
	p.Guards = append(p.Guards, g)
}
