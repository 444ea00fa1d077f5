package fallback

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// cells are the cells as they were last seen in the home, and as they are in
// the local one. Their local versions are others than those of the home, so
// that what was read in one is never taken for what is in the other.
type cells struct {
	max    int
	outage int64 // the number of the present outage, or of the last
	known  map[string]*cell
}

// cell is one of them. The zero cell does not exist in the home.
type cell struct {
	version int64 // in the home, when it was last seen
	value   []byte

	outage int64 // in which the local home was given the value
	first  int64 // the local version that has this value
	dirty  bool  // it was written, and the home does not know
	// unheard is the latest write whose answer from the home was lost; nil: none.
	unheard []byte
	// ttl is how long it lives that was written last; handed over, it begins anew.
	ttl time.Duration
}

// versions is how many of them an outage has.
const versions = 1 << 40

// seen remembers cells of the home. They are the home's answer, so nothing here is dirty.
func (c *cells) seen(keys []string, found []state.Cell) {
	for i, key := range keys {
		if i >= len(found) {
			return
		}
		c.seenOne(key, found[i])
	}
}

func (c *cells) seenOne(key string, found state.Cell) {
	n := c.known[key]
	if n == nil {
		if found.Version == 0 {
			return // as good as not known
		}
		if n = c.note(key); n == nil {
			return
		}
	}
	n.version, n.value = found.Version, found.Value
}

// wrote remembers a cell that was written in the home. If the home was left in
// between, the local one takes it over, unless it has written the cell itself.
func (c *cells) wrote(w *state.Write) {
	if n := c.note(w.Key); n != nil && !n.dirty {
		*n = cell{version: w.Version + 1, value: slices.Clone(w.Value)}
	}
}

// unheard notes writes that the home may have made, and whose answer was lost.
func (c *cells) unheard(writes []state.Write) {
	for i := range writes {
		if n := c.note(writes[i].Key); n != nil {
			n.unheard = slices.Clone(writes[i].Value)
		}
	}
}

// ours reports whether what the home has is what this process has written.
func (c *cells) ours(key string, found state.Cell) bool {
	n := c.known[key]
	return n != nil && n.unheard != nil && found.Version > 0 && bytes.Equal(found.Value, n.unheard)
}

// note returns what is known of a cell; nil, if there is no room for it, or if
// only the home answers for it.
func (c *cells) note(key string) *cell {
	if n := c.known[key]; n != nil || len(c.known) >= c.max || state.IsHomeCell(key) {
		return n
	}
	if c.known == nil {
		c.known = map[string]*cell{}
	}
	n := &cell{}
	c.known[key] = n
	return n
}

func (c *cells) forget(keys []string) {
	for _, key := range keys {
		delete(c.known, key)
	}
}

// outward gives a local cell the version that it has for others.
func (c *cells) outward(key string, local *state.Cell) {
	switch n := c.known[key]; {
	case n == nil:
		*local = state.Cell{} // nobody has written it
	case local.Version == 0 && n.first > 0: // it has expired
	case local.Version == n.first:
		local.Version = n.version
	default:
		local.Version += c.outage * versions
	}
}

// inward is the local version that one has; false: there is no such any more.
func (c *cells) inward(key string, outward int64) (int64, bool) {
	n := c.known[key]
	switch {
	case n == nil:
		return 0, outward == 0
	case outward == n.version:
		return n.first, true
	case outward > c.outage*versions:
		return outward - c.outage*versions, true
	case outward == 0:
		return 0, true // if it has expired
	}
	return 0, false
}

// unknown is how many of them the home does not know.
func (c *cells) unknown() (n int) {
	for _, of := range c.known {
		if of.dirty {
			n++
		}
	}
	return n
}

// readyCells gives the local home the cells as they were last seen, once an outage.
func (s *Store) readyCells(ctx context.Context, keys []string) error {
	for _, key := range keys {
		n := s.cells.known[key]
		if n == nil || n.outage == s.cells.outage {
			continue
		}
		if err := s.local.Forget(ctx, state.Ended{Cells: []string{key}}); err != nil {
			return err
		}
		n.first = 0
		if n.version > 0 {
			if err := s.local.Settle(ctx, &state.Settlement{Cells: []state.Write{{Key: key, Value: n.value}}}); err != nil {
				return err
			}
			n.first = 1
		}
		n.outage = s.cells.outage
	}
	return nil
}

// homeOnly is the error of a request that names a cell for which only the home
// answers; nil: it names none.
func (s *Store) homeOnly(keys iter.Seq[string]) error {
	for key := range keys {
		if state.IsHomeCell(key) {
			return away(s.away.Reason)
		}
	}
	return nil
}

// away is the error of what only the home may do.
type away string

func (a away) Error() string { return state.ErrUnavailable.Error() + ": " + string(a) }

func (a away) Unwrap() []error { return []error{state.ErrUnavailable, state.ErrAway} }

// ofSettlement are the cells that a settlement names.
func ofSettlement(st *state.Settlement) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range st.Cells {
			if !yield(st.Cells[i].Key) {
				return
			}
		}
		for i := range st.Expects {
			if !yield(st.Expects[i].Key) {
				return
			}
		}
	}
}

// localWrites are writes as the local home is to make them. There is a place
// for each, so that none is lost once it is made. Those that only the home may
// make are not among them.
func (s *Store) localWrites(ctx context.Context, writes []state.Write) ([]state.Write, error) {
	local := make([]state.Write, 0, len(writes))
	for i := range writes {
		w := writes[i]
		if state.IsHomeCell(w.Key) {
			continue
		}
		if s.cells.note(w.Key) == nil {
			return nil, s.full()
		}
		if err := s.readyCells(ctx, []string{w.Key}); err != nil {
			return nil, err
		}
		version, ok := s.cells.inward(w.Key, w.Version)
		if !ok {
			return nil, fmt.Errorf("%w: cell %q has no longer version %d", state.ErrConflict, w.Key, w.Version)
		}
		w.Version = version
		local = append(local, w)
	}
	return local, nil
}

// dirty notes that cells were written locally.
func (c *cells) dirty(writes []state.Write) {
	for i := range writes {
		if n := c.known[writes[i].Key]; n != nil {
			n.dirty, n.ttl = true, writes[i].TTL
		}
	}
}

// handOver makes a kept call of a cell that the home does not know yet; nil:
// there is none. From then on the cell counts as told.
func (s *Store) handOver(ctx context.Context) (*told, error) {
	for key, n := range s.cells.known {
		if !n.dirty {
			continue
		}
		var v state.View
		if err := s.local.Load(ctx, state.Query{Cells: []string{key}}, &v); err != nil {
			return nil, err
		}
		n.dirty = false
		if v.Cells[0].Version == 0 {
			continue // it has expired
		}
		value := slices.Clone(v.Cells[0].Value)
		return &told{what: writing, local: v.Cells[0].Version, settlement: state.Settlement{
			Cells: []state.Write{{Key: key, Version: n.version, Value: value, TTL: n.ttl}},
		}}, nil
	}
	return nil, nil
}

// handedOver notes that the home has a cell.
func (c *cells) handedOver(t *told) {
	w := &t.settlement.Cells[0]
	if n := c.known[w.Key]; n != nil {
		n.version, n.value, n.first = w.Version+1, w.Value, t.local
	}
}

// theirs begins a cell anew with what the home has: somebody else has written it.
func (c *cells) theirs(key string, found state.Cell) {
	if n := c.known[key]; n != nil {
		*n = cell{version: found.Version, value: found.Value}
	}
}
