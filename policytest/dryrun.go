package policytest

import (
	"context"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// run does the dry run and holds its result against what is expected.
func (d *dryrun) run(ctx context.Context, reg *registry.Registry, cover *Coverage) ([]Failure, error) {
	result, err := run.DryRun(ctx, run.DryRunOptions{
		Chain: d.chain, Recording: d.recording, Params: d.params,
		Session: session.Options{Registry: reg, Judged: cover.judged()},
	})
	cover.register(reg.Set())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil {
		return nil, err
	}
	c := runComparison{result: result, failures: []Failure{}}
	if err != nil {
		c.cause = err.Error()
	}
	c.compare(&d.want)
	return c.failures, nil
}

// runComparison collects what differs from the result of a run.
type runComparison struct {
	result   *run.Result
	cause    string
	failures []Failure
}

func (c *runComparison) check(pos diag.Position, what, expected, got string) {
	if expected != got {
		c.fail(pos, what, expected, got)
	}
}

func (c *runComparison) fail(pos diag.Position, what, expected, got string) {
	c.failures = append(c.failures, Failure{
		Position: pos, Where: "dry run of " + c.result.Chain, What: what, Expected: expected, Got: got, Run: c.result, Cause: c.cause,
	})
}

func (c *runComparison) compare(w *runExpectation) {
	c.check(w.statusPos, "status", string(w.status), string(c.result.Status))
	if w.halt != nil {
		c.halt(w.halt)
	}
	for _, s := range w.steps {
		c.check(s.pos, "outcome of "+s.step, string(s.outcome), c.outcome(s.step))
	}
	if w.outputs != nil {
		for i, name := range w.outputs.Names {
			n := w.outputs.Items[i]
			c.check(n.Pos, "output "+name.Text, shown(n.Value()), c.output(name.Text))
		}
	}
	decide, fired := c.fired()
	if w.rules != nil && !w.rules.equals(decide) {
		c.fail(w.rules.pos, "rules", w.rules.String(), idsText(decide))
	}
	if w.notRules != nil {
		if bad := w.notRules.among(fired); len(bad) > 0 {
			c.fail(w.notRules.pos, "not_rules", "none of "+w.notRules.String(), idsText(bad))
		}
	}
}

func (c *runComparison) halt(w *haltExpectation) {
	h := c.result.Halt
	if h == nil {
		c.fail(w.pos, "halt", "the run is halted", "it ran to its end")
		return
	}
	if w.step != nil {
		c.check(w.step.Pos, "step of the halt", w.step.Text, h.Step)
	}
	if w.rule != nil {
		c.check(w.rule.Pos, "rule of the halt", w.rule.Text, h.Rule)
	}
	if w.retry != nil {
		c.check(w.retry.pos, "retry_after of the halt", waitText(w.retry.ms), waitText(h.RetryAfterMS))
	}
}

// outcome is what became of a step at last, as it may run several times.
func (c *runComparison) outcome(step string) string {
	for i := len(c.result.Steps) - 1; i >= 0; i-- {
		if s := &c.result.Steps[i]; s.Step == step {
			return string(s.Outcome)
		}
	}
	return "not reached"
}

func (c *runComparison) output(name string) string {
	v, ok := c.result.Outputs.Member(name)
	if !ok {
		return "nothing"
	}
	return shown(v)
}

// shown renders a value so that a text and a number differ.
func shown(v jsonv.Value) string { return string(v.AppendJSON(nil)) }

// fired lists the rules that had a say somewhere in the run, and all that fired.
func (c *runComparison) fired() (decide, all []string) {
	add := func(v *registry.VerdictJSON) {
		if v == nil {
			return
		}
		for _, f := range v.Fired {
			all = append(all, f.Rule)
			if f.Mode == "enforce" {
				decide = append(decide, f.Rule)
			}
		}
	}
	for i := range c.result.Steps {
		add(c.result.Steps[i].Verdict)
	}
	add(c.result.Final)
	return decide, all
}

// Text says in words what was expected and what came instead.
func (f *Failure) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: expected %s, got %s", f.Where, f.What, f.Expected, f.Got)
	return b.String()
}
