package fallback

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cbpolicy/cbpolicy/state"
)

// confirmed remembers the cells that the home has confirmed, or shown, in
// answering a claim: they are what the next outage begins with.
func (s *Store) confirmed(c *state.Claim, g *state.Grant, err error) {
	if len(c.Expects) == 0 || err != nil && !errors.Is(err, state.ErrConflict) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away != nil { // the local one may have moved on
		return
	}
	for i := range c.Expects {
		is := c.Expects[i].Cell
		if err != nil {
			if i >= len(g.Expected) {
				return
			}
			is = g.Expected[i]
		}
		s.cells.seenOne(c.Expects[i].Key, is)
	}
}

// localCell is a cell of the local home, as it is there and as others see it.
func (s *Store) localCell(ctx context.Context, key string, now int64) (local, outward state.Cell, err error) {
	if err := s.readyCells(ctx, []string{key}); err != nil {
		return local, outward, err
	}
	var v state.View
	if err := s.local.Load(ctx, state.Query{Now: now, Cells: []string{key}}, &v); err != nil {
		return local, outward, err
	}
	local, outward = v.Cells[0], v.Cells[0]
	s.cells.outward(key, &outward)
	return local, outward, nil
}

// localExpects are cells that were seen as the local home is to expect them. With
// state.ErrConflict, where one is another by now, it returns what they all are.
// Those for which only the home answers are as they were seen.
func (s *Store) localExpects(ctx context.Context, expects []state.Expect, now int64) (local []state.Expect, are []state.Cell, err error) {
	for i := range expects {
		e := &expects[i]
		if state.IsHomeCell(e.Key) {
			are = append(are, e.Cell)
			continue
		}
		here, is, wrong := s.localCell(ctx, e.Key, now)
		if wrong != nil {
			return nil, nil, wrong
		}
		if err == nil && (is.Version != e.Version || !bytes.Equal(is.Value, e.Value)) {
			err = fmt.Errorf("%w: cell %q is no longer what was seen of version %d", state.ErrConflict, e.Key, e.Version)
		}
		local, are = append(local, state.Expect{Key: e.Key, Cell: here}), append(are, is)
	}
	return local, are, err
}
