package breaker

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// family is a metric as Prometheus reads it.
type family struct {
	name, kind, help string
	value            func(r *Reading) float64
}

var families = [...]family{
	{"cbpolicy_breaker_phase", "gauge", "Phase of the breaker: 0 closed, 1 open, 2 half-open.", func(r *Reading) float64 {
		return float64(slices.Index([]string{Closed.String(), Open.String(), HalfOpen.String()}, r.Phase))
	}},
	{"cbpolicy_breaker_trips_total", "counter", "How often the breaker has opened.", func(r *Reading) float64 { return float64(r.Trips) }},
	{"cbpolicy_breaker_open_seconds_total", "counter", "How long the breaker was open in all.", func(r *Reading) float64 { return r.Open.Seconds() }},
	{"cbpolicy_breaker_failure_ratio", "gauge", "Share of failures among the counted calls of the window.", (*Reading).FailureRate},
	{"cbpolicy_breaker_window_calls", "gauge", "Counted calls of the window.", func(r *Reading) float64 { return float64(r.Calls) }},
}

// WritePrometheus writes the metrics at a time in Prometheus' text format.
func (m *Metrics) WritePrometheus(w io.Writer, at int64) error {
	out := bufio.NewWriter(w)
	all := m.Read(at)
	for _, f := range families {
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for i := range all {
			fmt.Fprintf(out, "%s{ability=\"%s\"} %s\n", f.name, label(all[i].Ability), number(f.value(&all[i])))
		}
	}
	alerts := []string{"trips", "failure_rate", "open"}
	fmt.Fprint(out, "# HELP cbpolicy_breaker_alert Whether a metric of the breaker has come to its threshold.\n# TYPE cbpolicy_breaker_alert gauge\n")
	for i := range all {
		for _, alert := range alerts {
			on := 0.0
			if slices.Contains(all[i].Alerts, alert) {
				on = 1
			}
			fmt.Fprintf(out, "cbpolicy_breaker_alert{ability=\"%s\",metric=\"%s\"} %s\n", label(all[i].Ability), alert, number(on))
		}
	}
	fmt.Fprint(out, "# HELP cbpolicy_breaker_alert_threshold The thresholds: a count, a ratio, seconds.\n# TYPE cbpolicy_breaker_alert_threshold gauge\n")
	for i, limit := range []float64{float64(m.alerts.Trips), m.alerts.FailureRate, m.alerts.Open.Seconds()} {
		fmt.Fprintf(out, "cbpolicy_breaker_alert_threshold{metric=\"%s\"} %s\n", alerts[i], number(limit))
	}
	return out.Flush()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// label escapes the value of a label as the format wants it.
func label(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
