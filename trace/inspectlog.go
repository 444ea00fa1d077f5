package trace

import (
	"cmp"
)

// Inspect writes a log of an evaluation, of which each sample is a run. Its
// events tell when models and tools were called; long texts stand apart and
// are referred to.

func isInspect(o *outline) bool {
	return o.has("eval") && (o.has("version", "status") || o.hasAny("eval.eval_id", "eval.task"))
}

func readInspect(in *input) {
	model, task, found, n := "", "", false, 0
	var ended inspectEnd
	err := in.members(func(key string) error {
		switch key {
		case "status", "error":
			d, err := in.value()
			if err != nil {
				return err
			}
			return ended.read(key, loose(d.Value))
		case "eval":
			d, err := in.value()
			if err != nil {
				return err
			}
			f := record(d.Value)
			model, task = f.in("model").text(), f.in("task").text()
			return f.err()
		case "samples":
			found = true
			return in.elements(func(i int) error {
				n++
				return in.element(i, func(d doc, _ string) (*Run, error) {
					f := record(d.Value)
					r := inspectRun(f, in.limits)
					r.Model, r.TaskKind = model, task
					return r, f.err()
				})
			})
		}
		return in.skip()
	})
	if err == nil {
		err = in.end()
	}
	switch {
	case err != nil:
	case ended.early():
		err = &ended
	case !found:
		err = &FieldError{Path: "samples", Want: "a list", Got: "nothing"}
	case n == 0:
		err = &EmptyError{Path: "samples"}
	}
	in.finish(err)
}

// inspectEnd is how an evaluation ended; of one that did not end well samples
// may be missing.
type inspectEnd struct{ status, message string }

// read takes in a member of the log: its status, or the error it ended with.
func (e *inspectEnd) read(key string, f field) error {
	if key == "status" {
		e.status = f.text()
	} else {
		e.message = f.object().in("message").text()
	}
	return f.err()
}

// early reports whether the evaluation broke off. Logs without a status are
// taken at their word.
func (e *inspectEnd) early() bool {
	return e.message != "" || e.status != "" && e.status != "success"
}

// Error says how the evaluation ended.
func (e *inspectEnd) Error() string {
	text := "the evaluation did not end, so that samples may be missing: its status is " + cmp.Or(e.status, "not told")
	if e.message != "" {
		text += ": " + brief(e.message)
	}
	return text
}
