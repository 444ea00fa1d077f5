package audit

import (
	"fmt"
	"strings"
)

// Masked stands in the place of what is masked.
const Masked = "«masked»"

// Mask hides parts of records. The zero Mask hides nothing.
//
// A pointer that names a text hides it wherever it stands in the record: also
// as a part of a reason or an explanation, and in the plan, from which the
// decision can still be repeated. One that names the session, or another name of
// the step, hides that name wherever the record tells of it. One that names
// something else, such as /plan, hides that place alone.
type Mask struct{ pointers [][]string }

// ParseMask reads JSON pointers, such as /verdict/fired/*/actual. A part "*"
// stands for every member or element. A pointer that can name nothing in any
// record is an error.
func ParseMask(pointers []string) (m Mask, err error) {
	for _, p := range pointers {
		parts, err := parsePointer(p)
		if err != nil {
			return Mask{}, fmt.Errorf("%q is no JSON pointer: %w", p, err)
		}
		if err := inRecord(parts); err != nil {
			return Mask{}, fmt.Errorf("%q names nothing: %w", p, err)
		}
		m.pointers = append(m.pointers, parts)
	}
	return m, nil
}

func parsePointer(p string) (parts []string, err error) {
	if !strings.HasPrefix(p, "/") {
		return nil, fmt.Errorf("it begins with /")
	}
	for part := range strings.SplitSeq(p[1:], "/") {
		for i := range len(part) {
			if part[i] == '~' && (i+1 == len(part) || part[i+1] != '0' && part[i+1] != '1') {
				return nil, fmt.Errorf("behind ~ stands 0 or 1")
			}
		}
		parts = append(parts, strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
	}
	return parts, nil
}

// pointerText is the text of a pointer.
func pointerText(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// names reports whether a pointer names a place, or what is around it.
func names(pointer, place []string) bool {
	if len(pointer) > len(place) {
		return false
	}
	for i, part := range pointer {
		if part != "*" && part != place[i] {
			return false
		}
	}
	return true
}

// places are patterns of places in a record.
type places [][]string

func placesOf(pointers ...string) (all places) {
	for _, p := range pointers {
		all = append(all, strings.Split(p[1:], "/"))
	}
	return all
}

// has reports whether a place is one of them.
func (all places) has(place []string) bool {
	for _, p := range all {
		if len(p) == len(place) && names(p, place) {
			return true
		}
	}
	return false
}

var (
	// texts are where texts of the step may stand, or be told of.
	texts = placesOf("/verdict/fired/*/actual", "/verdict/fired/*/limit", "/verdict/fired/*/reason", "/verdict/fired/*/explain", "/verdict/notes/*",
		"/plan/held/*/actual", "/plan/held/*/limit", "/plan/held/*/reason", "/refused/*/reason", "/policy_notes/*", "/tally/away/reason")
	// written are those of them that people wrote, with values put in anywhere.
	written = placesOf("/verdict/fired/*/reason", "/verdict/notes/*", "/plan/held/*/reason", "/refused/*/reason")
	// identities are where the names of the step stand: they are not hidden for a
	// text that an argument holds, or an agent could hide what it does.
	identities = placesOf("/session", "/chain", "/run", "/step", "/ability", "/call_id", "/verdict/chain", "/verdict/step", "/verdict/ability")
	// composed are made of such names, and of others.
	composed = placesOf("/plan/needs/*/subject", "/plan/held/*/rule")
)
