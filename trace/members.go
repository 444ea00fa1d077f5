package trace

import (
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// delimiter reads a byte that must come next.
func (s *stream) delimiter(want byte) error {
	c, err := s.peek()
	if err != nil {
		return s.failed(err)
	}
	if c != want {
		return s.fault("want " + string(want))
	}
	_, err = s.next()
	return err
}

// more reads what stands between the parts of a list or object: it reports
// whether a further one comes before the closing bracket.
func (s *stream) more(first bool, closing byte) (bool, error) {
	c, err := s.peek()
	switch {
	case err != nil:
		return false, s.failed(err)
	case c == closing:
		s.next()
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.fault("want a comma or " + string(closing))
	}
	s.next()
	if c, err = s.peek(); err != nil {
		return false, s.failed(err)
	}
	if c == closing {
		return false, s.fault("want a value after the comma")
	}
	return true, nil
}

// maxMembers is how many members an object may have that is read one by one.
const maxMembers = 10_000

// members calls f for every member of the object that comes next. f reads the
// value, all of it.
func (s *stream) members(f func(key string) error) error {
	if err := s.delimiter('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for first := true; ; first = false {
		ok, err := s.more(first, '}')
		if err != nil || !ok {
			return err
		}
		key, err := s.value()
		if err != nil {
			return err
		}
		if wrong := wrongKey(key.Value, seen); wrong != "" {
			return &Error{Source: s.source, Line: key.line, Column: key.column, Err: &SyntaxError{Message: wrong}}
		}
		seen[key.Text()] = true
		if err := s.delimiter(':'); err != nil {
			return err
		}
		if err := f(key.Text()); err != nil {
			return err
		}
	}
}

// wrongKey says what is wrong with a key, given those before it; "": nothing.
func wrongKey(key jsonv.Value, before map[string]bool) string {
	switch {
	case key.Kind() != jsonv.String:
		return "want a key in double quotes"
	case before[key.Text()]:
		return "duplicate key " + strconv.QuoteToASCII(key.Text())
	case len(before) == maxMembers:
		return "more than " + strconv.Itoa(maxMembers) + " keys"
	}
	return ""
}

// elements calls f for every element of the list that comes next. f reads the
// element, all of it.
func (s *stream) elements(f func(i int) error) error {
	if err := s.delimiter('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		ok, err := s.more(i == 0, ']')
		if err != nil || !ok {
			return err
		}
		if err := f(i); err != nil {
			return err
		}
	}
}
