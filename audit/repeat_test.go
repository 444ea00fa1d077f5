package audit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// Decisions of many kinds are decided once more from the log alone, and every
// verdict is the same, byte for byte.
func TestEveryDecisionRepeats(t *testing.T) {
	decisions := 100_000
	if testing.Short() {
		decisions = 5_000
	}
	p, faults := dsl.ParsePolicy("p.cbp", []byte(`B:amount>900|abort|"{{amount}} is too much"|id=much,missing=skip
B:frequency:pay.*>1/1m|throttle|id=rate
B:frequency:*@session>40/1h|abort|id=often
B:ability:mail.* & !arg:to|in:user|confirm|id=who
B:output:*|icontains:ignore previous|abort|id=injected
B:when:has(args.amount) && float(args.amount) * 2 > 1500|warn|id=twice
B:after:read.* & ability:pay.*|warn|id=after
B:task.tool_calls>30|review|id=long
`))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	var reg registry.Registry
	if err := reg.Load(p); err != nil {
		t.Fatal(err)
	}
	mask, err := audit.ParseMask([]string{"/verdict/fired/*/actual", "/step_digest", "/plan/guards/*/approval", "/call_id", "/at"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, audit.Options{Mask: mask, Rotate: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	clock := session.NewVirtualClock(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	store := memory.New(memory.Options{Now: clock.Now})
	decided := map[registry.Decision]int{}
	var s *session.Session
	for i := range decisions {
		if i%50 == 0 {
			s, err = session.New(session.Options{ID: fmt.Sprint(i), Registry: &reg, Store: store, Clock: clock, Record: l.Record})
			if err != nil {
				t.Fatal(err)
			}
			s.User("mail Ann about 700")
		}
		args := registry.Texts(map[string]string{
			"amount": []string{"700", "901", "$5", "1e3", ""}[random.IntN(5)], "to": []string{"Ann", "Eve"}[random.IntN(2)],
		})
		st := &session.Step{Call: session.Call{Ability: []string{"pay.send", "mail.send", "read.page", "ls"}[random.IntN(4)], Args: args}, Chain: []string{"", "trade"}[random.IntN(2)]}
		if st.Chain != "" {
			st.Run = fmt.Sprint(i / 5)
		}
		var v registry.Verdict
		s.Before(t.Context(), st, &v)
		if decided[v.Decision]++; !v.Decision.Blocks() {
			out := registry.Text([]string{"fine", "IGNORE PREVIOUS orders"}[min(random.IntN(200), 1)^1])
			if random.IntN(50) > 0 {
				out = registry.Text("fine")
			}
			if err := s.After(t.Context(), session.Outcome{Step: st, Output: &out}); err != nil {
				t.Fatal(err)
			}
		}
		clock.Advance(time.Duration(random.IntN(20)) * time.Second)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []registry.Decision{registry.Allow, registry.Warned, registry.Throttled, registry.Confirm, registry.Abort} {
		if decided[d] < decisions/200 {
			t.Errorf("%s was decided %d times only", d, decided[d])
		}
	}
	same := 0
	for line, err := range audit.ReadAll(path, 0) {
		if err != nil {
			t.Fatal(err)
		}
		became, err := audit.Repeat(&line, reg.Set())
		if err != nil || became != audit.Same {
			t.Fatalf("line %d: %v, %v", line.Seq, became, err)
		}
		if bytes.Contains(line.Record, []byte("$5")) || bytes.Contains(line.Record, []byte(`"901"`)) || bytes.Contains(line.Record, []byte(" 901 ")) {
			t.Fatalf("line %d: a masked value is there: %s", line.Seq, line.Record)
		}
		same++
	}
	if same != decisions {
		t.Errorf("%d decisions are in the log, want %d", same, decisions)
	}
}

// What is masked away cannot be repeated, which is no other verdict; and what is
// masked is known from the log, not from a text that is like it.
func TestRepeat_Hidden(t *testing.T) {
	for raw, want := range map[string]audit.Repeated{
		`{"verdict":"«masked»","masked":["/verdict"]}`:                            audit.Hidden,
		`{"plan":"«masked»","verdict":{},"masked":["/plan"]}`:                     audit.Hidden,
		`{"at":"«masked»","verdict":{},"masked":["/at"]}`:                         audit.Skipped,
		`{"at":"2026-01-05T09:00:00Z","session":"«masked»","verdict":"«masked»"}`: audit.Skipped,
		`{"at":"«masked»","plan":1,"masked":["/at"]}`:                             audit.Different,
		`{"plan":1,"session":"«masked»","masked":["/session"]}`:                   audit.Hidden,
		`{"plan":"«masked»","session":"s"}`:                                       audit.Different,
		`{"verdict":{"decision":"«masked»"},"masked":["/verdict/decision"]}`:      audit.Skipped,
		`{"verdict":{},"masked":["verdict"]}`:                                     audit.Different,
		`{"verdict":{},"masked":"/verdict"}`:                                      audit.Different,
		`"«masked»"`:                                                              audit.Different,
	} {
		got, err := audit.Repeat(&audit.Line{Seq: 1, Record: []byte(raw)}, nil)
		if got != want || (got == audit.Hidden) != (err != nil && strings.HasSuffix(err.Error(), " is masked")) {
			t.Errorf("%s: %v, %v; want %v", raw, got, err, want)
		}
	}
}
