package actions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// The limits of an action that states none.
const (
	DefaultConfirmTimeout = 5 * time.Minute
	DefaultMaxWait        = time.Minute
)

// Gate lets a step through or stops it. Session and Clock are required.
type Gate struct {
	Session *session.Session
	Clock   session.Clock
	// Confirmer asks; nil: there is nobody to ask, and a confirm rule aborts.
	Confirmer Confirmer
	// Review has tasks reviewed of which a rule asks for it.
	Review Review
	// Log receives a line for every rule that warns or is only observed; nil: none.
	Log *slog.Logger
	// Waiting is told before the gate waits for room; nil: nobody is.
	Waiting func(st *session.Step, v *registry.Verdict, d time.Duration)

	asking   asking
	remedies remedies
	reviews  reviews
	begun    begun
}

// Enter has the step judged until it may run or is stopped. On nil it was
// admitted and its result is owed to the session's After. Otherwise the error
// is a [*StopError], or the context's where that ended first. The verdict is
// the last one reached, whatever the error. A clock that panics stops the step;
// a listener that does is passed over.
func (g *Gate) Enter(ctx context.Context, st *session.Step) (v *registry.Verdict, err error) {
	v = &registry.Verdict{}
	defer g.faulted(st, v, &err)
	var waited time.Duration
	for {
		if err := ctx.Err(); err != nil {
			return v, err
		}
		if err := g.refusedWork(st, v); err != nil {
			return v, err
		}
		g.Session.Before(ctx, st, v)
		g.log(v)
		switch {
		case !v.Decision.Blocks():
			return v, nil
		case v.Decision == registry.Abort:
			return v, stop(ErrAborted, v, nil, nil)
		case v.Decision == registry.Review:
			return v, g.review(ctx, st, v)
		case throttles(v):
			d, err := g.wait(ctx, st, v, waited)
			if err != nil {
				return v, err
			}
			waited += d
		default:
			if err := g.ask(ctx, st, v); err != nil {
				return v, err
			}
		}
	}
}

// unsatisfied yields the fired rules of a kind that still stand in the way.
func unsatisfied(v *registry.Verdict, kind dsl.ActionKind) []registry.Fired {
	var out []registry.Fired
	for _, f := range v.Fired {
		if f.Rule.Action.Kind == kind && f.Rule.Options.Mode == dsl.Enforce && !f.Approved {
			out = append(out, f)
		}
	}
	return out
}

func throttles(v *registry.Verdict) bool { return len(unsatisfied(v, dsl.Throttle)) > 0 }

// wait waits until the slowest throttle rule has room. It stops the step if
// no time is known, or if a rule would have it wait longer than it says.
func (g *Gate) wait(ctx context.Context, st *session.Step, v *registry.Verdict, waited time.Duration) (time.Duration, error) {
	for _, f := range unsatisfied(v, dsl.Throttle) {
		limit := orDefault(f.Rule.Action.Limit, DefaultMaxWait)
		if f.RetryAfter < 0 || waited+f.RetryAfter > limit {
			return 0, stop(ErrThrottled, v, &f, nil)
		}
	}
	// A wait of nothing would ask the store again and again at the same instant.
	d := max(v.RetryAfter, time.Nanosecond)
	if g.Waiting != nil {
		tell(func() { g.Waiting(st, v, d) })
	}
	if err := g.sleep(ctx, d); err != nil {
		return 0, err
	}
	return d, nil
}

func orDefault(d dsl.Duration, def time.Duration) time.Duration {
	if d.IsZero() {
		return def
	}
	return d.Time()
}

// ask puts every unsatisfied confirm rule to the confirmer and records what
// is approved. Every rule must be: approving one approves no other.
func (g *Gate) ask(ctx context.Context, st *session.Step, v *registry.Verdict) error {
	rules := unsatisfied(v, dsl.Confirm)
	if g.Confirmer == nil {
		return stop(ErrAborted, v, &rules[0], errors.New("there is nobody to ask"))
	}
	q := question(g.Session.ID(), st, v, rules)
	timeout := orDefault(rules[0].Rule.Action.Limit, DefaultConfirmTimeout)
	for _, f := range rules {
		timeout = min(timeout, orDefault(f.Rule.Action.Limit, DefaultConfirmTimeout))
	}
	// What is approved is recorded before others who wait for the answer go on,
	// so that an answer for the run is not asked for twice.
	answers, err := g.asking.do(ctx, q.key(), func() ([]Answer, error) {
		answers, err := g.confirm(ctx, q, timeout)
		if err != nil || refused(answers, len(rules)) >= 0 {
			return answers, err
		}
		return answers, g.approve(ctx, st, rules, answers)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case errors.As(err, new(*PanicError)):
		return err
	case err != nil:
		return stop(ErrAborted, v, &rules[0], err)
	}
	switch i := refused(answers, len(rules)); {
	case i < 0:
		return nil
	case i >= len(answers):
		return stop(ErrAborted, v, &rules[i], errors.New("no answer"))
	default:
		return stop(ErrDeclined, v, &rules[i], nil)
	}
}

// refused returns the first of n rules that has no yes, or -1.
func refused(answers []Answer, n int) int {
	for i := range n {
		if i >= len(answers) || answers[i] != Yes && answers[i] != ForRun {
			return i
		}
	}
	return -1
}

// approve records the answers, every one of which is a yes.
func (g *Gate) approve(ctx context.Context, st *session.Step, rules []registry.Fired, answers []Answer) error {
	for i, f := range rules {
		now, err := g.Now()
		if err != nil {
			return err
		}
		expires := now + int64(orDefault(f.Rule.Action.Limit, DefaultConfirmTimeout))
		if answers[i] == ForRun {
			expires = 0
		}
		if err := g.Session.Approve(ctx, st, f.Rule, answers[i] == ForRun, expires); err != nil {
			return err
		}
	}
	return nil
}

// confirm asks within a time, whatever the confirmer does. The time is the
// gate's clock's, so that a dry run does not wait for real.
func (g *Gate) confirm(ctx context.Context, q *Question, timeout time.Duration) (answers []Answer, err error) {
	err = g.within(timeout, func(late <-chan struct{}) error {
		asked, cancel := context.WithCancel(ctx)
		defer cancel()
		done := g.put(asked, q)
		var r reply
		select {
		case r = <-done:
		case <-late:
			// An answer that arrived with the deadline counts.
			select {
			case r = <-done:
			default:
				return fmt.Errorf("no answer within %s", timeout)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		answers = r.answers
		return r.err
	})
	return answers, err
}

// reply is what a confirmer returned.
type reply struct {
	answers []Answer
	err     error
}

// put puts a question to the confirmer, whose panic is an error.
func (g *Gate) put(ctx context.Context, q *Question) <-chan reply {
	done := make(chan reply, 1) // so that a late one can be left
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- reply{err: fmt.Errorf("the confirmer failed: %v", r)}
			}
		}()
		answers, err := g.Confirmer.Confirm(ctx, q)
		done <- reply{answers, err}
	}()
	return done
}

func question(id string, st *session.Step, v *registry.Verdict, rules []registry.Fired) *Question {
	q := &Question{Session: id, Chain: st.Chain, Step: st.ID, Ability: st.Ability, Args: st.Args.String(), Rules: rules}
	for _, f := range v.Fired {
		if f.Rule.Action.Kind != dsl.Confirm || f.Rule.Options.Mode == dsl.Observe {
			q.Also = append(q.Also, f)
		}
	}
	return q
}

// log writes what was noticed but does not stop.
func (g *Gate) log(v *registry.Verdict) {
	if g.Log == nil {
		return
	}
	for i := range v.Fired {
		f := &v.Fired[i]
		observed := f.Rule.Options.Mode == dsl.Observe
		if f.Rule.Action.Kind == dsl.Warn || observed {
			tell(func() {
				g.Log.Warn(f.ReasonText(), "rule", f.Rule.ID, "explain", f.Explain(),
					"step", v.Step, "ability", v.Ability, "observed", observed)
			})
		}
	}
}
