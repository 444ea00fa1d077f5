package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

func newBuiltins() *cobra.Command {
	var path, format string
	cmd := &cobra.Command{
		Use:   "builtins [--config FILE]",
		Short: "Print the built-in rules with their limits in effect",
		Long: `builtins prints the built-in rules, set by set, as a policy file would hold
them: with the limits in effect, and where each comes from. A rule that is not
in force is a comment, and so is one that is for some tasks only.

Tokens are those that a source reports; where it reports none they are estimated,
as a quarter of the text's bytes, rounded up, whatever the model.

Exit codes: 0 fine, 1 I/O, 2 usage, 3 the configuration is wrong.`,
		Example: "  cbpolicy builtins\n  BB_CIRCUIT_BREAKER_TOOL_CAP=80 cbpolicy builtins -f json",
		Args:    atMost(0, "no arguments"),
	}
	configFlag(cmd, &path)
	formatFlag(cmd.Flags(), &format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := loadSettings(cmd, path)
		if err != nil {
			return err
		}
		rules, err := s.Builtins.Rules()
		if err != nil {
			return err
		}
		return printBuiltins(cmd.OutOrStdout(), rules, format)
	}
	return cmd
}

// builtinJSON is a built-in rule for programs.
type builtinJSON struct {
	ID     string `json:"id"`
	Set    string `json:"set"`
	On     bool   `json:"on"`
	Tasks  bool   `json:"tasks,omitempty"` // it is off, but for tasks that have it
	Mode   string `json:"mode"`
	Rule   string `json:"rule"`
	Limit  string `json:"limit"`
	Origin string `json:"origin"` // of the limit
}

func printBuiltins(w io.Writer, rules []registry.BuiltinRule, format string) error {
	if format == "json" {
		all := []builtinJSON{}
		for _, r := range rules {
			limit := r.Rule.Condition[0].(*dsl.Threshold).Value.String()
			all = append(all, builtinJSON{r.Rule.ID(), r.Set, r.On, r.Standby, r.Rule.Options.Mode.String(), r.Rule.String(), limit, originOf(r)})
		}
		return printJSON(w, all)
	}
	set := ""
	for _, r := range rules {
		heading := "# "
		if r.Set != set {
			if set != "" {
				heading = "\n# "
			}
			heading += "set " + r.Set + "\n# "
			set = r.Set
		}
		line := "B:" + r.Rule.String()
		switch {
		case r.Standby:
			line = "# off, but for tasks that have it: " + line
		case !r.On:
			line = "# off: " + line
		}
		if _, err := fmt.Fprintf(w, "%slimit: %s\n%s\n", heading, originOf(r), line); err != nil {
			return err
		}
	}
	return nil
}

func originOf(r registry.BuiltinRule) string {
	if r.From == "" {
		return config.Default
	}
	return r.From
}
