package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// ruleFlags are the flags of a verb that decides: which rules are in force.
type ruleFlags struct {
	policies []string
	keys     []string // that may have signed bundles
	config   string
	// noBuiltins leaves the built-in rules, and the breaker that every ability
	// has by default, out.
	noBuiltins bool
	// allowRollback takes bundles that are older than what was in force before.
	allowRollback bool
	watch         time.Duration    // of a verb that lives long: how often policies are looked at
	loader        *policies.Loader // after load
}

func (f *ruleFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.policies, "policy", "p", nil, "policy file, directory of .cbp files, or signed bundle (repeatable)")
	cmd.Flags().StringArrayVar(&f.keys, "policy-key", nil, "public key that may have signed a policy bundle (repeatable)")
	configFlag(cmd, &f.config)
}

func (f *ruleFlags) addNoBuiltins(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noBuiltins, "no-builtins", false, "leave the built-in rules and breakers out")
}

// load puts the rules in force: those of the configuration, of --policy, and
// the built-in ones.
func (f *ruleFlags) load(cmd *cobra.Command) (*registry.Registry, *config.Settings, error) {
	s, err := loadSettings(cmd, f.config)
	if err != nil {
		return nil, nil, err
	}
	reg := &registry.Registry{}
	if f.loader, err = loadConfigured(cmd, reg, s, f.policies, f.keys); err != nil {
		return nil, nil, err
	}
	if f.noBuiltins {
		s.Breakers = nil
		return reg, s, nil
	}
	return reg, s, reg.TuneBuiltins(s.Builtins)
}

// sessionOf sets a session up as the settings say, prices included.
func sessionOf(cmd *cobra.Command, s *config.Settings, o *session.Options) error {
	s.Apply(o)
	table, err := loadPrices(cmd, s.Prices)
	o.Pricing = session.Pricing{Table: table, Unknown: s.Unknown, MaxOutput: s.Budget.MaxOutput()}
	return err
}

// warnTasks tells of what is set for tasks and does not concern the one of a run.
func warnTasks(cmd *cobra.Command, s *config.Settings, task string, c *chain.Chain) {
	for _, w := range s.RunWarnings(task, c.ID) {
		warn(cmd, "%s", w)
	}
}
