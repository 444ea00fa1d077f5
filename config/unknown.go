package config

import (
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// families begin the names of the variables that are read. A variable of one of
// them that is not known is likely to be misspelt: it would set nothing, and
// nobody would be told.
var families = [...]string{"BB_CIRCUIT_BREAKER_", "CIRCUIT_BREAKER_", "MESSAGE_TRIM_", "QC_"}

// familyOf is the family of a variable; "": it is of none.
func familyOf(name string) string {
	for _, f := range families {
		if strings.HasPrefix(name, f) {
			return f
		}
	}
	return ""
}

// Names takes in which variables there are, as NAME=VALUE of os.Environ, so that
// those that are called as if they were read can be told of.
func (e *Environment) Names(environ []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && familyOf(name) != "" && !slices.ContainsFunc(variables, func(v variable) bool { return v.name == name }) {
			e.unknown = append(e.unknown, name)
		}
	}
	slices.Sort(e.unknown)
	e.unknown = slices.Compact(e.unknown)
}

// warnUnknown tells of variables that look as if they set something. That which
// the file names for the reviewer's key is read.
func (s *Settings) warnUnknown(names []string) {
	for _, name := range names {
		if name == s.config.Review.KeyEnv {
			continue
		}
		var family []string
		for _, v := range variables {
			if familyOf(v.name) == familyOf(name) {
				family = append(family, v.name)
			}
		}
		hint := "there are " + strings.Join(family, ", ")
		if like := diag.Suggest(name, family); like != "" {
			hint = "did you mean " + like + "?"
		}
		s.warning("%s: there is no such variable, and it sets nothing; %s", diag.Escape(name), hint)
	}
}
