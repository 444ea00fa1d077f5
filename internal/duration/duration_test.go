package duration_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/duration"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "-8h": -8 * time.Hour,
		"+1m": time.Minute, "1.5h": 90 * time.Minute, "-1d1s": -24*time.Hour - time.Second, "0d": 0, "5ms": 5 * time.Millisecond, "0": 0,
	} {
		if got, ok := duration.Parse(text); !ok || got != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "5", "d", "1.5d", "-1d-1h", "--1h", "1d+1h", "1h1d", "1w", " 1h", "106752d", "106751d24h", "99999999999d", "x", "-", "1d "} {
		if got, ok := duration.Parse(text); ok {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestFormat(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "1.2s": 1200 * time.Millisecond, "5m": 5 * time.Minute, "1h": time.Hour, "1d": 24 * time.Hour, "1d2h": 26 * time.Hour,
		"1d1s": 24*time.Hour + time.Second, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "-8h": -8 * time.Hour, "2h0m1s": 2*time.Hour + time.Second,
	} {
		if got := duration.Format(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

// TestRoundTrip: what is printed is read back the same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "nanoseconds"))
		if got, ok := duration.Parse(duration.Format(d)); !ok || got != d {
			t.Fatalf("%s is read back as %s, %v", duration.Format(d), got, ok)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("1d12h")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := duration.Parse(text); ok {
			if again, ok := duration.Parse(duration.Format(d)); !ok || again != d {
				t.Errorf("%q is %s, and then %s", text, d, again)
			}
		}
	})
}
