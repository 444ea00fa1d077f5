package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
	"github.com/cbpolicy/cbpolicy/trace/replay/page"
)

// reportPage replays every run as report does, and writes the page beside it.
func (o *replayOptions) reportPage(cmd *cobra.Command, paths []string, options replay.Options) error {
	file, err := newOutput(o.html)
	if err != nil {
		return err
	}
	p, err := page.New(options)
	if err != nil {
		return firstError(err, file.discard())
	}
	all := replay.Each(cmd.Context(), o.runs(cmd, paths), o.workers, func(ctx context.Context, r *trace.Run) (*page.Run, error) {
		return p.Examine(ctx, r)
	})
	report := replay.Report{Runs: []replay.Result{}}
	for run, err := range all {
		if err != nil {
			if err := o.pass(cmd, err); err != nil {
				return firstError(err, file.discard())
			}
			continue
		}
		o.faulty(cmd, run.Result.Source, run.Result.Broken)
		p.Add(run)
		report.Runs = append(report.Runs, run.Result)
		report.Summary.Add(&run.Result)
	}
	if err := o.over(cmd, paths, report.Summary.Runs); err != nil {
		return firstError(err, file.discard())
	}
	err = file.write(func() ([]byte, error) {
		var b bytes.Buffer
		err := p.Write(&b, o.unread)
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	return o.printed(cmd, &report)
}
