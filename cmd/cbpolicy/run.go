package main

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/chain/run/command"
	"github.com/cbpolicy/cbpolicy/chain/run/host"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/session"
)

// runOptions are the flags of run.
type runOptions struct {
	ruleFlags
	audit                       auditFlags
	review                      reviewFlags
	set, abilities, servers     []string
	receipts, recording, format string
	telemetry, metrics          string
	state                       stateFlags
	shell                       bool
	timeout                     time.Duration
}

func newRun() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run CHAIN [--policy FILE.cbp…] [--set NAME=VALUE…] [--ability NAME='CMD …'…] [--mcp NAME='CMD …'…]",
		Short: "Run a chain, every step let through by the rules",
		Long: `run runs a chain for real. Every rule of the chain, of the policies and of the
configuration is in force, and the built-in ones; questions are asked on the terminal, and without one they stop the run.
Windows begin anew with each run, unless --state says where counters live. With
--watch the policies are followed: an update is in force from the next step on.

An ability is a command: the arguments of the step are its standard input, as
JSON, and its standard output is the step's; an exit status other than 0 is a
failure. NAME is the whole name of the ability, or * for all that have no
command of their own. ` + command.EnvAbility + ` and ` + command.EnvStep + ` are added to the environment.
A command is split into words at blanks, with '…', "…" and \ as a shell has
them, but runs without a shell unless --shell is given.

With --mcp the command is an MCP server, which is started, and ended after the
run; its tool T is the ability NAME.T.

With --review, --review-url or a reviewer in the configuration, risky work is
reviewed before it begins, and where a rule asks for a review, the run goes on
after it at the step that was stopped; ` + command.EnvGuidance + ` tells the
commands of further steps the advice. A review that fails stops the run. A
reviewer that is a command finds a case on its standard input, one line of JSON
('cbpolicy schema case'), and puts guidance out ('cbpolicy schema guidance').

The task of a run is called after its session, run-…/1: tasks: in the
configuration names it by its chain.

Exit codes: 0 completed or recovered, 1 a step failed or the run was
interrupted, 2 usage, 3 a file is wrong or nothing does an ability, 5 a rule
stopped the run.`,
		Example: `  cbpolicy run order.yaml --policy policies --set quantity=2 \
    --ability shop.price='jq -r .item' --mcp pay='pay-server --sandbox'`,
		Args: watchArgs(exactlyOne("one chain")),
	}
	o.add(cmd)
	o.audit.add(cmd)
	o.addWatch(cmd)
	o.review.add(cmd, false)
	o.addRollback(cmd)
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "parameter NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&o.abilities, "ability", nil, "command that does an ability, NAME='CMD …' (repeatable)")
	cmd.Flags().StringArrayVar(&o.servers, "mcp", nil, "MCP server whose tools are abilities, NAME='CMD …' (repeatable)")
	cmd.Flags().BoolVar(&o.shell, "shell", false, "run every command in the shell")
	cmd.Flags().DurationVar(&o.timeout, "timeout", command.DefaultTimeout, "how long a call and the start of a server may take")
	nonEmptyFlag(cmd.Flags(), &o.receipts, "receipts", "write a receipt of every call to this file, as JSON")
	nonEmptyFlag(cmd.Flags(), &o.recording, "recording-out", "write a recording of the run to this file, which dryrun reads")
	o.addNoBuiltins(cmd)
	telemetryFlag(cmd, &o.telemetry)
	metricsFlag(cmd, &o.metrics)
	o.state.add(cmd)
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runRun(cmd, o, args[0]) }
	return cmd
}

func runRun(cmd *cobra.Command, o runOptions, path string) error {
	set, err := parseSet(o.set)
	if err != nil {
		return err
	}
	offers, err := o.offers()
	if err != nil {
		return err
	}
	reg, settings, err := o.load(cmd)
	if err != nil {
		return err
	}
	c, err := loadChain(cmd, reg, path)
	if err != nil {
		return err
	}
	warnTasks(cmd, settings, "run-…/1", c)
	options := session.Options{}
	if err := sessionOf(cmd, settings, &options); err != nil {
		return err
	}
	reviews, err := o.review.open(cmd, settings, &options, false)
	if err != nil {
		return err
	}
	if err := o.audit.apart(settings, &o.state, o.policies, o.telemetry); err != nil {
		return err
	}
	clock := session.SystemClock()
	store, storeEnd, err := o.state.open(cmd, settings, clock)
	if err != nil {
		return err
	}
	defer storeEnd.Close()
	if err := o.remember(cmd, settings, &o.state); err != nil {
		return err
	}
	stop, err := o.follow(cmd, settings)
	if err != nil {
		return err
	}
	defer stop()
	h, err := host.Open(cmd.Context(), c, offers)
	if err != nil {
		return refuseOffer(cmd, err)
	}
	defer h.Close()
	// The files are made before anything is done that they are to tell of.
	receipts, err := newOutput(o.receipts)
	if err != nil {
		return err
	}
	recording, err := newOutput(o.recording)
	if err != nil {
		return errors.Join(err, receipts.discard())
	}
	tasks, err := openTelemetry(o.telemetry)
	if err != nil {
		return errors.Join(err, receipts.discard(), recording.discard())
	}
	log, err := o.audit.open(settings)
	if err != nil {
		return errors.Join(err, receipts.discard(), recording.discard(), tasks.close(nil))
	}
	r := &hosted{record: recorderOf(log), metrics: settings.Metrics(), cmd: cmd, chain: c, registry: reg, options: options, reviews: reviews, tasks: tasks, store: store, clock: clock}
	r.calls = &host.Recorder{Abilities: h, Clock: r.clock}
	ended := r.run(set, path != stdin, o.format)
	told := errors.Join(receipts.write(r.calls.ReceiptsJSON),
		recording.write(func() ([]byte, error) { return r.calls.Recording(c, set, r.began) }), tasks.close(nil), closeLog(log, nil), reviews.close(), writeMetrics(o.metrics, r.metrics, clock.Now()))
	closeState(cmd, storeEnd)
	if told != nil {
		return &exitError{exitInternal, told} // what was done is not told in full
	}
	return ended
}

// offers reads the commands of the command line.
func (o *runOptions) offers() (host.Options, error) {
	h := host.Options{Shell: o.shell, Timeout: o.timeout, Version: buildVersion()}
	if o.timeout <= 0 {
		return h, usage("--timeout %s: want more than 0", o.timeout)
	}
	for _, s := range o.abilities {
		offer, err := host.ParseOffer(s)
		if err != nil {
			return h, usage("--ability %w", err)
		}
		h.Abilities = append(h.Abilities, offer)
	}
	for _, s := range o.servers {
		offer, err := host.ParseOffer(s)
		if err != nil {
			return h, usage("--mcp %w", err)
		}
		h.Servers = append(h.Servers, offer)
	}
	return h, nil
}

// refuseOffer gives an error of host.Open its exit code.
func refuseOffer(cmd *cobra.Command, err error) error {
	if errors.As(err, new(*host.OfferError)) {
		return usage("run: %w", err)
	}
	var nobody diag.List
	if errors.As(err, &nobody) {
		for _, f := range nobody {
			if f.ID == host.UnknownAbilityID && !strings.HasPrefix(f.Hint, "did you mean") {
				f.Hint += ": --ability NAME='COMMAND …', or --mcp with the first part of the name"
			}
		}
	}
	return refuse(cmd, err)
}
