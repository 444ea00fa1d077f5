package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/eval"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	ruleFlags
	audit    auditFlags
	state    stateFlags
	chains   []string
	builtins bool
	format   string
}

func newEval() *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval --policy FILE.cbp… [--chain FILE.yaml…] [--builtins] [STEP.json|-]",
		Short: "Decide steps given as JSON",
		Long: `eval reads one step as JSON, or JSON Lines of steps, and prints one verdict a
line. The steps are decided in order on one state: an admitted step is recorded.
It begins empty, unless --state says where counters live: then they last, and are
shared. What a session did before (after:, the meters) is known to one eval only.
A call_id says that a step is the same call told again, which is counted once, in
a state that lasts for 24 hours: give every call one of its own, or none.

With --watch the policies are followed while steps come in: an update is in force
from the next step on. One that is bad, unsigned or older than what is in force
is not, and every verdict says so in its notes.

Exit code 5 says that the last decision blocks.`,
		Example: `  echo '{"chain":"trade","ability":"trading.execute","args":{"amount":1500}}' |
    cbpolicy eval --policy examples/global/policy.cbp`,
		Args: watchArgs(atMost(1, "one file of steps, or - for standard input")),
	}
	o.add(cmd)
	o.audit.add(cmd)
	o.state.add(cmd)
	o.addWatch(cmd)
	o.addRollback(cmd)
	cmd.Flags().StringArrayVar(&o.chains, "chain", nil, "chain whose rules apply to its steps (repeatable)")
	cmd.Flags().BoolVar(&o.builtins, "builtins", false, "put the built-in rules in force; meters start at 0")
	formatFlag(cmd.Flags(), &o.format, "json", "text")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := stdin
		if len(args) == 1 {
			path = args[0]
		}
		return runEval(cmd, o, path)
	}
	return cmd
}

func runEval(cmd *cobra.Command, o evalOptions, path string) error {
	o.noBuiltins = !o.builtins
	reg, settings, err := o.load(cmd)
	if err != nil {
		return err
	}
	if len(o.policies) == 0 && len(settings.Policies) == 0 && len(o.chains) == 0 && !o.builtins {
		return usage("eval: no rules: give --policy, --chain or --builtins")
	}
	for _, c := range o.chains {
		if _, err := loadChain(cmd, reg, c); err != nil {
			return err
		}
	}
	if err := o.audit.apart(settings, &o.state, o.policies, ""); err != nil {
		return err
	}
	in := cmd.InOrStdin()
	if path != stdin {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	options := eval.Options{Registry: reg, Builtins: o.builtins}
	store, storeEnd, err := o.state.open(cmd, settings, session.SystemClock())
	if err != nil {
		return err
	}
	defer closeState(cmd, storeEnd)
	if err := o.remember(cmd, settings, &o.state); err != nil {
		return err
	}
	if _, own := store.(*memory.Store); !own { // its own goes by the times of the steps
		options.Store, options.Name = store, " of "+rand.Text()
	}
	log, err := o.audit.open(settings)
	if err != nil {
		return err
	}
	stop, err := o.follow(cmd, settings)
	if err != nil {
		return closeLog(log, err)
	}
	defer stop()
	options.Record = recorderOf(log)
	e := eval.New(options)
	return closeLog(log, evalSteps(cmd, e, in, o.format))
}

// evalSteps decides one step after the other as they arrive.
func evalSteps(cmd *cobra.Command, e *eval.Evaluator, in io.Reader, format string) error {
	steps := eval.NewReader(in)
	blocks, any := false, false
	for {
		step, err := steps.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read steps: %w", err)
		}
		v := e.Line(cmd.Context(), step)
		if err := printVerdict(cmd.OutOrStdout(), &v, format); err != nil {
			return err
		}
		blocks, any = v.Decision.Blocks(), true
	}
	if !any {
		return usage("eval: no step was given")
	}
	if blocks {
		return exit(exitBlocked)
	}
	return nil
}

// printVerdict prints a verdict on a line, or as text for a person.
func printVerdict(w io.Writer, v *registry.Verdict, format string) error {
	out := bufio.NewWriter(w)
	if format == "json" {
		data, err := v.MarshalJSON()
		if err != nil {
			return err
		}
		out.Write(data)
		out.WriteByte('\n')
		return out.Flush()
	}
	verdictText(out, v, colour(w))
	return out.Flush()
}
