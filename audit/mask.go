package audit

import (
	"fmt"
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
func (m Mask) Apply(raw []byte) ([]byte, error) {
	if len(m.pointers) == 0 {
		return raw, nil
	}
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: maxDepth})
	if err != nil {
		return nil, fmt.Errorf("audit: the record cannot be masked: %w", err)
	}
	for _, p := range m.pointers {
		v = hide(v, p)
	}
	return v.AppendJSON(nil), nil
}

// maxDepth bounds the nesting of a record.
const maxDepth = 1000

// hide replaces what a pointer names.
func hide(v jsonv.Value, pointer []string) jsonv.Value {
	if len(pointer) == 0 {
		return jsonv.OfText(Masked)
	}
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
			elems[i], changed = hide(elems[i], pointer[1:]), true
		}
	}
	if !changed {
		return v
	}
	if v.Kind() == jsonv.List {
		return jsonv.OfList(elems)
	}
	keys := make([]string, len(elems))
	for i := range keys {
		keys[i] = v.Key(i)
	}
	return jsonv.OfObject(keys, elems)
}
