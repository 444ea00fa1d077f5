package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	ruleFlags
	recordings
	confirm, failOn, format, explain, html string
	compare                                policyPair
	kinds                                  bool
	workers                                int
}

func newReplay() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [--policy FILE.cbp…] [--confirm stop|approve|decline] PATH…|-",
		Short: "Say what the rules would have done to recorded runs",
		Long: `replay puts recorded runs of agents to the rules, on the recorded clock, and
says of each where it would have been stopped, by which rule, and what that would
have saved. A path is a file of runs or a directory of them; .gz is unpacked. The
format is found from what a file holds:
` + formatsText() + `

In a directory every file is read whose name ends in .json, .jsonl, .ndjson or
.traj, or that begins like a recording, and once, whatever links lead to it; the
others are counted, and no error. A file that is read and is no recording is one,
and so is a recording that breaks off: the exit code is then 3.

A recording that can be read but does not tell what its run did (results are
missing, the run ended with an error) is broken: the run is halted by a rule or its
decision is unknown, and never allow. A run, and so a line of JSON Lines, is read up
to 64 MiB and 2,000,000 JSON values, and a .gz file up to 4 GiB unpacked; what is
larger is told of and counted as not read.

A recording does not tell a call that takes long from one that waits for a
person: after a minute in which nothing else is told of its task, the clocks of
task.duration and task.idle stand still until something is. Events of our own
format are taken at their word: they have a type "asked" for that.

A run ends at the first verdict that blocks. --confirm says what follows a
question: stop ends the run there, approve says yes each time, decline leaves the
call out and goes on.

--explain RUN tells every verdict on one run, named as replay prints it.

--compare OLD NEW lists the runs whose outcome is another under the policy NEW
than under OLD, each a .cbp file, a directory of them, or "" for none. The rules of
--policy and the built-in ones are in force with both; --fail-on asks for NEW.

--html FILE writes a page that needs nothing beside itself: how the runs are
distributed, with the limits of the rules, and the timelines of the halted ones.
Where there is no run none is written.

Exit codes: 0 fine, 1 I/O, 2 usage, or there is no run, 3 a policy is wrong,
or a file or a run cannot be read or is broken, 5 a run was halted and --fail-on halted is given.`,
		Example: `  cbpolicy replay --policy policies --confirm approve recordings
  cbpolicy replay --policy policies --explain recordings/monday.jsonl:12 recordings
  cbpolicy replay --compare policies new.cbp recordings
  cbpolicy replay --policy policies --html report.html recordings
  cbpolicy replay --fail-on halted session.jsonl`,
		Args: atLeast(1, "a file or directory of recorded runs, or - for standard input"),
	}
	o.ruleFlags.add(cmd)
	o.addNoBuiltins(cmd)
	o.recordings.add(cmd)
	cmd.Flags().StringVar(&o.confirm, "confirm", string(replay.Stop), "what follows a question: stop, approve or decline")
	cmd.Flags().StringVar(&o.failOn, "fail-on", "", "exit 5 if a run was `halted`")
	cmd.Flags().StringVar(&o.explain, "explain", "", "tell every verdict on one `run`, such as file.jsonl:12")
	cmd.Flags().StringVar(&o.html, "html", "", "write a page with distributions, limits and halted runs to `file`")
	o.compare.flags = cmd.Flags()
	cmd.Flags().Var(&o.compare, "compare", "list the runs whose outcome differs between two policies")
	cmd.Flags().BoolVar(&o.kinds, "kinds", false, "a run that names no chain runs the one named like its kind of task")
	workersFlag(cmd.Flags(), &o.workers)
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runReplay(cmd, &o, args) }
	return cmd
}

func runReplay(cmd *cobra.Command, o *replayOptions, paths []string) error {
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	if o.compare.given {
		return o.compareRuns(cmd, paths)
	}
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	if o.explain != "" {
		return o.explainRun(cmd, paths, options)
	}
	if o.html != "" {
		return o.reportPage(cmd, paths, options)
	}
	return o.report(cmd, paths, options)
}

func (o *replayOptions) check(flags *pflag.FlagSet) error {
	switch _, err := replay.ParseConfirm(o.confirm); {
	case err != nil:
		return usage("--confirm: %w", err)
	case o.failOn != "" && o.failOn != "halted":
		return usage("--fail-on %q: want halted", o.failOn)
	case o.compare.given && o.explain != "", o.compare.given && o.html != "", o.explain != "" && o.html != "":
		return usage("--compare, --explain and --html: want one of them")
	case o.explain == "" && flags.Changed("explain"):
		return usage("--explain \"\": want a run, named as replay prints it, such as file.jsonl:12")
	case o.html == "" && flags.Changed("html"):
		return usage("--html \"\": want a file to write the page to")
	case o.html == stdin:
		return usage("--html -: standard output has the report; want a file to write the page to")
	}
	return o.recordings.check("replay")
}

// options set up the replay under the rules of the flags.
func (o *replayOptions) options(cmd *cobra.Command) (replay.Options, error) {
	reg, settings, err := o.load(cmd)
	if err != nil {
		return replay.Options{}, err
	}
	if reg.Set().Len() == 0 && !o.compare.given {
		return replay.Options{}, errNoRules()
	}
	options := replay.Options{Confirm: replay.Confirm(o.confirm), Kinds: o.kinds, Session: session.Options{Registry: reg}}
	return options, sessionOf(cmd, settings, &options.Session)
}

func errNoRules() error {
	return usage("replay: no rules: give --policy, or leave --no-builtins out")
}

// report replays every run, and prints what became of them.
func (o *replayOptions) report(cmd *cobra.Command, paths []string, options replay.Options) error {
	report := replay.Report{Runs: []replay.Result{}}
	for result, err := range replay.All(cmd.Context(), o.runs(cmd, paths), o.workers, options) {
		if err != nil {
			if err := o.pass(cmd, err); err != nil {
				return err
			}
			continue
		}
		o.faulty(cmd, result.Source, result.Broken)
		report.Runs = append(report.Runs, *result)
		report.Summary.Add(result)
	}
	if err := o.over(cmd, paths, report.Summary.Runs); err != nil {
		return err
	}
	return o.printed(cmd, &report)
}

// printed prints what became of the runs, and says how the program ends.
func (o *replayOptions) printed(cmd *cobra.Command, report *replay.Report) error {
	report.Summary.Unread, report.Summary.PassedOver = o.unread, o.passed
	if err := printReplay(cmd.OutOrStdout(), report, o.format); err != nil {
		return err
	}
	return o.end(report.Summary.Halted)
}

// end is how the program ends after so many runs were halted.
func (o *replayOptions) end(halted int) error {
	switch {
	case o.unread > 0 || o.broken > 0:
		return exit(exitFindings)
	case o.failOn != "" && halted > 0:
		return exit(exitBlocked)
	}
	return nil
}
