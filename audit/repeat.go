package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Repeated is what came of deciding a line once more.
type Repeated int

// What can come of it.
const (
	Same      Repeated = iota // the same verdict, byte for byte
	Different                 // another verdict
	Skipped                   // the step was refused before it was judged: there is nothing to repeat
	Hidden                    // what is needed to repeat or to compare it is masked
)

// Repeat decides a line once more, from its record alone, under a set of rules,
// which must be those of the record. The verdict is compared in the form in
// which it was logged: what is masked in it, or by m, is not looked at. The
// error says why it cannot be repeated, or in what the verdicts differ.
func Repeat(l *Line, set *registry.Set, m Mask) (Repeated, error) {
	masked := maskedIn(l.Record)
	became, err := repeat(l, set, Mask{slices.Concat(m.pointers, masked.pointers)})
	for i, p := range masked.pointers {
		whole := len(p) == 0 || len(p) == 1 && p[0] == "verdict"
		if whole || became == Different && p[0] != "verdict" && p[0] != "at" {
			return Hidden, fmt.Errorf("line %d: it cannot be repeated: %s is masked", l.Seq, masked.pointer(i))
		}
	}
	return became, err
}

func repeat(l *Line, set *registry.Set, m Mask) (Repeated, error) {
	var r struct {
		session.Record
		At json.RawMessage `json:"at"` // which may be masked, and is not needed
	}
	if err := json.Unmarshal(l.Record, &r); err != nil {
		return Different, fmt.Errorf("line %d: %w", l.Seq, err)
	}
	if r.Plan == nil || r.Tally == nil {
		return Skipped, nil
	}
	v, err := r.Repeat(set)
	if err != nil {
		return Different, fmt.Errorf("line %d: %w", l.Seq, err)
	}
	got, err := v.MarshalJSON()
	if err != nil {
		return Different, fmt.Errorf("line %d: %w", l.Seq, err)
	}
	// The mask names places in a record, of which the verdict is one.
	wrapped, err := m.Apply(append(append([]byte(`{"verdict":`), got...), '}'))
	if err != nil {
		return Different, fmt.Errorf("line %d: %w", l.Seq, err)
	}
	got = bytes.TrimSuffix(bytes.TrimPrefix(wrapped, []byte(`{"verdict":`)), []byte("}"))
	if !bytes.Equal(got, r.Verdict) {
		return Different, fmt.Errorf("line %d: the verdict is another one:\n  logged   %s\n  repeated %s", l.Seq, r.Verdict, got)
	}
	return Same, nil
}
