package policies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// ErrRollback: a bundle of a newer revision, or of the same with other files, was
// in force before, be it in another process.
var ErrRollback = errors.New("the bundle is older than one that was in force before")

// historyTimeout is the longest that a store may take which has no limit itself.
const historyTimeout = 10 * time.Second

// History keeps the newest revision of every bundle that was in force, in a store
// that outlasts the process: in a cell for each path. All who share the store
// share what they know.
type History struct {
	Store state.Store
	// Unknown is told of an error of the store, and has the bundle taken without
	// what the store knows. nil: then it is refused.
	Unknown func(error)
}

// newest is what a cell holds.
type newest struct {
	Revision uint64          `json:"revision"`
	Digest   registry.Digest `json:"digest"`
}

// Remember holds the bundles in force against a history, and from then on every
// update of them, which is remembered before it is in force. It is called once,
// before anything is decided: an error that wraps ErrRollback, or that of the
// store, says that what is in force must not be. With accept they are taken as
// they are, and are the newest from then on.
func (l *Loader) Remember(ctx context.Context, h History, accept bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := h.take(ctx, l.status.Load().Sources, accept); err != nil {
		return err
	}
	l.history = &h
	return nil
}

// take remembers the bundles among sources. The error is a [*SourceError].
func (h *History) take(ctx context.Context, sources []Source, accept bool) error {
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	for i := range sources {
		s := &sources[i]
		if s.Kind != Bundle {
			continue
		}
		switch err := h.takeOne(ctx, s, accept); {
		case err == nil:
		case errors.Is(err, state.ErrUnavailable) && h.Unknown != nil:
			h.Unknown(&SourceError{s.Path, err})
		default:
			return &SourceError{s.Path, err}
		}
	}
	return nil
}

// takeOne remembers a bundle, unless a newer one is known. It tries again when
// somebody else has remembered one in between.
func (h *History) takeOne(ctx context.Context, s *Source, accept bool) error {
	path, err := filepath.Abs(s.Path)
	if err != nil {
		return err
	}
	key := "policies:" + path
	for {
		var v state.View
		if err := h.Store.Load(ctx, state.Query{Cells: []string{key}}, &v); err != nil {
			return fmt.Errorf("which revision was the newest in force is not known: %w", err)
		}
		cell, known := v.Cells[0], newest{}
		if cell.Version > 0 {
			if err := json.Unmarshal(cell.Value, &known); err != nil && !accept {
				return fmt.Errorf("which revision was the newest in force cannot be read from the state: %w", err)
			}
		}
		if known == (newest{s.Revision, s.Digest}) {
			return nil
		}
		switch {
		case accept:
		case s.Revision < known.Revision:
			return fmt.Errorf("%w: it has revision %d, and %d was", ErrRollback, s.Revision, known.Revision)
		case s.Revision == known.Revision:
			return fmt.Errorf("%w: it has revision %d, which was in force with other files; build it with a revision above", ErrRollback, s.Revision)
		}
		value, err := json.Marshal(newest{s.Revision, s.Digest})
		if err != nil {
			return err
		}
		err = h.Store.Settle(ctx, &state.Settlement{Cells: []state.Write{{Key: key, Version: cell.Version, Value: value}}})
		if err == nil {
			return nil
		}
		if !errors.Is(err, state.ErrConflict) {
			return fmt.Errorf("the revision cannot be remembered: %w", err)
		}
	}
}
