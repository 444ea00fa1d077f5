package jsonv

import (
	"errors"
	"fmt"
	"strings"
)

// Error says what is wrong in a JSON text and where. Line and Column count
// from 1, columns in code points.
type Error struct {
	Line, Column int
	Message      string
	Path         string // of the list or object that holds the fault, such as args.items[2]; "": the outermost
	TooDeep      bool   // nested deeper than Limits.Depth
	TooMany      bool   // more values than Limits.Values
}

// maxPath is how much of a path an error carries; deeper ones lose their inner end.
const maxPath = 200

// Error renders the position, the message and the path.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("%d:%d: %s in %s", e.Line, e.Column, e.Message, e.Path)
}

// within puts one more step in front of the path.
func within(step string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		switch {
		case e.Path == "" || e.Path[0] == '[':
			e.Path = step + e.Path
		default:
			e.Path = step + "." + e.Path
		}
		if len(e.Path) > maxPath {
			e.Path = strings.ToValidUTF8(e.Path[:maxPath], "") + "…"
		}
	}
	return err
}

// IsTooDeep reports whether Parse gave up because of Limits.Depth.
func IsTooDeep(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.TooDeep
}
