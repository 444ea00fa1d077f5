package audit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/audit"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

func TestParseMask(t *testing.T) {
	for _, good := range []string{
		"/at", "/session", "/plan", "/plan/held/*/actual", "/plan/held/0/windows/*/need", "/plan/needs/*/subject", "/plan/guards/*/approval", "/tally/now",
		"/tally/counts/*", "/tally/away/reason", "/refused/*/reason", "/policy_notes/*", "/verdict", "/verdict/fired", "/verdict/fired/*/actual",
		"/verdict/fired/7/explain", "/verdict/notes/0", "/verdict/retry_after_ms", "/*", "/step_digest",
	} {
		if _, err := audit.ParseMask([]string{good}); err != nil {
			t.Error(err)
		}
	}
	for bad, want := range map[string]string{
		"verdict":                "it begins with /",
		"":                       "it begins with /",
		"/a~2b":                  "behind ~ stands 0 or 1",
		"/a~":                    "behind ~ stands 0 or 1",
		"/tyop":                  `"/tyop" names nothing: a record has no "tyop", only at, session, chain, run`,
		"/":                      `a record has no ""`,
		"/verdict/nothing":       `a record at /verdict has no "nothing", only decision, chain,`,
		"/verdict/fired/actual":  `behind /verdict/fired of a record stands a number or *, not "actual"`,
		"/verdict/fired/*/actal": `a record at /verdict/fired/* has no "actal", only rule, action, reason, condition, actual`,
		"/args/amount":           `a record has no "args"`,
		"/at/year":               "a record has nothing inside /at",
		"/session/0":             "a record has nothing inside /session",
		"/verdict/decision/0":    "a record has nothing inside /verdict/decision",
		"/policy_digest/0":       "a record has nothing inside /policy_digest",
		"/masked":                `a record has no "masked"`,
	} {
		if _, err := audit.ParseMask([]string{bad}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", bad, err, want)
		}
	}
}

// logged decides a step under rules and returns the record in the log.
func logged(t *testing.T, rules string, step *session.Step, masks ...string) (record []byte, set *registry.Set) {
	t.Helper()
	p, faults := dsl.ParsePolicy("p.cbp", []byte(rules))
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	var reg registry.Registry
	mask, err := audit.ParseMask(masks)
	if err := errors.Join(err, reg.Load(p)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, audit.Options{Mask: mask})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Options{ID: "alice@example.org", Registry: &reg, Store: memory.New(memory.Options{}), Record: l.Record})
	if err != nil {
		t.Fatal(err)
	}
	var v registry.Verdict
	s.Before(t.Context(), step, &v)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var line audit.Line
	for l, err := range audit.ReadAll(path, 0) {
		if err != nil {
			t.Fatal(err)
		}
		line = l
	}
	if became, err := audit.Repeat(&line, reg.Set()); err != nil || became != audit.Same {
		t.Errorf("repeated: %v, %v\n%s", became, err, line.Record)
	}
	return line.Record, reg.Set()
}

// A value that is masked is nowhere in the record, in no form, and the decision
// repeats from what is left.
func TestMask_HidesAValueEverywhere(t *testing.T) {
	const rules = `B:amount>1000|abort|"Too much: {{amount}}, x{{amount}}y, to {{to}}"|id=much,missing=skip
B:amount>2000|warn|"{{note}} and {{amount}}"|id=note,missing=skip
B:ability:pay.* & !arg:to|in:user|confirm|id=who
B:ability:pay.* & !arg:note|in:user|confirm|"{{note}}"|id=what
B:frequency:pay.*>5/1h|throttle|id=rate
`
	long := strings.Repeat("secret word ", 40)
	for _, tt := range []struct {
		amount, to, note string
		gone             []string
		masks            []string
	}{
		{"1500", "Eve Adams", "", []string{"1500", "Eve"}, []string{"/verdict/fired/*/actual"}},
		{"2500", "Eve Adams", "", []string{"2500", "Eve"}, []string{"/plan/held/*/actual"}},
		{"$1,200", "a \"b\"\n\\c", "", []string{"1,200", `b\`}, []string{"/verdict/fired/*/actual"}},
		{"2500", "Eve", long, []string{"2500", "secret", "word"}, []string{"/verdict/fired/*/actual"}},
		{"2500", "masked", "m", []string{"2500"}, []string{"/verdict/fired/*/actual"}},
		{"1500", "Eve", "", []string{"1500"}, []string{"/verdict/fired/0/actual"}},
		{"1500", "Eve", "", []string{"alice"}, []string{"/session"}},
		{"1500", "alice@example.org", "", []string{"alice"}, []string{"/session"}},
		{"1500", "Eve", "", []string{"c-77"}, []string{"/call_id"}},
	} {
		t.Run(fmt.Sprint(tt.amount, " ", tt.masks), func(t *testing.T) {
			args := map[string]string{"amount": tt.amount, "to": tt.to}
			if tt.note != "" {
				args["note"] = tt.note
			}
			step := &session.Step{Call: session.Call{Ability: "pay.send", ID: "c-77", Args: registry.Texts(args)}}
			record, _ := logged(t, rules, step, tt.masks...)
			for _, gone := range tt.gone {
				if strings.Contains(string(record), gone) {
					t.Errorf("%q is there: %s", gone, record)
				}
			}
			var shown struct {
				Verdict struct {
					Decision string
					Fired    []struct{ Rule, Actual, Explain string }
				}
				Masked []string
			}
			if err := json.Unmarshal(record, &shown); err != nil || shown.Verdict.Decision != "abort" || shown.Verdict.Fired[0].Rule != "much" || len(shown.Masked) == 0 {
				t.Errorf("%+v, %v", shown, err)
			}
		})
	}
}

// What an agent sends hides nothing but itself: no name of the step, no rule, no
// part of a number.
func TestMask_HidesNoMore(t *testing.T) {
	const rules = `B:amount>1000|abort|"No more than 10000"|id=much,missing=skip
B:ability:pay.* & !arg:to|in:user|confirm|id=who
B:ability:pay.* & !arg:cc|in:user|confirm|id=cc
`
	args := registry.Texts(map[string]string{"amount": "1001", "to": "alice@example.org", "cc": "abort"})
	record, _ := logged(t, rules, &session.Step{Call: session.Call{Ability: "pay.send", Args: args}}, "/verdict/fired/*/actual")
	for _, want := range []string{
		`"session":"alice@example.org"`, `"decision":"abort"`, `"rule":"cc"`, `"reason":"No more than 10000"`, `"condition":"amount>1000"`,
		`"explain":"amount «masked» exceeds 1000"`, `"explain":"\"«masked»\" of argument to does not occur in what the user wrote"`, `"action":"abort"`,
		`"masked":["/plan/held/0/actual",`,
	} {
		if !bytes.Contains(record, []byte(want)) {
			t.Errorf("%s is not in %s", want, record)
		}
	}
	// A text that is like what is masked is none, and hides no other verdict.
	args = registry.Texts(map[string]string{"amount": "«masked»", "to": "«masked»", "cc": "«masked»"})
	record, set := logged(t, rules, &session.Step{Call: session.Call{Ability: "pay.send", Args: args}})
	if forged := bytes.Replace(record, []byte(`"reason":"rule who"`), []byte(`"reason":"«masked»"`), 1); bytes.Equal(forged, record) {
		t.Error("nothing is forged")
	} else if became, err := audit.Repeat(&audit.Line{Seq: 1, Record: forged}, set); became != audit.Different || err == nil {
		t.Errorf("a verdict that was changed: %v, %v", became, err)
	}
	if masked, err := audit.MaskedIn(record); len(masked) > 0 || err != nil {
		t.Errorf("%s, %v", masked, err)
	}
}

// A mask that names nothing is told of; one for what a record need not have, or
// for the elements of an empty list, is not.
func TestMask_Unmatched(t *testing.T) {
	m, err := audit.ParseMask([]string{"/verdict/fired/*/actual", "/call_id", "/verdict/notes/*", "/refused/*/reason", "/verdict/fired/5/actual", "/at"})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(path, audit.Options{Mask: m, Unmatched: func(p string) { told = append(told, p) }})
	if err != nil {
		t.Fatal(err)
	}
	r := record("s", 0)
	r.Verdict = json.RawMessage(`{"notes":[],"fired":[{"actual":"secret"}]}`)
	if err := errors.Join(l.Append(r), l.Close()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, " "); got != "/verdict/fired/5/actual" {
		t.Errorf("told of %s", got)
	}
	if data, _ := os.ReadFile(path); bytes.Contains(data, []byte("secret")) {
		t.Errorf("%s", data)
	}
	if _, _, err := verify(path); err != nil {
		t.Error(err)
	}
}
