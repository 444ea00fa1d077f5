package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// parsedPage reads the template, once: it is a constant, and executing it
// changes nothing but which characters are escaped where, which is found once too.
var parsedPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Parse(pageHTML)
})

// maxHalts and maxRuns bound the page. What is left out is said.
const (
	maxHalts = 500
	maxRuns  = 5000
)

// view is the page as the template sees it.
type view struct {
	Style     template.CSS
	Tiles     []tile
	Rules     []ruleView // those that fired
	Quiet     []ruleView // those that did not
	Formats   []formatView
	Charts    []chartView
	LeftOut   int // charts
	Halts     []haltView
	MoreHalts int
	Runs      []runView
	MoreRuns  int
	Confirm   string
}

// tile is a number that stands out.
type tile struct{ Name, Value, Note, Class string }

// ruleView is a rule with what it did.
type ruleView struct {
	ID, Condition, Action, Class, Origin, Source string
	Fired, Halted                                int
}

// formatView is a format with how many of its runs were halted.
type formatView struct {
	Name   string
	Runs   int
	Halted int
}

// runView is a row of the table of runs.
type runView struct {
	Source, Format, Kind, Decision, Class, Rule, Broken, Saved string
	Calls, At                                                  int
}

// Write writes the page. unread is how many runs could not be read.
func (p *Page) Write(w io.Writer, unread int) error {
	t, err := parsedPage()
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	v := view{
		Style: template.CSS(pageCSS), Tiles: p.tiles(unread), Formats: p.formats(), LeftOut: p.left,
		Confirm: cmp.Or(string(p.options.Confirm), string(replay.Stop)),
	}
	for _, r := range p.rules() {
		if r.Fired > 0 {
			v.Rules = append(v.Rules, r)
		} else {
			v.Quiet = append(v.Quiet, r)
		}
	}
	for i := range p.charts {
		v.Charts = append(v.Charts, p.drawing(i))
	}
	for _, r := range p.runs {
		if r.timeline == nil {
			continue
		}
		if len(v.Halts) == maxHalts {
			v.MoreHalts++
			continue
		}
		v.Halts = append(v.Halts, haltOf(r.timeline, r.kind))
	}
	shown := p.runs[:min(len(p.runs), maxRuns)]
	v.MoreRuns = len(p.runs) - len(shown)
	for _, r := range shown {
		v.Runs = append(v.Runs, r.view())
	}
	if err := t.Execute(w, &v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

func (r *Run) view() runView {
	v := runView{
		Source: diag.Escape(r.Result.Source), Format: diag.Escape(r.Result.Format), Kind: diag.Escape(r.kind), Decision: r.Result.Decision,
		Class: decisionClass(r.Result.Decision), Calls: r.Result.ToolCalls,
		Broken: diag.Escape(r.Result.Broken),
	}
	if r.Result.Halted() {
		v.Rule, v.At, v.Saved = diag.Escape(r.Result.Rule), r.Result.HaltedAt, savedText(r.Result.Saved)
	}
	return v
}

// tiles are the numbers that are read first.
func (p *Page) tiles(unread int) []tile {
	s := &p.summary
	tiles := []tile{
		{"runs", fmt.Sprint(s.Runs), "", ""},
		{"halted", fmt.Sprint(s.Halted), percent(s.Halted, s.Runs), classIf(s.Halted, "stop")},
		{"asked about", fmt.Sprint(s.Asked), percent(s.Asked, s.Runs), classIf(s.Asked, "warn")},
		{"calls saved", compact(float64(s.Saved.ToolCalls)), "", ""},
	}
	if s.Saved.Tokens > 0 {
		tiles = append(tiles, tile{"tokens saved", compact(float64(s.Saved.Tokens)), "", ""})
	}
	if s.Saved.Cents > 0 {
		tiles = append(tiles, tile{"money saved", moneyText(s.Saved.Cents), p.guessed(), ""})
	}
	if s.Broken > 0 {
		tiles = append(tiles, tile{"broken", fmt.Sprint(s.Broken), percent(s.Broken, s.Runs), "stop"})
	}
	if unread > 0 {
		tiles = append(tiles, tile{"not read", fmt.Sprint(unread), "", "stop"})
	}
	return tiles
}

// guessed says so if some of the money is that of models without a price.
func (p *Page) guessed() string {
	for _, r := range p.runs {
		if r.guessed {
			return "some of it guessed"
		}
	}
	return ""
}

// classIf marks a number that is not 0.
func classIf(n int, class string) string {
	if n == 0 {
		return ""
	}
	return class
}

func percent(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// rules lists every rule, those that halted most runs first.
func (p *Page) rules() []ruleView {
	halted := map[string]int{}
	p.summary.ByRule.Each(func(id string, n int) { halted[id] = n })
	listed := map[string]bool{}
	var all []ruleView
	for r := range p.set.Rules() {
		if r.Standby && p.fired[r.ID] == 0 {
			continue // of tasks that no run had
		}
		v := ruleView{
			ID: diag.Escape(r.ID), Condition: diag.Escape(r.Condition.String()), Action: actionText(r.Action, r.Options.Mode), Origin: r.Scope.Origin.String(),
			Source: diag.Escape(r.Source.String()), Fired: p.fired[r.ID], Halted: halted[r.ID], Class: ruleClass(r),
		}
		if r.Scope.Pattern != "*" {
			v.Condition = "CHAIN:" + diag.Escape(string(r.Scope.Pattern)) + "  " + v.Condition
		}
		listed[r.ID] = true
		all = append(all, v)
	}
	// What the engine itself refused, by no rule.
	for _, id := range sortedKeys(p.fired) {
		if !listed[id] {
			all = append(all, ruleView{ID: diag.Escape(id), Action: dsl.Abort.String(), Origin: "engine", Class: "stop", Fired: p.fired[id], Halted: halted[id]})
		}
	}
	slices.SortStableFunc(all, func(a, b ruleView) int {
		return cmp.Or(cmp.Compare(b.Halted, a.Halted), cmp.Compare(b.Fired, a.Fired))
	})
	return all
}

func ruleClass(r *registry.Rule) string { return classOf(&limit{rule: r}) }

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// formats counts runs by format, in the order of their names.
func (p *Page) formats() []formatView {
	runs, halted := map[string]int{}, map[string]int{}
	for _, r := range p.runs {
		runs[r.Result.Format]++
		if r.Result.Halted() {
			halted[r.Result.Format]++
		}
	}
	var all []formatView
	for _, name := range sortedKeys(runs) {
		all = append(all, formatView{diag.Escape(name), runs[name], halted[name]})
	}
	return all
}
