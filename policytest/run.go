package policytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/eval"
)

// Run runs the tests that the filter lets through, nil: all, each on a fresh
// state and from the suite's start. What is seen of rules and atoms is added
// to the coverage, if there is one. An error means that a test could not be run.
func (s *Suite) Run(ctx context.Context, filter func(name string) bool, cover *Coverage) (FileResult, error) {
	out := FileResult{File: s.File}
	for _, t := range s.Tests {
		if filter != nil && !filter(t.Name) {
			continue
		}
		failures, err := s.test(ctx, t, cover)
		if err != nil {
			return out, fmt.Errorf("%s:%d:%d: %s: %w", s.File, t.Pos.Line, t.Pos.Column, t.Name, err)
		}
		out.Tests = append(out.Tests, TestResult{Name: t.Name, Position: t.Pos, Failures: failures})
	}
	return out, nil
}

// test runs one test up to the first step whose expectation is not met: what
// would follow is told of another state than the one meant.
func (s *Suite) test(ctx context.Context, t *Test, cover *Coverage) ([]Failure, error) {
	if t.dryrun != nil {
		reg, err := s.registry()
		if err != nil {
			return nil, err
		}
		return t.dryrun.run(ctx, reg, cover)
	}
	cover.register(s.shared.Set())
	p := player{s.start, eval.New(eval.Options{Registry: s.shared, Builtins: s.builtins, Judged: cover.judged()})}
	for i, st := range t.steps {
		failures, err := p.step(ctx, st, i+1)
		if len(failures) > 0 || err != nil {
			return failures, err
		}
	}
	return []Failure{}, nil
}

// player plays the steps of one test.
type player struct {
	start time.Time
	eval  *eval.Evaluator
}

// step decides a step, as often as it is repeated.
func (p *player) step(ctx context.Context, st *step, number int) ([]Failure, error) {
	for i := range st.repeat {
		at := st.at + time.Duration(i)*st.every
		where := fmt.Sprintf("step %d, %s at +%s", number, st.ability, duration.Format(at))
		if st.repeat > 1 {
			where += fmt.Sprintf(" (%d of %d)", i+1, st.repeat)
		}
		line := st.line(p.start.Add(at))
		v := p.eval.Line(ctx, line)
		failures := st.want.compare(&v, where)
		if len(failures) == 0 && st.approve != nil {
			var err error
			if failures, err = p.approved(ctx, st, line, &v, where); err != nil {
				return nil, err
			}
		}
		if len(failures) > 0 {
			return failures, ctx.Err()
		}
	}
	return nil, ctx.Err()
}

// approved approves what was asked about and decides the step again.
func (p *player) approved(ctx context.Context, st *step, line []byte, v *registry.Verdict, where string) ([]Failure, error) {
	var rules []*registry.Rule
	for i := range v.Fired {
		f := &v.Fired[i]
		if f.Rule.Action.Kind == dsl.Confirm && f.Decides() && (st.approve.all || slices.Contains(st.approve.ids, f.Rule.ID)) {
			rules = append(rules, f.Rule)
		}
	}
	var asked []string
	for _, r := range rules {
		asked = append(asked, r.ID)
	}
	fail := func(expected, got string, v registry.Verdict) []Failure {
		j := v.JSON()
		return []Failure{{Position: st.approve.pos, Where: where, What: "approve", Expected: expected, Got: got, Verdict: &j}}
	}
	for _, id := range st.approve.ids {
		if !slices.Contains(asked, id) {
			return fail("the rule "+id+" asks", "it does not", *v), nil
		}
	}
	if st.approve.all && len(rules) == 0 {
		return fail("a confirm rule asks", "none does", *v), nil
	}
	if err := p.eval.Approve(ctx, line, rules...); err != nil {
		return nil, err
	}
	after := p.eval.Line(ctx, line)
	if where += ", approved"; st.approve.then != nil {
		return st.approve.then.compare(&after, where), nil
	}
	if after.Decision.Blocks() {
		return fail("the step is admitted", after.Decision.String(), after), nil
	}
	return nil, nil
}

// line is the step as eval reads it.
func (s *step) line(now time.Time) []byte {
	names := append(slices.Clone(s.names), "now")
	values := append(slices.Clone(s.values), jsonv.OfText(now.UTC().Format(time.RFC3339Nano)))
	if !slices.Contains(names, "session") {
		names, values = append(names, "session"), append(values, jsonv.OfText(defaultSession))
	}
	return jsonv.OfObject(names, values).AppendJSON(nil)
}

// compare holds a verdict against what is expected.
func (e *expectation) compare(v *registry.Verdict, where string) []Failure {
	var out []Failure
	j := v.JSON()
	fail := func(f Failure) {
		f.Where, f.Verdict = where, &j
		out = append(out, f)
	}
	if v.Decision != e.decision {
		fail(Failure{Position: e.pos, What: "decision", Expected: e.decision.String(), Got: v.Decision.String()})
	}
	var decide, observe, fired []string
	for i := range v.Fired {
		f := &v.Fired[i]
		fired = append(fired, f.Rule.ID)
		switch {
		case f.Decides():
			decide = append(decide, f.Rule.ID)
		case f.Rule.Options.Mode == dsl.Observe:
			observe = append(observe, f.Rule.ID)
		}
	}
	if l := e.rules; l != nil && !l.equals(decide) {
		fail(Failure{Position: l.pos, What: "rules", Expected: l.String(), Got: idsText(decide)})
	}
	if l := e.observed; l != nil && !l.equals(observe) {
		fail(Failure{Position: l.pos, What: "observed", Expected: l.String(), Got: idsText(observe)})
	}
	if l := e.notRules; l != nil {
		if bad := l.among(fired); len(bad) > 0 {
			fail(Failure{Position: l.pos, What: "not_rules", Expected: "none of " + l.String(), Got: idsText(bad)})
		}
	}
	if r := e.retry; r != nil && r.ms != j.RetryAfterMS {
		fail(Failure{Position: r.pos, What: "retry_after", Expected: waitText(r.ms), Got: waitText(j.RetryAfterMS)})
	}
	return out
}

// equals reports whether the ids are the same set.
func (l *idList) equals(ids []string) bool { return slices.Equal(l.ids, sorted(ids)) }

// among returns the ids of the list that are among those given.
func (l *idList) among(ids []string) []string {
	return slices.DeleteFunc(sorted(ids), func(id string) bool { return !slices.Contains(l.ids, id) })
}

// String renders the list as YAML would write it.
func (l *idList) String() string { return idsText(l.ids) }

func idsText(ids []string) string { return "[" + strings.Join(sorted(ids), ", ") + "]" }

func sorted(ids []string) []string {
	out := slices.Clone(ids)
	slices.Sort(out)
	return slices.Compact(out)
}

func waitText(ms int64) string {
	if ms < 0 {
		return "unknown"
	}
	return duration.Format(time.Duration(ms) * time.Millisecond)
}
