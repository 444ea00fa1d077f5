package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// stateFlag adds --state.
func stateFlag(cmd *cobra.Command, address *string) {
	cmd.Flags().StringVar(address, "state", "", "where counters live: memory, file:PATH, or redis://HOST:PORT (see the configuration)")
}

// openState opens the home of the state that the flag names, or the
// configuration: the memory of this process where neither does.
func openState(flag string, s *config.Settings, clock session.Clock) (state.Store, io.Closer, error) {
	address := cmp.Or(flag, s.State, "memory")
	kind, _, _ := strings.Cut(address, ":")
	switch kind {
	case "memory":
		return memory.New(memory.Options{Now: clock.Now}), io.NopCloser(nil), nil
	case "file":
		store, err := file.Open(address, file.Options{})
		if err != nil {
			return nil, nil, fmt.Errorf("state: %w", err)
		}
		return store, io.NopCloser(nil), nil
	case "redis", "rediss", "unix":
		redis.Quiet() // its errors reach the verdicts
		store, err := redis.Open(address, redis.Options{})
		if err != nil {
			return nil, nil, usage("state: %w", err)
		}
		return store, store, nil
	}
	return nil, nil, usage("state %q: want memory, file:PATH, or an address that begins with redis://, rediss:// or unix://", address)
}
