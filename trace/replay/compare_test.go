package replay_test

import (
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/trace"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// one is a run alone.
func one(r *trace.Run) iter.Seq2[*trace.Run, error] {
	return func(yield func(*trace.Run, error) bool) { yield(r, nil) }
}

func TestCompare(t *testing.T) {
	const script = "call a\ncall b\ncall c"
	for _, c := range []struct {
		name, before, after string
		want, back          replay.Flip
	}{
		{"the same rules", "B:ability:b|abort|id=x\n", "B:ability:b|abort|id=x\n", replay.NoFlip, replay.NoFlip},
		{"a halt that was none", "B:ability:z|abort\n", "B:ability:b|abort\n", replay.Halts, replay.Released},
		{"an earlier halt, by the same rule", "B:ability:c|abort|id=x\n", "B:ability:b|abort|id=x\n", replay.Earlier, replay.Later},
		{"an earlier halt, by another rule", "B:ability:c|abort|id=x\n", "B:ability:b|confirm|id=y\n", replay.Earlier, replay.Later},
		{"another rule at the same call", "B:ability:b|abort|id=x\n", "B:ability:b|abort|id=y\n", replay.Rule, replay.Rule},
		{"another decision of the same rule", "B:ability:b|abort|id=x\n", "B:ability:b|confirm|id=x\n", replay.Decision, replay.Decision},
		{"a warning is no outcome", "B:ability:z|abort\n", "B:ability:b|warn\n", replay.NoFlip, replay.NoFlip},
		{"neither is what a halt hides", "B:ability:b|abort|id=x\n", "B:ability:b|abort|id=x\nB:ability:c|abort|id=y\n", replay.NoFlip, replay.NoFlip},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := replay.Options{Session: session.Options{Registry: rules(t, c.before)}}
			now := replay.Options{Session: session.Options{Registry: rules(t, c.after)}}
			for _, way := range []struct {
				before, after replay.Options
				want          replay.Flip
			}{{old, now, c.want}, {now, old, c.back}} {
				var all replay.Comparison
				for p, err := range replay.Compare(t.Context(), one(events(t, script)), 2, way.before, way.after) {
					if err != nil {
						t.Fatal(err)
					}
					if all.Add(p); p.Flip != way.want {
						t.Errorf("%q, want %q: %s to %s", p.Flip, way.want, brief(p.Old), brief(p.New))
					}
				}
				flips := 0
				if way.want != replay.NoFlip {
					flips = 1
				}
				if d := cmp.Diff([]int{1, flips, flips}, []int{all.Summary.Runs, all.Summary.Flipped, len(all.Flips)}); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// The results of a comparison are those of the policies alone.
func TestCompareAgreesWithRun(t *testing.T) {
	before := replay.Options{Session: session.Options{Registry: rules(t, "B:frequency:a@session>2/1h|throttle|id=slow\n")}}
	after := replay.Options{Confirm: replay.Approve, Session: session.Options{Registry: rules(t, "B:ability:b|confirm|id=q\nB:after:b & ability:c|abort|id=no\n")}}
	run := events(t, "call a\ncall b\ncall a\ncall a\ncall c")
	old, err := replay.Run(t.Context(), run, before)
	if err != nil {
		t.Fatal(err)
	}
	now, err := replay.Run(t.Context(), run, after)
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range replay.Compare(t.Context(), one(run), 1, before, after) {
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&replay.Pair{Flip: replay.Later, Old: old, New: now}, p); d != "" {
			t.Error(d)
		}
	}
}
