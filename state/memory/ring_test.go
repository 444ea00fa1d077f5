package memory

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// A ring behaves like a plain slice of times, whatever is done to it.
func TestRingIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var want []int64
		now := int64(0)
		for range 300 {
			now += rapid.Int64Range(0, 3).Draw(t, "step")
			back := now - rapid.Int64Range(-1, 60).Draw(t, "back")
			switch rapid.IntRange(0, 5).Draw(t, "operation") {
			case 0:
				r.expire(back)
				want = slices.DeleteFunc(want, func(e int64) bool { return e <= back })
			case 1:
				i := slices.Index(want, back)
				if got := r.remove(back); got != (i >= 0) {
					t.Fatalf("remove(%d) = %v of %v", back, got, want)
				}
				if i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
			default:
				r.push(now)
				want = append(want, now)
			}
			after := 0
			for i, e := range want {
				if got := r.oldest(i); got != e {
					t.Fatalf("entry %d is %d, want %d of %v", i, got, e, want)
				}
				if got := r.newest(len(want) - i); got != e {
					t.Fatalf("%d-th newest is %d, want %d of %v", len(want)-i, got, e, want)
				}
				if e > back {
					after++
				}
			}
			if int(r.n) != len(want) || r.after(back) != after {
				t.Fatalf("%d entries, %d after %d; want %d, %d", r.n, r.after(back), back, len(want), after)
			}
			if len(r.buf) > max(minRing, 4*len(want)) {
				t.Fatalf("capacity %d for %d entries", len(r.buf), len(want))
			}
		}
	})
}

func TestRingIsCapped(t *testing.T) {
	var r ring
	for i := range int64(3 * dsl.MaxHistory) {
		r.push(i)
	}
	if r.n != dsl.MaxHistory || len(r.buf) != dsl.MaxHistory || r.oldest(0) != 2*dsl.MaxHistory {
		t.Fatalf("%d entries of %d from %d", r.n, len(r.buf), r.oldest(0))
	}
	r.expire(3*dsl.MaxHistory - 2)
	for i := range int64(20) {
		r.expire(3*dsl.MaxHistory - 1 + i)
		r.push(3*dsl.MaxHistory + i)
	}
	if r.n != 1 || len(r.buf) != minRing {
		t.Fatalf("%d entries in %d places after all have left, want 1 in %d", r.n, len(r.buf), minRing)
	}
}

// A table finds what a map finds, with hashes that collide and come close.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		want := map[string]*counter{}
		for range 400 {
			name := rapid.StringOfN(rapid.RuneFrom([]rune("abcdefgh")), 1, 2, -1).Draw(t, "name")
			id := registry.CounterID{Spec: name}
			hash := uint64(name[0]-'a') * 0x2000000000000001
			c := table.get(hash, &id)
			if c != want[name] {
				t.Fatalf("get(%s) = %v, want %v", name, c, want[name])
			}
			switch remove := rapid.IntRange(0, 2).Draw(t, "remove") == 0; {
			case c == nil:
				want[name] = &counter{id: id, hash: hash}
				table.put(want[name])
			case remove:
				table.remove(c)
				delete(want, name)
			}
			n := 0
			table.all(func(c *counter) {
				if want[c.id.Spec] != c {
					t.Fatalf("%s is there, but should not", c.id.Spec)
				}
				n++
			})
			if n != len(want) || table.n != n {
				t.Fatalf("%d and %d counters, want %d", n, table.n, len(want))
			}
			if len(table.slots) > max(minTable, 8*(n+1)) {
				t.Fatalf("%d slots for %d counters", len(table.slots), n)
			}
		}
	})
}
