package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// The defaults of Options.
const (
	DefaultDomain       = "default"
	DefaultTimeout      = 50 * time.Millisecond
	DefaultForget       = 24 * time.Hour
	DefaultMaxApprovals = 1000
)

// Options set up a Store. Values of 0 or less mean the default. All programs
// that share a domain should agree on them.
type Options struct {
	// Domain is within what counts are exact. It may not have braces. Default:
	// DefaultDomain, or what the address says.
	Domain string
	// Timeout is the longest an operation takes, tries and all, beside the
	// deadline of its context. Default: DefaultTimeout, or what the address says.
	Timeout time.Duration
	// Forget is how long the server remembers what nobody ends: a call that is
	// not settled (from its admission), a run and the approvals of a session
	// (from the last admitted claim that used them), the id of a settled amount.
	// All but a call may be remembered up to twice as long. A forgotten call or
	// run counts as a new one. Counters are kept that much longer than their
	// longest window, and cells longer than they live, for claims that bring their
	// own time. Default: DefaultForget.
	Forget time.Duration
	// MaxApprovals bounds the approvals held in one session; above, the
	// oldest is dropped. Default: DefaultMaxApprovals.
	MaxApprovals int
}

// Store keeps the state on a server. It is safe for any number of goroutines.
type Store struct {
	client       goredis.UniversalClient
	dialer       *dialer // nil: the client is not ours
	calls        gatherer
	undos        undos
	limit        limit
	claims       sync.Pool    // of *claiming, which nobody uses
	until        atomic.Int64 // until when heads are good, as far as answers tell
	same         []byte       // what all requests for a claim have in common
	prefix       string       // of all keys of the domain
	keys         []string     // the domain's time, which finds its node
	timeout      time.Duration
	forget       uint64 // milliseconds
	forgetText   string
	remember     string // milliseconds: how long the answer to a request is kept
	maxApprovals int
}

var _ state.Store = (*Store)(nil)

// New returns a store that uses a client, whose it is to close the client. The
// client's ContextTimeoutEnabled must be set, or Timeout is not held.
func New(client goredis.UniversalClient, o Options) (*Store, error) {
	domain := o.Domain
	if domain == "" {
		domain = DefaultDomain
	}
	if strings.ContainsAny(domain, "{}") {
		return nil, fmt.Errorf("%w: the domain is %q, want a name without braces", state.ErrInvalid, domain)
	}
	timeout := orDefault(o.Timeout, DefaultTimeout)
	remember := max(10*time.Second, 20*timeout)
	prefix := "cbpolicy:{" + domain + "}:"
	forget := max(1, orDefault(o.Forget, DefaultForget).Milliseconds())
	s := &Store{
		client:       client,
		calls:        gatherer{client: client, timeout: timeout},
		limit:        limit{timeout: timeout},
		prefix:       prefix,
		keys:         []string{prefix + "time"},
		timeout:      timeout,
		forget:       uint64(forget),
		forgetText:   strconv.FormatInt(forget, 10),
		remember:     strconv.FormatInt(remember.Milliseconds(), 10),
		maxApprovals: orDefault(o.MaxApprovals, DefaultMaxApprovals),
		undos:        undos{lasts: remember, atLast: timeout},
	}
	s.undos.do = s.undo
	s.until.Store(headUntil(time.Now().UnixMicro()))
	var same packer
	same.text("") // the name, which is elsewhere
	same.text(s.remember)
	same.text(s.forgetText)
	s.same = same.b
	s.undos.closing, s.undos.stop = context.WithCancel(context.Background())
	return s, nil
}

func orDefault[T ~int | ~int64](v, def T) T {
	if v > 0 {
		return v
	}
	return def
}

// Timeout is the longest an operation takes.
func (s *Store) Timeout() time.Duration { return s.timeout }

// Close closes the connections. If claims are still to be undone that takes up to
// a timeout.
func (s *Store) Close() error {
	s.undos.close()
	s.limit.close()
	return s.client.Close()
}

// run calls a script. The context's end is the caller's; what goes wrong
// otherwise is the server's fault.
func (s *Store) run(ctx context.Context, c *invocation) (*goredis.Cmd, error) {
	limited, cancel := s.limit.of(ctx)
	defer cancel()
	cmd := s.calls.do(limited, c)
	err := cmd.Err()
	switch {
	case err == nil:
		return cmd, nil
	case ctx.Err() != nil:
		return nil, unreachable(ctx.Err())
	}
	reason, known := s.reason(err)
	if limited.Err() != nil && !known {
		return nil, fmt.Errorf("%w: redis has not answered in %v: %w", state.ErrUnavailable, s.timeout, err)
	}
	return nil, fmt.Errorf("%w: redis: %w", state.ErrUnavailable, reason)
}

// ask calls a script whose reply are integers.
func (s *Store) ask(ctx context.Context, sc *script, p *packer) (reply, error) {
	cmd, err := s.run(ctx, &invocation{script: sc, keys: s.keys, arg: p.b})
	if err != nil {
		return nil, err
	}
	return replyOf(cmd)
}

func replyOf(cmd *goredis.Cmd) (reply, error) {
	r, err := cmd.Int64Slice()
	if err != nil || len(r) == 0 {
		return nil, errMalformed
	}
	return r, nil
}

// errMalformed is an answer that no script of ours gives.
var errMalformed = fmt.Errorf("%w: redis gives an answer that makes no sense", state.ErrUnavailable)

// unreachable returns the error of a context that is over. A deadline that has
// passed means for the caller that the store did not answer in time.
func unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", state.ErrUnavailable, err)
	}
	return fmt.Errorf("state: not asked: %w", err)
}

// begin starts a request of n parts beside its name, which makes it known when
// it comes again.
func (s *Store) begin(n int) *packer {
	var name [16]byte
	rand.Read(name[:]) // never fails
	p := &packer{b: make([]byte, 0, 512)}
	p.array(n + 2)
	p.bytes(name[:])
	p.text(s.remember)
	return p
}

// exact is the first number that a double cannot tell from its neighbours;
// longest the span that still is exact when it is added to the time.
const (
	exact   = 1 << 53
	longest = 1 << 52
)

// micros is a time in microseconds. 0 is none, and stays so.
func micros(nanos int64) int64 {
	if nanos > 0 && nanos < 1000 {
		return 1
	}
	return min(nanos/1000, exact-1)
}

// microsUp is micros of the end of what lasts until then.
func microsUp(until int64) int64 {
	if m := micros(until); m*1000 >= until {
		return m
	}
	return min(micros(until)+1, exact-1)
}

// span is a span of time in microseconds, rounded up: a longer window admits less.
func span(d time.Duration) int64 {
	return min(int64((d-1)/time.Microsecond)+1, longest)
}

// nanos is a time in nanoseconds.
func nanos(micros int64) int64 {
	if micros > math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return micros * 1000
}

// counterName names a counter, and no two the same.
func counterName(id *registry.CounterID) string {
	return string(appendCounter(nil, id))
}

func appendCounter(b []byte, id *registry.CounterID) []byte {
	b = append(strconv.AppendInt(b, int64(len(id.Spec)), 10), ':')
	return append(append(b, id.Spec...), id.Subject...)
}

// amountName names an id of an account, and no two the same.
func amountName(account, id string) string {
	return strconv.Itoa(len(account)) + ":" + account + id
}
