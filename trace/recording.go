package trace

import (
	"cmp"
	"errors"
	"io"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Our recordings of runs of chains, in YAML or JSON. A recording names steps
// and not abilities, so that the ability of a call is the id of its step, and
// it has no arguments.

func isRecording(o *outline) bool {
	return o.has("steps.[].step") && !o.hasAny("steps.[].ability", "steps.[].id")
}

// Limits of a recording, which is read as one document: those of dry runs.
const (
	recordingBytes = 16 << 20
	recordingNodes = 500_000
)

func readRecording(in *input) {
	limit := min(int64(recordingBytes), in.limits.RunBytes)
	data, err := io.ReadAll(io.LimitReader(in.in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &LimitError{What: "a recording", Limit: limit, Unit: "bytes"}
	}
	if err != nil {
		in.emit(nil, err, 0)
		return
	}
	d := document.Parse(in.source, data, document.Limits{Bytes: int(limit), Depth: registry.MaxDepth, Nodes: recordingNodes})
	var findings diag.List
	if findings = d.Findings(); d.Root == nil || findings.Err() != nil {
		in.emit(nil, foundFault(in.source, findings), 0)
		return
	}
	r, err := recordedRun(d.Root.Value())
	if r != nil {
		r.Source = in.source
	}
	in.emit(r, err, 1)
}

// foundFault is the first error among findings.
func foundFault(source string, l diag.List) error {
	for _, f := range l {
		if f.Severity == diag.Error {
			return &Error{Source: source, Line: f.Pos.Line, Column: f.Pos.Column, Err: &SyntaxError{Message: f.Message}}
		}
	}
	return errors.New("the recording cannot be read")
}

func recordedRun(v jsonv.Value) (*Run, error) {
	f := record(v)
	start := f.in("start").instant()
	r := &Run{Format: Recording, Chain: f.in("chain").text(), Timed: start != 0}
	b := newBuilder(r)
	now := cmp.Or(start, UntimedStart)
	b.now = now
	task := cmp.Or(r.Chain, "chain")
	b.add(session.Event{Type: session.TaskStart, Task: task, Chain: r.Chain})
	b.task = task
	for _, s := range f.in("steps").must("a list").objects() {
		now = b.recordedStep(s, now)
	}
	b.endTask(task)
	r.Duration = time.Duration(now - cmp.Or(start, UntimedStart))
	return b.finish(), f.err()
}

// recordedStep adds a step that begins at a time, and returns when it ended.
func (b *builder) recordedStep(s field, now int64) int64 {
	step := s.in("step").text()
	if step == "" {
		s.in("step").wrong("the id of a step")
	}
	b.now = now
	b.call("", step, nil)
	if took := s.in("took").text(); took != "" {
		d, err := time.ParseDuration(took)
		if err != nil || d < 0 || time.Unix(0, plus(now, int64(d))).UTC().Year() > lastYear {
			s.in("took").wrong("a duration such as 1.2s")
			d = 0
		}
		now += int64(d)
	}
	b.now = now
	if u := s.in("usage").object(); !u.none() {
		tokens := meter.Tokens{
			Input: u.in("input_tokens").count(), Output: u.in("output_tokens").count(),
			CacheRead: u.in("cache_read_tokens").count(), CacheWrite: u.in("cache_write_tokens").count(),
			CacheWrite1h: u.in("cache_write_1h_tokens").count(),
		}
		if tokens.CacheWrite1h > tokens.CacheWrite {
			u.in("cache_write_1h_tokens").wrong("at most the cache_write_tokens that they are part of")
		}
		b.spent(session.Event{Model: u.in("model").text(), Tokens: tokens})
	}
	var failure *session.Failure
	if e := s.in("error").object(); !e.none() {
		failure = &session.Failure{Class: cmp.Or(e.in("class").text(), session.ClassTool), Message: e.in("message").text()}
	}
	var output *registry.Value
	if v, told := s.Member("output"); told {
		out := registry.JSON(v)
		output = &out
	}
	b.result("", step, output, failure)
	return now
}
