// Package eval_test checks the evaluator against a second one that is as
// plain as the design's own sentences: linear scans, no index, no cache, and
// no code shared with the program. Where the two disagree, one is wrong.
package eval_test

import "slices"

// malformedStep is the slug under which a step that cannot be judged is refused.
const malformedStep = "malformed_step"

// strength orders the decisions from weak to strong.
var strength = []string{"allow", "warn", "throttle", "confirm", "review", "abort"}

// firing is one rule that fired. Why is the reason it fired: exceeded,
// malformed, missing or matched.
type firing struct {
	id, action, mode, why string
}

// verdict is what the naive evaluator says about one step.
type verdict struct {
	decision string
	fired    []firing
	retry    int64 // milliseconds; −1: no time is known; 0: no throttle rule fired
	edge     bool  // an entry lay on, or one nanosecond beside, the edge of a window
}

// judge decides one step on top of what was admitted before, and records the
// step in the history if nothing refuses it.
func judge(rules []rule, h *history, s step) verdict {
	if s.malformed {
		return verdict{
			decision: "abort",
			fired:    []firing{{id: malformedStep, action: "abort", mode: "enforce", why: "malformed"}},
		}
	}
	s = h.enter(s)
	v := verdict{decision: "allow"}
	for _, r := range rules {
		if !nameMatches(r.section, s.chain) {
			continue
		}
		j := r.judge(h, s)
		v.edge = v.edge || j.edge
		if !j.holds {
			continue
		}
		v.fired = append(v.fired, firing{id: r.id, action: r.action, mode: r.mode(), why: j.why})
		if r.observe {
			continue
		}
		v.decision = stronger(v.decision, r.action)
		if r.action == "throttle" {
			v.retry = longer(v.retry, j.wait)
		}
	}
	if v.decision == "allow" || v.decision == "warn" {
		h.admit(rules, s)
	}
	return v
}

// stronger returns the stronger of two decisions.
func stronger(a, b string) string {
	if slices.Index(strength, b) > slices.Index(strength, a) {
		return b
	}
	return a
}

// longer returns the longer of two waits; an unknown one is the longest.
func longer(a, b int64) int64 {
	if a == unknown || b == unknown {
		return unknown
	}
	return max(a, b)
}

// judgement is what one atom, or one whole rule, says about a step.
type judgement struct {
	holds bool
	why   string
	wait  int64 // milliseconds until a frequency atom ends; unknown for all others
	edge  bool
}

// unknown is the wait of which no end is known.
const unknown = -1

// judge says whether every atom of the rule holds. The rule waits for the
// first of its frequency atoms to end.
func (r rule) judge(h *history, s step) judgement {
	all := judgement{holds: true, why: "matched", wait: unknown}
	for _, a := range r.atoms {
		j := a.judge(r, h, s)
		all.edge = all.edge || j.edge
		all.holds = all.holds && j.holds
		all.why = clearer(all.why, j.why)
		if j.wait != unknown && (all.wait == unknown || j.wait < all.wait) {
			all.wait = j.wait
		}
	}
	return all
}

// clearer returns the explanation that tells a reader more.
func clearer(a, b string) string {
	order := []string{"matched", "exceeded", "malformed", "missing"}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// plain is the judgement of an atom that knows no wait.
func plain(holds bool, why string) judgement {
	return judgement{holds: holds, why: why, wait: unknown}
}
