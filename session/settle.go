package session

import (
	"context"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// ended is a call whose result is known: what the store is to be told of it.
type ended struct {
	underway
	result breaker.Result
	tried  *tried // nil: nothing is
}

// ends is a call whose result is told of; nil: one that was never let through. It
// is good until the next, and the call is nobody's any more.
func (s *Session) ends(u *underway, failed bool, class string) *ended {
	e := &s.endedOf
	*e = ended{}
	if u == nil {
		return e
	}
	e.underway = *u
	u.free()
	if e.guarded != nil {
		e.result = e.guarded.result(failed, class)
	}
	return e
}

// result is what a call's end says of its ability.
func (g *guarded) result(failed bool, class string) breaker.Result {
	switch {
	case !failed:
		return breaker.Success
	case contains(g.rule.Ignore, class):
		return breaker.Neutral
	case contains(g.rule.Count, class) || countsAgainstTool(class):
		return breaker.Failure
	}
	return breaker.Neutral
}

func contains(classes []string, class string) bool {
	for _, c := range classes {
		if c == class {
			return true
		}
	}
	return false
}

// settle tells the store of a call's end, and the metrics, whatever the store does.
func (s *Session) settle(ctx context.Context, e *ended) error {
	defer func() {
		if e.guarded != nil {
			s.measure(e.guarded, e.result)
		}
	}()
	return s.tellEnd(ctx, e)
}

// nothing reports whether the store knows nothing of the call.
func (e *ended) nothing() bool { return e.guarded == nil && e.admitted.IsZero() }

// moves reports whether the call's end would change the breaker as it was last seen.
func (e *ended) moves() bool {
	_, moved := e.after(e.result, e.guarded.state, 0)
	return moved
}

// tellEnd tells the store of a call's end: its call id, the breaker of its
// ability, and its probe. Of a call that nobody was asked about there is only the
// breaker to tell, if that moves.
func (s *Session) tellEnd(ctx context.Context, e *ended) error {
	g := e.guarded
	switch {
	case e.nothing():
		return s.tellDue(ctx)
	case !e.asked && e.tried == nil && !e.moves():
		return nil // of an event, after which money is told of
	}
	p := s.patience()
	settlement := &s.settling
	*settlement = state.Settlement{Call: e.admitted, Now: s.now()}
	if g == nil {
		return s.report(ctx, settlement, p)
	}
	if e.probe != "" {
		settlement.Leases, settlement.Holder = []string{g.lease}, e.probe
	} else if !e.admitted.IsZero() && e.tried == nil && !e.moves() {
		s.expects[0] = g.expect()
		settlement.Expects = s.expects[:]
		err := s.report(ctx, settlement, p)
		if !again(err) {
			return err
		}
		settlement.Expects = nil
	}
	for {
		now, err := s.loadBreaker(ctx, g)
		if err != nil {
			return err
		}
		if t := e.tried; t != nil && t.made {
			s.moved(g, t.from, t.to, now)
			return s.tellDue(ctx)
		}
		g.giveUp(e.tried)
		e.tried = nil
		if e.probe != "" && now >= e.probeUntil {
			e.result = breaker.Neutral // its lease is over, and another call is the probe
		}
		before := g.state
		after, moves := e.after(e.result, before, now)
		if !moves && e.admitted.IsZero() && e.probe == "" {
			return s.tellDue(ctx)
		}
		settlement.Cells = settlement.Cells[:0]
		if moves {
			settlement.Cells = append(settlement.Cells, g.write(after))
		}
		err = s.reportOrFault(ctx, settlement, p)
		if again(err) {
			if err = p.again(ctx, g.name()); err == nil {
				continue
			}
		}
		switch {
		case !moves:
		case err == nil:
			g.wrote(&settlement.Cells[0], after)
			s.moved(g, before, after, now)
		case !state.Refused(err):
			e.tried = g.try(&settlement.Cells[0], before, after)
		}
		return err
	}
}

// reportOrFault is report, with an error for a store that panics: it may have written
// before.
func (s *Session) reportOrFault(ctx context.Context, st *state.Settlement, p *patience) (err error) {
	defer errorOnPanic(&err)
	return s.report(ctx, st, p)
}

// moved tells of a breaker that is another than it was, if it is in another phase.
func (s *Session) moved(g *guarded, from, to breaker.State, now int64) {
	if c := changeOf(g, from, to, now); c != nil {
		s.changed(c)
	}
}
