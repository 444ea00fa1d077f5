package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/state"
)

// judgeCells returns state.ErrConflict if a cell has moved on. What the call
// itself wrote, when it was admitted before, has not: the caller could not know.
func (s *Store) judgeCells(cells []state.Write, before *call) error {
	for i := range cells {
		w := &cells[i]
		v := s.shards[s.of(w.Key)].cells[w.Key].Version
		if v != w.Version && !(before.wrote(w.Key, v) && v == w.Version+1) {
			return fmt.Errorf("%w: cell %q has version %d, want %d", state.ErrConflict, w.Key, v, w.Version)
		}
	}
	return nil
}

// writeOnce writes the cells of an admitted claim but those that its call has
// written before.
func (s *Store) writeOnce(cells []state.Write, by *call) {
	for i := range cells {
		w := &cells[i]
		if by == nil {
			s.write(w)
		} else if !slices.ContainsFunc(by.cells, func(c written) bool { return c.key == w.Key }) {
			s.write(w)
			by.cells = append(by.cells, written{strings.Clone(w.Key), w.Version + 1})
		}
	}
}

// write writes a cell whose version was judged to fit.
func (s *Store) write(w *state.Write) {
	sh := &s.shards[s.of(w.Key)]
	if sh.cells == nil {
		sh.cells = make(map[string]state.Cell)
	}
	sh.cells[strings.Clone(w.Key)] = state.Cell{Version: w.Version + 1, Value: bytes.Clone(w.Value)}
}
