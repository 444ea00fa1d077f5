package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/actions"
	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
)

// recording is a recording as it is written: what a dry run reads.
type recording struct {
	Chain   string                       `json:"chain"`
	Params  map[string]chain.Value       `json:"params,omitempty"`
	Start   time.Time                    `json:"start"`
	Steps   []recordedStep               `json:"steps"`
	Confirm map[string]map[string]string `json:"confirm,omitempty"`
}

type recordedStep struct {
	Step   string         `json:"step"`
	Output *run.Output    `json:"output,omitempty"`
	Error  *run.StepError `json:"error,omitempty"`
	Took   string         `json:"took"`
}

// Recording returns what was called and answered so far as a recording, in
// JSON, of a run of the chain with these parameters that began at start. A dry
// run of it goes the same way. The error says why there can be none.
func (r *Recorder) Recording(c *chain.Chain, params map[string]chain.Value, start time.Time) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unclear != nil {
		return nil, fmt.Errorf("no recording can be made: %w", r.unclear)
	}
	rec := recording{Chain: c.ID, Params: params, Start: start.UTC(), Steps: []recordedStep{}}
	for _, receipt := range r.receipts {
		rec.Steps = append(rec.Steps, recordedStep{receipt.Step, receipt.Output, receipt.Error, receipt.Took})
	}
	for step, rules := range r.answers {
		for rule, answer := range rules {
			if rec.Confirm == nil {
				rec.Confirm = map[string]map[string]string{}
			}
			if rec.Confirm[step] == nil {
				rec.Confirm[step] = map[string]string{}
			}
			rec.Confirm[step][rule] = "approve"
			if answer == actions.No {
				rec.Confirm[step][rule] = "decline"
			}
		}
	}
	data, err := indented(rec)
	if err != nil {
		return nil, fmt.Errorf("no recording can be made: %w", err)
	}
	// What is written must be readable: outputs may be larger than a recording.
	if parsed, faults := run.ParseRecording("the recording", data); parsed == nil {
		return nil, fmt.Errorf("no recording can be made: %w", faults.Err())
	}
	return data, nil
}

// indented is JSON for people too, with nothing in it escaped that need not be.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
