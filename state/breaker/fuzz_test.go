package breaker_test

import (
	"bytes"
	"testing"

	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// What Parse takes is written the same way again, but for the mark, and nothing
// makes it panic.
func FuzzParse(f *testing.F) {
	s := breaker.State{Generation: 7, Failures: 3, Trips: 2, Opened: -1, OpenFor: 9}
	for _, seed := range [][]byte{nil, {1}, {2}, s.Append(nil), s.AppendMarked(nil, 5), append(s.Append(nil), 0)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := breaker.Parse(b)
		if err != nil || len(b) == 0 {
			return
		}
		if plain := got.Append(nil); !bytes.Equal(b[1:len(plain)], plain[1:]) {
			t.Errorf("%x is written again as %x", b, plain)
		}
	})
}
