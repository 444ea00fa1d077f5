package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// TestPrintBreakers shows when each is tried again; what takes an hour to come
// about is no script.
func TestPrintBreakers(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano()
	usual, manual := breaker.Config{}.WithDefaults(), breaker.Config{Manual: true}.WithDefaults()
	open := breaker.State{Generation: uint64(at), Trips: 2, Opened: at}
	for _, c := range []struct {
		b          session.BreakerStatus
		text, json string
	}{
		{session.BreakerStatus{Ability: "web", Known: true, State: open, Config: usual, Phase: breaker.Open, At: at + int64(12500*time.Millisecond)},
			"web  open       failures: 0 of 5, trips: 2, tried again in 17.5s, at 2026-01-05T09:00:30Z\n",
			`"phase":"open","failures":0,"failure_threshold":5,"trips":2,"opened":"2026-01-05T09:00:00Z","try_at":"2026-01-05T09:00:30Z"`},
		{session.BreakerStatus{Ability: "web", Known: true, State: open, Config: usual, Phase: breaker.HalfOpen, At: at + int64(time.Hour)},
			"web  half-open  failures: 0 of 5, trips: 2, tried again now, by one call\n",
			`"phase":"half-open","failures":0,"failure_threshold":5,"trips":2,"opened":"2026-01-05T09:00:00Z","try_at":"2026-01-05T09:00:30Z"`},
		{session.BreakerStatus{Ability: "web", Known: true, State: open, Config: manual, Phase: breaker.Open, At: at + int64(time.Hour)},
			"web  open       failures: 0 of 5, trips: 2, not called until it is reset\n",
			`"phase":"open","failures":0,"failure_threshold":5,"trips":2,"manual":true,"opened":"2026-01-05T09:00:00Z"`},
	} {
		var out, compact bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		for format, want := range map[string]string{"text": c.text, "json": `{"breakers":[{"ability":"web","known":true,` + c.json + "}]}"} {
			out.Reset()
			if err := printBreakers(cmd, []session.BreakerStatus{c.b}, format); err != nil {
				t.Error(err)
			}
			got := out.String()
			if format == "json" {
				compact.Reset()
				if err := json.Compact(&compact, out.Bytes()); err != nil {
					t.Error(err)
				}
				got = compact.String()
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
