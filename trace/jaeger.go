package trace

import (
	"cmp"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Jaeger exports an object with a list of traces. Times are microseconds.

func isJaeger(o *outline) bool { return o.has("data") && o.hasAny("data.[].traceID", "data.[].spans") }

func readJaeger(in *input) {
	none := true
	err := in.members(func(key string) error {
		if key != "data" {
			return in.skip()
		}
		return in.elements(func(i int) error {
			return in.element(i, func(d doc, _ string) (*Run, error) {
				f := record(d.Value)
				r, err := jaegerRun(f, in.limits)
				none = none && r == nil && err == nil
				return r, err
			})
		})
	})
	if err == nil {
		err = in.end()
	}
	if err == nil && none && !in.over {
		err = errNoAgent
	}
	in.finish(err)
}

func jaegerRun(f field, l Limits) (*Run, error) {
	var spans []*span
	for _, s := range f.in("spans").must("a list").objects() {
		spans = append(spans, jaegerSpan(s))
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return traceRun(Jaeger, f.in("traceID").text(), spans, l)
}

func jaegerSpan(f field) *span {
	s := &span{id: f.in("spanID").text(), name: f.in("operationName").text(), attrs: map[string]string{}}
	s.start = f.in("startTime").unix(nanoPerMicro)
	took, _ := f.in("duration").scaled(nanoPerMicro, "a duration, 0 or more")
	s.end = plus(s.start, took)
	follows := ""
	for _, r := range f.in("references").objects() {
		switch r.in("refType").text() {
		case "CHILD_OF", "":
			s.parent = r.in("spanID").text()
		case "FOLLOWS_FROM":
			follows = r.in("spanID").text()
		}
	}
	s.parent = cmp.Or(s.parent, f.in("parentSpanID").text(), follows)
	for _, t := range f.in("tags").objects() {
		if v := t.in("value"); v.Kind() != jsonv.List && v.Kind() != jsonv.Object && !v.none() {
			s.attrs[t.in("key").text()] = v.Text()
		}
	}
	s.failed = s.attrs["error"] == "true" || s.attrs["otel.status_code"] == "ERROR"
	s.message = s.attrs["otel.status_description"]
	return s
}
