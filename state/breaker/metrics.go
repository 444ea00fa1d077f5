package breaker

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// The defaults of Alerts and Metrics. They are ours: half of the calls failing
// or a breaker that opens three times is seldom what anybody wants, and what
// is open for five minutes has outlived ten resets.
const (
	DefaultAlertTrips       = 3
	DefaultAlertFailureRate = 0.5
	DefaultAlertCalls       = 10
	DefaultAlertOpen        = 5 * time.Minute
	DefaultWindow           = 5 * time.Minute
)

// Alerts are the values from which on a breaker needs somebody's attention.
// Values of 0 mean the default.
type Alerts struct {
	Trips       int           // how often it has opened
	FailureRate float64       // share of failures among the counted calls of the window
	Calls       int           // counted calls in the window, below which a rate says nothing
	Open        time.Duration // how long it was open in all
}

// WithDefaults fills in what is 0.
func (a Alerts) WithDefaults() Alerts {
	return Alerts{
		Trips: cmp.Or(a.Trips, DefaultAlertTrips), FailureRate: cmp.Or(a.FailureRate, DefaultAlertFailureRate),
		Calls: cmp.Or(a.Calls, DefaultAlertCalls), Open: cmp.Or(a.Open, DefaultAlertOpen),
	}
}

// buckets divide the window of a failure rate, which is exact to one of them.
const buckets = 60

// MaxTracked is of how many abilities metrics are kept; their names come from
// the agent. Those that come later are left out.
const MaxTracked = 4096

// Metrics follows the breakers that it is told of. It is safe for any number
// of goroutines. Trips and the time in open are those of the breaker, whoever
// moved it, as far as it was told, and begin anew when the breaker is forgotten; the
// failure rate is of the calls that this Metrics was told of. NewMetrics makes one:
// the zero Metrics keeps nothing.
type Metrics struct {
	alerts Alerts
	window time.Duration

	mu        sync.Mutex
	abilities map[string]*tracked
}

// tracked is one ability's breaker as it was last seen.
type tracked struct {
	Seen
	told  int64 // when that was told of, by the clock of whoever reads
	calls [buckets]bucket
}

// bucket counts the calls of a part of the window.
type bucket struct {
	number      int64 // of the part since the epoch
	failed, all int64
}

// NewMetrics returns metrics with a window for failure rates; 0: DefaultWindow.
func NewMetrics(window time.Duration, a Alerts) *Metrics {
	if window < buckets {
		window = DefaultWindow
	}
	return &Metrics{alerts: a.WithDefaults(), window: window, abilities: map[string]*tracked{}}
}

// Alerts returns the thresholds in effect.
func (m *Metrics) Alerts() Alerts { return m.alerts }

// Window returns the window of failure rates.
func (m *Metrics) Window() time.Duration { return m.window }

// Observe takes in a call's result at a time, and the breaker as it was last seen;
// Neutral: the breaker only. What is told of late, and was seen before what is known,
// does not change that.
func (m *Metrics) Observe(ability string, seen Seen, r Result, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.abilities[ability]
	if t == nil {
		if m.abilities == nil || len(m.abilities) >= MaxTracked {
			return
		}
		t = &tracked{Seen: seen, told: at}
		m.abilities[ability] = t
	} else if !seen.before(&t.Seen) {
		t.Seen, t.told = seen, at
	}
	if r == Neutral {
		return
	}
	number := at / (int64(m.window) / buckets)
	b := &t.calls[uint64(number)%buckets]
	if b.number != number {
		*b = bucket{number: number}
	}
	b.all++
	if r == Failure {
		b.failed++
	}
}

// Reading is the breaker of an ability at a time.
type Reading struct {
	Ability string        `json:"ability"`
	Phase   string        `json:"phase"`
	Trips   uint32        `json:"trips"`
	Calls   int64         `json:"calls"` // counted, in the window
	Failed  int64         `json:"failed"`
	Open    time.Duration `json:"open_ns"` // in all
	// Alerts name the metrics that have come to their threshold: trips,
	// failure_rate, open.
	Alerts []string `json:"alerts"`
}

// FailureRate is the share of failures; 0 where nothing was called.
func (r *Reading) FailureRate() float64 {
	if r.Calls == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Calls)
}

// Read returns the breakers that were told of, by ability. One that nobody has told
// of for so long that its store has forgotten it is closed, as if it had never been
// called.
func (m *Metrics) Read(at int64) []Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Reading, 0, len(m.abilities))
	for ability, t := range m.abilities {
		all = append(all, m.read(ability, t, at))
	}
	slices.SortFunc(all, func(a, b Reading) int { return cmp.Compare(a.Ability, b.Ability) })
	return all
}

func (m *Metrics) read(ability string, t *tracked, at int64) Reading {
	s := t.at(at)
	r := Reading{
		Ability: ability, Phase: s.Phase(at, t.Config).String(), Trips: s.Trips, Open: time.Duration(s.OpenFor), Alerts: []string{},
	}
	if s.Opened != 0 {
		r.Open += time.Duration(max(at-s.Opened, 0))
	}
	last := at / (int64(m.window) / buckets)
	for i := range t.calls {
		if b := &t.calls[i]; b.number > last-buckets && b.number <= last {
			r.Calls += b.all
			r.Failed += b.failed
		}
	}
	if int(r.Trips) >= m.alerts.Trips {
		r.Alerts = append(r.Alerts, "trips")
	}
	if r.Calls >= int64(m.alerts.Calls) && r.FailureRate() >= m.alerts.FailureRate {
		r.Alerts = append(r.Alerts, "failure_rate")
	}
	if r.Open >= m.alerts.Open {
		r.Alerts = append(r.Alerts, "open")
	}
	return r
}
