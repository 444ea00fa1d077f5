package trace

import (
	"errors"
	"io"
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
	bytes int64
}

func readOTLP(in *input) {
	t := otlpTraces{input: in, spans: map[string][]*span{}}
	for {
		if _, err := in.peek(); errors.Is(err, io.EOF) {
			break
		}
		if err := in.members(t.member); err != nil {
			in.finish(err)
			return
		}
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
		}
		in.emit(r, err, 0)
	}
	if none {
		in.emit(nil, errNoAgent, 0)
	}
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
				return &LimitError{What: "a file of spans", Limit: t.input.limits.RunBytes, Unit: "bytes"}
			}
			f := record(d.Value)
			t.batch(f)
			if err := f.err(); err != nil {
				return placed(t.source, d.line, 0, err)
			}
			return nil
		})
	}
	return t.skip()
}

func (t *otlpTraces) batch(f field) {
	for _, name := range [...]string{"scopeSpans", "instrumentationLibrarySpans"} {
		for _, scope := range f.in(name).objects() {
			for _, s := range scope.in("spans").objects() {
				id := s.in("traceId").text()
				if t.spans[id] == nil {
					t.order = append(t.order, id)
				}
				t.spans[id] = append(t.spans[id], otlpSpan(s))
			}
		}
	}
}

func otlpSpan(f field) *span {
	s := &span{
		id: f.in("spanId").text(), parent: f.in("parentSpanId").text(), name: f.in("name").text(), attrs: map[string]string{},
		start: f.in("startTimeUnixNano").unix(0), end: f.in("endTimeUnixNano").unix(0),
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
