package ledger_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/state/ledger"
)

func name(n int) (of ledger.Name) {
	binary.BigEndian.PutUint64(of[:], uint64(n))
	return of
}

func TestMoneyIsSetAsideAndSpent(t *testing.T) {
	var s ledger.State
	for i, step := range []struct {
		what func(ledger.State) ledger.State
		want int64
	}{
		{func(s ledger.State) ledger.State { return s.Reserve(name(1), 30) }, 30},
		{func(s ledger.State) ledger.State { return s.Reserve(name(2), 10) }, 40},
		{func(s ledger.State) ledger.State { return s.Reserve(name(1), 20) }, 30}, // in the place of the first
		{func(s ledger.State) ledger.State { return s.Settle(name(1)).Spend(5) }, 15},
		{func(s ledger.State) ledger.State { return s.Settle(name(2)).Spend(25) }, 30}, // more than was set aside
		{func(s ledger.State) ledger.State { return s.Spend(-10) }, 20},
		{func(s ledger.State) ledger.State { return s.Spend(-100) }, 0},
		{func(s ledger.State) ledger.State { return s.Spend(math.MaxInt64).Reserve(name(3), math.MaxInt64) }, math.MaxInt64},
		{func(s ledger.State) ledger.State { return s.Spend(-1) }, math.MaxInt64}, // what is in it is not known
	} {
		if s = step.what(s); s.Total() != step.want {
			t.Fatalf("step %d: %d, want %d", i+1, s.Total(), step.want)
		}
	}
	if amount, ok := s.Aside(name(3)); !ok || amount != math.MaxInt64 {
		t.Errorf("aside for the third: %d %t", amount, ok)
	}
	if _, ok := s.Aside(name(2)); ok {
		t.Error("something is set aside for a call that was settled")
	}
}

// More calls than have a name in it: what they set aside counts, and goes on
// counting when they end, as nobody knows their names any more.
func TestTheEarliestCallsCountAsSpent(t *testing.T) {
	var s ledger.State
	for i := range ledger.MaxLive + 10 {
		s = s.Reserve(name(i), 1)
	}
	if s.Total() != ledger.MaxLive+10 || s.Spent != 10 {
		t.Fatalf("total %d, spent %d", s.Total(), s.Spent)
	}
	for i := range ledger.MaxLive + 10 {
		s = s.Settle(name(i))
	}
	if s.Total() != 10 {
		t.Errorf("%d is left, want 10", s.Total())
	}
}

// A State that was changed does not change the one it was made from: what a
// store refuses was never so.
func TestStatesAreValues(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, want := ledger.State{Born: 1}, map[ledger.Name]int64{}
		for range rapid.IntRange(0, 30).Draw(r, "steps") {
			before := s.Append(nil)
			was := s
			n := name(rapid.IntRange(0, 5).Draw(r, "name"))
			if rapid.Bool().Draw(r, "reserve") {
				amount := rapid.Int64Range(0, 100).Draw(r, "amount")
				s, want[n] = s.Reserve(n, amount), amount
			} else {
				s = s.Settle(n)
				delete(want, n)
			}
			if !bytes.Equal(was.Append(nil), before) {
				r.Fatal("the state before was changed")
			}
		}
		sum := int64(0)
		for n, amount := range want {
			sum += amount
			if got, ok := s.Aside(n); !ok || got != amount {
				r.Fatalf("aside: %d %t, want %d", got, ok, amount)
			}
		}
		if s.Total() != sum {
			r.Fatalf("total %d, want %d", s.Total(), sum)
		}
		read, err := ledger.Parse(s.Append(nil))
		if err != nil || !bytes.Equal(read.Append(nil), s.Append(nil)) {
			r.Fatalf("read again: %+v, %v", read, err)
		}
	})
}

func TestDamagedLedgersAreRefused(t *testing.T) {
	good := ledger.State{Born: 5, Spent: 7, Writer: 1 << 63, Seq: 9}.Reserve(name(1), 3).Reserve(name(2), 4).Append(nil)
	twice := bytes.Clone(good)
	copy(twice[34+24:], twice[34:34+16])
	negative := bytes.Clone(good)
	negative[16] = 0x80
	writers := ledger.State{Born: 5}.Sign(1, 1).Sign(2, 2).Sign(3, 3).Append(nil)
	same := bytes.Clone(writers)
	copy(same[34:], same[34+16:])
	many := ledger.State{Born: 5}.Append(nil)
	for many[33] = 0; many[33] < ledger.MaxWriters; many[33]++ {
		many = append(many, many[33]+1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
	}
	for why, b := range map[string][]byte{
		"a writer twice": same, "too many writers": many, "writers cut": writers[:50],
		"another version": append([]byte{9}, good[1:]...), "cut": good[:len(good)-1], "only a head's part": good[:10],
		"a call twice": twice, "below 0": negative, "longer": append(bytes.Clone(good), 0),
	} {
		if s, err := ledger.Parse(b); err == nil {
			t.Errorf("%s: read as %+v", why, s)
		}
	}
	if s, err := ledger.Parse(nil); err != nil || s.Total() != 0 || s.Born != 0 {
		t.Errorf("nothing: %+v, %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(ledger.State{Born: 5, Spent: 7}.Reserve(name(1), 3).Append(nil))
	f.Add(ledger.State{Born: 5, Spent: 7}.Sign(1, 2).Sign(3, 4).Reserve(name(1), 3).Append(nil))
	f.Add(append([]byte{1}, make([]byte, 32)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ledger.Parse(b)
		switch {
		case err != nil || len(b) == 0:
		case b[0] != 1:
			if !bytes.Equal(s.Append(nil), b) {
				t.Errorf("%x was read as %+v", b, s)
			}
		default: // of the form before
			if again, err := ledger.Parse(s.Append(nil)); err != nil || !bytes.Equal(again.Append(nil), s.Append(nil)) {
				t.Errorf("%x was read as %+v, and again as %+v, %v", b, s, again, err)
			}
		}
	})
}

// A writer whose answer was lost finds out what became of the write, however many
// came after it, up to a number of others.
func TestAWriterFindsOutWhatBecameOfItsWrite(t *testing.T) {
	const we = 1000
	others := func(s ledger.State, n int) ledger.State {
		for i := range n {
			s = s.Sign(uint64(i+1), 7)
		}
		return s
	}
	fresh, full := ledger.State{Born: 5}, others(ledger.State{Born: 5}, ledger.MaxWriters)
	for _, c := range []struct {
		what     string
		seen, is ledger.State
		want     ledger.Fate
	}{
		{"nobody wrote", fresh, fresh, ledger.NotMade},
		{"the latest", fresh, fresh.Sign(we, 3), ledger.Made},
		{"others came before it", fresh, others(fresh, 3), ledger.NotMade},
		{"others came after it", fresh, others(fresh.Sign(we, 3), ledger.MaxWriters-1), ledger.Made},
		{"the write before is the latest of ours", fresh.Sign(we, 2), others(fresh.Sign(we, 2), 4), ledger.NotMade},
		{"one other wrote, of many before", full, full.Sign(1, 8), ledger.NotMade},
		{"the same, after it", full, full.Sign(we, 3).Sign(1, 8), ledger.Made},
		{"so many others that ours is forgotten", fresh, others(fresh.Sign(we, 3), ledger.MaxWriters), ledger.Unknown},
		{"as many, where ours was not made", fresh, others(fresh, ledger.MaxWriters), ledger.Unknown},
	} {
		read, err := ledger.Parse(c.is.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got := read.FateOf(we, 3, c.seen); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// Over random writes, of which some are not made: nobody is told what is not so.
func TestFatesOfWrites(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, seq := ledger.State{Born: 5}, uint64(0)
		sign := func(label string) {
			seq++
			s = s.Sign(rapid.Uint64Range(1, 2*ledger.MaxWriters).Draw(r, label), seq)
		}
		for range rapid.IntRange(0, 40).Draw(r, "before") {
			sign("writer")
		}
		seen, made := s, rapid.Bool().Draw(r, "made")
		we := rapid.Uint64Range(1, 2*ledger.MaxWriters).Draw(r, "we")
		seq++
		ours := seq
		if made {
			s = s.Sign(we, ours)
		}
		others := map[uint64]bool{}
		for range rapid.IntRange(0, 40).Draw(r, "after") {
			if w := rapid.Uint64Range(1, 2*ledger.MaxWriters).Draw(r, "other"); w != we {
				others[w] = true
				seq++
				s = s.Sign(w, seq)
			}
		}
		got := s.FateOf(we, ours, seen)
		if got == ledger.Made && !made || got == ledger.NotMade && made {
			r.Fatalf("fate %v, made %t", got, made)
		}
		if got == ledger.Unknown && len(others) < ledger.MaxWriters {
			r.Fatalf("nobody knows after %d others", len(others))
		}
	})
}

// A ledger that was written before writers were noted is read, and written anew.
func TestTheFormBeforeIsRead(t *testing.T) {
	now := ledger.State{Born: 5, Spent: 7}.Sign(1<<63, 9).Reserve(name(1), 3)
	before := now.Append(nil)
	before = append(before[:33:33], before[34:]...)
	before[0] = 1
	read, err := ledger.Parse(before)
	if err != nil || !bytes.Equal(read.Append(nil), now.Append(nil)) {
		t.Errorf("%+v, %v, want %+v", read, err, now)
	}
}
