package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/explain"
	"github.com/cbpolicy/cbpolicy/registry"
)

func newPrompt() *cobra.Command {
	var rules ruleFlags
	var chain string
	cmd := &cobra.Command{
		Use:   "prompt [--policy FILE.cbp…] [--config FILE] [--chain ID]",
		Short: "Print what an agent should be told of the rules it works under",
		Long: `prompt prints a piece of Markdown for an agent's system prompt: what it means
when a call is refused, what to do then, and the rules and breakers in force. An
agent that is not told takes a refusal for a fault and tries again.

The rules hold whether or not the agent is told of them.

Exit codes: 0 fine, 1 I/O, 2 usage, 3 a file is wrong.`,
		Example: "  cbpolicy prompt --policy policies >> system-prompt.md",
		Args:    atMost(0, "no arguments"),
	}
	rules.add(cmd)
	rules.addNoBuiltins(cmd)
	cmd.Flags().StringVar(&chain, "chain", "", "only rules that apply to the chain with this id")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		reg, settings, err := rules.load(cmd)
		if err != nil {
			return err
		}
		p := explain.Protocol{Breakers: settings.Breakers, Delegation: settings.Delegation, Rules: slices.Collect(reg.Set().Rules())}
		p.Rules = slices.DeleteFunc(p.Rules, func(r *registry.Rule) bool { return r.Standby || chain != "" && !r.AppliesTo(chain) })
		_, err = io.WriteString(cmd.OutOrStdout(), p.String())
		return err
	}
	return cmd
}
