package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/address"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// breakerOptions are the flags of breaker, and of breaker reset.
type breakerOptions struct {
	config, format string
	state          stateFlags
}

func (o *breakerOptions) add(cmd *cobra.Command) {
	nonEmptyFlag(cmd.Flags(), &o.state.address, "state", "where the breakers live: file:PATH, or redis://HOST:PORT (see the configuration)")
	configFlag(cmd, &o.config)
	formatFlag(cmd.Flags(), &o.format, "text", "json")
}

func newBreaker() *cobra.Command {
	var o breakerOptions
	cmd := &cobra.Command{
		Use:   "breaker --state HOME [--config FILE] ABILITY…",
		Short: "Show the half-open breakers of abilities, and reset them",
		Long: `breaker shows the breakers that sessions share in a state: whether each is closed,
open or half-open, the failures in a row while it is closed, how often it has
opened, and when the ability is tried again. What opens a breaker and when it is
tried again is as the configuration says; a chain may have been stricter. 'breaker
reset' closes them.

A state does not list its breakers, as a file keeps no names: name those that are
meant, letter case does not count. One of which the state knows no breaker has not
failed, or not for a day, or is called something else. An ability that is called
reset stands behind --.

Exit codes: 0 fine, 1 the state cannot be read, 2 usage, 3 the state knows no
breaker of an ability, or the configuration is wrong.`,
		Example: `  cbpolicy breaker --state file:state.db web.fetch
  cbpolicy breaker reset --state file:state.db web.fetch`,
		Args: cobra.ArbitraryArgs,
	}
	o.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.each(cmd, args, (*session.Operator).Breaker, printBreakers)
	}
	cmd.AddCommand(newBreakerReset())
	return cmd
}

func newBreakerReset() *cobra.Command {
	var o breakerOptions
	cmd := &cobra.Command{
		Use:   "reset --state HOME [--config FILE] ABILITY…",
		Short: "Close the half-open breakers of abilities",
		Long: `reset closes the breakers of abilities, also those that only an operator closes
(reset: manual), and says what each was before. A closed one begins its row of
failures anew. Whoever shares the state lets calls through from the next decision
on; a probe that is under way changes nothing any more.

Exit codes: 0 all are closed, 1 the state cannot be read or written, 2 usage, 3 the
state knows no breaker of an ability, or the configuration is wrong.`,
		Example: "  cbpolicy breaker reset --state redis://10.0.0.5:6379 web.fetch web.search",
		Args:    cobra.ArbitraryArgs,
	}
	o.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return o.each(cmd, args, (*session.Operator).ResetBreaker, printResets)
	}
	return cmd
}

// each does something with the breaker of each ability, and prints what became of
// them, also of those before one that failed.
func (o *breakerOptions) each(cmd *cobra.Command, abilities []string,
	do func(*session.Operator, context.Context, string) (session.BreakerStatus, error),
	show func(*cobra.Command, []session.BreakerStatus, string) error) error {
	abilities, err := breakerNames(cmd, abilities)
	if err != nil {
		return err
	}
	s, err := loadSettings(cmd, o.config)
	if err != nil {
		return err
	}
	store, end, err := o.state.openShared(s)
	if err != nil {
		return err
	}
	defer end.Close()
	operator := &session.Operator{Store: store, Breakers: s.Breakers}
	var all []session.BreakerStatus
	unknown := false
	for _, ability := range abilities {
		b, err := do(operator, cmd.Context(), ability)
		if err != nil {
			return errors.Join(show(cmd, all, o.format), err)
		}
		if !b.Known {
			unknown = true
			warn(cmd, "%s: the state knows no breaker of it: it has not failed, or not for a day, or is called something else", ability)
		}
		all = append(all, b)
	}
	if err := show(cmd, all, o.format); err != nil || !unknown {
		return err
	}
	return exit(exitFindings)
}

// breakerNames are the abilities that the command line names, each once.
func breakerNames(cmd *cobra.Command, args []string) (names []string, err error) {
	if len(args) == 0 {
		return nil, usage("%s: name the abilities: a state does not list its breakers, as a file keeps no names\nSee '%s --help'.", cmd.Name(), cmd.CommandPath())
	}
	seen := map[string]bool{}
	for _, name := range args {
		if err := (&registry.Step{Ability: name}).Check(); err != nil {
			return nil, usage("%s: %q cannot be an ability: %w", cmd.Name(), name, err)
		}
		if folded := dsl.Fold(name); !seen[folded] {
			seen[folded] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// sharedTimeout is how long a state on a server may take to answer who has no
// decision to make, where nobody says.
const sharedTimeout = 5 * time.Second

// openShared opens the home of a state that lasts as it is: what would be done in
// its place while it is away is of no use to who asks what it holds.
func (f *stateFlags) openShared(s *config.Settings) (state.Store, io.Closer, error) {
	place, where := f.place(s)
	to, err := address.Parse(place)
	if err != nil {
		return nil, nil, usage("%s: %w", where, err)
	}
	switch to.Kind {
	case address.Memory:
		return nil, nil, usage("the breakers of a state in memory end with its process: give --state file:PATH or redis://HOST:PORT, or state: in the configuration")
	case address.File:
		if _, err := os.Stat(to.Path); err != nil { // a name that is misspelt is no new state
			return nil, nil, fmt.Errorf("state: %w", err)
		}
		store, err := file.Open(place, file.Options{Wait: s.Away.Timeout})
		if err != nil {
			return nil, nil, err
		}
		return store, io.NopCloser(nil), nil
	}
	redis.Quiet() // its errors are told
	store, err := redis.Open(place, redis.Options{Timeout: cmp.Or(s.Away.Timeout, to.Timeout, sharedTimeout)})
	if err != nil {
		return nil, nil, usage("%s: %w", where, err)
	}
	return store, store, nil
}
