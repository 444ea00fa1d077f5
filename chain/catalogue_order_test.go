package chain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
)

// inOrder parses steps of the catalogue dialect, given as "ID: DEPENDENCY…",
// and returns the ids in the order in which they run.
func inOrder(t testing.TB, steps ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("id: c\nsteps:\n")
	for _, s := range steps {
		id, waits, _ := strings.Cut(s, ":")
		fmt.Fprintf(&b, "  - {id: %s, ability: x, depends_on: [%s]}\n", id, strings.Join(strings.Fields(waits), ", "))
	}
	var ids []string
	for _, s := range mustParse(t, b.String()).Steps {
		ids = append(ids, s.ID)
	}
	return strings.Join(ids, " ")
}

func TestOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		steps []string
		want  string
	}{
		"nothing waits":    {[]string{"c:", "a:", "b:"}, "c a b"},
		"already in order": {[]string{"a:", "b: a", "c: b"}, "a b c"},
		"reversed":         {[]string{"c: b", "b: a", "a:"}, "a b c"},
		"diamond":          {[]string{"end: left right", "left: top", "right: top", "top:"}, "top left right end"},
		"the free ones keep the order of the file":     {[]string{"x:", "late: z", "y:", "z:"}, "x y z late"},
		"one that becomes free goes before later ones": {[]string{"b: a", "a:", "c:"}, "a b c"},
		"said twice": {[]string{"b: a a", "a:"}, "a b"},
	} {
		if got := inOrder(t, tt.steps...); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Every step has its place in the file, its dependencies and its on_failure
// still when it has another place in the order.
func TestOrderKeepsWhatBelongsToAStep(t *testing.T) {
	c := mustParse(t, "id: c\nsteps:\n  - {id: b, ability: y, depends_on: [a, a], on_failure: a}\n  - {id: a, ability: x, params: {v: 1}, on_failure: continue}\n")
	a, b := c.Steps[0], c.Steps[1]
	if a.ID != "a" || a.Pos != at(4, 5) || a.Ability != "x" || len(a.Args) != 1 || a.DependsOn != nil || a.OnFailure != chain.Continue {
		t.Errorf("%+v", a)
	}
	if b.ID != "b" || b.Pos != at(3, 5) || b.AbilityPos != at(3, 22) || !slices.Equal(b.DependsOn, []string{"a"}) || b.OnFailure != "a" {
		t.Errorf("%+v", b)
	}
	if next, jump := c.AfterFailure(1); next != 0 || !jump {
		t.Errorf("after b fails: %d, %v, want a jump to a", next, jump)
	}
}

// A chain is read if and only if no step waits for itself, over however many
// others; then every step comes after those it waits for, and a step comes
// before one that stands earlier in the file only if that one had to wait.
func TestOrderIsOneThatDependsOnAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "steps")
		waits := make([][]int, n)
		var b strings.Builder
		b.WriteString("id: c\nsteps:\n")
		for i := range n {
			waits[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(n, 2), rapid.ID).Draw(t, "waits")
			var ids []string
			for _, w := range waits[i] {
				ids = append(ids, fmt.Sprintf("s%d", w))
			}
			fmt.Fprintf(&b, "  - {id: s%d, ability: x, depends_on: [%s]}\n", i, strings.Join(ids, ", "))
		}
		c, l := chain.Parse("c.yaml", []byte(b.String()))
		if (c == nil) != cyclic(waits) {
			t.Fatalf("read: %v, cyclic: %v: %v", c != nil, cyclic(waits), l)
		}
		if c == nil {
			if len(l) != 1 || l[0].ID != chain.CycleID {
				t.Fatalf("%v", l)
			}
			return
		}
		done := map[int]bool{}
		for _, s := range c.Steps {
			i := int(s.ID[1] - '0')
			for earlier := range i {
				if !done[earlier] && allDone(done, waits[earlier]) {
					t.Fatalf("s%d runs before s%d, which is free", i, earlier)
				}
			}
			if !allDone(done, waits[i]) {
				t.Fatalf("s%d runs before what it waits for", i)
			}
			done[i] = true
		}
	})
}

func allDone(done map[int]bool, steps []int) bool {
	return !slices.ContainsFunc(steps, func(s int) bool { return !done[s] })
}

// cyclic closes "waits for" over all steps and looks for one that waits for itself.
func cyclic(waits [][]int) bool {
	n := len(waits)
	reach := make([][]bool, n)
	for i := range n {
		reach[i] = make([]bool, n)
		for _, w := range waits[i] {
			reach[i][w] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	for i := range n {
		if reach[i][i] {
			return true
		}
	}
	return false
}

func TestCycleNamesItsSteps(t *testing.T) {
	_, l := chain.Parse("c.yaml", []byte(`id: c
steps:
  - {id: free, ability: x}
  - {id: behind, ability: x, depends_on: [b]}
  - {id: a, ability: x, depends_on: [free, b]}
  - {id: b, ability: x, depends_on: [a]}
`))
	if len(l) != 1 || l[0].ID != chain.CycleID || !strings.HasSuffix(l[0].Message, `"b" → "a" → "b"`) {
		t.Fatalf("%v", l)
	}
	if f := l[0]; f.Pos != at(6, 38) || len(f.Related) != 1 || f.Related[0].Pos != at(5, 5) || f.Related[0].Message != `step "a"` {
		t.Errorf("%+v", f)
	}
}

// Steps that have no id, or one that another has, are faults and no cycle.
func TestOrderOfFaultySteps(t *testing.T) {
	for _, text := range []string{
		"steps:\n- {depends_on}\n-",
		"id: c\nsteps:\n  - {ability: x, depends_on: [a]}\n  - {ability: y, depends_on: ['']}\n  - {id: a, ability: x}\n",
		"id: c\nsteps:\n  - {id: a, ability: x, depends_on: [b]}\n  - {id: a, ability: x, depends_on: [b]}\n  - {id: b, ability: x}\n",
	} {
		c, l := chain.Parse("c.yaml", []byte(text))
		if c != nil || l.Err() == nil || slices.ContainsFunc(l, func(f *diag.Finding) bool { return f.ID == chain.CycleID }) {
			t.Errorf("%q: %v", text, l)
		}
	}
}
