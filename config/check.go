package config

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// Check sets up cbpolicy check.
type Check struct {
	// Sources and Sinks are the abilities that untrusted-flow goes by; nil: the defaults.
	Sources, Sinks []dsl.NamePattern
	// Plugins are directories with manifests, Abilities files with abilities,
	// relative to the configuration until Resolve.
	Plugins, Abilities []string
	FailOn             string // error or warning; "": the default
}

func (r *reader) check(n *document.Node) {
	c := &r.config.Check
	r.mark("check", n)
	r.Fields(n, "check", []document.Field{
		{Name: "sources", Read: func(n *document.Node) { c.Sources = r.patterns(n, "sources") }},
		{Name: "sinks", Read: func(n *document.Node) { c.Sinks = r.patterns(n, "sinks") }},
		{Name: "plugins", Read: func(n *document.Node) { c.Plugins = r.texts(n, "plugins"); r.markAll("check.plugins", n) }},
		{Name: "abilities", Read: func(n *document.Node) { c.Abilities = r.texts(n, "abilities"); r.markAll("check.abilities", n) }},
		{Name: "fail_on", Read: func(n *document.Node) {
			text, ok := r.Text(n, "fail_on")
			if c.FailOn = text; ok && text != "error" && text != "warning" {
				r.wrong(n, "fail_on", "write error or warning")
			}
		}},
	}, map[string]string{"fail-on": "did you mean fail_on?", "plugin": "did you mean plugins?"})
}
