package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

const recordedPolicy = `B:amount>1000|abort|id=amount
B:amount>10 & frequency:pay.*>1/1m|throttle|id=both
B:frequency>3/1h|throttle(2m)|id=runs
B:frequency:pay.*@all>2/1m|warn|id=calls
B:frequency@session>5/2m & frequency>1/1m|review|id=two
B:frequency:*>2/1m|confirm|id=often
B:ability:pay.*|confirm|"Really?"|id=ask
B:!arg:to|in:user|warn|id=to
B:when:args.amount > 50|review|id=when,mode=observe
B:arg:*|contains:x|warn|id=text
CHAIN:tr*
B:after:mail.*|confirm|id=after
`

// TestRecord_Repeats writes every decision of random sessions down as JSON and
// makes it again from nothing else: the verdicts must be equal to the byte.
func TestRecord_Repeats(t *testing.T) {
	reg := load(t, recordedPolicy)
	fired, blocked := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var records []*session.Record
		d := deciderOf(reg)
		d.Record = func(r *session.Record) error { records = append(records, r); return nil }
		var history session.History
		now := start
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(rt, "seconds")) * time.Second)
			st := registry.Step{
				Chain:   rapid.SampledFrom([]string{"trade", "ops", "nyaya/x"}).Draw(rt, "chain"),
				Run:     rapid.SampledFrom([]string{"", "r1", "r2"}).Draw(rt, "run"),
				Session: rapid.SampledFrom([]string{"s", "t"}).Draw(rt, "session"),
				Ability: rapid.SampledFrom([]string{"pay.send", "mail.send", "Pay.X"}).Draw(rt, "ability"),
				CallID:  rapid.SampledFrom([]string{"", "c1"}).Draw(rt, "call"),
				Args:    values(t, rapid.SampledFrom([]string{`{}`, `{"amount":5}`, `{"amount":"<&>"}`, `{"amount":70,"to":"xü"}`}).Draw(rt, "args")),
				Words:   userSaid("xü"), History: &history, Now: now.UnixNano(),
			}
			var v registry.Verdict
			if d.Decide(t.Context(), &st, &v) != session.NotAdmitted {
				history.Add(st.Ability)
			} else {
				blocked++
			}
			fired += len(v.Fired)
			raw, err := v.MarshalJSON()
			if err != nil {
				rt.Fatal(err)
			}
			again, err := repeat(reg.Set(), records[len(records)-1])
			if err != nil || again != string(raw) {
				rt.Fatalf("decided %s\nrepeated %s (%v)", raw, again, err)
			}
		}
	})
	if fired < 100 || blocked < 10 {
		t.Errorf("%d rules fired and %d steps were blocked: too few to mean anything", fired, blocked)
	}
}

// repeat sends a record through JSON and makes its verdict again.
func repeat(set *registry.Set, r *session.Record) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // as records are written, so that the verdict in it stays as it was printed
	if err := enc.Encode(r); err != nil {
		return "", err
	}
	var read session.Record
	if err := json.Unmarshal(text.Bytes(), &read); err != nil {
		return "", err
	}
	v, err := read.Repeat(set)
	if err != nil {
		return "", err
	}
	raw, err := v.MarshalJSON()
	if string(raw) != string(read.Verdict) {
		return "", fmt.Errorf("the record holds the verdict %s", read.Verdict)
	}
	return string(raw), err
}

// recorded decides one step that many rules fire for, and returns its record.
func recorded(t *testing.T, reg *registry.Registry) (record *session.Record) {
	t.Helper()
	d := deciderOf(reg)
	d.Record = func(r *session.Record) error { record = r; return nil }
	calls := slices.Repeat([]registry.PastCall{{Ability: "pay.send", At: start}}, 5)
	judge(t, d, registry.Step{Args: values(t, `{"amount":5000}`), Past: calls})
	return record
}

func TestRecord_OfAnotherPolicyIsRefused(t *testing.T) {
	r := recorded(t, load(t, recordedPolicy))
	for name, policy := range map[string]string{
		"nothing": "", "one rule less": strings.Replace(recordedPolicy, "B:arg:*|contains:x|warn|id=text\n", "", 1),
		"another limit":  strings.Replace(recordedPolicy, "1000", "1001", 1),
		"another reason": strings.Replace(recordedPolicy, "Really", "Truly", 1),
		"another chain":  strings.Replace(recordedPolicy, "tr*", "t*", 1),
	} {
		_, err := r.Repeat(load(t, policy).Set())
		if err == nil || !strings.Contains(err.Error(), "was made under policy") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := r.Repeat(load(t, "# comments and blanks are no difference\n\n"+recordedPolicy).Set()); err != nil {
		t.Error(err)
	}
}

// TestRecord_Tampered gives Repeat records whose parts point nowhere: each is
// an error and none a panic, nor is printing what comes out.
func TestRecord_Tampered(t *testing.T) {
	reg := load(t, recordedPolicy)
	for name, change := range map[string]func(p *registry.PlanRecord, tl *registry.Tally){
		"an unknown rule":    func(p *registry.PlanRecord, _ *registry.Tally) { p.Held[0].Rule = "nobody" },
		"an atom too many":   func(p *registry.PlanRecord, _ *registry.Tally) { p.Held[0].Atom = 9 },
		"no atom":            func(p *registry.PlanRecord, _ *registry.Tally) { p.Held[0].Atom, p.Held[0].Windows = -1, nil },
		"an unknown counter": func(p *registry.PlanRecord, _ *registry.Tally) { p.Needs[0].Spec = "nothing" },
		"no answers":         func(_ *registry.PlanRecord, tl *registry.Tally) { tl.At = nil },
		"no counts":          func(_ *registry.PlanRecord, tl *registry.Tally) { tl.Counts = nil },
		"counts far away":    func(_ *registry.PlanRecord, tl *registry.Tally) { tl.At[0] = math.MaxInt },
		"counts before":      func(_ *registry.PlanRecord, tl *registry.Tally) { tl.At[0] = -2 },
		"windows elsewhere": func(p *registry.PlanRecord, _ *registry.Tally) {
			for i := range p.Held {
				for j := range p.Held[i].Windows {
					p.Held[i].Windows[j].Need = 99
				}
			}
		},
		"windows too many": func(p *registry.PlanRecord, _ *registry.Tally) {
			for i := range p.Held {
				p.Held[i].Windows = append(p.Held[i].Windows, registry.WindowRef{})
			}
		},
	} {
		r := recorded(t, reg)
		if len(r.Plan.Held) < 3 || len(r.Plan.Needs) < 2 || len(r.Tally.Counts) < 2 {
			t.Fatalf("the record holds too little: %+v, %+v", r.Plan, r.Tally)
		}
		change(r.Plan, r.Tally)
		if v, err := r.Repeat(reg.Set()); err == nil {
			t.Errorf("%s: no error, but %s", name, v.Decision)
		}
	}
}

func TestRecord_RefusedStepsCannotBeRepeated(t *testing.T) {
	var record *session.Record
	d := deciderOf(load(t, recordedPolicy))
	d.Record = func(r *session.Record) error { record = r; return nil }
	judge(t, d, registry.Step{Ability: "a\u200bb"})
	if record == nil || !strings.Contains(string(record.Verdict), `"malformed_step"`) {
		t.Fatalf("got %+v", record)
	}
	if _, err := record.Repeat(d.Registry.Set()); err == nil {
		t.Error("a step that was not judged was repeated")
	}
}

func TestDigest_Text(t *testing.T) {
	var d registry.Digest
	for _, text := range []string{"", "ab", strings.Repeat("g", 64), strings.Repeat("a", 63), strings.Repeat("a", 66)} {
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as a digest", text)
		}
	}
	want := strings.Repeat("0f", 32)
	if err := d.UnmarshalText([]byte(want)); err != nil || d.String() != want {
		t.Errorf("got %s, %v", d, err)
	}
	if a, b := load(t, "B:a>1|abort").Set(), load(t, "B:a>1|abort").Set(); a.Digest() != b.Digest() || new(registry.Set).Digest() == a.Digest() {
		t.Error("digests do not tell sets apart")
	}
}
