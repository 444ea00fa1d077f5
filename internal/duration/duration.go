// Package duration owns durations as people write and read them, with days:
// 90s, 1h30m, 2d, 1d12h. Those of the rule language, an integer and one unit,
// belong to package dsl.
package duration

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Parse reads a duration as Go writes it, before which whole days and a sign
// may stand: 90s, 1h30m, 2d, 1d12h, -8h.
func Parse(text string) (time.Duration, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	var total time.Duration
	if head, tail, ok := strings.Cut(rest, "d"); ok {
		n, err := strconv.ParseUint(head, 10, 32)
		if err != nil || n > math.MaxInt64/uint64(day) {
			return 0, false
		}
		if total, rest = time.Duration(n)*day, tail; rest == "" {
			rest = "0s"
		}
	}
	if rest == "" || rest[0] == '-' || rest[0] == '+' {
		return 0, false
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d > math.MaxInt64-total {
		return 0, false
	}
	if total += d; negative {
		total = -total
	}
	return total, true
}

// Format renders a duration in the units that say it exactly, as Parse reads
// it: 1.2s, 5m, 1d2h.
func Format(d time.Duration) string {
	if d < 0 && d != math.MinInt64 {
		return "-" + Format(-d)
	}
	days := ""
	if n := d / day; n > 0 {
		days = strconv.FormatInt(int64(n), 10) + "d"
		if d %= day; d == 0 {
			return days
		}
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return days + s
}
