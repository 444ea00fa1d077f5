package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// input is a file that is being read.
type input struct {
	*stream
	lines bool // JSON Lines: a fault ends with its line
	yield func(*Run, error) bool
	over  bool // nobody wants any more
}

func newInput(source string, in *bufio.Reader, l Limits, lines bool, yield func(*Run, error) bool) *input {
	return &input{stream: newStream(source, in, l), lines: lines || hasLines(source), yield: yield}
}

// hasLines reports whether a file is JSON Lines by its name.
func hasLines(source string) bool {
	switch path.Ext(strings.TrimSuffix(strings.ToLower(source), ".gz")) {
	case ".jsonl", ".ndjson":
		return true
	}
	return false
}

// emit hands over a run or an error. Errors get a place if they have none.
func (in *input) emit(r *Run, err error, line int) {
	if in.over {
		return
	}
	if err != nil {
		r, err = nil, placed(in.source, line, 1, err)
	} else {
		r.Broken = r.broken()
	}
	in.over = !in.yield(r, err)
}

// errStop ends a walk through a file of which nobody wants any more.
var errStop = errors.New("stopped")

// finish ends the reading of a file with what went wrong, if anything did.
func (in *input) finish(err error) {
	if err != nil && !errors.Is(err, errStop) {
		in.emit(nil, err, in.line)
	}
}

// each calls f for every value of the file: every line of JSON Lines, every
// element of a list, or every value of those that follow each other. What f
// returns is emitted, with the label of the value as its source.
func (in *input) each(f func(doc, string) (*Run, error)) {
	switch c, err := in.peek(); {
	case errors.Is(err, io.EOF):
		in.finish(in.fault("the file is empty"))
	case err != nil:
		in.finish(in.failed(err))
	case in.lines:
		in.finish(in.eachLine(func(d doc) error {
			in.one(d, in.source+":"+strconv.Itoa(d.line), f)
			return nil
		}, func(err error) error {
			in.emit(nil, err, in.line)
			return nil
		}))
	case c == '[':
		in.finish(in.elements(func(i int) error { return in.element(i, f) }))
		if !in.over {
			in.finish(in.end())
		}
	default:
		in.finish(in.sequence(f))
	}
}

// one emits the run of one value.
func (in *input) one(d doc, source string, f func(doc, string) (*Run, error)) {
	r, err := f(d, source)
	if r != nil {
		r.Source = source
	}
	if r != nil || err != nil {
		in.emit(r, in.ofRun(source, err), d.line)
	}
}

// ofRun has an error say which of a file's runs it is about: many may stand in one line.
func (in *input) ofRun(source string, err error) error {
	if number, numbered := strings.CutPrefix(source, in.source+"#"); numbered && err != nil {
		return fmt.Errorf("run #%s: %w", number, err)
	}
	return err
}

// element reads an element of a list and emits its run. Where it is no JSON
// but ends where its brackets do, the next one can still be read.
func (in *input) element(i int, f func(doc, string) (*Run, error)) error {
	if in.over {
		return errStop
	}
	d, intact, err := in.recover()
	source := in.source
	if after, _ := in.peek(); i > 0 || after != ']' {
		source += "#" + strconv.Itoa(i)
	}
	switch {
	case err == nil:
		in.one(d, source, f)
	case intact:
		in.emit(nil, in.ofRun(source, err), in.line)
	default:
		return err
	}
	return nil
}

// recover is value that also reports, on an error, whether the end of the
// value was found.
func (in *input) recover() (d doc, intact bool, err error) {
	if _, err := in.peek(); err != nil {
		return doc{}, false, in.failed(err)
	}
	d.line, d.column = in.line, in.column
	in.buf = in.buf[:0]
	if err := in.span(true); err != nil {
		return doc{}, false, err
	}
	d.Value, err = parse(in.buf, in.limits)
	if err != nil {
		return doc{}, true, placed(in.source, d.line, d.column, err)
	}
	return d, true, nil
}

// sequence reads values that follow each other.
func (in *input) sequence(f func(doc, string) (*Run, error)) error {
	for first := true; ; first = false {
		if _, err := in.peek(); errors.Is(err, io.EOF) {
			return nil
		}
		if in.over {
			return errStop
		}
		d, intact, err := in.recover()
		if err != nil && !intact {
			return err
		}
		source := in.source
		if _, end := in.peek(); !first || !errors.Is(end, io.EOF) {
			source += ":" + strconv.Itoa(d.line)
		}
		if err != nil {
			in.emit(nil, err, in.line)
			continue
		}
		in.one(d, source, f)
	}
}

// eachLine calls f for the value of every line that is not blank, and faulty
// for every line that is no JSON or too long; either stops the reading by an
// error.
func (in *input) eachLine(f func(doc) error, faulty func(error) error) error {
	return in.lineByLine(func(line, column int) error {
		d := doc{line: line, column: column}
		var err error
		if d.Value, err = parse(in.buf, in.limits); err != nil {
			return faulty(placed(in.source, line, column, err))
		}
		return f(d)
	}, faulty)
}

// eachRaw calls f for every line that is not blank, which stands in buf and
// begins at the place that f is given.
func (in *input) eachRaw(f func(line, column int) error) error {
	return in.lineByLine(f, func(err error) error { return err })
}

func (in *input) lineByLine(f func(line, column int) error, tooLong func(error) error) error {
	for {
		if in.over {
			return errStop
		}
		if _, err := in.peek(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return in.failed(err)
		}
		line, column := in.line, in.column
		err := in.readLine()
		var limit *LimitError
		switch {
		case err == nil:
			err = f(line, column)
		case errors.As(err, &limit):
			err = tooLong(err)
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to the end of the line into buf. Of a line that is too
// long the rest is passed over.
func (in *input) readLine() error {
	line := in.line
	for in.buf = in.buf[:0]; ; {
		c, err := in.next()
		switch {
		case errors.Is(err, io.EOF) || err == nil && c == '\n':
			return nil
		case err != nil:
			return in.failed(err)
		case int64(len(in.buf)) == in.limits.RunBytes:
			if err := in.skipLine(); err != nil && !errors.Is(err, io.EOF) {
				return in.failed(err)
			}
			return &Error{Source: in.source, Line: line, Err: &LimitError{What: "a line", Limit: in.limits.RunBytes, Unit: "bytes"}}
		}
		in.buf = append(in.buf, c)
	}
}

// session reads a file whose lines are the parts of one run. The parts are
// kept together up to the limits of a run.
func (in *input) session(build func([]doc) (*Run, error)) {
	var parts []doc
	bytes, values := int64(0), 0
	err := in.eachLine(func(d doc) error {
		if d.Kind() != jsonv.Object {
			return &Error{Source: in.source, Line: d.line, Column: d.column, Err: &FieldError{Path: "the line", Want: "an object", Got: got(d.Value)}}
		}
		if bytes += int64(len(in.buf)); bytes > in.limits.RunBytes {
			return &LimitError{What: "a run", Limit: in.limits.RunBytes, Unit: "bytes"}
		}
		if values += size(d.Value); values > in.limits.RunValues {
			return &LimitError{What: "a run", Limit: int64(in.limits.RunValues), Unit: "values"}
		}
		parts = append(parts, d)
		return nil
	}, func(err error) error { return err })
	if err == nil && len(parts) == 0 {
		err = in.fault("the file is empty")
	}
	if err != nil {
		in.finish(err)
		return
	}
	r, err := build(parts)
	if r != nil {
		r.Source = in.source
	}
	in.emit(r, err, in.line)
}

// size counts the values that a value is made of.
func size(v jsonv.Value) int {
	n := 1
	for i := range v.Len() {
		n += size(v.Elem(i))
	}
	return n
}
