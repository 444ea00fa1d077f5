package fallback

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// The defaults of Options.
const (
	DefaultTimeout = 50 * time.Millisecond
	DefaultMaxKept = 10_000
)

// Options set up a Store. Values of 0 or less mean the default.
type Options struct {
	// OnError is for steps and rules that do not say what to do while the home
	// is away. Default: deny.
	OnError dsl.OnStoreError
	// Timeout is the longest that a call of the home may take. Default:
	// DefaultTimeout. A home with a method Timeout, which returns no more than
	// that, is taken to keep it by itself.
	Timeout time.Duration
	// Fleet is how many processes share the home, at the most. Default: 1.
	Fleet int
	// MaxKept bounds what is kept for the home while it is away, in calls of
	// its methods; what of cells is remembered, and of calls in flight, each of
	// which has a place for its end beside. Above, nothing is admitted that a
	// rule wants counted locally, and what rules let pass is never counted:
	// Grant.Away says so, and Status.Lost. Default: DefaultMaxKept.
	MaxKept int
	// Log is told when the home goes away, and when it is back; nil: nobody is.
	Log *slog.Logger
}

// Store asks a shared home, and a local one while that is away. It is safe
// for any number of goroutines. While the home is away it runs a goroutine,
// which Close ends.
type Store struct {
	home, local state.Store
	onError     dsl.OnStoreError
	timeout     time.Duration
	timed       bool // the home keeps the timeout by itself
	fleet       int64
	maxKept     int
	log         *slog.Logger

	gone   atomic.Bool // away is not nil: to be asked without the lock
	shared atomic.Bool // calls of the home may be known to the local one

	mu    sync.Mutex
	away  *registry.Away // nil: the home answers
	since time.Time      // it is away
	kept  []*told        // what the home is to be told, in order
	// telling is closed when the home has been told, or not; nil: it is not being told.
	telling chan struct{}
	lost    int // what it would not hear, or what was not kept for it
	// overfull is away for claims that are let pass with no room to keep them;
	// nil: there was none in this outage.
	overfull *registry.Away
	own      int // those of kept that have a place of their own
	given    givenApprovals
	cells    cells
	closed   bool

	flights flights

	running context.Context // over with Close
	stop    context.CancelFunc
	probing sync.WaitGroup
}

var _ state.Store = (*Store)(nil)

// New returns a store over a shared home and a local one that nobody else
// uses. An error says which option makes no sense. The homes are closed by
// whoever made them, after the store.
func New(home, local state.Store, o Options) (*Store, error) {
	if o.OnError < dsl.StoreDefault || o.OnError > dsl.StoreLocal {
		return nil, fmt.Errorf("%w: on_store_error is %d, want deny, allow or local", state.ErrInvalid, o.OnError)
	}
	s := &Store{
		home: home, local: local, onError: o.OnError, log: o.Log,
		timeout: orDefault(o.Timeout, DefaultTimeout), fleet: int64(orDefault(o.Fleet, 1)), maxKept: orDefault(o.MaxKept, DefaultMaxKept),
	}
	if h, ok := home.(interface{ Timeout() time.Duration }); ok && h.Timeout() <= s.timeout {
		s.timed, s.timeout = true, h.Timeout()
	}
	s.cells.max, s.flights.max = s.maxKept, 2*s.maxKept // those of the home, and those that are kept
	s.running, s.stop = context.WithCancel(context.Background())
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

func orDefault[T ~int | ~int64](v, def T) T {
	if v > 0 {
		return v
	}
	return def
}

// Status tells how things stand.
type Status struct {
	Away   bool
	Reason string    // why the home is away
	Since  time.Time // it is away
	Kept   int       // calls that it is still to be told
	// Lost are calls that it would not hear, as they made no sense to it, or that
	// were let pass while no more could be kept: it has not counted them.
	Lost int
}

// Status tells how things stand.
func (s *Store) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Kept: len(s.kept) + s.given.n + s.cells.unknown(), Lost: s.lost}
	if s.away != nil {
		st.Away, st.Reason, st.Since = true, s.away.Reason, s.since
	}
	return st
}

// Load implements state.Store. While the home is away, accounts hold what this
// process has spent.
func (s *Store) Load(ctx context.Context, q state.Query, v *state.View) error {
	return s.do(ctx, func(ctx context.Context) error {
		err := s.home.Load(ctx, q, v)
		if err == nil && len(q.Cells) > 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.away == nil { // else the local one may have moved on
				s.cells.seen(q.Cells, v.Cells)
			}
		}
		return err
	}, func(ctx context.Context, _ *registry.Away) error {
		if err := s.homeOnly(slices.Values(q.Cells)); err != nil {
			return err
		}
		if err := s.readyCells(ctx, q.Cells); err != nil {
			return err
		}
		if err := s.local.Load(ctx, q, v); err != nil {
			return err
		}
		for i := range v.Cells {
			s.cells.outward(q.Cells[i], &v.Cells[i])
		}
		return nil
	})
}

// Settle implements state.Store.
func (s *Store) Settle(ctx context.Context, st *state.Settlement) error {
	return s.do(ctx, func(ctx context.Context) error {
		err := s.home.Settle(ctx, st)
		if err == nil {
			s.flights.ended(&st.Call)
			s.settled(ctx, st)
		}
		s.unheard(st.Cells, !reached(err))
		return err
	}, func(ctx context.Context, _ *registry.Away) error { return s.settleLocally(ctx, st) })
}

// Release implements state.Store.
func (s *Store) Release(ctx context.Context, id state.CallID) error {
	return s.do(ctx, func(ctx context.Context) error {
		err := s.home.Release(ctx, id)
		if err != nil {
			return err
		}
		s.flights.ended(&id)
		if s.shared.Load() {
			return s.local.Release(ctx, id)
		}
		return nil
	}, func(ctx context.Context, _ *registry.Away) error { return s.releaseLocally(ctx, id) })
}

// Approve implements state.Store. An approval that is given while the home is
// away is held by this process until it is back.
func (s *Store) Approve(ctx context.Context, a state.Approval) error {
	return s.do(ctx, func(ctx context.Context) error { return s.home.Approve(ctx, a) }, func(ctx context.Context, _ *registry.Away) error {
		if err := a.Check(); err != nil {
			return err
		}
		if !s.room() {
			return s.full()
		}
		if err := s.local.Approve(ctx, a); err != nil {
			return err
		}
		s.given.add(a)
		return nil
	})
}

// Forget implements state.Store.
func (s *Store) Forget(ctx context.Context, e state.Ended) error {
	forget := func() error {
		s.cells.forget(e.Cells)
		return s.local.Forget(ctx, e)
	}
	return s.do(ctx, func(ctx context.Context) error {
		err := s.home.Forget(ctx, e)
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			return forget()
		}
		return err
	}, func(ctx context.Context, _ *registry.Away) error {
		if !s.room() {
			return s.full()
		}
		if err := forget(); err != nil {
			return err
		}
		s.given.forget(e.Session)
		s.keep(told{what: forgetting, ended: clone(e)})
		return nil
	})
}
