package review_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestAssess(t *testing.T) {
	for _, c := range []struct {
		name   string
		work   review.Work
		review bool
		score  int
		level  review.Level
		why    []string
	}{
		{"nothing is known", review.Work{}, false, 0, review.Simple, nil},
		{"a small task", review.Work{Risk: dsl.RiskLow, Abilities: []string{"read_file", "edit_file"}, Calls: 4, Duration: time.Minute, Files: 1}, false, 10, review.Simple,
			[]string{"tool calls expected: 4 (limit 10)", "expected duration: 1m0s (limit 15m0s)", "files expected to change: 1 (limit 5)"}},
		{"everything at its limit", review.Work{Risk: dsl.RiskMedium, Calls: 10, Duration: 15 * time.Minute, Files: 5}, false, 60, review.Complex,
			[]string{"the risk is medium", "tool calls expected: 10 (limit 10)", "expected duration: 15m0s (limit 15m0s)", "files expected to change: 5 (limit 5)"}},
		{"a call more", review.Work{Calls: 11}, true, 16, review.Simple, []string{"tool calls expected: 11 (limit 10)"}},
		{"a second more", review.Work{Duration: 15*time.Minute + time.Second}, true, 15, review.Simple, []string{"expected duration: 15m1s (limit 15m0s)"}},
		{"a file more", review.Work{Files: 6}, true, 18, review.Simple, []string{"files expected to change: 6 (limit 5)"}},
		{"far more", review.Work{Calls: math.MaxInt, Duration: math.MaxInt64}, true, 60, review.Complex,
			[]string{"tool calls expected: 9223372036854775807 (limit 10)", "expected duration: 2562047h47m16.854775807s (limit 15m0s)"}},
		{"without a bound", review.Work{Files: -1}, true, 30, review.Medium, []string{"files expected to change: without a bound (limit 5)"}},
		{"high risk", review.Work{Risk: dsl.RiskHigh}, true, 40, review.Medium, []string{"the risk is high"}},
		{"critical risk", review.Work{Risk: dsl.RiskCritical}, true, 50, review.Complex, []string{"the risk is critical"}},
		{"a risk that is not known yet", review.Work{Risk: 99}, true, 50, review.Complex, []string{"the risk is critical"}},
		{"a critical ability", review.Work{Abilities: []string{"web.fetch", "db.drop_table"}}, true, 30, review.Medium, []string{"the ability “db.drop_table” is critical"}},
		{"the critical abilities of a chain", review.Work{Abilities: []string{"order.pay", "web.fetch", "db.drop_table"}}, true, 40, review.Medium, []string{"the abilities “order.pay” and “db.drop_table” are critical"}},
		{"one that comes again", review.Work{Abilities: []string{"order.pay", "order.pay", "bash", "order.pay", "db.drop_table"}}, true, 50, review.Complex, []string{"the abilities “order.pay”, “bash” and “db.drop_table” are critical"}},
		{"many", review.Work{Abilities: strings.Fields("a.pay b.pay c.pay d.pay e.pay f.pay g.pay h.pay i.pay j.pay k.pay l.pay")}, true, 60, review.Complex,
			[]string{"the abilities “a.pay”, “b.pay”, “c.pay”, “d.pay”, “e.pay”, “f.pay”, “g.pay”, “h.pay”, “i.pay”, “j.pay” and 2 more are critical"}},
		{"one task waits", review.Work{Blocks: 1}, true, 20, review.Medium, []string{"1 other task waits for it"}},
		{"tasks wait", review.Work{Blocks: 3}, true, 20, review.Medium, []string{"3 other tasks wait for it"}},
		{"who knows how many wait", review.Work{Blocks: -1}, true, 20, review.Medium, []string{"an unknown number of other tasks waits for it"}},
		{"everything", review.Work{Risk: dsl.RiskHigh, Abilities: []string{"pay"}, Calls: 100, Blocks: 1}, true, 100, review.Complex,
			[]string{"the risk is high", "the ability “pay” is critical", "tool calls expected: 100 (limit 10)", "1 other task waits for it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := review.Assess(c.work)
			var why []string
			for _, r := range e.Reasons {
				why = append(why, r.What)
			}
			if e.Review != c.review || e.Score != c.score || e.Level != c.level || !cmp.Equal(why, c.why) {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestLimits_Assess(t *testing.T) {
	l := review.Limits{Calls: 50, Duration: time.Hour, Files: -1, Critical: []dsl.NamePattern{"Shop.*"}}
	if e := l.Assess(review.Work{Calls: 50, Duration: time.Hour, Abilities: []string{"pay"}}); e.Review {
		t.Errorf("within its limits: %+v", e)
	}
	if e := l.Assess(review.Work{Files: 1}); !e.Review || e.Score != 30 {
		t.Errorf("a file where none may be: %+v", e)
	}
	if e := l.Assess(review.Work{Abilities: []string{"SHOP.look"}}); !e.Review {
		t.Errorf("an ability that was named critical: %+v", e)
	}
	if e := (review.Limits{Critical: []dsl.NamePattern{"delete_*"}}).Assess(review.Work{Abilities: []string{"deletePullRequest"}}); !e.Review {
		t.Errorf("an ability in another spelling of its pattern: %+v", e)
	}
	if e := (review.Limits{Critical: []dsl.NamePattern{}}).Assess(review.Work{Abilities: []string{"pay"}}); e.Review {
		t.Errorf("where none is critical: %+v", e)
	}
}

// More of anything never makes work need less review, and whatever asks for a
// review has a reason that says so.
func TestAssess_MoreIsNeverLess(t *testing.T) {
	work := rapid.Custom(func(t *rapid.T) review.Work {
		return review.Work{
			Risk: dsl.Risk(rapid.IntRange(0, 4).Draw(t, "risk")), Calls: rapid.IntRange(0, 40).Draw(t, "calls"),
			Duration: time.Duration(rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "duration")), Files: rapid.IntRange(0, 20).Draw(t, "files"), Blocks: rapid.IntRange(0, 3).Draw(t, "blocks"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		w := work.Draw(t, "work")
		names := strings.Fields("web.fetch order.pay bash db.drop_table read_file a.pay b.pay c.pay d.pay")
		w.Abilities = rapid.SliceOfN(rapid.SampledFrom(names), 0, 9).Draw(t, "abilities")
		more := w
		more.Abilities = append(slices.Clone(w.Abilities), rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, "more abilities")...)
		more.Risk = min(more.Risk+dsl.Risk(rapid.IntRange(0, 1).Draw(t, "risk")), dsl.RiskCritical)
		more.Calls += rapid.IntRange(0, 20).Draw(t, "more calls")
		more.Files += rapid.IntRange(0, 20).Draw(t, "more files")
		more.Duration += time.Duration(rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "longer"))
		a, b := review.Assess(w), review.Assess(more)
		if a.Review && !b.Review || a.Score > b.Score {
			t.Fatalf("%+v is judged %+v, and %+v %+v", w, a, more, b)
		}
		mandatory := false
		for _, r := range b.Reasons {
			mandatory = mandatory || r.Mandatory
		}
		if mandatory != b.Review {
			t.Fatalf("%+v", b)
		}
	})
}
