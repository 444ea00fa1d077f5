package redis

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// What came of a claim.
const (
	statusOK = iota
	statusConflict
	statusInvalid
)

// Claim implements state.Store.
func (s *Store) Claim(ctx context.Context, c *state.Claim, g *state.Grant) error {
	g.Counts, g.At, g.Approved, g.Expected, g.Now = g.Counts[:0], g.At[:0], g.Approved[:0], g.Expected[:0], 0
	g.Admitted, g.Repeated, g.Lease, g.LeaseUntil, g.Reserve = false, false, -1, 0, -1
	if err := ctx.Err(); err != nil {
		return unreachable(err)
	}
	if err := c.Check(); err != nil {
		return err
	}
	p := s.packClaim(c)
	cmd, err := s.run(ctx, &p.invocation)
	if err != nil {
		s.undoLater(c, p.b[nameAt:requestAt])
		return err
	}
	s.claims.Put(p)                       // it was answered, so nobody is to send it
	if now, ok := cmd.Val().(int64); ok { // all that needs to be said, mostly
		g.Admitted, g.Now = true, nanos(now)
		s.told(c, g)
		for range c.Needs {
			g.At = append(g.At, -1)
		}
		return nil
	}
	if parts, ok := cmd.Val().([]any); ok && len(parts) > 0 && parts[0] == int64(statusConflict) {
		return moved(parts[1:], c, g)
	}
	r, err := replyOf(cmd)
	if err != nil {
		return err
	}
	switch status, at := r.next(), r.at(); {
	case status == statusInvalid && at < len(c.Reserves):
		return fmt.Errorf("%w: reserves[%d] (%q): the sum of its amounts passes %d", state.ErrInvalid, at, c.Reserves[at].Account, int64(math.MaxInt64))
	case status != statusOK || !r.grant(c, g):
		*g = state.Grant{Lease: -1, Reserve: -1}
		return errMalformed
	}
	s.told(c, g)
	return nil
}

// moved reads what has become of the cells of a claim, one of which is not as it says.
func moved(parts []any, c *state.Claim, g *state.Grant) error {
	if len(parts) != 2+2*len(c.Expects) {
		return errMalformed
	}
	at, ok := parts[0].(int64)
	now, timed := parts[1].(int64)
	if !ok || !timed || at < 0 || at >= int64(len(c.Cells)+len(c.Expects)) {
		return errMalformed
	}
	for parts = parts[2:]; len(parts) > 0; parts = parts[2:] {
		version, ok1 := parts[0].(string)
		value, ok2 := parts[1].(string)
		n, err := strconv.ParseInt(version, 10, 64)
		if !ok1 || !ok2 || err != nil {
			return errMalformed
		}
		cell := state.Cell{Version: n}
		if n > 0 {
			cell.Value = []byte(value)
		}
		g.Expected = append(g.Expected, cell)
	}
	g.Now = nanos(now)
	return conflict(c.Cells, c.Expects, int(at))
}

// conflict names the cell that is not as it was said to be.
func conflict(cells []state.Write, expects []state.Expect, at int) error {
	if at < len(cells) {
		return fmt.Errorf("%w: cell %q has no longer version %d", state.ErrConflict, cells[at].Key, cells[at].Version)
	}
	e := &expects[at-len(cells)]
	return fmt.Errorf("%w: cell %q is no longer what was seen of version %d", state.ErrConflict, e.Key, e.Version)
}

func (s *Store) packClaim(c *state.Claim) *claiming {
	more := len(c.Guards)+len(c.Leases)+len(c.Reserves)+len(c.Cells) > 0
	parts := 5
	switch {
	case more:
		parts = 12
	case len(c.Expects) > 0:
		parts = 7
	case !c.Call.IsZero():
		parts = 6
	}
	p := s.quick(c)
	p.array(parts + 2)
	p.b = append(p.b, s.same...)
	p.int(micros(c.Now))
	if countsRun(c) {
		p.text(runName(c.Run))
	} else {
		p.text("")
	}
	p.bool(c.Refused)
	p.array(len(c.Needs))
	for i := range c.Needs {
		p.need(&c.Needs[i], p.b[countersAt] != notQuick)
	}
	if parts > 5 {
		p.call(&c.Call)
	}
	if parts > 6 {
		p.expects(c.Expects)
	}
	if !more {
		return p
	}
	p.text(c.Session)
	p.guards(c.Guards)
	p.array(len(c.Leases))
	for i := range c.Leases {
		l := &c.Leases[i]
		p.array(4)
		p.text(l.Key)
		p.text(l.Holder)
		p.int(span(l.TTL))
		p.int(microsUp(l.From))
	}
	p.array(len(c.Reserves))
	for i := range c.Reserves {
		r := &c.Reserves[i]
		p.array(4)
		p.text(r.Account)
		p.text(r.ID)
		p.decimal(r.Amount)
		if r.Cap < 0 {
			p.text("")
		} else {
			p.decimal(r.Cap)
		}
	}
	p.cells(c.Cells)
	return p
}

// call names a call; one without identity has no name.
func (p *packer) call(id *state.CallID) {
	if id.IsZero() {
		p.text("")
	} else {
		p.bytes(id[:])
	}
}

// countsRun reports whether anything is counted by the run.
func countsRun(c *state.Claim) bool {
	for i := range c.Needs {
		if c.Needs[i].Run {
			return true
		}
	}
	return false
}

// runName names a run by as many bytes as any other.
func runName(run string) string {
	if run == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(run))
	return string(sum[:16])
}

// need writes a need. The counters of a quick claim are named by its keys.
func (p *packer) need(n *registry.Need, quick bool) {
	// A front of all windows says as much as none.
	front := n.Front
	if len(front) == len(n.Windows) && inOrder(front) {
		front = nil
	}
	parts := 3
	if len(front) > 0 {
		parts = 4
	}
	if len(n.Past) > 0 {
		parts = 5
	}
	p.array(parts)
	if quick {
		p.text("")
	} else {
		p.text(counterName(&n.Counter))
	}
	p.bool(n.Run)
	p.array(3 * len(n.Windows))
	for i := range n.Windows {
		w := &n.Windows[i]
		p.int(span(w.Span))
		p.int(w.Limit)
		p.bool(w.Refuses)
	}
	if parts == 3 {
		return
	}
	p.array(len(front))
	for _, f := range front {
		p.int(int64(f))
	}
	if parts == 4 {
		return
	}
	p.array(len(n.Past))
	for _, at := range n.Past {
		p.int(max(-exact, at/1000))
	}
}

// inOrder reports whether a front names the windows from the first on, each once.
func inOrder(front []int) bool {
	for i, f := range front {
		if f != i {
			return false
		}
	}
	return true
}

func (p *packer) guards(guards []registry.Guard) {
	p.array(len(guards))
	for i := range guards {
		gu := &guards[i]
		p.array(1 + 2*len(gu.Windows))
		if gu.Approval == (registry.Digest{}) {
			p.text("")
		} else {
			p.bytes(gu.Approval[:])
		}
		for _, w := range gu.Windows {
			p.int(int64(w.Need))
			p.int(int64(w.Window))
		}
	}
}

func (p *packer) cells(cells []state.Write) {
	p.array(len(cells))
	for i := range cells {
		w := &cells[i]
		p.array(4)
		p.text(w.Key)
		p.decimal(w.Version)
		p.bytes(w.Value)
		if w.TTL == 0 {
			p.int(0)
		} else {
			p.int(span(w.TTL))
		}
	}
}

func (p *packer) expects(expects []state.Expect) {
	p.array(len(expects))
	for i := range expects {
		e := &expects[i]
		p.array(3)
		p.text(e.Key)
		p.decimal(e.Version)
		p.bytes(e.Value)
	}
}

// decimal writes a number that need not fit in a double.
func (p *packer) decimal(v int64) { p.text(strconv.FormatInt(v, 10)) }
