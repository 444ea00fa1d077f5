package file

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// The defaults of Options.
const (
	DefaultForget       = 24 * time.Hour
	DefaultWait         = 2 * time.Second
	DefaultMaxApprovals = 1000
)

// Options set up a Store. Values of 0 or less mean the default.
type Options struct {
	// Now is the clock, in Unix nanoseconds, for requests that bring no time
	// of their own. nil: the wall clock.
	Now func() int64
	// Forget is how long the file remembers what nobody ends: a call that is
	// not settled (from its admission), a run and an approval (from the last
	// admitted claim that named it), the id of a settled amount. All but a call
	// may be remembered up to twice as long. A forgotten call or run counts as
	// a new one. Processes that share a file should agree on it. Default:
	// DefaultForget.
	Forget time.Duration
	// Wait is how long an operation waits for its turn with the file before it
	// fails with state.ErrUnavailable, beside the deadline of its context.
	// Default: DefaultWait.
	Wait time.Duration
	// MaxApprovals bounds the approvals held in one session; above, the
	// oldest is dropped. Default: DefaultMaxApprovals.
	MaxApprovals int
	// NoSync leaves it to the operating system when to write to the disk. What
	// was acknowledged survives the end of the process still, but the loss of
	// power may cost any part of the file, or all of it.
	NoSync bool
}

// Store keeps the state in a file. It is safe for any number of goroutines,
// beside any number of processes with stores of the same file. It holds nothing
// open between operations and needs no closing.
type Store struct {
	name         string // the path as it was given, for errors
	path         string // where that leads to
	clock        func() int64
	forget       int64 // nanoseconds
	wait         time.Duration
	maxApprovals int
	noSync       bool
	layout       layout

	seen    atomic.Int64 // the latest time of any request
	queue   queue
	checked checked // of whoever has the turn
}

var _ state.Store = (*Store)(nil)

// Errors of a file that cannot be used, beside state.ErrUnavailable, which
// every error that is not the request's own fault wraps.
var (
	// ErrFormat: the file is something else, or of a format that this program
	// does not know. It was not changed.
	ErrFormat = errors.New("not a state file that this program knows")
	// ErrDamaged: the file is no longer what was written to it. It was not
	// changed; with it moved away all counts begin at zero.
	ErrDamaged = errors.New("the state file is damaged")
)

// Open returns the store of a file, which is created if it is not there; its
// directory must be. A link stands for what it leads to at this moment. A path may be written as "file:PATH". A file that somebody
// else holds for longer than Options.Wait is no error of Open: what is done with
// the store then fails with state.ErrUnavailable, for as long as it is held.
func Open(path string, o Options) (*Store, error) {
	return open(path, o, current)
}

func open(path string, o Options, l layout) (*Store, error) {
	path = strings.TrimPrefix(path, "file:")
	if path == "" {
		return nil, fmt.Errorf("%w: a state file needs a path, such as file:state.db", state.ErrInvalid)
	}
	path, err := filepath.Abs(path) // it stays the same file when the process changes its directory
	if err != nil {
		return nil, fmt.Errorf("%w: %w", state.ErrUnavailable, err)
	}
	s := &Store{
		name:         path,
		clock:        o.Now,
		forget:       int64(orDefault(o.Forget, DefaultForget)),
		wait:         orDefault(o.Wait, DefaultWait),
		maxApprovals: orDefault(o.MaxApprovals, DefaultMaxApprovals),
		noSync:       o.NoSync,
		layout:       l,
		queue:        newQueue(),
	}
	if s.clock == nil {
		s.clock = func() int64 { return time.Now().UnixNano() }
	}
	if s.path, err = place(path); err != nil {
		return nil, s.fail(err)
	}
	// A file of another kind is told of now, not at the first decision.
	nothing := func(*txn) error { return nil }
	err = s.read(context.Background(), nothing)
	if errors.Is(err, errOlder) {
		err = s.write(context.Background(), nothing) // which migrates it
	}
	if err != nil && !errors.Is(err, errHeld) {
		return nil, err
	}
	return s, nil
}

func orDefault[T ~int | ~int64](v, def T) T {
	if v > 0 {
		return v
	}
	return def
}

// now returns the time of a request that brought the time given, or none (0).
func (s *Store) now(given int64) int64 {
	if given == 0 {
		given = s.clock()
	}
	return s.see(given)
}

// see returns the latest time of any request, after one of the time given.
func (s *Store) see(given int64) int64 {
	for {
		last := s.seen.Load()
		if given <= last {
			return last
		}
		if s.seen.CompareAndSwap(last, given) {
			return given
		}
	}
}

// Load implements state.Store. What it finds is of one moment.
func (s *Store) Load(ctx context.Context, q state.Query, v *state.View) error {
	if err := q.Check(); err != nil {
		return err
	}
	now := q.Now
	if now == 0 {
		now = s.clock()
	}
	now = max(now, s.seen.Load())
	return s.read(ctx, func(t *txn) error {
		v.Now, v.Cells, v.Accounts = max(now, t.latest), v.Cells[:0], v.Accounts[:0]
		for _, key := range q.Cells {
			v.Cells = append(v.Cells, t.cell(hashOf(key), v.Now))
		}
		for _, name := range q.Accounts {
			a := t.account(hashOf(name))
			v.Accounts = append(v.Accounts, state.Account{Settled: a.settled, Reserved: a.reserved})
		}
		return nil
	})
}

// Forget implements state.Store.
func (s *Store) Forget(ctx context.Context, e state.Ended) error {
	return s.write(ctx, func(t *txn) error {
		if e.Session != "" {
			t.deleteAll(key(kindApproval, hashOf(e.Session)))
		}
		for _, name := range e.Accounts {
			t.forgetAccount(hashOf(name))
		}
		for _, name := range e.Cells {
			t.delete(key(kindCell, hashOf(name)))
		}
		return nil
	})
}
