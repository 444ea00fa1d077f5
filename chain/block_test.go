package chain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// block parses a block of lines.
func block(t *testing.T, lines string) *dsl.Block {
	t.Helper()
	raw, fault := dsl.ExtractBlock("m.txt", []byte("<nyaya>\n"+lines+"\n</nyaya>"))
	if fault != nil {
		t.Fatal(fault)
	}
	b, faults := dsl.ParseBlock(raw)
	if b == nil {
		t.Fatal(faults)
	}
	return b
}

// rendered renders the arguments of a step as JSON, with values for its keys.
func rendered(t *testing.T, s *chain.Step, values map[string]string) string {
	t.Helper()
	look := func(key dsl.Key) (chain.Value, bool) {
		v, ok := values[string(key)]
		return chain.Text(v), ok
	}
	var parts []string
	for _, a := range s.Args {
		v, err := a.Value.Render(look)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, a.Name+"="+string(v.AppendJSON(nil)))
	}
	return strings.Join(parts, " ")
}

func TestFromBlock(t *testing.T) {
	c, l := chain.FromBlock(block(t, `NEW:daily_briefing
P:time:cron:0 8 * * *|channel:str:telegram|limit:int
S:email.unread_count>count
S:data.fetch_url:url=https://news.api/top>news
S:nlp.summarize:$count emails, $news.title events>summary
S:notify.user:$summary|$channel
S:script.run:lang=python code="print(\"$$HOME {{x}}\")\n" input=>out
L:daily
R:morning news|daily update`))
	if c == nil {
		t.Fatal(l)
	}
	var ids []string
	for _, s := range c.Steps {
		ids = append(ids, s.ID+":"+s.Ability)
	}
	if got, want := strings.Join(ids, " "), "count:email.unread_count news:data.fetch_url summary:nlp.summarize step4:notify.user out:script.run"; got != want || c.ID != "nyaya/daily_briefing" {
		t.Errorf("%s of %s, want %s", got, c.ID, want)
	}
	values := map[string]string{"count": "3", "news.title": "two", "summary": "S", "channel": "C"}
	for i, want := range []string{"", `url="https://news.api/top"`, `arg1="3 emails, two events"`, `arg1="S" arg2="C"`, `lang="python" code="print(\"$HOME {{x}}\")\n" input=""`} {
		if got := rendered(t, &c.Steps[i], values); got != want {
			t.Errorf("step %d: %s, want %s", i+1, got, want)
		}
	}
	if _, err := c.Start(nil, chain.Model); err == nil || !strings.Contains(err.Error(), `parameter "limit" is required`) {
		t.Errorf("without a limit: %v", err)
	}
	started, err := c.Start(map[string]chain.Value{"limit": chain.Text("5")}, chain.Model)
	if err != nil || started["time"].Text() != "0 8 * * *" {
		t.Errorf("%v, %v", started, err)
	}
}

func TestFromBlock_Refuses(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"nobody's name", "NEW:x\nP:city:str\nS:a.b:t=$town>o", "m.txt:4:9: $town is no parameter and no output of a step before it"},
		{"a slip", "NEW:x\nP:city:str\nS:a.b:t=$citty>o", "did you mean $city?"},
		{"a later output", "NEW:x\nS:a.b:t=$o>p\nS:c.d>o", "m.txt:3:9: $o is no parameter"},
		{"a default of another type", "NEW:x\nP:n:int:many\nS:a.b>o", "m.txt:3:3: the default of n"},
		{"no steps", "NEW:x\nB:a>1|abort", "the chain has no steps"},
		{"no chain", "CACHE:1h", "the block writes no chain"},
	} {
		got, l := chain.FromBlock(block(t, c.lines))
		if got != nil || !strings.Contains(l.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, l, c.want)
		}
	}
}

func TestConfirmMark(t *testing.T) {
	c, l := chain.FromBlock(block(t, "NEW:x\nS:trading.execute:amount=5!confirm>out\nS:notify.user:done !confirm\nS:log.write:text=say !confirm please"))
	if c == nil {
		t.Fatal(l)
	}
	var ids []string
	for _, r := range c.Block.Rules {
		ids = append(ids, r.ID())
	}
	if want := []string{"confirm-trading-execute", "confirm-notify-user"}; !slices.Equal(ids, want) {
		t.Errorf("rules %v, want %v", ids, want)
	}
	if got := rendered(t, &c.Steps[2], nil); got != `text="say !confirm please"` {
		t.Errorf("the mark inside a text: %s", got)
	}
}

const base = `id: sentiment
params: [{name: handle, param_type: text, required: true}, {name: min, param_type: number, default: 1, max: 9}]
circuit_breakers: [{condition: "score>{{min}}", action: abort}]
steps:
  - {id: fetch, ability: x.search, args: {q: "{{handle}}"}, output_key: posts}
  - {id: filter, ability: nlp.filter, args: {text: "{{posts}}"}, output_key: kept, on_failure: tell}
  - {id: judge, ability: nlp.score, args: {text: "{{kept}}"}, output_key: score}
  - {id: tell, ability: notify.user, args: {message: hello}}
  - {id: extra, ability: log.write}
`

func TestPatch(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(base))
	if c == nil {
		t.Fatal(l)
	}
	p, l := c.Patch(block(t, "PATCH:sentiment|@musk\nADD_PARAM:min_frequency:int:3\nADD_STEP:after:filter|freq_check|flow.branch|$kept.length<$min_frequency\nREMOVE_STEP:extra\nB:ability:notify.*|confirm"))
	if p == nil {
		t.Fatal(l)
	}
	var ids []string
	for _, s := range p.Steps {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "fetch filter freq_check judge tell" || len(c.Steps) != 5 || len(c.Params) != 2 {
		t.Errorf("steps %s; the chain itself has %d", got, len(c.Steps))
	}
	if p.ID != c.ID || len(p.Rules) != 1 || len(p.Block.Rules) != 1 || !p.Steps[2].Added {
		t.Errorf("%+v", p)
	}
	if next, jump := p.AfterFailure(1); next != 4 || !jump {
		t.Errorf("after filter fails: %d, want tell at 4", next)
	}
	b := block(t, "C:sentiment|@musk|7")
	given, l := p.Call(b)
	if len(l) > 0 {
		t.Fatal(l)
	}
	if values, err := p.Start(given, chain.Model); err != nil || values["min"].Text() != "7" {
		t.Errorf("%v, %v", values, err)
	}
	if _, err := p.Start(map[string]chain.Value{"handle": chain.Text("x"), "min": chain.Text("10")}, chain.Model); err == nil {
		t.Error("a model passes the bound of a limit")
	}
	if _, l := c.Call(block(t, "C:sentiment|a|1|c")); len(l) != 1 {
		t.Errorf("too many values: %v", l)
	}
}

func TestPatch_Refuses(t *testing.T) {
	c, l := chain.Parse("c.yaml", []byte(base))
	if c == nil {
		t.Fatal(l)
	}
	for _, tt := range []struct{ lines, want string }{
		{"PATCH:other\nREMOVE_STEP:extra", "the block does not change chain sentiment"},
		{"PATCH:sentiment\nREMOVE_STEP:judge", "step judge cannot be removed: rule score-gt-min reads score"},
		{"PATCH:sentiment\nREMOVE_STEP:fetch", "step fetch cannot be removed: step filter reads posts"},
		{"PATCH:sentiment\nREMOVE_STEP:tell", "step tell cannot be removed: step filter goes on with it when it fails"},
		{"PATCH:sentiment\nREMOVE_STEP:extr", "chain sentiment has no step extr (did you mean extra?)"},
		{"PATCH:sentiment\nADD_STEP:after:nobody|a|x.y", "chain sentiment has no step nobody"},
		{"PATCH:sentiment\nADD_STEP:after:fetch|judge|x.y", "judge is the name of something else in the chain"},
		{"PATCH:sentiment\nADD_STEP:after:fetch|new|x.y|z>score", "score is the name of something else in the chain"},
		{"PATCH:sentiment\nADD_PARAM:score:int:3", "score is what a step puts out"},
		{"PATCH:sentiment\nADD_PARAM:min:int:3", "a second parameter min"},
		{"PATCH:sentiment\nADD_STEP:before:fetch|new|x.y|$posts", "$posts is no parameter and no output of a step before it"},
	} {
		p, l := c.Patch(block(t, tt.lines))
		if p != nil || !strings.Contains(l.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.lines, l, tt.want)
		}
	}
}

func FuzzFromBlock(f *testing.F) {
	f.Add("NEW:x\nP:a:int:3\nS:a.b:x=$a y=\"q\\n\">o\nS:c.d:$o|$$5")
	f.Add("D:trading|low\nS:a.b:{{x}} $")
	f.Add("PATCH:sentiment|1\nADD_STEP:after:fetch|n|a.b|$posts>z\nREMOVE_STEP:extra")
	c, l := chain.Parse("c.yaml", []byte(base))
	if c == nil {
		f.Fatal(l)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		b, _ := dsl.ParseBlock(&dsl.RawBlock{File: "m", Pos: diag.Position{Line: 1, Column: 1}, Text: lines})
		if b == nil {
			return
		}
		made, _ := chain.FromBlock(b)
		patched, _ := c.Patch(b)
		for _, c := range []*chain.Chain{made, patched} {
			if c == nil {
				continue
			}
			given := map[string]chain.Value{}
			for _, p := range c.Params {
				if p.Default == nil {
					given[p.Name] = chain.Text("1")
				}
			}
			if _, err := c.Start(given, chain.Host); err != nil && !strings.Contains(err.Error(), "cannot start") {
				t.Error(err)
			}
		}
	})
}
