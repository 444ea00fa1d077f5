package statetest

import (
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func exactlyN(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(5, time.Hour)))}
	begin := e.clock.Now()
	for i := range 5 {
		if g := e.admits(c); g.At[0] != -1 || len(g.Counts) != 0 || g.Now != e.clock.Now() {
			e.Fatalf("claim %d: %+v, want no counts at %d", i+1, g, e.clock.Now())
		}
		e.clock.Advance(time.Minute)
	}
	for range 3 { // however often it is tried
		g := e.refuses(c)
		want := registry.Count{N: 6, Free: begin + int64(time.Hour)}
		if g.At[0] != 0 || g.Counts[0] != want {
			e.Fatalf("refused with %+v, want %+v", g.Tally, want)
		}
		e.clock.Advance(time.Minute)
	}
}

func windowEdges(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(2, time.Hour)))}
	e.admits(c)
	e.clock.Advance(10 * time.Minute)
	e.admits(c)
	e.clock.Advance(50*time.Minute - e.tick)
	free := e.refuses(c).Counts[0].Free
	e.clock.Advance(e.tick)
	if free != e.clock.Now() {
		e.Fatalf("free at %d, want at %d", free, e.clock.Now())
	}
	e.admits(c) // an entry exactly one window old is outside
	if free = e.refuses(c).Counts[0].Free; free != start+int64(70*time.Minute) {
		e.Fatalf("free at %d, want when the second entry leaves", free)
	}
}

func severalWindows(e *env) {
	n := calls("c", atMost(2, time.Minute), atMost(3, time.Hour))
	c := state.Claim{Needs: needs(n)}
	e.admits(c)
	e.admits(c)
	g := e.refuses(c)
	if want := []registry.Count{{N: 3, Free: start + int64(time.Minute)}, {N: 3}}; !slices.Equal(g.Counts, want) {
		e.Fatalf("counts %+v, want %+v", g.Counts, want)
	}
	e.clock.Advance(time.Minute)
	e.admits(c)
	g = e.refuses(c)
	if want := []registry.Count{{N: 2}, {N: 4, Free: start + int64(time.Hour)}}; !slices.Equal(g.Counts, want) {
		e.Fatalf("counts %+v, want %+v", g.Counts, want)
	}
}

func limitZero(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(0, time.Hour)))}
	for range 2 {
		if g := e.refuses(c); g.Counts[0] != (registry.Count{N: 1}) {
			e.Fatalf("count %+v, want 1 and no time", g.Counts[0])
		}
	}
}

func quietNeed(e *env) {
	loud, quiet := calls("loud", more(0, time.Hour)), calls("quiet", more(7, time.Hour))
	g := e.admits(state.Claim{Needs: needs(quiet, loud, quiet)})
	if want := []int{-1, 0, -1}; !slices.Equal(g.At, want) || len(g.Counts) != 1 {
		e.Fatalf("%+v, want counts of the second need only", g.Tally)
	}
	// The windows in Front decide whether the others are looked at.
	fronted := calls("fronted", more(1, time.Hour), more(0, time.Hour))
	fronted.Front = []int{0}
	e.admits(state.Claim{Needs: needs(fronted)})
	g = e.admits(state.Claim{Needs: needs(fronted)})
	if g.At[0] != 0 || g.Counts[0].N != 2 || g.Counts[1].N != 2 {
		e.Fatalf("%+v, want both windows counted", g.Tally)
	}
	// Without a Front no window is known to come first.
	bare := calls("bare", atMost(0, time.Hour))
	bare.Front = nil
	e.refuses(state.Claim{Needs: needs(bare)})
	if g := e.admits(state.Claim{Needs: needs(calls("no windows"))}); g.At[0] != -1 {
		e.Fatalf("%+v, want a need without windows to be quiet", g.Tally)
	}
}

func countingWindow(e *env) {
	c := state.Claim{Needs: needs(calls("c", more(1, time.Hour)))}
	for i := range int64(4) {
		g := e.admits(c)
		if i > 0 && g.Counts[0].N != i+1 {
			e.Fatalf("count %d, want %d", g.Counts[0].N, i+1)
		}
	}
}

func pastTimes(e *env) {
	ago := func(d time.Duration) int64 { return start - int64(d) }
	n := calls("c", atMost(3, time.Hour))
	e.admits(state.Claim{Needs: needs(n)})
	// Outside, at the old end, inside twice, and yet to come.
	n.Past = []int64{ago(2 * time.Hour), ago(time.Hour), ago(time.Hour - e.tick), ago(time.Minute), start + int64(time.Hour)}
	e.clock.Advance(0)
	g := e.refuses(state.Claim{Needs: needs(n)})
	if want := (registry.Count{N: 4, Free: ago(time.Hour-e.tick) + int64(time.Hour)}); g.Counts[0] != want {
		e.Fatalf("count %+v, want %+v", g.Counts[0], want)
	}
	e.clock.Advance(e.tick)
	e.admits(state.Claim{Needs: needs(n)})
	n.Past = nil
	e.admits(state.Claim{Needs: needs(n)})
	if got := e.count("c", time.Hour); got != 3 {
		e.Fatalf("%d entries, want the 3 that were admitted", got)
	}
}

func counterTwice(e *env) {
	n := calls("c", atMost(2, time.Hour))
	e.admits(state.Claim{Needs: needs(n, n)})
	if got := e.count("c", time.Hour); got != 1 {
		e.Fatalf("%d entries, want 1", got)
	}
	e.admits(state.Claim{Needs: needs(n, n)})
	e.refuses(state.Claim{Needs: needs(n, n)})
}

func cappedHistory(e *env) {
	c := state.Claim{Needs: needs(calls("c", more(dsl.MaxHistory-1, time.Hour)))}
	for range dsl.MaxHistory + 2 {
		e.admits(c)
		e.clock.Advance(e.tick)
	}
	g := e.admits(c)
	// The oldest have left: what must leave next is the third newest of the cap, and so on.
	want := registry.Count{N: dsl.MaxHistory + 1, Free: start + 3*int64(e.tick) + int64(time.Hour)}
	if g.Counts[0] != want {
		e.Fatalf("count %+v, want %+v", g.Counts[0], want)
	}
	full := state.Claim{Needs: needs(calls("full", atMost(dsl.MaxHistory-1, time.Hour)))}
	for range dsl.MaxHistory - 1 {
		e.admits(full)
	}
	if g := e.refuses(full); g.Counts[0].N != dsl.MaxHistory {
		e.Fatalf("count %d, want %d", g.Counts[0].N, dsl.MaxHistory)
	}
}

func timeNeverBack(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(2, time.Hour)))}
	e.clock.Advance(30 * time.Minute)
	latest := e.clock.Now()
	e.admits(c)
	e.clock.Advance(-25 * time.Minute)
	if g := e.admits(c); g.Now != latest {
		e.Fatalf("time %d, want the latest seen, %d", g.Now, latest)
	}
	if g := e.admits(state.Claim{Needs: needs(calls("other", atMost(2, time.Hour)))}); g.Now != latest {
		e.Fatalf("time %d at another counter, want the latest seen, %d", g.Now, latest)
	}
	e.clock.Advance(85*time.Minute - e.tick)
	e.refuses(c) // both entries are as of the latest time
	e.clock.Advance(e.tick)
	e.admits(c)
	e.admits(c)
	e.refuses(c)
}

func homeClock(e *env) {
	c := state.Claim{Needs: needs(calls("c", atMost(3, 1000*time.Hour)))}
	var last int64
	for range 3 {
		var g state.Grant
		if err := e.Claim(bg, &c, &g); err != nil || !g.Admitted {
			e.Fatalf("%+v, %v; want admitted", g, err)
		}
		if g.Now < last || g.Now <= 0 {
			e.Fatalf("time %d after %d", g.Now, last)
		}
		last = g.Now
	}
	var g state.Grant
	if err := e.Claim(bg, &c, &g); err != nil || g.Admitted {
		e.Fatalf("%+v, %v; want refused", g, err)
	}
}
