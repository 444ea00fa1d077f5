package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// DefaultSources are abilities whose output others may have written: mail,
// web pages, issues.
func DefaultSources() []dsl.NamePattern {
	return []dsl.NamePattern{
		"gmail.read", "gmail.search", "email.list", "email.read", "search.web", "news.search", "news.headlines",
		"browser.extract", "browser.navigate", "browser.fetch", "data.fetch_url", "github.issues", "github.prs", "github.notifications",
	}
}

// DefaultSinks are abilities whose arguments reach other people, money, or
// the machine.
func DefaultSinks() []dsl.NamePattern {
	return []dsl.NamePattern{
		"gmail.send", "email.send", "slack.send", "channel.send", "calendar.create", "calendar.add", "notion.create_page",
		"trading.execute", "shell.exec", "script.run", "home.set_state",
	}
}

// untrustedFlow reports steps of a sink that are given what a source has put
// out, directly or through other steps, with no rule that asks a person
// before, or stops. Of a pair of source and sink it reports one way.
func untrustedFlow(p *pass) {
	reached := map[*flowChain]*flows{}
	p.eachStep(func(c *flowChain, i int) {
		sink := &c.Steps[i]
		if !covered(p.sinks, sink.Ability) {
			return
		}
		if reached[c] == nil {
			reached[c] = c.flows(p.sources)
		}
		for _, in := range reached[c].into(i) {
			source := &c.Steps[in.path[0]]
			if p.guarded(c, sink.Ability, source.Ability) {
				continue
			}
			f := &diag.Finding{ID: UntrustedFlowID, Severity: diag.Warning, Confidence: diag.Possible, File: c.fileOf(sink), Pos: in.ref.Pos,
				Message: fmt.Sprintf("step %s gives %s what %s has put out, which others may have written: %s", sink.ID, sink.Ability, source.Ability, c.path(in.path, i)),
				Hint:    fmt.Sprintf(`ask before: B:ability:%s|confirm|"…"`, sink.Ability),
				Related: []diag.Related{{File: c.fileOf(source), Pos: source.AbilityPos, Message: "where it comes from"}}}
			p.addKey(f, in.ref.Key, true)
		}
	})
}

// path names the steps that the data passes.
func (c *flowChain) path(steps []int, sink int) string {
	var names []string
	for _, i := range append(slices.Clone(steps), sink) {
		names = append(names, c.Steps[i].ID)
	}
	return strings.Join(names, " → ")
}

// covered reports whether one of the patterns covers an ability.
func covered(patterns []dsl.NamePattern, ability string) bool {
	return slices.ContainsFunc(patterns, func(p dsl.NamePattern) bool { return p.Fold().Covers(ability) })
}
