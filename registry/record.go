package registry

import (
	"encoding/hex"
	"fmt"
	"slices"
)

// PlanRecord is a plan as data: with a Tally, all that a verdict is made of.
type PlanRecord struct {
	Held    []HeldRecord `json:"held"`
	Needs   []CounterID  `json:"needs"` // their windows are those of the policy
	Guards  []Guard      `json:"guards"`
	Refused bool         `json:"refused,omitempty"`
}

// HeldRecord is a rule whose counter-free atoms held.
type HeldRecord struct {
	Rule    string      `json:"rule"` // the rule's Key
	Atom    int         `json:"atom"`
	Why     Why         `json:"why"`
	Actual  string      `json:"actual"`
	Limit   string      `json:"limit"`
	Reason  string      `json:"reason,omitempty"` // with values filled in
	Windows []WindowRef `json:"windows,omitempty"`
	Guard   int         `json:"guard"`
	// Tuned: the other of abort and review stood in the place of the rule's action.
	Tuned bool `json:"tuned,omitempty"`
}

// Record copies the plan out of its reused memory.
func (p *Plan) Record() *PlanRecord {
	r := &PlanRecord{Held: []HeldRecord{}, Needs: []CounterID{}, Guards: []Guard{}, Refused: p.Refused}
	for _, h := range p.held {
		r.Held = append(r.Held, HeldRecord{
			Rule: h.rule.Key(), Atom: h.atom, Why: h.found.why, Actual: h.found.actual, Limit: h.found.limit, Reason: h.reason,
			Windows: slices.Clone(h.windows), Guard: h.guard, Tuned: h.rule.tuned,
		})
	}
	for _, n := range p.Needs {
		r.Needs = append(r.Needs, n.Counter)
	}
	for _, g := range p.Guards {
		r.Guards = append(r.Guards, Guard{Windows: slices.Clone(g.Windows), Approval: g.Approval})
	}
	return r
}

// Set returns the set that the plan belongs to.
func (p *Plan) Set() *Set { return p.set }

// Clone copies the tally out of its reused memory.
func (t *Tally) Clone() Tally {
	return Tally{Counts: slices.Clone(t.Counts), At: slices.Clone(t.At), Approved: slices.Clone(t.Approved), Now: t.Now, Away: t.Away}
}

// Repeat makes the verdict of a recorded decision again, from the record
// alone. The set must be the one of the decision; see [Set.Digest]. The error
// says which part of the record does not belong to it.
func (s *Set) Repeat(st *Step, r *PlanRecord, t *Tally, v *Verdict) error {
	p := Plan{set: s, Refused: r.Refused, Guards: r.Guards}
	byKey := map[string]*Rule{}
	for rule := range s.Rules() {
		byKey[rule.Key()] = rule
	}
	for _, id := range r.Needs {
		c := s.counter(st, id)
		if c == nil {
			return fmt.Errorf("registry: the policy counts no %q", id.Spec)
		}
		p.Needs = append(p.Needs, Need{Counter: id, Windows: c.windows, Front: c.front, Run: c.name == ""})
		p.counters = append(p.counters, c)
	}
	for _, h := range r.Held {
		rule := byKey[h.Rule]
		if rule == nil || h.Atom >= len(rule.Condition) {
			return fmt.Errorf("registry: the policy has no rule %q", h.Rule)
		}
		if h.Tuned {
			if rule = rule.twin; rule == nil {
				return fmt.Errorf("registry: nothing stands in the place of rule %q", h.Rule)
			}
		}
		p.held = append(p.held, held{
			rule: rule, atom: h.Atom, found: found{why: h.Why, actual: h.Actual, limit: h.Limit}, reason: h.Reason,
			windows: h.Windows, guard: h.Guard,
		})
	}
	if err := p.fits(t); err != nil {
		return err
	}
	s.Decide(st, &p, t, v)
	return nil
}

// counter finds the counter of a recorded need.
func (s *Set) counter(st *Step, id CounterID) *counter {
	covers := []*coverage{s.cover(st.Chain)}
	for _, g := range s.exact[st.Chain] {
		if g.confined != nil && g.scope.Session == st.Session {
			covers = append(covers, g.confined)
		}
	}
	for _, c := range covers {
		for x := range c.counters() {
			if x.spec == id.Spec {
				return x
			}
		}
	}
	return nil
}

// fits refuses a record whose parts point outside each other.
func (p *Plan) fits(t *Tally) error {
	if len(t.At) != len(p.Needs) {
		return fmt.Errorf("registry: %d needs, but %d answers", len(p.Needs), len(t.At))
	}
	for i, at := range t.At {
		if at >= 0 && at > len(t.Counts)-len(p.Needs[i].Windows) || at < -1 {
			return fmt.Errorf("registry: the counts of need %d are not there", i)
		}
	}
	for _, h := range p.held {
		if len(h.windows) != len(h.rule.freqs) || h.atom < 0 && len(h.windows) == 0 {
			return fmt.Errorf("registry: the windows of rule %q are not there", h.rule.ID)
		}
		for _, w := range h.windows {
			if w.Need < 0 || w.Need >= len(p.Needs) || w.Window < 0 || w.Window >= len(p.Needs[w.Need].Windows) {
				return fmt.Errorf("registry: rule %q refers to a window that is not there", h.rule.ID)
			}
		}
	}
	return nil
}

// String renders the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText renders the digest as in String.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what String prints.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("registry: %q is no digest", text)
	}
	if _, err := hex.Decode(d[:], text); err != nil {
		return fmt.Errorf("registry: %q is no digest", text)
	}
	return nil
}

// MarshalText renders the reason as in String.
func (w Why) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads what String prints.
func (w *Why) UnmarshalText(text []byte) error {
	i := slices.Index(whyNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("registry: unknown reason %q", text)
	}
	*w = Why(i)
	return nil
}
