// Package state owns what outlives a decision: counters, approvals, leases,
// reservations and versioned cells, behind one small interface.
//
// A home of the state (package memory, and others) counts and takes in one
// atomic operation; it judges no rule. What a count means is decided in
// package registry, when to ask in package session.
package state

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Store is one home of the state. Its methods are safe for any number of
// goroutines and fail closed: on an error nothing was taken, as far as the
// home can tell, and the caller treats the step as refused.
type Store interface {
	// Load reads cells and accounts without changing anything, not even the
	// home's time.
	Load(ctx context.Context, q Query, v *View) error
	// Claim counts every window the step needs and, if nothing refuses it,
	// takes everything it asks for: all or nothing, in one atomic operation.
	Claim(ctx context.Context, c *Claim, g *Grant) error
	// Settle reports the result of an admitted call: it ends the call's
	// identity (the same id is a new call from then on), settles its
	// reservations, frees its leases and writes cells.
	Settle(ctx context.Context, s *Settlement) error
	// Release undoes an admitted call that was never begun: its entries,
	// reservations and leases are given back. A call that is not known is no error.
	Release(ctx context.Context, call CallID) error
	// Approve records an answer of yes. Repeating it changes nothing but the
	// expiry; given again for the run, it is for the run.
	Approve(ctx context.Context, a Approval) error
	// Forget drops what an ended session or task leaves behind. Names that are
	// not known are no error.
	Forget(ctx context.Context, e Ended) error
}

// CallID identifies one call while its result is not yet reported. The zero
// value is a call without identity: every claim is a new one.
type CallID registry.Digest

// IsZero reports whether the call has no identity.
func (id *CallID) IsZero() bool {
	// Four words: a comparison of 32 bytes calls a function, at every claim.
	a, b := binary.NativeEndian.Uint64(id[:]), binary.NativeEndian.Uint64(id[8:])
	c, d := binary.NativeEndian.Uint64(id[16:]), binary.NativeEndian.Uint64(id[24:])
	return a|b|c|d == 0
}

// Claim is what a step asks of the store.
type Claim struct {
	// Now is the time of the claim in Unix nanoseconds; 0: the home's clock.
	// A home never goes back: it uses the latest time it has seen.
	Now int64
	// Session scopes approvals given for a run of the session.
	Session string
	// Call makes the claim idempotent until it is settled. A claim of a call
	// that was admitted is judged again, as of now, and takes only what the
	// call has not taken yet.
	Call CallID
	// Run identifies the run for needs that count executions, among the runs
	// of all chains and sessions: the first admitted claim of a run adds one
	// entry to a counter, later ones none. "": every claim is a run of its own.
	Run string
	// Refused: a rule that no counter concerns refuses; count, but take nothing.
	Refused bool
	// HomeOnly: what stands in for a home that is away refuses it, with ErrDenied,
	// as it needs a cell of the home of which nobody has heard.
	HomeOnly bool

	// Needs are counted. A home may drop entries that are older than the
	// longest window it was ever asked for in their counter.
	Needs  []registry.Need
	Guards []registry.Guard

	Leases   []Lease       // refused while another holder's is live
	Reserves []Reservation // refused if the account would pass its cap
	Cells    []Write       // refused with ErrConflict if a version differs
	// Expects are cells that the claim was decided by: refused with ErrConflict
	// if one is no longer as it was seen, whatever else the claim asks for. The
	// Grant then has them as they are. A repeated claim's are compared as of now.
	Expects []Expect
}

// Grant is the answer to a Claim. Reuse it: its slices are overwritten.
type Grant struct {
	registry.Tally // its Now is the home's time of the claim
	Admitted       bool
	// Repeated: the call was admitted before and is not yet settled; nothing was taken again.
	Repeated bool
	// Lease is the index of the lease that was held by another, or -1.
	Lease int
	// LeaseUntil is when that lease frees itself, or may be taken at all, in
	// Unix nanoseconds; 0 if Lease is -1.
	LeaseUntil int64
	// Reserve is the index of the reservation that passed its cap, or -1.
	Reserve int
	// Expected are, with ErrConflict, the cells of the claim's Expects as they
	// are, in their order; otherwise there are none.
	Expected []Cell
}

// Approval is permission for one call, or for every equal one in a session.
type Approval struct {
	Digest  registry.Digest // session, ability, arguments and rule, hashed; not zero
	Session string          // forgotten with the session
	ForRun  bool            // stays after use; otherwise the admitted call consumes it
	Expires int64           // Unix nanoseconds, not held from then on; 0: never
}

// Lease is the exclusive right to do something for a while, such as to probe
// a half-open breaker. It frees itself when it expires. A new call of its
// holder renews it; a repeated claim does not.
type Lease struct {
	Key    string        // not empty
	Holder string        // not empty
	TTL    time.Duration // more than 0
	// From is when it may be taken first, Unix nanoseconds: before, it is
	// refused as if another held it until then. 0: at any time.
	From int64
}

// Reservation is an amount set aside on an account before its true cost is
// known. A reservation with the ID of a live one replaces it and counts once.
// It lives until it is settled or released, or its account is forgotten: one
// that is lost counts too much, never too little.
type Reservation struct {
	Account string // not empty
	ID      string // not empty
	Amount  int64  // at least 0, in the account's unit
	Cap     int64  // the most that settled and reserved may come to; -1: no cap
}

// Write replaces the bytes of a cell if it still has the expected version.
// The cell then has the next one: Version + 1.
type Write struct {
	Key     string // not empty
	Version int64  // as loaded; 0: the cell must not exist
	Value   []byte // copied
	// TTL is how long after this write the cell expires, unless it is written
	// again; 0: never. One that has expired does not exist, and its versions
	// begin anew.
	TTL time.Duration
}

// Expect is a cell that must still be as it was seen: of the version, and of
// the value, as the versions of a cell begin anew after it has expired.
type Expect struct {
	Key string // not empty
	Cell
}

// Settlement reports the result of a call.
type Settlement struct {
	Now    int64 // as in Claim
	Call   CallID
	Leases []string // keys to free, if still held by Holder
	Holder string   // who claimed them
	Spent  []Spent  // final amounts
	Cells  []Write  // all or nothing with the rest; ErrConflict if a version differs
	// Expects are as in Claim, except that nobody is told what has become of them.
	Expects []Expect
}

// Spent turns a reservation into a final amount, or adds one that was never reserved.
type Spent struct {
	Account string // not empty
	ID      string // the reservation's; settled once. "": an amount of its own, added every time
	Amount  int64  // at least 0
}

// Ended names what nobody will ask for again.
type Ended struct {
	Session  string // its approvals are dropped; "": none
	Accounts []string
	Cells    []string
}

// Query names what Load reads.
type Query struct {
	Now      int64 // as in Claim
	Cells    []string
	Accounts []string
}

// View is what Load found, in the query's order.
type View struct {
	Now      int64 // the home's time: the query's or the home's own, or a later one that it has seen
	Cells    []Cell
	Accounts []Account
}

// HomeCells begins the keys of cells that only the home itself answers for, as
// several processes add to what is in them: a copy of one may be another by now.
// What stands in for a home that is away says nothing of them in a claim, and
// takes no other request that names one; see ErrAway.
const HomeCells = "money\x00"

// IsHomeCell reports whether only the home itself answers for a cell.
func IsHomeCell(key string) bool { return strings.HasPrefix(key, HomeCells) }

// Cell is a versioned value. Version 0: it does not exist.
type Cell struct {
	Version int64
	Value   []byte // shared: do not write to it
}

// Account is the state of a budget.
type Account struct {
	Settled  int64
	Reserved int64
}

// Errors that every home returns wrapped.
var (
	// ErrConflict: a cell has moved on since it was loaded; load and decide again.
	ErrConflict = errors.New("state: version conflict")
	// ErrInvalid: the request makes no sense, such as a negative amount; nothing was taken.
	ErrInvalid = errors.New("state: invalid request")
	// ErrUnavailable: the home could not be reached or did not answer in time.
	ErrUnavailable = errors.New("state: unavailable")
	// ErrDenied, beside ErrUnavailable: the home could not be reached, and
	// what the rules of the claim say about that (Window.Modes, Guard.Modes)
	// is deny. Who asked need not look at them again.
	ErrDenied = errors.New("state: denied while unavailable")
	// ErrAway, beside ErrUnavailable: the home could not be reached, and what stands
	// in for it does nothing of the request, as it names a cell of HomeCells.
	ErrAway = errors.New("state: the home is away, and nothing may stand in for it")
)

// Refused reports whether a home has certainly not done what it returned an
// error for: whoever gets another one does not know whether it was done. It may
// have been, also before it was denied: its answer may be lost.
func Refused(err error) bool { return errors.Is(err, ErrConflict) || errors.Is(err, ErrInvalid) }

// Reason is what an error of a home says, without the words of ErrUnavailable,
// and as a record of it is read.
func Reason(err error) string {
	return strings.ToValidUTF8(strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": "), "\ufffd")
}

// Ephemeral is what a home implements whose state ends with its process: what is
// kept only for another process need not be.
type Ephemeral interface{ Ephemeral() bool }
