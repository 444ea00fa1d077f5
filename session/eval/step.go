package eval

import (
	"fmt"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// input is a step as it was given.
type input struct {
	step    registry.Step
	pending []dsl.Key
	history []string
	user    []string
	meters  meters
	now     int64 // 0: not given
}

// MaxStep is how large one step may be, in bytes.
const MaxStep = 16 << 20

// parse reads a step. Unknown fields, duplicate keys at any depth and wrong
// types are errors.
func parse(line []byte) (*input, error) {
	if len(line) > MaxStep {
		return nil, fmt.Errorf("the step is larger than %d bytes", MaxStep)
	}
	doc, err := jsonv.Parse(line, jsonv.Limits{Depth: registry.MaxDepth})
	if err != nil {
		return nil, err
	}
	if doc.Kind() != jsonv.Object {
		return nil, fmt.Errorf("the step is %s, not an object", doc.Kind())
	}
	in := &input{}
	for i := range doc.Len() {
		if err := in.field(doc.Key(i), doc.Elem(i)); err != nil {
			return in, fmt.Errorf("field %q: %w", doc.Key(i), err)
		}
	}
	for _, required := range []string{"chain", "ability"} {
		if v, ok := doc.Member(required); !ok || v.Text() == "" {
			return in, fmt.Errorf("field %q is missing or empty", required)
		}
	}
	return in, in.step.Check()
}

// fields are the names a step may have, for a hint.
var fields = []string{"chain", "run", "session", "step", "ability", "call_id", "args", "outputs", "params", "pending",
	"history", "executions", "calls", "meters", "user", "now", "task", "worker", "risk"}

func (in *input) field(name string, v jsonv.Value) (err error) {
	st := &in.step
	switch name {
	case "chain":
		st.Chain, err = text(v)
	case "run":
		st.Run, err = text(v)
	case "session":
		st.Session, err = text(v)
	case "step":
		st.ID, err = text(v)
	case "ability":
		st.Ability, err = text(v)
	case "call_id":
		st.CallID, err = text(v)
	case "task":
		st.Task, err = text(v)
	case "worker":
		st.Worker, err = text(v)
	case "risk":
		st.Risk, err = text(v)
	case "args":
		st.Args, err = registry.Members(v)
	case "outputs":
		st.Outputs, err = registry.Members(v)
	case "params":
		st.Params, err = registry.Members(v)
	case "history":
		in.history, err = list(v, text)
	case "user":
		in.user, err = list(v, text)
	case "pending":
		in.pending, err = list(v, key)
	case "executions":
		st.PastRuns, err = list(v, instant)
		slices.Sort(st.PastRuns)
	case "calls":
		st.Past, err = list(v, pastCall)
	case "meters":
		in.meters, err = parseMeters(v)
	case "now":
		in.now, err = instant(v)
	default:
		err = unknownField(name)
	}
	return err
}

func text(v jsonv.Value) (string, error) {
	if v.Kind() != jsonv.String {
		return "", fmt.Errorf("want a text, not %s", v.Kind())
	}
	return v.Text(), nil
}

func key(v jsonv.Value) (dsl.Key, error) {
	s, err := text(v)
	return dsl.Key(s), err
}

func instant(v jsonv.Value) (int64, error) {
	s, err := text(v)
	if err != nil {
		return 0, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time such as 2026-01-05T09:00:00Z", s)
	}
	if y := t.Year(); y < 1970 || y > 2261 || t.Unix() <= 0 {
		return 0, fmt.Errorf("the time %q is outside 1970 to 2261", s)
	}
	return t.UnixNano(), nil
}

func list[T any](v jsonv.Value, f func(jsonv.Value) (T, error)) ([]T, error) {
	if v.Kind() != jsonv.List {
		return nil, fmt.Errorf("want a list, not %s", v.Kind())
	}
	out := make([]T, v.Len())
	for i := range out {
		e, err := f(v.Elem(i))
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i+1, err)
		}
		out[i] = e
	}
	return out, nil
}

func pastCall(v jsonv.Value) (c registry.PastCall, err error) {
	if v.Kind() != jsonv.Object {
		return c, fmt.Errorf(`want an object such as {"ability":"email.send","at":"2026-01-05T08:59:00Z"}, not %s`, v.Kind())
	}
	var at int64
	for i := range v.Len() {
		switch v.Key(i) {
		case "ability":
			c.Ability, err = text(v.Elem(i))
		case "at":
			at, err = instant(v.Elem(i))
		default:
			err = fmt.Errorf("unknown field %q", v.Key(i))
		}
		if err != nil {
			return c, err
		}
	}
	if c.Ability == "" || at == 0 {
		return c, fmt.Errorf(`want "ability" and "at"`)
	}
	c.At = time.Unix(0, at)
	return c, nil
}

// meters are given values of meters.
type meters map[dsl.Key]decimal.Decimal

// Meter implements registry.Meters.
func (m meters) Meter(name dsl.Key) (decimal.Decimal, bool) {
	d, ok := m[name]
	return d, ok
}

func parseMeters(v jsonv.Value) (meters, error) {
	if v.Kind() != jsonv.Object {
		return nil, fmt.Errorf("want an object of numbers, not %s", v.Kind())
	}
	m := meters{}
	for i := range v.Len() {
		name := dsl.Key(v.Key(i))
		if !name.IsMeter() {
			return nil, unknownMeter(string(name))
		}
		d, ok := decimal.Parse(v.Elem(i).Text())
		if v.Elem(i).Kind() != jsonv.Number || !ok {
			return nil, fmt.Errorf("meter %s is no number", name)
		}
		m[name] = d
	}
	return m, nil
}
