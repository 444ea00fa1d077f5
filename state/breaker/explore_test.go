package breaker_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// world is a breaker with two clients: everything that decides what can
// happen next. Time moves in steps of one unit; a lease lives two of them, an
// open breaker waits two.
type world struct {
	state  breaker.State
	now    int64
	lease  int   // which client holds the probe's lease, from 1; 0: nobody
	until  int64 // when it runs out
	flying [2]flight
}

// flight is a call of a client that is under way.
type flight struct {
	up         bool
	generation uint64
	until      int64 // of a probe: when its lease runs out; 0: it is none
}

var config = breaker.Config{Threshold: 2, Reset: 2, Probe: 2}

// normal forgets what makes no difference, so that there are few worlds: how
// late it is, and how many generations there were.
func (w world) normal() world {
	base := w.now
	shift := func(t int64) int64 {
		if t == 0 {
			return 0
		}
		return max(t-base, -3) + 10
	}
	w.state.Opened, w.until = shift(w.state.Opened), shift(w.until)
	if w.until <= 10 {
		w.lease, w.until = 0, 0
	}
	for i := range w.flying {
		f := &w.flying[i]
		f.generation, f.until = min(w.state.Generation-f.generation, 2), shift(f.until)
		if !f.up {
			*f = flight{}
		}
	}
	w.state.Generation, w.state.Trips, w.state.OpenFor, w.now = 5, 0, 0, 10
	for i := range w.flying {
		if w.flying[i].up {
			w.flying[i].generation = 5 - w.flying[i].generation
		}
	}
	return w
}

// begin is a client's call: what the session does with it. Without leases it
// is what a breaker does that only knows that it is half-open.
func (w world) begin(client int, leases bool) (world, bool) {
	switch w.state.Phase(w.now, config) {
	case breaker.Open:
		return w, false
	case breaker.HalfOpen:
		if leases && w.lease != 0 && w.now < w.until {
			return w, false
		}
		w.lease, w.until = client+1, w.now+int64(config.Probe)
		w.flying[client] = flight{true, w.state.Generation, w.until}
		return w, true
	}
	w.flying[client] = flight{true, w.state.Generation, 0}
	return w, true
}

func (w world) end(client int, r breaker.Result) world {
	f := w.flying[client]
	w.flying[client] = flight{}
	w.state, _ = w.state.After(r, f.generation, w.now, config)
	if w.lease == client+1 {
		w.lease, w.until = 0, 0
	}
	return w
}

// next are all worlds that can follow, by what happens.
func (w world) next(leases bool) map[string]world {
	out := map[string]world{}
	later := w
	later.now++
	out["time passes"] = later
	if w.state.Opened == 0 || w.now >= w.state.Until(config)+int64(config.Probe) { // at the earliest: see Keep
		forgotten := w
		forgotten.state = breaker.State{}
		out["the breaker is forgotten"] = forgotten
	}
	for c := range w.flying {
		if !w.flying[c].up {
			if n, ok := w.begin(c, leases); ok {
				out[fmt.Sprintf("%d calls", c)] = n
			}
			continue
		}
		for _, r := range []breaker.Result{breaker.Neutral, breaker.Success, breaker.Failure} {
			out[fmt.Sprintf("%d ends %d", c, r)] = w.end(c, r)
		}
		lost := w
		lost.flying[c] = flight{}
		out[fmt.Sprintf("%d is lost", c)] = lost
	}
	return out
}

// probes counts the live probes.
func (w world) probes() (n int) {
	for _, f := range w.flying {
		if f.up && w.now < f.until && f.generation == w.state.Generation {
			n++
		}
	}
	return n
}

// explore visits every world that can be reached and returns the first that
// is not as it should be, and how many there are.
func explore(leases bool, sound func(world) bool) (bad *world, visited int) {
	start := world{now: 10}.normal()
	seen := map[world]bool{start: true}
	for queue := []world{start}; len(queue) > 0; queue = queue[1:] {
		w := queue[0]
		if !sound(w) {
			return &w, len(seen)
		}
		for _, n := range w.next(leases) {
			if n = n.normal(); !seen[n] {
				seen[n] = true
				queue = append(queue, n)
			}
		}
	}
	return nil, len(seen)
}

// Every order of calls, results, lost reports, time and forgetting of two clients: no
// state admits two live probes, and from every state the breaker closes again
// if the ability is well.
func TestExploration(t *testing.T) {
	oneProbe := func(w world) bool { return w.probes() <= 1 }
	bad, visited := explore(true, oneProbe)
	if bad != nil {
		t.Errorf("two probes: %+v", *bad)
	}
	if bad, _ := explore(true, recovers); bad != nil {
		t.Errorf("stuck for ever: %+v", *bad)
	}
	if bad, _ := explore(false, oneProbe); bad == nil {
		t.Error("without leases there are never two probes: the exploration sees too little")
	}
	t.Logf("%d states", visited)
}

// recovers reports whether, with everything under way lost, time passing and
// every new call a success, the breaker is closed soon.
func recovers(w world) bool {
	w.flying = [2]flight{}
	for range 10 {
		w.now++
		if n, ok := w.begin(0, true); ok {
			w = n.end(0, breaker.Success)
		}
	}
	return w.state.Phase(w.now, config) == breaker.Closed
}

func TestTransitions(t *testing.T) {
	c := breaker.Config{}.WithDefaults()
	second := int64(time.Second)
	s, now := breaker.State{}, 100*second
	fail := func(n int) {
		for range n {
			s, _ = s.After(breaker.Failure, s.Generation, now, c)
		}
	}
	phase := func(at int64, want breaker.Phase) {
		t.Helper()
		if got := s.Phase(at, c); got != want {
			t.Errorf("at %ds it is %s, want %s", at/second, got, want)
		}
	}
	fail(4)
	s, _ = s.After(breaker.Neutral, s.Generation, now, c)
	phase(now, breaker.Closed)
	s, _ = s.After(breaker.Success, s.Generation, now, c) // in a row: this begins anew
	fail(4)
	phase(now, breaker.Closed)
	old := s.Generation
	fail(1)
	phase(now, breaker.Open)
	phase(now+30*second-1, breaker.Open)
	phase(now+30*second, breaker.HalfOpen)
	if again, changed := s.After(breaker.Success, old, now+31*second, c); changed || again != s {
		t.Error("a late result of the old state changes the new one")
	}
	now += 30 * second
	s, _ = s.After(breaker.Neutral, s.Generation, now, c)
	phase(now, breaker.HalfOpen)
	fail(1) // the probe
	phase(now+29*second, breaker.Open)
	now += 30 * second
	s, _ = s.After(breaker.Success, s.Generation, now, c)
	phase(now, breaker.Closed)
	if s.Trips != 1 || s.OpenFor != 60*second {
		t.Errorf("%d trips, open for %ds, want 1 and 60s", s.Trips, s.OpenFor/second)
	}
	fail(5)
	c.Manual = true
	phase(now+1000*second, breaker.Open)
	s = s.Reset(now)
	phase(now, breaker.Closed)
}

func TestWrittenDown(t *testing.T) {
	s := breaker.State{Generation: 1 << 60, Failures: 3, Trips: 9, Opened: -1, OpenFor: 77}
	got, err := breaker.Parse(s.Append(nil))
	if err != nil || got != s {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := breaker.Parse(nil); err != nil || got != (breaker.State{}) {
		t.Errorf("nothing: %+v, %v", got, err)
	}
	one, two := s.AppendMarked(nil, 1), s.AppendMarked(nil, 2)
	for _, b := range [][]byte{one, two} {
		if got, err := breaker.Parse(b); err != nil || got != s || bytes.Equal(one, two) {
			t.Errorf("marked: %+v, %v", got, err)
		}
	}
	for _, b := range [][]byte{
		{1}, {2}, append([]byte{2}, s.Append(nil)[1:]...), append([]byte{3}, s.Append(nil)[1:]...), append(s.Append(nil), 0), append(one, 0),
	} {
		if _, err := breaker.Parse(b); err != breaker.ErrFormat {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// A breaker is kept for a day beyond all that can follow from it.
func TestKeep(t *testing.T) {
	c := breaker.Config{}.WithDefaults()
	closed := breaker.State{Failures: 3}
	open, _ := breaker.State{Failures: 4}.After(breaker.Failure, 0, 1000, c)
	manual, endless := c, c
	manual.Manual, endless.Reset = true, 1<<63-1
	for _, tt := range []struct {
		state  breaker.State
		config breaker.Config
		want   time.Duration
	}{
		{closed, c, 24 * time.Hour},
		{closed, manual, 24 * time.Hour},
		{open, c, 24*time.Hour + 90*time.Second},
		{open, manual, 0},
		{open, endless, 1<<63 - 1},
	} {
		if got := tt.state.Keep(tt.config); got != tt.want {
			t.Errorf("%+v with %+v: %v, want %v", tt.state, tt.config, got, tt.want)
		}
	}
}

// A result of before the breaker was forgotten is of no generation of after.
func TestGenerationsOfLaterLives(t *testing.T) {
	c := breaker.Config{Threshold: 1}.WithDefaults()
	trip := func(now int64) breaker.State {
		s, _ := breaker.State{}.After(breaker.Failure, 0, now, c)
		return s
	}
	day := int64(24 * time.Hour)
	old := trip(day)
	if s, moved := trip(2*day).After(breaker.Success, old.Generation, 2*day+1, c); moved || s.Opened == 0 {
		t.Errorf("the probe of a breaker that was forgotten has closed the one after it: %+v", s)
	}
}
