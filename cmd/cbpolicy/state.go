package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/address"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// stateFlags say where counters live, and what is done while they cannot be reached.
type stateFlags struct {
	address, onError string
	fleet            int

	// After open: the home itself, nil if it does not outlast the process, and what
	// is done while it is away.
	home state.Store
	mode dsl.OnStoreError
}

func (f *stateFlags) add(cmd *cobra.Command) {
	nonEmptyFlag(cmd.Flags(), &f.address, "state", "where counters live: memory, file:PATH, or redis://HOST:PORT (see the configuration)")
	nonEmptyFlag(cmd.Flags(), &f.onError, "on-store-error", "what to do while they cannot be reached, where a rule does not say: deny, allow or local (see the configuration)")
	cmd.Flags().IntVar(&f.fleet, "fleet", 0, "how many processes share them: what limits are divided by for local (see the configuration)")
}

// open opens the home of the state that the flags name, or the configuration:
// the memory of this process where neither does. The closer may be closed twice.
// What becomes of a home that may be away is said on standard error.
func (f *stateFlags) open(cmd *cobra.Command, s *config.Settings, clock session.Clock) (state.Store, io.Closer, error) {
	place, where := f.place(s)
	to, err := address.Parse(place)
	if err != nil {
		return nil, nil, usage("%s: %w", where, err)
	}
	away, err := f.away(s, to.Kind == address.Redis)
	if err != nil {
		return nil, nil, err
	}
	f.mode = away.OnError
	switch to.Kind {
	case address.Memory:
		return memory.New(memory.Options{Now: clock.Now}), io.NopCloser(nil), nil
	case address.File:
		waits := away.OnError == dsl.StoreDefault && away.Timeout == 0 // for its turn, as long as it takes
		options := file.Options{}
		if !waits {
			options.Wait = cmp.Or(away.Timeout, fallback.DefaultTimeout)
		}
		store, err := file.Open(place, options)
		if err != nil {
			return nil, nil, fmt.Errorf("state: %w", err)
		}
		f.home = store
		if waits {
			return store, io.NopCloser(nil), nil
		}
		return withFallback(store, io.NopCloser(nil), away, away.Timeout, clock, newStateLog(cmd.ErrOrStderr()))
	}
	redis.Quiet() // its errors reach the verdicts
	store, err := redis.Open(place, redis.Options{Timeout: away.Timeout})
	if err != nil {
		return nil, nil, usage("%s: %w", where, err)
	}
	f.home = store
	log := newStateLog(cmd.ErrOrStderr())
	return withFallback(store, checkEviction(store, log), away, store.Timeout(), clock, log)
}

// place is the address of the state, and who says it.
func (f *stateFlags) place(s *config.Settings) (text, where string) {
	switch {
	case f.address != "":
		return f.address, "--state"
	case s.State != "":
		return s.State, cmp.Or(s.Place("state"), "the configuration") + ": state"
	}
	return "memory", "the state"
}

// away puts the flags before what the configuration says. A state that is shared
// is counted locally only by the part of each process, which somebody has to say.
func (f *stateFlags) away(s *config.Settings, shared bool) (config.Away, error) {
	a, said := s.Away, cmp.Or(s.Place("on_store_error"), "the configuration")+": on_store_error: local"
	if f.onError != "" {
		if err := a.OnError.UnmarshalText([]byte(f.onError)); err != nil {
			return a, usage("--on-store-error %q: want deny, allow or local", f.onError)
		}
		said = "--on-store-error " + f.onError
	}
	if f.fleet < 0 || f.fleet > config.MaxFleet {
		return a, usage("--fleet %d: want a whole number from 1 to %d", f.fleet, config.MaxFleet)
	}
	a.Fleet = cmp.Or(f.fleet, a.Fleet)
	if shared && a.OnError == dsl.StoreLocal && a.Fleet == 0 {
		return a, usage("%s: how many processes share the state? Give --fleet, or fleet: in the configuration; each then admits its part of a limit", said)
	}
	if a.OnError == dsl.StoreDeny {
		a.OnError = dsl.StoreDefault // which it is
	}
	return a, nil
}

// withFallback has a shared home watched, and its work done by the memory of
// this process while it is away.
func withFallback(home state.Store, end io.Closer, away config.Away, timeout time.Duration, clock session.Clock, log *slog.Logger) (state.Store, io.Closer, error) {
	store, err := fallback.New(home, memory.New(memory.Options{Now: clock.Now}), fallback.Options{OnError: away.OnError, Timeout: timeout, Fleet: away.Fleet, Log: log})
	if err != nil {
		return nil, nil, errors.Join(err, end.Close())
	}
	return store, closers{store, end}, nil
}

// closeState closes the home of the state once all is decided. What could not be
// told to it was decided as the operator wanted it: that is no failure.
func closeState(cmd *cobra.Command, end io.Closer) {
	if err := end.Close(); err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy: warning:", diag.Escape(err.Error()))
	}
}

// closers are closed in their order.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, end := range c {
		errs = append(errs, end.Close())
	}
	return errors.Join(errs...)
}
