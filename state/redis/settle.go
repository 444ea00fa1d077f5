package redis

import (
	"context"
	"fmt"
	"strconv"

	"github.com/cbpolicy/cbpolicy/state"
)

// Settle implements state.Store. Reservations and leases of the call that the
// settlement does not name stay as they are.
func (s *Store) Settle(ctx context.Context, st *state.Settlement) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := st.Check(); err != nil {
		return err
	}
	p := s.begin(8)
	p.text(s.forgetText)
	p.int(micros(st.Now))
	p.call(&st.Call)
	p.texts(st.Leases)
	p.text(st.Holder)
	p.array(len(st.Spent))
	for i := range st.Spent {
		sp := &st.Spent[i]
		p.array(4)
		p.text(sp.Account)
		p.text(sp.ID)
		p.decimal(sp.Amount)
		if sp.ID == "" {
			p.text("")
		} else {
			p.text(amountName(sp.Account, sp.ID))
		}
	}
	p.cells(st.Cells)
	p.expects(st.Expects)
	r, err := s.ask(ctx, settleScript, p)
	if err != nil {
		return err
	}
	switch status, at := r.next(), r.at(); {
	case status == statusConflict && at < len(st.Cells)+len(st.Expects):
		return conflict(st.Cells, st.Expects, at)
	case status != statusOK:
		return errMalformed
	}
	return nil
}

// Release implements state.Store. A run that other calls have joined stays
// counted, and an approval that the call consumed stays consumed.
func (s *Store) Release(ctx context.Context, id state.CallID) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if id.IsZero() {
		return nil
	}
	p := s.begin(1)
	p.bytes(id[:])
	_, err := s.ask(ctx, releaseScript, p)
	return err
}

// Approve implements state.Store. If the session already holds as many
// approvals as it may, the oldest is dropped and will be asked for again.
func (s *Store) Approve(ctx context.Context, a state.Approval) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := a.Check(); err != nil {
		return err
	}
	p := s.begin(6)
	p.text(s.forgetText)
	p.int(int64(s.maxApprovals))
	p.text(a.Session)
	p.bytes(a.Digest[:])
	p.bool(a.ForRun)
	p.int(micros(a.Expires))
	_, err := s.ask(ctx, approveScript, p)
	return err
}

// Forget implements state.Store.
func (s *Store) Forget(ctx context.Context, e state.Ended) error {
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	p := s.begin(3)
	p.text(e.Session)
	p.texts(e.Accounts)
	p.texts(e.Cells)
	_, err := s.ask(ctx, forgetScript, p)
	return err
}

// Load implements state.Store. What it finds is of one moment.
func (s *Store) Load(ctx context.Context, q state.Query, v *state.View) error {
	v.Cells, v.Accounts = v.Cells[:0], v.Accounts[:0]
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := q.Check(); err != nil {
		return err
	}
	p := &packer{}
	p.array(3)
	p.texts(q.Cells)
	p.texts(q.Accounts)
	p.int(micros(q.Now))
	cmd, err := s.run(ctx, &invocation{script: loadScript, keys: s.keys, arg: p.b})
	if err != nil {
		return err
	}
	found, err := cmd.StringSlice()
	if err != nil || len(found) != 2*(len(q.Cells)+len(q.Accounts))+1 {
		return errMalformed
	}
	number := func(text string) int64 {
		n, wrong := strconv.ParseInt(text, 10, 64)
		if wrong != nil {
			err = fmt.Errorf("%w: redis holds %q for a number: %w", state.ErrUnavailable, text, wrong)
		}
		return n
	}
	for range q.Cells {
		c := state.Cell{Version: number(found[0])}
		if c.Version > 0 {
			c.Value = []byte(found[1])
		}
		v.Cells, found = append(v.Cells, c), found[2:]
	}
	for range q.Accounts {
		v.Accounts = append(v.Accounts, state.Account{Settled: number(found[0]), Reserved: number(found[1])})
		found = found[2:]
	}
	v.Now = nanos(number(found[0]))
	return err
}
