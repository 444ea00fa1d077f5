package run

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// ParseRecording reads a recording: YAML, or JSON. Every fault of it is a
// finding. The recording is nil if and only if one of them is an error.
// Scalars keep their source text, as in [chain.Parse].
func ParseRecording(file string, data []byte) (*Recording, diag.List) {
	d := document.Parse(file, data, document.Limits{Bytes: MaxRecording, Depth: maxRecordingDepth, Nodes: maxRecordingNodes})
	if d.Root == nil {
		return nil, d.Findings()
	}
	r := recordingReader{Document: d, recording: &Recording{File: file}}
	r.read(d.Root)
	findings := d.Findings()
	if findings.Err() != nil {
		return nil, findings
	}
	return r.recording, findings
}

type recordingReader struct {
	*document.Document
	recording *Recording
}

func (r *recordingReader) read(n *document.Node) {
	rec := r.recording
	var executions []*document.Node // read when the start is known
	r.Fields(n, "a recording", []document.Field{
		{Name: "chain", Read: func(n *document.Node) {
			rec.Chain, _ = r.Text(n, "the chain's id")
			rec.Pos = n.Pos
		}},
		{Name: "params", Read: r.params},
		{Name: "start", Read: func(n *document.Node) { rec.Start, _ = r.instant(n, "start") }},
		{Name: "executions", Read: func(n *document.Node) { executions = r.List(n, "executions", MaxRecordedSteps) }},
		{Name: "steps", Read: r.steps},
		{Name: "confirm", Read: r.confirm},
	}, nil)
	r.executions(executions)
	r.end()
}

func (r *recordingReader) params(n *document.Node) {
	if n.Kind != jsonv.Object {
		r.WrongType(n, "params is a map of named values")
		return
	}
	r.recording.Params = make(map[string]chain.Value, len(n.Items))
	for i, name := range n.Names {
		r.recording.Params[name.Text] = n.Items[i].Value()
	}
}

// The years that nanoseconds since 1970 can tell in 64 bits.
const firstYear, lastYear = 1678, 2261

func (r *recordingReader) instant(n *document.Node, what string) (time.Time, bool) {
	text, ok := r.Text(n, what)
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		r.Report(chain.WrongTypeID, n.Pos, what+" cannot be "+document.Quote(text), "write a time such as 2026-01-05T09:00:00Z")
		return time.Time{}, false
	}
	if y := t.Year(); y < firstYear || y > lastYear {
		r.Report(chain.LimitID, n.Pos, fmt.Sprintf("%s is outside the years %d to %d", what, firstYear, lastYear), "")
		return time.Time{}, false
	}
	return t.UTC(), true
}

// executions reads the earlier runs, in any order.
func (r *recordingReader) executions(items []*document.Node) {
	rec := r.recording
	for _, item := range items {
		t, ok := r.instant(item, "an execution")
		if ok && !rec.Start.IsZero() && t.After(rec.Start) {
			r.Report(chain.WrongTypeID, item.Pos, "an execution after start", "executions are earlier runs")
		}
		if ok {
			rec.Executions = append(rec.Executions, t)
		}
	}
	slices.SortFunc(rec.Executions, time.Time.Compare)
}

// end holds all that the steps took against the last year.
func (r *recordingReader) end() {
	left := time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).Sub(r.recording.begin())
	for _, s := range r.recording.Steps {
		if s.Took > left {
			r.Report(chain.LimitID, s.Pos, "the steps up to this one take too long", fmt.Sprintf("shorten took: time ends with the year %d", lastYear))
			return
		}
		left -= s.Took
	}
}

func (r *recordingReader) steps(n *document.Node) {
	for _, item := range r.List(n, "steps", MaxRecordedSteps) {
		r.recording.Steps = append(r.recording.Steps, r.step(item))
	}
}

func (r *recordingReader) step(n *document.Node) RecordedStep {
	s := RecordedStep{Pos: n.Pos}
	r.Fields(n, "a recorded step", []document.Field{
		{Name: "step", Required: true, Read: func(n *document.Node) { s.Step, _ = r.Text(n, "step") }},
		{Name: "output", Null: true, Read: func(n *document.Node) {
			v := n.Value()
			s.Output = &v
		}},
		{Name: "error", Read: func(n *document.Node) { s.Error = r.error(n) }},
		{Name: "took", Read: func(n *document.Node) { s.Took = r.took(n) }},
		{Name: "usage", Read: func(n *document.Node) { s.Usage = r.usage(n) }},
	}, map[string]string{"id": "did you mean step?", "duration": "did you mean took?", "result": "did you mean output?"})
	if s.Output != nil && s.Error != nil {
		r.Report(chain.SyntaxID, n.Pos, "a recorded step has an output and an error", "a call that failed put out nothing: remove one of the two")
	}
	return s
}

func (r *recordingReader) error(n *document.Node) *RecordedError {
	e := &RecordedError{}
	r.Fields(n, "an error", []document.Field{
		{Name: "class", Required: true, Read: func(n *document.Node) { e.Class, _ = r.Text(n, "the class of an error") }},
		{Name: "message", Read: func(n *document.Node) { e.Message, _ = r.Text(n, "the message of an error") }},
	}, nil)
	return e
}

func (r *recordingReader) took(n *document.Node) time.Duration {
	text, ok := r.Text(n, "took")
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		r.Report(chain.WrongTypeID, n.Pos, "took cannot be "+document.Quote(text), "write a duration such as 1.2s or 350ms")
		return 0
	}
	return d
}

func (r *recordingReader) usage(n *document.Node) *Usage {
	u := &Usage{}
	var hour *document.Node
	count := func(name string, into *int64) document.Field {
		return document.Field{Name: name, Read: func(n *document.Node) { *into = r.count(n, name) }}
	}
	r.Fields(n, "usage", []document.Field{
		{Name: "model", Read: func(n *document.Node) { u.Model, _ = r.Text(n, "the model") }},
		count("input_tokens", &u.InputTokens),
		count("output_tokens", &u.OutputTokens),
		count("cache_read_tokens", &u.CacheReadTokens),
		count("cache_write_tokens", &u.CacheWriteTokens),
		{Name: "cache_write_1h_tokens", Read: func(n *document.Node) {
			u.CacheWrite1hTokens, hour = r.count(n, "cache_write_1h_tokens"), n
		}},
		{Name: "cost_cents", Read: func(n *document.Node) { u.Cost = r.cents(n) }},
	}, nil)
	if u.CacheWrite1hTokens > u.CacheWriteTokens {
		r.Report(chain.WrongTypeID, hour.Pos, "cache_write_1h_tokens are more than cache_write_tokens", "they are part of them: write all that was written to a cache as cache_write_tokens")
	}
	return u
}

// cents reads an amount of cents as nano-dollars; what is finer is rounded up.
func (r *recordingReader) cents(n *document.Node) int64 {
	const nanoPerCentExp = 7 // a cent is 10^7 nano-dollars
	if amount, ok := decimal.Parse(n.Text); ok && n.Kind == jsonv.Number {
		if nano, ok := amount.CeilScaled(nanoPerCentExp); ok && nano >= 0 {
			return nano
		}
	}
	r.Report(chain.WrongTypeID, n.Pos, "cost_cents is a number of cents, 0 or more", "such as 1.25")
	return 0
}

// count reads a whole number of at least 0.
func (r *recordingReader) count(n *document.Node, what string) int64 {
	value, err := strconv.ParseInt(n.Text, 10, 64)
	if n.Kind != jsonv.Number || err != nil || value < 0 {
		r.Report(chain.WrongTypeID, n.Pos, what+" is a whole number of at least 0", "")
		return 0
	}
	return value
}

func (r *recordingReader) confirm(n *document.Node) {
	if n.Kind != jsonv.Object {
		r.WrongType(n, "confirm is a map from steps to answers")
		return
	}
	r.recording.Confirm = make(map[string]Answers, len(n.Items))
	r.recording.places = make(map[string]diag.Position, len(n.Items))
	for i, name := range n.Names {
		r.recording.Confirm[name.Text] = r.answers(n.Items[i])
		r.recording.places[name.Text] = name.Pos
	}
}

func (r *recordingReader) answers(n *document.Node) Answers {
	if n.Kind != jsonv.Object {
		return Answers{All: r.answer(n)}
	}
	a := Answers{Rules: make(map[string]Answer, len(n.Items))}
	for i, name := range n.Names {
		a.Rules[name.Text] = r.answer(n.Items[i])
	}
	return a
}

func (r *recordingReader) answer(n *document.Node) Answer {
	text, ok := r.Text(n, "an answer")
	if !ok {
		return NoAnswer
	}
	switch text {
	case "approve":
		return Approve
	case "decline":
		return Decline
	}
	hint := "write approve or decline"
	if like := diag.Suggest(text, []string{"approve", "decline"}); like != "" {
		hint = "did you mean " + like + "?"
	}
	r.Report(chain.SyntaxID, n.Pos, "an answer cannot be "+document.Quote(text), hint)
	return NoAnswer
}
