package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/policies"
)

// addRollback adds --allow-rollback.
func (f *ruleFlags) addRollback(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allowRollback, "allow-rollback", false, "take bundles that are older than those in force before, as the state remembers them, and hold later ones against these")
}

// remember holds the bundles that are loaded against the newest that the state
// knows of. Without a state that lasts nothing is known. While it is away its
// bundles are refused, unless steps are decided without it as well.
func (f *ruleFlags) remember(cmd *cobra.Command, s *config.Settings, st *stateFlags) error {
	if st.home == nil {
		return nil
	}
	h := policies.History{Store: st.home}
	if st.mode == dsl.StoreAllow || st.mode == dsl.StoreLocal {
		h.Unknown = func(err error) {
			fmt.Fprintln(cmd.ErrOrStderr(), "cbpolicy: warning:", diag.Escape(err.Error()))
		}
	}
	err := f.loader.Remember(cmd.Context(), h, f.allowRollback)
	if errors.Is(err, policies.ErrRollback) {
		err = &exitError{exitFindings, fmt.Errorf("%w (--allow-rollback takes it)", err)}
	}
	return placedSource(err, s)
}
