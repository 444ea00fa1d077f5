package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/cbpolicy/cbpolicy/state/redis"
)

// evictionCheck is a state on Redis that is asked once, beside the decisions,
// whether it may drop counts; it is closed with its answer, or without.
type evictionCheck struct {
	*redis.Store
	done chan struct{}
}

// checkEviction asks a server whether it may drop counts, and warns of it. One that
// does not answer, or may not be asked, is left alone: the decisions say what is
// wrong with it.
func checkEviction(store *redis.Store, log *slog.Logger) evictionCheck {
	c := evictionCheck{store, make(chan struct{})}
	go func() {
		defer close(c.done)
		if err := store.Check(context.Background()); errors.Is(err, redis.ErrEvicts) {
			log.Warn("limits may begin anew without a word", "reason", err)
		}
	}()
	return c
}

// Close waits for the answer, for as long as the state may take, and closes the state.
func (c evictionCheck) Close() error {
	<-c.done
	return c.Store.Close()
}
