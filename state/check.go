package state

import (
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Check returns an error that wraps ErrInvalid if the claim makes no sense.
// A home calls it before it takes anything.
func (c *Claim) Check() error {
	// The tests of what every claim has are apart from the words for what
	// fails them: every claim of every home pays for them.
	ok := c.Now >= 0
	for i := range c.Needs {
		ok = ok && sane(&c.Needs[i])
	}
	if ok && c.CountsOnly() {
		return nil
	}
	return c.check()
}

// CountsOnly reports whether the claim asks for nothing but counters, as most
// do: for no approval, lease, reservation or cell, and not by a call's identity.
func (c *Claim) CountsOnly() bool {
	return len(c.Guards)|len(c.Leases)|len(c.Reserves)|len(c.Cells)|len(c.Expects) == 0 && c.Call.IsZero()
}

func (c *Claim) check() error {
	if c.Now < 0 {
		return invalid("claim: now is %d, want Unix nanoseconds or 0", c.Now)
	}
	for i := range c.Needs {
		if n := &c.Needs[i]; !sane(n) {
			return fmt.Errorf("%w: needs[%d]: %s", ErrInvalid, i, fault(n))
		}
	}
	for i := range c.Guards {
		for _, w := range c.Guards[i].Windows {
			if w.Need < 0 || w.Need >= len(c.Needs) || w.Window < 0 || w.Window >= len(c.Needs[w.Need].Windows) {
				return invalid("guards[%d] names window %d of need %d, which is not there", i, w.Window, w.Need)
			}
		}
	}
	if err := checkLeases(c.Leases); err != nil {
		return err
	}
	if err := checkReserves(c.Reserves); err != nil {
		return err
	}
	return checkCells(c.Cells, c.Expects)
}

func checkLeases(leases []Lease) error {
	for i := range leases {
		switch l := &leases[i]; {
		case l.Key == "" || l.Holder == "":
			return invalid("leases[%d] has no key or no holder", i)
		case l.TTL <= 0:
			return invalid("leases[%d] (%q) would live for %v, want more than 0", i, l.Key, l.TTL)
		case l.From < 0:
			return invalid("leases[%d] (%q) may be taken from %d on, want Unix nanoseconds or 0", i, l.Key, l.From)
		case slices.ContainsFunc(leases[:i], func(e Lease) bool { return e.Key == l.Key }):
			return invalid("leases[%d] (%q) is there twice", i, l.Key)
		}
	}
	return nil
}

func checkReserves(reserves []Reservation) error {
	for i := range reserves {
		switch r := &reserves[i]; {
		case r.Account == "" || r.ID == "":
			return invalid("reserves[%d] has no account or no id", i)
		case r.Amount < 0:
			return invalid("reserves[%d] (%q): amount %d, want at least 0", i, r.Account, r.Amount)
		case r.Cap < -1:
			return invalid("reserves[%d] (%q): cap %d, want at least 0, or -1 for none", i, r.Account, r.Cap)
		case slices.ContainsFunc(reserves[:i], func(e Reservation) bool { return e.Account == r.Account && e.ID == r.ID }):
			return invalid("reserves[%d] (%q, %q) is there twice", i, r.Account, r.ID)
		}
	}
	return nil
}

// Check returns an error that wraps ErrInvalid if the settlement makes no sense.
func (s *Settlement) Check() error {
	if s.Now < 0 {
		return invalid("settlement: now is %d, want Unix nanoseconds or 0", s.Now)
	}
	if len(s.Leases) > 0 && s.Holder == "" {
		return invalid("settlement: leases without their holder")
	}
	for i := range s.Spent {
		switch sp := &s.Spent[i]; {
		case sp.Account == "":
			return invalid("spent[%d] has no account", i)
		case sp.Amount < 0:
			return invalid("spent[%d] (%q): amount %d, want at least 0", i, sp.Account, sp.Amount)
		}
	}
	return checkCells(s.Cells, s.Expects)
}

// Check returns an error that wraps ErrInvalid if the query makes no sense.
func (q *Query) Check() error {
	if q.Now < 0 {
		return invalid("query: now is %d, want Unix nanoseconds or 0", q.Now)
	}
	return nil
}

// Check returns an error that wraps ErrInvalid if the approval makes no sense.
func (a *Approval) Check() error {
	if a.Digest == (registry.Digest{}) {
		return invalid("approval of the zero digest, which nothing asks for")
	}
	if a.Expires < 0 {
		return invalid("approval expires at %d, want Unix nanoseconds or 0", a.Expires)
	}
	return nil
}

// sane reports whether a need makes sense. A limit at the cap of the history
// does not: nothing would ever exceed it.
func sane(n *registry.Need) bool {
	for i := range n.Windows {
		if w := &n.Windows[i]; w.Span <= 0 || uint64(w.Limit) >= dsl.MaxHistory {
			return false
		}
	}
	for _, f := range n.Front {
		if uint(f) >= uint(len(n.Windows)) {
			return false
		}
	}
	return len(n.Past) < 2 || slices.IsSorted(n.Past)
}

// fault says what makes a need insane.
func fault(n *registry.Need) string {
	for i := range n.Windows {
		w := &n.Windows[i]
		if w.Span <= 0 {
			return fmt.Sprintf("windows[%d] spans %v, want more than 0", i, w.Span)
		}
		if w.Limit < 0 || w.Limit >= dsl.MaxHistory {
			return fmt.Sprintf("windows[%d] has the limit %d, want 0 to %d", i, w.Limit, dsl.MaxHistory-1)
		}
	}
	for i, f := range n.Front {
		if f < 0 || f >= len(n.Windows) {
			return fmt.Sprintf("front[%d] names window %d of %d", i, f, len(n.Windows))
		}
	}
	return "past is not ascending"
}

func checkCells(cells []Write, expects []Expect) error {
	for i := range cells {
		switch w := &cells[i]; {
		case w.Key == "":
			return invalid("cells[%d] has no key", i)
		case w.Version < 0:
			return invalid("cells[%d] (%q): version %d, want at least 0", i, w.Key, w.Version)
		case w.TTL < 0:
			return invalid("cells[%d] (%q) would live for %v, want at least 0", i, w.Key, w.TTL)
		case slices.ContainsFunc(cells[:i], func(e Write) bool { return e.Key == w.Key }):
			return invalid("cells[%d] (%q) is there twice", i, w.Key)
		}
	}
	for i := range expects {
		switch e := &expects[i]; {
		case e.Key == "":
			return invalid("expects[%d] has no key", i)
		case e.Version < 0:
			return invalid("expects[%d] (%q): version %d, want at least 0", i, e.Key, e.Version)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}
