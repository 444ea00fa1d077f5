package trace

import (
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Spans in the JSON form of OTLP: an object with a list of batches, as a
// collector writes one a line, and as Tempo returns it, in older versions
// under other names. The spans of a trace may stand anywhere in the file, so
// that all of it must be within the limits of a run.

func isOTLP(o *outline) bool {
	return o.hasAny("resourceSpans", "batches", "trace.resourceSpans", "trace.batches")
}

// errNoAgent says that a file of spans holds none of an agent.
var errNoAgent = errors.New("no span of the file has attributes of generative AI")

// otlpTraces are the spans of a file by trace.
type otlpTraces struct {
	*input
	order []string // the ids of the traces, as they first occurred
	spans map[string][]*span
	// faulty: a line could not be read. cut are the traces that it names.
	faulty bool
	cut    map[string]bool
	bytes  int64
}

func readOTLP(in *input) {
	t := otlpTraces{input: in, spans: map[string][]*span{}, cut: map[string]bool{}}
	read := t.values
	if in.lines {
		read = t.byLine
	}
	if err := read(); err != nil {
		in.finish(err)
		return
	}
	none := true
	for _, id := range t.order {
		r, err := traceRun(OTLP, id, t.spans[id], in.limits)
		if r == nil && err == nil {
			continue
		}
		none = false
		if r != nil {
			if r.Source = in.source; len(t.order) > 1 {
				r.Source += "#" + id
			}
			r.defects.cut = t.cut[id]
		}
		in.emit(r, err, 0)
	}
	if none && !t.faulty {
		in.emit(nil, errNoAgent, 0)
	}
}

// values reads objects that follow each other.
func (t *otlpTraces) values() error {
	for {
		if _, err := t.peek(); errors.Is(err, io.EOF) {
			return nil
		}
		if err := t.members(t.member); err != nil {
			return err
		}
	}
}

// byLine reads an object a line. One that cannot be read is an error of its own,
// and the traces that it names are broken.
func (t *otlpTraces) byLine() error {
	bad := func(err error) error {
		t.faulty = true
		for _, id := range traceIDs.FindAllSubmatch(t.buf, -1) {
			t.cut[string(id[1])] = true
		}
		t.emit(nil, err, t.line)
		return nil
	}
	return t.eachLine(func(d doc) error {
		if t.bytes += int64(len(t.buf)); t.bytes > t.input.limits.RunBytes {
			return errManySpans(t.input.limits)
		}
		var batches []field
		f := record(d.Value)
		for _, of := range [...]field{f, f.in("trace").object()} {
			for _, name := range [...]string{"resourceSpans", "batches"} {
				batches = append(batches, of.in(name).objects()...)
			}
		}
		var spans []otlpEntry
		for _, b := range batches {
			spans = append(spans, otlpBatch(b)...)
		}
		if err := f.err(); err != nil {
			return bad(placed(t.source, d.line, 0, err))
		}
		t.add(spans)
		return nil
	}, bad)
}

// traceIDs finds the traces that a line names.
var traceIDs = regexp.MustCompile(`"traceId"\s*:\s*"([^"]*)"`)

func errManySpans(l Limits) error {
	return &LimitError{What: "a file of spans", Limit: l.RunBytes, Unit: "bytes"}
}

func (t *otlpTraces) member(key string) error {
	switch key {
	case "trace":
		return t.members(t.member)
	case "resourceSpans", "batches":
		return t.elements(func(int) error {
			d, err := t.value()
			if err != nil {
				return err
			}
			if t.bytes += int64(len(t.buf)); t.bytes > t.input.limits.RunBytes {
				return errManySpans(t.input.limits)
			}
			f := record(d.Value)
			t.add(otlpBatch(f))
			if err := f.err(); err != nil {
				return placed(t.source, d.line, 0, err)
			}
			return nil
		})
	}
	return t.skip()
}

// otlpEntry is a span and the trace that it belongs to.
type otlpEntry struct {
	trace string
	span  *span
}

func (t *otlpTraces) add(all []otlpEntry) {
	for _, e := range all {
		if t.spans[e.trace] == nil {
			t.order = append(t.order, e.trace)
		}
		t.spans[e.trace] = append(t.spans[e.trace], e.span)
	}
}

// otlpBatch reads the spans of a batch.
func otlpBatch(f field) (all []otlpEntry) {
	for _, name := range [...]string{"scopeSpans", "instrumentationLibrarySpans"} {
		for _, scope := range f.in(name).objects() {
			for _, s := range scope.in("spans").objects() {
				all = append(all, otlpEntry{s.in("traceId").text(), otlpSpan(s)})
			}
		}
	}
	return all
}

func otlpSpan(f field) *span {
	s := &span{
		id: f.in("spanId").text(), parent: f.in("parentSpanId").text(), name: f.in("name").text(), attrs: map[string]string{},
		start: f.in("startTimeUnixNano").unix(0),
	}
	if end := f.in("endTimeUnixNano"); end.Text() != "0" { // one that has not ended
		s.end = end.unix(0)
	}
	for _, a := range f.in("attributes").objects() {
		if text := otlpText(a.in("value")); text != "" {
			s.attrs[a.in("key").text()] = text
		}
	}
	status := f.in("status").object()
	code := status.in("code").name()
	s.failed, s.message = code == "2" || strings.HasSuffix(code, "ERROR"), status.in("message").text()
	return s
}

// otlpText returns the value of an attribute as a text; of one that holds
// others, which no attribute that is read does, "".
func otlpText(v field) string {
	for _, kind := range [...]string{"stringValue", "intValue", "doubleValue", "boolValue"} {
		switch x := v.in(kind); x.Kind() {
		case jsonv.String, jsonv.Number, jsonv.Bool:
			return x.Text()
		}
	}
	return ""
}
