package audit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// maxDepth bounds the nesting of a record.
const maxDepth = 1000

// maskedMember is the member of a logged record that lists what is masked in it.
const maskedMember = "masked"

// Apply returns a record, as JSON, with its parts hidden, in the form in which it
// is logged. Where something is hidden, the record says last where: no text of a
// step can claim as much. It is an error if the record is no JSON.
func (m Mask) Apply(record []byte) ([]byte, error) {
	return m.apply(record, make([]bool, len(m.pointers)))
}

// apply is Apply, and marks the pointers that had something to name.
func (m Mask) apply(raw []byte, matched []bool) ([]byte, error) {
	if len(m.pointers) == 0 {
		return raw, nil
	}
	v, err := jsonv.Parse(raw, jsonv.Limits{Depth: maxDepth})
	if err != nil {
		return nil, fmt.Errorf("audit: the record cannot be masked: %w", err)
	}
	h := hiding{mask: m}
	for i, p := range m.pointers {
		matched[i] = h.collect(v, p, nil) || matched[i]
	}
	slices.Sort(h.names)
	h.names = slices.Compact(h.names)
	h.texts = append(h.texts, h.names...)
	slices.Sort(h.texts)
	h.texts = slices.Compact(h.texts)
	if v = h.hide(v, nil); len(h.hidden) == 0 {
		return raw, nil
	}
	keys, elems := make([]string, 0, v.Len()+1), make([]jsonv.Value, 0, v.Len()+1)
	for i := range v.Len() {
		keys, elems = append(keys, v.Key(i)), append(elems, v.Elem(i))
	}
	return jsonv.OfObject(append(keys, maskedMember), append(elems, jsonv.OfList(h.hidden))).AppendJSON(nil), nil
}

// hiding is the work on one record.
type hiding struct {
	mask   Mask
	texts  []string      // that are hidden wherever texts of the step stand
	names  []string      // those of them that are names of the step
	hidden []jsonv.Value // where something was hidden
}

// collect gathers what a pointer names, below a place. It is true if there is
// such a thing; where it asks for every element of an empty list, nothing is
// missing.
func (h *hiding) collect(v jsonv.Value, pointer, place []string) (matched bool) {
	if len(pointer) == 0 {
		if text := v.Text(); v.Kind() == jsonv.String && text != "" && identities.has(place) {
			h.names = append(h.names, text)
		} else if v.Kind() == jsonv.String && text != "" && texts.has(place) {
			h.texts = append(h.texts, text)
		}
		return true
	}
	below := append(place[:len(place):len(place)], "")
	for i := range v.Len() {
		if key := keyOf(v, i); pointer[0] == "*" || pointer[0] == key {
			below[len(place)] = key
			matched = h.collect(v.Elem(i), pointer[1:], below) || matched
		}
	}
	container := v.Kind() == jsonv.Object || v.Kind() == jsonv.List
	return matched || container && pointer[0] == "*" && v.Len() == 0
}

// keyOf is what a pointer calls a member, or an element.
func keyOf(v jsonv.Value, i int) string {
	if v.Kind() == jsonv.Object {
		return v.Key(i)
	}
	return strconv.Itoa(i)
}

// hide hides what is to be hidden at a place and below it. Of an empty text
// there is nothing to hide, and a decision is repeated from it.
func (h *hiding) hide(v jsonv.Value, place []string) jsonv.Value {
	if v.Kind() == jsonv.String && v.Text() == "" {
		return v
	}
	for _, p := range h.mask.pointers {
		if len(p) == len(place) && names(p, place) {
			return h.hid(jsonv.OfText(Masked), place)
		}
	}
	switch v.Kind() {
	case jsonv.String:
		if text := h.text(v.Text(), place); text != v.Text() {
			return h.hid(jsonv.OfText(text), place)
		}
	case jsonv.List, jsonv.Object:
		elems, keys := make([]jsonv.Value, v.Len()), make([]string, v.Len())
		below := append(place[:len(place):len(place)], "")
		for i := range elems {
			keys[i] = keyOf(v, i)
			below[len(place)] = keys[i]
			elems[i] = h.hide(v.Elem(i), below)
		}
		if v.Kind() == jsonv.List {
			return jsonv.OfList(elems)
		}
		return jsonv.OfObject(keys, elems)
	}
	return v
}

func (h *hiding) hid(v jsonv.Value, place []string) jsonv.Value {
	h.hidden = append(h.hidden, jsonv.OfText(pointerText(place)))
	return v
}

// text is a text at a place, with what is hidden there.
func (h *hiding) text(text string, place []string) string {
	switch {
	case texts.has(place):
		return without(text, h.texts, written.has(place))
	case identities.has(place):
		if slices.Contains(h.names, text) {
			return Masked
		}
	case composed.has(place):
		return without(text, h.names, false)
	}
	return text
}
