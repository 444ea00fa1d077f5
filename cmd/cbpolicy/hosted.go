package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/chain/run/host"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// hosted is a chain that is run for real.
type hosted struct {
	cmd      *cobra.Command
	chain    *chain.Chain
	registry *registry.Registry
	clock    session.Clock
	options  session.Options // but for what is of the run
	reviews  *reviews
	tasks    *tasksOutput
	store    state.Store
	record   func(*session.Record) error
	metrics  *breaker.Metrics
	calls    *host.Recorder
	began    time.Time
}

// run runs the chain once and prints how it went. Questions are asked only if
// there is a terminal to answer on, whose input nothing else has used.
func (r *hosted) run(set map[string]chain.Value, inputIsFree bool, format string) error {
	// A session of its own for each run, in a state that may outlive it, and
	// whose time it then goes by.
	options := r.options
	options.ID, options.Registry, options.Store = fmt.Sprintf("run-%x", r.clock.Now()), r.registry, r.store
	options.Fresh = true
	if _, own := r.store.(*memory.Store); own {
		options.Clock = r.clock
	}
	options.OnTask, options.Record, options.Metrics = r.tasks.task, r.record, r.metrics
	options.Breakers = run.Breakers(r.chain, options.Breakers)
	s, err := session.New(options)
	if err != nil {
		return err
	}
	gate := &actions.Gate{Session: s, Clock: r.clock, Review: r.reviews.Review}
	out, errOut := r.cmd.OutOrStdout(), r.cmd.ErrOrStderr()
	if inputIsFree && isTerminal(r.cmd.InOrStdin()) && isTerminal(errOut) {
		gate.Confirmer = r.calls.Confirmer(actions.NewTerminal(r.cmd.InOrStdin(), errOut))
	}
	runs := run.Options{Chain: r.chain, Gate: gate, Abilities: r.calls}
	var timeline *live
	shown := progressTo(out, errOut, format)
	if shown != nil {
		timeline = newLive(shown, r.chain)
		runs.Progress, runs.Reviewed, gate.Waiting = timeline.progress, timeline.reviewed, timeline.waiting
	}
	runner, err := run.New(runs)
	if err != nil {
		return refuse(r.cmd, err)
	}
	r.began = time.Unix(0, r.clock.Now())
	result, failed := runner.Run(r.cmd.Context(), set, chain.Host)
	switch {
	case format == "json":
		err = printReceipts(out, result, r.calls.Receipts())
	case shown == out:
		timeline.finish(result, failed)
		err = timeline.w.Flush()
	default:
		err = printResult(out, result, failed, format)
	}
	if err != nil {
		return err
	}
	return exit(exitCode(result.Status))
}

// progressTo returns where a run is shown while it goes on: the output, if a
// person reads it, else standard error, if one reads that; nil: nowhere.
func progressTo(out, errOut io.Writer, format string) io.Writer {
	switch {
	case isTerminal(out) && format == "text":
		return out
	case !isTerminal(out) && isTerminal(errOut):
		return errOut
	}
	return nil
}

// printReceipts prints the result as dryrun does, with the receipts of all calls.
func printReceipts(w io.Writer, result *run.Result, receipts []host.Receipt) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		*run.Result
		Receipts []host.Receipt `json:"receipts"`
	}{result, receipts}); err != nil {
		return err
	}
	return out.Flush()
}
