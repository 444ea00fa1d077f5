package suggest

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// judge replays the policy over all runs, with rules that only observe: each
// limit is then judged as if it stood alone, as none hides what comes after the stop
// of another.
func (s *Suggestion) judge(ctx context.Context, runs iter.Seq2[*trace.Run, error], all []*replay.Measures, well []bool, o Options) error {
	reg := &registry.Registry{}
	if err := reg.Load(s.policy(dsl.Observe)); err != nil {
		return fmt.Errorf("suggest: the learned rules cannot be loaded: %w", err)
	}
	options := replay.Options{Session: o.Session, Kinds: true}
	options.Session.Registry, options.Session.Breakers, options.Session.TaskLimits = reg, nil, nil
	limits := make(map[string]*Limit, len(s.Limits))
	for i := range s.Limits {
		l := &s.Limits[i]
		limits[l.Rule] = l
		for j, m := range all {
			if l.Kind == "" || l.Kind == m.Kind {
				l.Of.add(well[j])
			}
		}
	}
	next := 0
	for r, err := range replay.All(ctx, runs, o.Workers, options) {
		if err != nil {
			if errors.As(err, new(*trace.Error)) {
				continue // it was told of when the runs were measured
			}
			return err
		}
		if next >= len(all) || r.Source != all[next].Source {
			return fmt.Errorf("suggest: %s: the recordings changed while they were read", r.Source)
		}
		for _, id := range r.Fired {
			if l := limits[id]; l != nil {
				l.Stops.add(well[next])
			}
		}
		if len(r.Fired) > 0 {
			s.Stops.add(well[next])
		}
		next++
	}
	if next < len(all) {
		return fmt.Errorf("suggest: %s: the recordings changed while they were read", all[next].Source)
	}
	return nil
}

func (s *Stops) add(well bool) {
	if well {
		s.Well++
	} else {
		s.Others++
	}
}
