package chain_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

const flowing = `id: c
steps:
  - {id: a, ability: x, output_key: k}
  - {id: b, ability: x, args: {order: "{{k}}", order.id: 1}, output_key: m, condition: {ref_key: k, op: is_not_empty}}
  - {id: d, ability: x, output_key: k, on_failure: f}
  - {id: e, ability: x}
  - {id: f, ability: x, on_failure: b}
`

func TestDeclares(t *testing.T) {
	c := mustParse(t, flowing)
	for key, want := range map[dsl.Key]string{
		"k": "out . out . .", "k.x": "out . out . .", "kk": ". . . . .", "m": ". out . . .",
		"a.output": "out . . . .", "a.output.x": "out . . . .", "a": ". . . . .", "a.x": ". . . . .", "a_error": ". . . . .",
		"order": ". arg . . .", "order.amount": ". arg . . .", "order.id": ". arg . . .", "Order": ". . . . .",
	} {
		var got []string
		for i := range c.Steps {
			word := "."
			if output, arg := c.Declares(i, key); output {
				word = "out"
			} else if arg {
				word = "arg"
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", key, got, want)
		}
	}
}

func TestCanRunFrom(t *testing.T) {
	c := mustParse(t, flowing)
	const a, b, d, e, f = 0, 1, 2, 3, 4
	for _, tt := range []struct {
		from int
		used map[int]bool
		want []int
	}{
		{a, nil, []int{a, b, d, e, f}},
		{b, nil, []int{b, d, e, f}},
		{e, nil, []int{b, d, e, f}}, // f leads back to b
		{e, map[int]bool{b: true}, []int{e, f}},
		{f, map[int]bool{f: true}, []int{b, d, e, f}},
		{len(c.Steps), nil, []int{}},
	} {
		if got := c.CanRunFrom(tt.from, tt.used); !slices.Equal(got, tt.want) {
			t.Errorf("from %d, used %v: %v, want %v", tt.from, tt.used, got, tt.want)
		}
	}
}

func TestFlow(t *testing.T) {
	c := mustParse(t, flowing)
	f := c.Flow()
	end := len(c.Steps)
	for _, tt := range []struct {
		step      int
		key       dsl.Key
		may, must bool
	}{
		{0, "k", false, false}, {0, "a.output", false, false},
		{1, "k", true, true}, {1, "k.deep", true, true}, {1, "a.output", true, true},
		{1, "m", true, false}, // f leads back here
		{2, "m", true, false}, // its condition may not hold
		{3, "d.output", true, true}, {3, "m", true, false},
		{4, "d.output", true, false}, {4, "d_error", true, false}, {4, "e.output", true, false},
		{3, "d_error", true, false}, {3, "f_error", true, false},
		{end, "f.output", true, true}, {end, "k", true, true}, {end, "e.output", true, false}, {end, "gone", false, false},
		{end, "a_error", false, false}, {end, "e_error", false, false},
	} {
		if may, must := f.May(tt.step, tt.key), f.Must(tt.step, tt.key); may != tt.may || must != tt.must {
			t.Errorf("%s before step %d: may %v, must %v, want %v, %v", tt.key, tt.step, may, must, tt.may, tt.must)
		}
	}
}

// walk follows every run of a chain from a state on: each step may succeed,
// be skipped if it has a condition, and fail; a target is jumped to once.
type walk struct {
	chain *chain.Chain
	visit func(at int, used map[int]bool, bound []string)
	seen  map[string]bool
}

func (w *walk) from(at int, used map[int]bool, bound []string) {
	state := fmt.Sprint(at, slices.Sorted(maps.Keys(used)), bound)
	if w.seen[state] {
		return
	}
	w.seen[state] = true
	w.visit(at, used, bound)
	if at == len(w.chain.Steps) {
		return
	}
	s := &w.chain.Steps[at]
	binds := []string{s.OutputName()}
	if s.OutputKey != "" {
		binds = append(binds, s.OutputKey)
	}
	w.from(at+1, used, with(bound, binds...))
	if s.Condition != nil {
		w.from(at+1, used, bound)
	}
	if s.OnFailure == chain.Continue {
		if w.chain.Dialect != chain.Catalogue {
			binds = nil
		}
		w.from(at+1, used, with(bound, append(binds, s.ErrorName())...))
	}
	if to := w.chain.StepIndex(s.OnFailure); to >= 0 && !used[to] {
		then := maps.Clone(used)
		then[to] = true
		w.from(to, then, with(bound, s.ErrorName()))
	}
}

func with(bound []string, names ...string) []string {
	all := append(slices.Clone(bound), names...)
	slices.Sort(all)
	return slices.Compact(all)
}

// randomChain draws a small chain of either dialect with conditions and jumps.
func randomChain(t *rapid.T) *chain.Chain {
	n := rapid.IntRange(1, 5).Draw(t, "steps")
	arguments := rapid.SampledFrom([]string{"args", "params"}).Draw(t, "dialect")
	var b strings.Builder
	b.WriteString("id: c\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: s%d, ability: x, %s: {}", i, arguments)
		if key := rapid.IntRange(0, 2).Draw(t, "key"); key > 0 {
			fmt.Fprintf(&b, ", output_key: k%d", key)
		}
		if rapid.Bool().Draw(t, "condition") {
			b.WriteString(", condition: {ref_key: k1, op: is_empty}")
		}
		switch to := rapid.IntRange(-2, n-1).Draw(t, "target"); {
		case to >= 0:
			fmt.Fprintf(&b, ", on_failure: s%d", to)
		case to == -1:
			b.WriteString(", on_failure: continue")
		}
		b.WriteString("}\n")
	}
	c, l := chain.Parse("c.yaml", []byte(b.String()))
	if c == nil {
		t.Fatal(l)
	}
	return c
}

func TestFlowCoversEveryRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomChain(t)
		f := c.Flow()
		w := &walk{chain: c, seen: map[string]bool{}, visit: func(at int, _ map[int]bool, bound []string) {
			for i := range c.Steps {
				for _, name := range []string{"k1", "k2", c.Steps[i].OutputName(), c.Steps[i].ErrorName()} {
					is := slices.Contains(bound, name)
					if is && !f.May(at, dsl.Key(name)) {
						t.Fatalf("%s is bound before step %d, and may not be", name, at)
					}
					if !is && f.Must(at, dsl.Key(name)) {
						t.Fatalf("%s is not bound before step %d, and must be", name, at)
					}
				}
			}
		}}
		w.from(0, map[int]bool{}, nil)
	})
}

func TestCanRunFromIsWhatRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomChain(t)
		start := rapid.IntRange(0, len(c.Steps)).Draw(t, "start")
		used := map[int]bool{}
		for i := range c.Steps {
			if rapid.Bool().Draw(t, "used") {
				used[i] = true
			}
		}
		runs := map[int]bool{}
		w := &walk{chain: c, seen: map[string]bool{}, visit: func(at int, _ map[int]bool, _ []string) {
			if at < len(c.Steps) {
				runs[at] = true
			}
		}}
		w.from(start, used, nil)
		if got, want := c.CanRunFrom(start, used), slices.Sorted(maps.Keys(runs)); !slices.Equal(got, want) {
			t.Fatalf("from %d, used %v: %v, want %v", start, used, got, want)
		}
	})
}

func TestFault22_OutputsWithoutKeyAreSeen(t *testing.T) {
	c := mustParse(t, "id: c\nsteps:\n  - {id: a, ability: x}\n  - {id: b, ability: x, args: {v: '{{a.output.amount}}'}}")
	if output, _ := c.Declares(0, "a.output.amount"); !output {
		t.Error("a step without output_key declares no output")
	}
	if _, err := c.Start(nil, chain.Host); err != nil {
		t.Error(err)
	}
	s := chain.NewScope(nil)
	s.Bind(c.Steps[0].OutputName(), chain.Text(`{"amount":5000}`))
	if v, err := c.Steps[1].Args[0].Value.Render(s.Lookup); err != nil || v.Text() != "5000" {
		t.Errorf("%v, %v", v, err)
	}
}
