package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
	"github.com/cbpolicy/cbpolicy/telemetry"
)

// telemetryFlag adds --telemetry.
func telemetryFlag(cmd *cobra.Command, path *string) {
	nonEmptyFlag(cmd.Flags(), path, "telemetry", "append a line of figures of every task to this `FILE`, which stats reads")
}

// metricsFlag adds --metrics.
func metricsFlag(cmd *cobra.Command, path *string) {
	nonEmptyFlag(cmd.Flags(), path, "metrics", "write the metrics of breakers to this `FILE` at the end, as Prometheus text")
}

// writeMetrics writes the metrics of breakers at a time; "": nowhere.
func writeMetrics(path string, m *breaker.Metrics, at int64) error {
	if path == "" {
		return nil
	}
	var text bytes.Buffer
	if err := m.WritePrometheus(&text, at); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// tasksOutput appends tasks to a file.
type tasksOutput struct {
	file   *os.File // nil: nowhere
	writer *telemetry.Writer
}

// openTelemetry opens a file to append to; "": there is none.
func openTelemetry(path string) (*tasksOutput, error) {
	if path == "" {
		return &tasksOutput{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &tasksOutput{f, telemetry.NewWriter(f)}, nil
}

func (o *tasksOutput) task(m session.Metadata) {
	if o.file != nil {
		o.writer.Task(m)
	}
}

// close ends the file, and joins what went wrong to what did before.
func (o *tasksOutput) close(before error) error {
	if o.file == nil {
		return before
	}
	if err := errors.Join(o.writer.Err(), o.file.Close()); err != nil {
		return errors.Join(before, fmt.Errorf("write telemetry: %w", err))
	}
	return before
}
