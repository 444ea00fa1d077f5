package registry

import (
	"slices"
	"strings"
)

// Note has every verdict under these rules say something of them, such as that
// a newer policy was refused, until the next Load. It takes the place of what
// was noted before; no notes: nothing is said. The rules, and their digest, stay
// as they are.
func (r *Registry) Note(notes ...string) {
	var valid []string
	for _, note := range notes { // so that a record of it is read as it was written
		valid = append(valid, strings.ToValidUTF8(note, "\ufffd"))
	}
	// What is in force has no fault to report.
	_ = r.change(func(_ *Set, e *edit) { e.notes = slices.Clip(valid) })
}

// Notes returns what verdicts under the set say of it. It must not be changed;
// appending to it makes a copy.
func (s *Set) Notes() []string { return s.notes }
