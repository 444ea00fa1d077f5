package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/policies"
)

// addWatch adds --watch.
func (f *ruleFlags) addWatch(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.watch, "watch", 0, "put updates of the policies in force as they come, looking `EVERY` so often; 0: do not")
	cmd.Flags().Lookup("watch").NoOptDefVal = policies.DefaultInterval.String()
}

// watchArgs checks arguments of a verb with --watch, which takes its time only
// after a =: behind a blank it would be an argument, such as the name of a file.
func watchArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for _, arg := range args {
			if _, err := time.ParseDuration(arg); err == nil && cmd.Flags().Changed("watch") {
				return usage("%s: %q is no file, but a time: write --watch=%s (a file of this name is ./%s)", cmd.Name(), arg, arg, arg)
			}
		}
		return check(cmd, args)
	}
}

// follow looks for updates of what load has loaded, if the flag or the
// configuration says so, until it is told to stop.
func (f *ruleFlags) follow(cmd *cobra.Command, s *config.Settings) (stop func(), err error) {
	every := s.PolicyWatch
	if cmd.Flags().Changed("watch") {
		every = f.watch
	}
	switch {
	case every == 0:
		return func() {}, nil
	case every < policies.MinInterval:
		return nil, usage("--watch %s: want at least %s, or 0", every, policies.MinInterval)
	case len(f.loader.Status().Sources) == 0:
		if cmd.Flags().Changed("watch") {
			return nil, usage("--watch: there is nothing to watch: give --policy, or policies: in the configuration")
		}
		return func() {}, nil
	}
	ctx, stop := context.WithCancel(cmd.Context())
	go f.loader.Watch(ctx, every) // it is not waited for: a file server may not answer
	return stop, nil
}
