package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Record is a decision with all that it was made of: who keeps it can repeat
// the decision with [registry.Set.Repeat], without the step and the store.
type Record struct {
	At      time.Time       `json:"at"`
	Session string          `json:"session"`
	Chain   string          `json:"chain,omitempty"`
	Run     string          `json:"run,omitempty"`
	Step    string          `json:"step,omitempty"`
	Ability string          `json:"ability"`
	CallID  string          `json:"call_id,omitempty"`
	Digest  registry.Digest `json:"step_digest"`
	Policy  registry.Digest `json:"policy_digest"`
	// Plan and Tally are absent where the step was refused before it was judged.
	Plan  *registry.PlanRecord `json:"plan,omitempty"`
	Tally *registry.Tally      `json:"tally,omitempty"`
	// Refused are refusals beside the rules, such as that of an open breaker.
	Refused []Refusal `json:"refused,omitempty"`
	// Notes are what was said of the rules; see [registry.Registry.Note].
	Notes   []string        `json:"policy_notes,omitempty"`
	Verdict json.RawMessage `json:"verdict"`
}

// Refusal is a refusal for which no rule of the policy stands.
type Refusal struct {
	Rule   string `json:"rule"` // such as SlugCircuitOpen
	Reason string `json:"reason"`
	// RetryAfter is how long until it may be tried again, in nanoseconds; -1:
	// nobody knows.
	RetryAfter time.Duration `json:"retry_after"`
}

// refusals are those of a verdict.
func refusals(v *registry.Verdict) (all []Refusal) {
	for i := range v.Fired {
		if f := &v.Fired[i]; f.Why == registry.Refused {
			all = append(all, Refusal{f.Rule.ID, f.Rule.Reason, f.RetryAfter})
		}
	}
	return all
}

// record gives the decision to the listener, if there is one. What cannot be
// recorded does not run.
func (d *Decider) record(rs *registry.Step, p *registry.Plan, t *registry.Tally, v *registry.Verdict) {
	if d.Judged != nil && p != nil {
		d.Judged(rs, p, t)
	}
	if d.Record == nil {
		return
	}
	verdict, err := v.MarshalJSON()
	if err != nil { // a verdict holds texts and numbers only
		verdict = json.RawMessage(`null`)
	}
	r := &Record{
		Session: rs.Session, Chain: rs.Chain, Run: rs.Run, Step: rs.ID, Ability: rs.Ability, CallID: rs.CallID,
		Digest: rs.Digest(), Policy: d.Registry.Set().Digest(), Verdict: verdict,
	}
	at := rs.Now
	if p != nil {
		tally := t.Clone()
		at, r.Policy, r.Plan, r.Tally = t.Now, p.Set().Digest(), p.Record(), &tally
		r.Notes, r.Refused = p.Set().Notes(), refusals(v)
	}
	if at == 0 {
		at = d.now()
	}
	r.At = time.Unix(0, at).UTC()
	if err := d.Record(r); err != nil && !v.Decision.Blocks() {
		d.refuse(rs, v, registry.SlugRecordError, "the decision could not be recorded: "+err.Error())
	}
}

// now is the time where nobody else tells it.
func (d *Decider) now() int64 {
	if d.Clock == nil {
		return SystemClock().Now()
	}
	return d.Clock.Now()
}

// Repeat makes the verdict of the record again. The set must be the policy of
// the record; an error says why it cannot be repeated.
func (r *Record) Repeat(set *registry.Set) (v registry.Verdict, err error) {
	if r.Plan == nil || r.Tally == nil {
		return v, fmt.Errorf("session: the step was refused before it was judged, there is nothing to repeat")
	}
	if set.Digest() != r.Policy {
		return v, fmt.Errorf("session: the record was made under policy %s, this is %s", r.Policy, set.Digest())
	}
	st := &registry.Step{Chain: r.Chain, Session: r.Session, ID: r.Step, Ability: r.Ability}
	err = set.Repeat(st, r.Plan, r.Tally, &v)
	for _, by := range r.Refused {
		v.Add(by.Rule, by.Reason, by.RetryAfter)
	}
	v.Notes = append(slices.Clip(r.Notes), v.Notes...)
	return v, err
}
