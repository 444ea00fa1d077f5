package suggest

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// Options say what is learned. The zero Options have no margin, one worker,
// and make limits of whatever occurred.
type Options struct {
	// Session sets up the sessions in which the runs are measured and replayed. Its
	// rules, id, store and clock are not used.
	Session session.Options
	// Margin is what a limit leaves above the 99th percentile, in percent of it.
	Margin int
	// MinRuns is how many runs that ended well a limit must rest on.
	MinRuns int
	Action  dsl.ActionKind // of every rule
	Workers int            // below 1: 1
	// Unread is told of every run that cannot be read; nil: nobody is.
	Unread func(error)
}

// TooFewError says that there is not enough to learn from.
type TooFewError struct {
	Runs, Well, MinRuns int
}

// Error says how many runs there are, and how many there should be.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("of %d runs read %d ended well, or may have: too few to learn from, which takes %d", e.Runs, e.Well, e.MinRuns)
}

// Suggestion is a policy that was learned.
type Suggestion struct {
	Policy string `json:"policy"` // canonical, as a policy file
	Runs   int    `json:"runs"`
	// Well is the number of runs that the limits were learned from: those that
	// ended well, where their source tells of any run how it ended, and
	// otherwise those of which nothing bad is known.
	Well          int     `json:"well"`
	MarginPercent int     `json:"margin_percent"`
	MinRuns       int     `json:"min_runs"`
	Limits        []Limit `json:"limits"`
	// Stops are the runs that any of the limits stops.
	Stops Stops `json:"stops"`
	// Rare is the number of abilities that too few runs called for a limit;
	// Unnamed is that of abilities and kinds that no rule can name.
	Rare    int `json:"rare_abilities"`
	Unnamed int `json:"unnamed"`
	Unread  int `json:"unread"`

	action dsl.ActionKind
}

// Stops counts the runs that a limit stops.
type Stops struct {
	Well   int `json:"well"`   // of the runs that the limits were learned from: false stops
	Others int `json:"others"` // of all others
}

// Learn reads the runs, twice: to measure them, and to replay the policy over
// them. The error is a [*TooFewError], that of the context, or of a session
// that cannot be set up.
func Learn(ctx context.Context, runs func() iter.Seq2[*trace.Run, error], o Options) (*Suggestion, error) {
	all, unread, err := sample(ctx, runs(), o)
	if err != nil {
		return nil, err
	}
	well := wellEnded(all)
	s := &Suggestion{
		Runs: len(all), Well: count(well), MarginPercent: o.Margin, MinRuns: max(o.MinRuns, 1), Unread: unread, Limits: []Limit{}, action: o.Action,
	}
	if s.Well < s.MinRuns {
		return nil, &TooFewError{s.Runs, s.Well, s.MinRuns}
	}
	if err := s.learn(all, well); err != nil {
		return nil, err
	}
	if err := s.judge(ctx, runs(), all, well, o); err != nil {
		return nil, err
	}
	s.Policy, err = s.print()
	return s, err
}

// sample measures every run.
func sample(ctx context.Context, runs iter.Seq2[*trace.Run, error], o Options) (all []*replay.Measures, unread int, err error) {
	measure, err := replay.Measurer(o.Session)
	if err != nil {
		return nil, 0, err
	}
	for m, err := range replay.Each(ctx, runs, o.Workers, measure) {
		switch {
		case err == nil:
			all = append(all, m)
		case errors.As(err, new(*trace.Error)):
			if unread++; o.Unread != nil {
				o.Unread(err)
			}
		default:
			return nil, 0, err
		}
	}
	return all, unread, nil
}
