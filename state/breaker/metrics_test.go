package breaker_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/state/breaker"
)

const second = int64(time.Second)

// drive has a breaker go through results, a second each, from a time on.
func drive(m *breaker.Metrics, ability, results string, at int64) int64 {
	c := breaker.Config{Threshold: 2, Reset: 3 * time.Second}.WithDefaults()
	s := breaker.State{}
	for _, r := range results {
		result := map[rune]breaker.Result{'s': breaker.Success, 'f': breaker.Failure, 'n': breaker.Neutral}[r]
		s, _ = s.After(result, s.Generation, at, c)
		m.Observe(ability, breaker.Seen{State: s, Config: c, At: at}, result, at)
		at += second
	}
	return at
}

func TestMetrics(t *testing.T) {
	m := breaker.NewMetrics(time.Minute, breaker.Alerts{Trips: 1, Calls: 4, Open: 10 * time.Second})
	begin := 1000 * second
	at := drive(m, "good", "sssn", begin)
	drive(m, "bad", "sff", begin) // open since two seconds after the beginning
	for _, tt := range []struct {
		at   int64
		want []breaker.Reading
	}{
		{at, []breaker.Reading{
			{Ability: "bad", Phase: "open", Trips: 1, Calls: 3, Failed: 2, Open: 2 * time.Second, Alerts: []string{"trips"}},
			{Ability: "good", Phase: "closed", Calls: 3, Alerts: []string{}},
		}},
		{begin + 12*second, []breaker.Reading{
			{Ability: "bad", Phase: "half-open", Trips: 1, Calls: 3, Failed: 2, Open: 10 * time.Second, Alerts: []string{"trips", "open"}},
			{Ability: "good", Phase: "closed", Calls: 3, Alerts: []string{}},
		}},
		{begin + 61*second, []breaker.Reading{ // the first call has left the window
			{Ability: "bad", Phase: "half-open", Trips: 1, Calls: 1, Failed: 1, Open: 59 * time.Second, Alerts: []string{"trips", "open"}},
			{Ability: "good", Phase: "closed", Calls: 1, Alerts: []string{}},
		}},
	} {
		if d := cmp.Diff(tt.want, m.Read(tt.at)); d != "" {
			t.Errorf("at %d s: %s", (tt.at-begin)/second, d)
		}
	}
}

// A rate says nothing while there are few calls.
func TestMetrics_FailureRate(t *testing.T) {
	for results, want := range map[string]bool{"fff": false, "ffss": true, "fsss": false, "ffff": true, "nnnf": false} {
		m := breaker.NewMetrics(0, breaker.Alerts{Calls: 4, FailureRate: 0.5, Trips: 100})
		at := drive(m, "a", results, 1000*second)
		r := m.Read(at)[0]
		if got := strings.Contains(strings.Join(r.Alerts, " "), "failure_rate"); got != want {
			t.Errorf("%s: alert %v, want %v", results, got, want)
		}
	}
}

func TestMetrics_Prometheus(t *testing.T) {
	m := breaker.NewMetrics(time.Minute, breaker.Alerts{})
	at := drive(m, "web\"\\\nfetch", "sff", 1000*second)
	var b strings.Builder
	if err := m.WritePrometheus(&b, at); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# TYPE cbpolicy_breaker_trips_total counter\ncbpolicy_breaker_trips_total{ability=\"web\\\"\\\\\\nfetch\"} 1\n",
		"cbpolicy_breaker_phase{ability=\"web\\\"\\\\\\nfetch\"} 1\n",
		"cbpolicy_breaker_open_seconds_total{ability=\"web\\\"\\\\\\nfetch\"} 1\n",
		"cbpolicy_breaker_failure_ratio{ability=\"web\\\"\\\\\\nfetch\"} 0.6666666666666666\n",
		"cbpolicy_breaker_alert_threshold{metric=\"trips\"} 3\n",
		"cbpolicy_breaker_alert_threshold{metric=\"failure_rate\"} 0.5\n",
		"cbpolicy_breaker_alert_threshold{metric=\"open\"} 300\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The names of abilities come from the agent: there is an end to them.
func TestMetrics_Bounded(t *testing.T) {
	m := breaker.NewMetrics(0, breaker.Alerts{})
	for i := range breaker.MaxTracked + 10 {
		m.Observe(strings.Repeat("a", i%70)+string(rune('a'+i%26))+time.Duration(i).String(), breaker.Seen{}, breaker.Success, second)
	}
	if n := len(m.Read(second)); n != breaker.MaxTracked {
		t.Errorf("%d abilities are tracked, want %d", n, breaker.MaxTracked)
	}
}

// What was seen later counts, also where it is of a lower generation, as a breaker
// that was forgotten begins anew; what was seen earlier, and is told of later, does
// not. All of that goes by the store's time, whatever the machine's.
func TestMetrics_LaterState(t *testing.T) {
	const day = int64(breaker.Forget)
	begin := 1000 * day
	open := breaker.State{Generation: uint64(begin), Trips: 1, Opened: begin}
	reset := breaker.State{Generation: uint64(begin) + 1, Trips: 1, OpenFor: 5 * second}
	again := breaker.State{Generation: uint64(begin + 3*day), Trips: 1, Opened: begin + 3*day}
	type seen struct {
		state breaker.State
		at    int64
	}
	for _, c := range []struct {
		why   string
		told  []seen
		phase string
		trips uint32
	}{
		{"it was reset", []seen{{open, begin}, {reset, begin + 5*second}}, "closed", 1},
		{"another session has not seen that yet", []seen{{open, begin}, {reset, begin + 5*second}, {open, begin + second}}, "closed", 1},
		{"nor this one that it opened", []seen{{open, begin}, {breaker.State{}, begin - 1}}, "open", 1},
		{"a call that was let through before it opened", []seen{{open, begin}, {breaker.State{}, begin + second}}, "open", 1},
		{"reset elsewhere, and forgotten since", []seen{{open, begin}, {breaker.State{}, begin + day}}, "closed", 0},
		{"which another session does not know yet", []seen{{open, begin}, {breaker.State{}, begin + day}, {open, begin + second}}, "closed", 0},
		{"forgotten, and opened again", []seen{{open, begin}, {breaker.State{}, begin + 2*day}, {again, begin + 3*day}}, "open", 1},
		{"opened again, and what was forgotten is told of late", []seen{{again, begin + 3*day}, {breaker.State{}, begin + 2*day}}, "open", 1},
		{"open for a long time", []seen{{open, begin}, {open, begin + 5*day}}, "open", 1},
	} {
		m := breaker.NewMetrics(0, breaker.Alerts{})
		const now = 40 * second // the machine's clock is years behind the store's
		for _, s := range c.told {
			m.Observe("a", breaker.Seen{State: s.state, Config: breaker.Config{Manual: true}.WithDefaults(), At: s.at}, breaker.Neutral, now)
		}
		if r := m.Read(now)[0]; r.Phase != c.phase || r.Trips != c.trips {
			t.Errorf("%s: %s with %d trips, want %s with %d", c.why, r.Phase, r.Trips, c.phase, c.trips)
		}
	}
}

// A breaker that nobody asks about any more is forgotten, here as in the store.
func TestMetrics_Forgotten(t *testing.T) {
	usual := breaker.Config{}.WithDefaults()
	manual := breaker.Config{Manual: true}.WithDefaults()
	keep := int64(usual.Reset + usual.Probe + breaker.Forget)
	begin := 1000 * keep
	open := breaker.State{Generation: uint64(begin), Trips: 3, Opened: begin}
	closed := breaker.State{Generation: uint64(begin) + 1, Trips: 3, OpenFor: int64(time.Hour)}
	for _, c := range []struct {
		why    string
		state  breaker.State
		config breaker.Config
		later  int64
		want   breaker.Reading
	}{
		{"open, and kept", open, usual, keep - 1, breaker.Reading{Ability: "a", Phase: "half-open", Trips: 3, Open: time.Duration(keep - 1), Alerts: []string{"trips", "open"}}},
		{"open, and forgotten", open, usual, keep, breaker.Reading{Ability: "a", Phase: "closed", Alerts: []string{}}},
		{"open until an operator resets it", open, manual, 9 * keep, breaker.Reading{Ability: "a", Phase: "open", Trips: 3, Open: time.Duration(9 * keep), Alerts: []string{"trips", "open"}}},
		{"closed, and kept", closed, usual, int64(breaker.Forget) - 1, breaker.Reading{Ability: "a", Phase: "closed", Trips: 3, Open: time.Hour, Alerts: []string{"trips", "open"}}},
		{"closed, and forgotten", closed, usual, int64(breaker.Forget), breaker.Reading{Ability: "a", Phase: "closed", Alerts: []string{}}},
	} {
		m := breaker.NewMetrics(0, breaker.Alerts{})
		m.Observe("a", breaker.Seen{State: c.state, Config: c.config, At: begin}, breaker.Neutral, begin)
		if d := cmp.Diff([]breaker.Reading{c.want}, m.Read(begin+c.later)); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
	}
}
