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
		m.Observe(ability, s, c, result, at)
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
		m.Observe(strings.Repeat("a", i%70)+string(rune('a'+i%26))+time.Duration(i).String(), breaker.State{}, breaker.Config{}, breaker.Success, second)
	}
	if n := len(m.Read(second)); n != breaker.MaxTracked {
		t.Errorf("%d abilities are tracked, want %d", n, breaker.MaxTracked)
	}
}
