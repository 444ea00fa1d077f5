package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/diag"
)

// What can be read and does not do what it seems to is a warning where it stands.
func TestParse_Doubts(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // LINE:COLUMN id: message (hint)
	}{
		{"breakers:\n  - {abilities: '*', failure_threshold: 3}\n  - {abilities: web.fetch, failure_threshold: 1}", []string{
			`3:17 dead-breaker: no ability has this breaker: "*" comes before it and covers "web.fetch" (put the narrower pattern first) see 2:17`}},
		{"breakers: [{abilities: 'web.*'}, {abilities: pay}, {abilities: 'Web.f*', off: true}]", []string{
			`1:64 dead-breaker: no ability has this breaker: "web.*" comes before it and covers "Web.f*" (put the narrower pattern first) see 1:24`}},
		{"breakers: [{abilities: pay, off: true}, {abilities: Pay}]", []string{`1:53 dead-breaker: no ability has this breaker: "pay" comes before it and covers "Pay" (put the narrower pattern first) see 1:24`}},
		{"breakers: [{abilities: '@writes'}]", []string{`1:24 dead-breaker: no ability has this breaker: "@writes" is a class, and breakers are for names (write the names, or patterns of them)`}},
		{"breakers: [{abilities: web.fetch}, {abilities: 'web.*'}, {abilities: '*'}]", nil},
		{"breakers: [{abilities: 'web.*'}, {abilities: web}, {abilities: '*.fetch'}]", nil},

		{"breakers: [{abilities: a, ignore_errors: [networkerror, Quota, NetworkError]}]", []string{
			`1:43 misspelt-class: the error class "networkerror" is another than NetworkError: letter case counts (did you mean NetworkError?)`}},
		{"breakers: [{abilities: a, count_errors: [FILENOTFOUND]}]", []string{
			`1:42 misspelt-class: the error class "FILENOTFOUND" is another than FileNotFound: letter case counts (did you mean FileNotFound?)`}},
		{"breakers: [{abilities: a, count_errors: [Quota, quota], ignore_errors: [ToolErrors]}]", nil},

		{"delegation: {alternatives: {chef: [chef]}}", []string{`1:36 self-alternative: "chef" is the worker itself, and never its alternative (name another worker)`}},
		{"delegation: {alternatives: {chef: [sous_chef, ' Chef ']}}", []string{`1:47 self-alternative: " Chef " is the worker itself, and never its alternative (name another worker)`}},
		{"delegation: {alternatives: {'chef*': [chef1], a: [b], b: [a]}}", nil},
	} {
		got, l := config.Parse("c.yaml", []byte(c.text))
		if got == nil {
			t.Errorf("%s: %v", c.text, l)
		}
		var doubts []string
		for _, f := range l {
			if f.Severity != diag.Warning || f.File != "c.yaml" || f.Text == "" || !slices.Contains(config.IDs(), f.ID) {
				t.Errorf("%s: %+v", c.text, f)
			}
			text := fmt.Sprintf("%d:%d %s: %s (%s)", f.Pos.Line, f.Pos.Column, f.ID, f.Message, f.Hint)
			for _, r := range f.Related {
				text += fmt.Sprintf(" see %d:%d", r.Pos.Line, r.Pos.Column)
			}
			doubts = append(doubts, text)
		}
		if !slices.Equal(doubts, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, strings.Join(doubts, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
