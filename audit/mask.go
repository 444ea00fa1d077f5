package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Masked stands in the place of what is masked.
const Masked = "«masked»"

// Mask hides parts of records. The zero Mask hides nothing.
type Mask struct{ pointers [][]string }

// ParseMask reads JSON pointers, such as /verdict/fired/*/actual. A part "*"
// stands for every member or element.
func ParseMask(pointers []string) (m Mask, err error) {
	for _, p := range pointers {
		if !strings.HasPrefix(p, "/") {
			return Mask{}, fmt.Errorf("%q is no JSON pointer: it begins with /", p)
		}
		var parts []string
		for part := range strings.SplitSeq(p[1:], "/") {
			for i := range len(part) {
				if part[i] == '~' && (i+1 == len(part) || part[i+1] != '0' && part[i+1] != '1') {
					return Mask{}, fmt.Errorf("%q is no JSON pointer: behind ~ stands 0 or 1", p)
				}
			}
			parts = append(parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
		m.pointers = append(m.pointers, parts)
	}
	return m, nil
}

// Apply returns a JSON text with its parts hidden, in the form in which it is
// logged. It is an error if the text is no JSON.
func (m Mask) Apply(raw []byte) ([]byte, error) { return m.apply(raw, make([]bool, len(m.pointers))) }

// apply is Apply, and marks the pointers that had something to name.
func (m Mask) apply(raw []byte, matched []bool) ([]byte, error) {
	if len(m.pointers) == 0 {
		return raw, nil
	}
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: maxDepth})
	if err != nil {
		return nil, fmt.Errorf("audit: the record cannot be masked: %w", err)
	}
	for i, p := range m.pointers {
		var named bool
		v, named = hide(v, p)
		matched[i] = matched[i] || named
	}
	return v.AppendJSON(nil), nil
}

// maxDepth bounds the nesting of a record.
const maxDepth = 1000

// pointer is the text of the pointer with a number.
func (m Mask) pointer(i int) string {
	var b strings.Builder
	for _, part := range m.pointers[i] {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return b.String()
}

// hide replaces what a pointer names. It matches if there is such a thing; where
// it asks for every element of an empty list, nothing is missing.
func hide(v jsonv.Value, pointer []string) (hidden jsonv.Value, matched bool) {
	if len(pointer) == 0 {
		return jsonv.OfText(Masked), true
	}
	container := v.Kind() == jsonv.Object || v.Kind() == jsonv.List
	named := func(i int) bool {
		if v.Kind() == jsonv.Object {
			return pointer[0] == "*" || pointer[0] == v.Key(i)
		}
		return pointer[0] == "*" || pointer[0] == fmt.Sprint(i)
	}
	elems, changed := make([]jsonv.Value, v.Len()), false
	for i := range elems {
		elems[i] = v.Elem(i)
		if named(i) {
			var inside bool
			elems[i], inside = hide(elems[i], pointer[1:])
			changed, matched = true, matched || inside
		}
	}
	if !changed {
		return v, container && pointer[0] == "*" && v.Len() == 0
	}
	if v.Kind() == jsonv.List {
		return jsonv.OfList(elems), matched
	}
	keys := make([]string, len(elems))
	for i := range keys {
		keys[i] = v.Key(i)
	}
	return jsonv.OfObject(keys, elems), matched
}

// maskedIn are the pointers to what is masked in a JSON text, as a Mask.
func maskedIn(raw []byte) (m Mask) {
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: maxDepth})
	if err != nil {
		return m
	}
	var walk func(v jsonv.Value, at []string)
	walk = func(v jsonv.Value, at []string) {
		switch v.Kind() {
		case jsonv.String:
			if v.Text() == Masked {
				m.pointers = append(m.pointers, slices.Clone(at))
			}
		case jsonv.Object:
			for i := range v.Len() {
				walk(v.Elem(i), append(at, v.Key(i)))
			}
		case jsonv.List:
			for i := range v.Len() {
				walk(v.Elem(i), append(at, fmt.Sprint(i)))
			}
		}
	}
	walk(v, nil)
	return m
}
