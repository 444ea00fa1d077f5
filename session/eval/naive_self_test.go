package eval_test

import (
	"slices"
	"testing"
)

// TestNaive_MixedVerdicts shows that the random scenarios reach every kind of
// verdict often enough for a comparison to mean something.
func TestNaive_MixedVerdicts(t *testing.T) {
	const want = 20_000
	decisions, whys, waits, atoms := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	total, edges, malformed, repeated := 0, 0, 0, 0
	for seed := uint64(0); total < want; seed++ {
		s := drawScenario(seed)
		h := newHistory()
		calls := map[string]bool{}
		for _, line := range s.lines {
			st := readStep(line)
			v := judge(s.rules, h, st)
			total++
			decisions[v.decision]++
			if st.malformed {
				malformed++
				continue
			}
			if v.edge {
				edges++
			}
			for _, f := range v.fired {
				whys[f.why]++
				for _, kind := range kindsOf(s.rules, f.id) {
					atoms[kind]++
				}
			}
			switch {
			case v.retry > 0:
				waits["known"]++
			case v.retry < 0:
				waits["unknown"]++
			default:
				waits["none"]++
			}
			if call := st.call(); call != "" && st.session != "" {
				if calls[call] {
					repeated++
				}
				calls[call] = true
			}
		}
	}
	t.Logf("%d verdicts: %v, why %v, atoms that held %v, waits %v, window edges %d, malformed steps %d, repeated calls %d",
		total, decisions, whys, atoms, waits, edges, malformed, repeated)
	for _, d := range strength {
		if decisions[d]*100 < total*3 {
			t.Errorf("%s is %d of %d verdicts, want at least 3 %%", d, decisions[d], total)
		}
	}
	for _, why := range []string{"matched", "exceeded", "malformed", "missing"} {
		if whys[why]*100 < total {
			t.Errorf("%d rules fired as %s, want at least 1 %% of %d", whys[why], why, total)
		}
	}
	for _, kind := range []string{"threshold", "frequency", "ability", "after", "match", "provenance", "when"} {
		if atoms[kind]*100 < total {
			t.Errorf("%d atoms of the kind %s held, want at least 1 %% of %d", atoms[kind], kind, total)
		}
	}
	for _, wait := range []string{"known", "unknown", "none"} {
		if waits[wait]*100 < total*3 {
			t.Errorf("retry_after is %s in %d of %d verdicts, want at least 3 %%", wait, waits[wait], total)
		}
	}
	for what, n := range map[string]int{"window edges": edges, "malformed steps": malformed, "repeated calls": repeated} {
		if n*100 < total {
			t.Errorf("%s: %d of %d verdicts, want at least 1 %%", what, n, total)
		}
	}
}

// kindsOf names the kinds of a rule's atoms, each once.
func kindsOf(rules []rule, id string) (kinds []string) {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.id == id })
	for _, a := range rules[i].atoms {
		kind := "provenance"
		switch a := a.(type) {
		case threshold:
			kind = "threshold"
		case frequency:
			kind = "frequency"
		case ability:
			kind = "ability"
		case after:
			kind = "after"
		case when:
			kind = "when"
		case match:
			if a.kind != "in" {
				kind = "match"
			}
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
