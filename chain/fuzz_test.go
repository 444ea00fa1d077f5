package chain_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// FuzzParse holds that any text gives either a chain that can be used or a
// finding, and that no text makes anything panic.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(flowing))
	f.Add([]byte(catalogue))
	f.Add([]byte("id: c\ncircuit_breaker: {failure_threshold: 3, reset_timeout_secs: 60, half_open_max: 1}\nsteps:\n- {id: b, ability: x, depends_on: [a], on_failure: continue}\n- {id: a, ability: y, params: {v: '{{input.p.q}}'}}"))
	f.Add([]byte(`{"id":"c","steps":[{"id":"a","ability":"x","args":{"v":["{{p.q}}",{"k":"a{{b}}"}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, l := chain.Parse("c.yaml", data)
		if (c == nil) != (l.Err() != nil) {
			t.Fatalf("chain %v with findings %v", c != nil, l)
		}
		for _, finding := range l {
			if finding.ID == "" || finding.Message == "" || finding.File != "c.yaml" {
				t.Fatalf("finding %+v", finding)
			}
		}
		if c == nil {
			return
		}
		if c.ID == "" || len(c.Steps) == 0 {
			t.Fatalf("chain %+v", c)
		}
		for _, r := range c.Rules {
			if len(r.Condition) == 0 || r.ID() == "" || r.Pos.Line == 0 {
				t.Fatalf("rule %+v", r)
			}
		}
		use(t, c)
	})
}

// use does with a chain what a run does, with a value for every key.
func use(t *testing.T, c *chain.Chain) {
	if _, err := c.Start(map[string]chain.Value{"p": chain.Text("{{q}}")}, chain.Model); err != nil && err.Error() == "" {
		t.Fatal("an error without a message")
	}
	before := map[string]bool{}
	for _, s := range c.Steps {
		for _, id := range s.DependsOn {
			if !before[id] {
				t.Fatalf("step %s runs before %s", s.ID, id)
			}
		}
		before[s.ID] = true
	}
	flow := c.Flow()
	look := func(dsl.Key) (chain.Value, bool) { return chain.Text("1"), true }
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, a := range s.Args {
			v, err := a.Value.Render(look)
			if err != nil {
				t.Fatalf("argument %s: %v", a.Name, err)
			}
			if _, err := chain.ParseValue(v.AppendJSON(nil)); err != nil {
				t.Fatalf("argument %s renders to %s: %v", a.Name, v.AppendJSON(nil), err)
			}
		}
		if s.Condition != nil {
			s.Condition.Holds(look)
		}
		if steps := c.CanRunFrom(i, nil); len(steps) == 0 {
			t.Fatalf("step %d cannot run from itself on", i)
		}
		if flow.Must(i, "a.output") && !flow.May(i, "a.output") {
			t.Fatal("what must be bound may be")
		}
	}
}
