package meter_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

// note is kept with a call.
type note struct {
	name    string
	dropped int
}

func (n *note) Dropped() { n.dropped++ }

// What is kept with a call is found while the call is under way, and after it was
// lost, until its result is told of or it is forgotten.
func TestAttachments(t *testing.T) {
	k := root()
	begun := func(id string, n *note) meter.Flight {
		c := call("ls")
		c.ID = id
		if n != nil {
			c.Attached = n
		}
		return k.Begin(c, begin)
	}
	is := func(when string, f meter.Flight, want *note) {
		t.Helper()
		if got, _ := k.Attached(f).(*note); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	none, first, second, other := begun("a", nil), &note{name: "first"}, &note{name: "second"}, &note{name: "other"}
	is("nothing was attached", none, nil)
	k.Attach(none, other)
	is("it was attached later", none, other)
	k.Finish(none, meter.Result{ID: "a"}, begin)
	is("the call has ended", none, nil)
	k.Attach(none, other)
	is("the call has long ended", none, nil)

	one, two := begun("b", first), begun("b", second)
	if f := k.FindLost("b"); f != 0 {
		t.Errorf("call %d is lost, while it is under way", f)
	}
	k.Anew(begin)
	is("the task was begun anew", one, first)
	if f := k.FindLost("b"); f != two {
		t.Errorf("the lost call of the id is %d, want %d, the latest", f, two)
	}
	if f := k.FindLost("c") + k.FindLost(""); f != 0 {
		t.Errorf("call %d is lost that never was", f)
	}
	k.Late(two)
	is("its result was told of late", two, nil)
	if f := k.FindLost("b"); f != one {
		t.Errorf("the lost call of the id is %d, want %d", f, one)
	}
	is("no call", 0, nil)
	for range 2*meter.MaxFlights - 1 {
		begun("", nil)
	}
	is("just not too many are lost", one, first)
	begun("", nil)
	is("too many are lost", one, nil)
	if first.dropped != 1 || second.dropped+other.dropped != 0 {
		t.Errorf("dropped %d, %d and %d times, want only the first, once", first.dropped, second.dropped, other.dropped)
	}
}
