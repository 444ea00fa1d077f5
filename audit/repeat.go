package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Repeated is what came of deciding a line once more.
type Repeated int

// What can come of it.
const (
	Same      Repeated = iota // the same verdict, byte for byte where nothing is masked
	Different                 // another verdict
	Skipped                   // the step was refused before it was judged: there is nothing to repeat
	Hidden                    // what is needed to repeat or to compare it is masked
	Other                     // it was decided under another policy: nothing was repeated
)

// needed are the parts of a record that a decision is repeated from.
var needed = []string{"session", "chain", "step", "ability", "policy_digest", "plan", "tally", "refused", "policy_notes"}

// Repeat decides a line once more, from its record alone, under a set of rules.
// Texts that are masked, of which the record itself tells, are not compared. The
// error says why it cannot be repeated, or in what the verdicts differ.
func Repeat(l *Line, set *registry.Set) (Repeated, error) {
	masked, err := maskedIn(l.Record)
	if err != nil {
		return Different, fmt.Errorf("line %d: %w", l.Seq, err)
	}
	became, err := repeat(l, set, masked)
	for _, place := range masked {
		lost := place[0] == "verdict" && len(place) == 1
		switch became {
		case Different:
			lost = lost || slices.Contains(needed, place[0]) && !texts.has(place)
		case Skipped:
			lost = lost || len(place) == 1 && (place[0] == "plan" || place[0] == "tally")
		}
		if lost {
			return Hidden, fmt.Errorf("line %d: it cannot be repeated: %s is masked", l.Seq, pointerText(place))
		}
	}
	return became, err
}

// MaskedIn lists what is masked in a record, as JSON pointers to places.
func MaskedIn(record []byte) ([]string, error) {
	var r struct {
		Masked []string `json:"masked"`
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return nil, fmt.Errorf("audit: what is masked in the record cannot be read: %w", err)
	}
	return r.Masked, nil
}

func maskedIn(record []byte) (all places, err error) {
	pointers, err := MaskedIn(record)
	for _, p := range pointers {
		place, err := parsePointer(p)
		if err != nil {
			return nil, fmt.Errorf("audit: the record says that %q is masked: %w", p, err)
		}
		all = append(all, place)
	}
	return all, err
}

func repeat(l *Line, set *registry.Set, masked places) (Repeated, error) {
	differs := func(err error) (Repeated, error) { return Different, fmt.Errorf("line %d: %w", l.Seq, err) }
	record := l.Record
	if len(masked) > 0 {
		v, err := jsonv.Parse(record, jsonv.Limits{Depth: maxDepth})
		if err != nil {
			return differs(err)
		}
		for _, place := range masked {
			if !texts.has(place) { // which may be any
				v = blank(v, place)
			}
		}
		record = v.AppendJSON(nil)
	}
	var r session.Record
	if err := json.Unmarshal(record, &r); err != nil {
		return differs(err)
	}
	if r.Plan == nil || r.Tally == nil {
		return Skipped, nil
	}
	if masked.has([]string{"policy_digest"}) {
		r.Policy = set.Digest() // as far as anybody can tell
	}
	if r.Policy != set.Digest() {
		return Other, fmt.Errorf("line %d: it was decided under policy %s, and this is %s", l.Seq, r.Policy, set.Digest())
	}
	v, err := r.Repeat(set)
	if err != nil {
		return differs(err)
	}
	got, err := v.MarshalJSON()
	if err != nil {
		return differs(err)
	}
	logged := []byte(r.Verdict)
	if len(masked) > 0 {
		if got, err = unmasked(got, masked); err == nil {
			logged, err = unmasked(logged, masked)
		}
		if err != nil {
			return differs(err)
		}
	}
	if !bytes.Equal(got, logged) {
		return differs(fmt.Errorf("the verdict is another one:\n  logged   %s\n  repeated %s", logged, got))
	}
	return Same, nil
}

// unmasked is a verdict with nothing where it is masked in the record.
func unmasked(verdict []byte, masked places) ([]byte, error) {
	v, err := jsonv.Parse(verdict, jsonv.Limits{Depth: maxDepth})
	if err != nil {
		return nil, err
	}
	for _, place := range masked {
		if place[0] == "verdict" {
			v = blank(v, place[1:])
		}
	}
	return v.AppendJSON(nil), nil
}

// blank puts null at a place, if it is there.
func blank(v jsonv.Value, place []string) jsonv.Value {
	if len(place) == 0 {
		return jsonv.Value{}
	}
	elems, keys := make([]jsonv.Value, v.Len()), make([]string, v.Len())
	for i := range elems {
		keys[i], elems[i] = keyOf(v, i), v.Elem(i)
		if keys[i] == place[0] {
			elems[i] = blank(elems[i], place[1:])
		}
	}
	switch v.Kind() {
	case jsonv.Object:
		return jsonv.OfObject(keys, elems)
	case jsonv.List:
		return jsonv.OfList(elems)
	}
	return v
}
