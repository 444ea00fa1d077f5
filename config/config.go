// Package config owns cbpolicy.yaml: what it may hold, and where in it
// something is wrong. It opens no files and acts on nothing; who reads a
// configuration resolves its paths and uses what it says.
package config

import (
	"path/filepath"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// FileName is the configuration that is read where none is named.
const FileName = "cbpolicy.yaml"

// Limits of a configuration.
const (
	MaxFile  = 1 << 20
	maxDepth = 20
	maxNodes = 20_000
	maxList  = 1000
)

// Config is a configuration. The zero Config is the defaults.
type Config struct {
	Check Check
}

// Check sets up cbpolicy check.
type Check struct {
	// Sources and Sinks are the abilities that untrusted-flow goes by; nil: the defaults.
	Sources, Sinks []dsl.NamePattern
	// Plugins are directories with manifests, Abilities files with abilities,
	// relative to the configuration until Resolve.
	Plugins, Abilities []string
	FailOn             string // error or warning; "": the default
}

// Parse reads a configuration. It is nil if and only if a finding is an error.
func Parse(file string, data []byte) (*Config, diag.List) {
	d := document.Parse(file, data, document.Limits{Bytes: MaxFile, Depth: maxDepth, Nodes: maxNodes})
	if d.Root == nil {
		return nil, d.Findings()
	}
	r := reader{Document: d, config: &Config{}}
	r.Fields(d.Root, "a configuration", []document.Field{{Name: "check", Read: r.check}}, nil)
	if findings := d.Findings(); findings.Err() != nil {
		return nil, findings
	}
	return r.config, d.Findings()
}

type reader struct {
	*document.Document
	config *Config
}

func (r *reader) check(n *document.Node) {
	c := &r.config.Check
	r.Fields(n, "check", []document.Field{
		{Name: "sources", Read: func(n *document.Node) { c.Sources = r.patterns(n, "sources") }},
		{Name: "sinks", Read: func(n *document.Node) { c.Sinks = r.patterns(n, "sinks") }},
		{Name: "plugins", Read: func(n *document.Node) { c.Plugins = r.texts(n, "plugins") }},
		{Name: "abilities", Read: func(n *document.Node) { c.Abilities = r.texts(n, "abilities") }},
		{Name: "fail_on", Read: func(n *document.Node) {
			text, ok := r.Text(n, "fail_on")
			if c.FailOn = text; ok && text != "error" && text != "warning" {
				r.Report(document.SyntaxID, n.Pos, "fail_on cannot be "+document.Quote(text), "write error or warning")
			}
		}},
	}, map[string]string{"fail-on": "did you mean fail_on?", "plugin": "did you mean plugins?"})
}

// texts reads a list of texts that are not empty.
func (r *reader) texts(n *document.Node, what string) []string {
	texts := []string{}
	for _, item := range r.List(n, what, maxList) {
		if text, ok := r.Text(item, "an entry of "+what); ok {
			if text == "" {
				r.Report(document.SyntaxID, item.Pos, "an entry of "+what+" is empty", "remove it")
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// patterns reads a list of ability patterns, as ability: takes them.
func (r *reader) patterns(n *document.Node, what string) []dsl.NamePattern {
	patterns := []dsl.NamePattern{}
	for i, text := range r.texts(n, what) {
		condition, fault := dsl.ParseCondition(r.File, diag.Position{Line: 1, Column: 1}, "ability:"+text)
		if ability, ok := single(condition); fault == nil && ok {
			patterns = append(patterns, ability.Name)
			continue
		}
		r.Report(document.SyntaxID, n.Items[i].Pos, document.Quote(text)+" is no pattern of abilities", "such as gmail.read or browser.*")
	}
	return patterns
}

func single(c dsl.Condition) (*dsl.Ability, bool) {
	if len(c) != 1 {
		return nil, false
	}
	a, ok := c[0].(*dsl.Ability)
	return a, ok && !a.Not
}

// Resolve makes the paths of a configuration relative to where the program
// runs, given the configuration's own path.
func (c *Config) Resolve(path string) {
	dir := filepath.Dir(path)
	for _, list := range [][]string{c.Check.Plugins, c.Check.Abilities} {
		for i, p := range list {
			if !filepath.IsAbs(p) {
				list[i] = filepath.Join(dir, p)
			}
		}
	}
}
