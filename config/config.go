// Package config owns what an operator sets up: cbpolicy.yaml, the
// environment variables that do the same, and which of them wins. It says where
// in the file something is wrong, and of every value in effect who set it. It
// opens no files and acts on nothing; who reads a configuration resolves its
// paths and gives what it says to the packages concerned.
package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/address"
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
	// Policies are policy files, and directories of them, relative to the
	// configuration until Resolve.
	Policies []string
	// PolicyKeys are files with public keys that may have signed bundles among
	// the policies, relative likewise.
	PolicyKeys []string
	// PolicyWatch is how often the policies are looked at for updates, by what
	// lives long; 0: never.
	PolicyWatch time.Duration
	// State is where counters live, such as file:state.db or redis://…; "": in
	// the memory of the process. The path of a file is relative to the
	// configuration until Resolve.
	State    string
	Away     Away
	Builtins registry.Builtins
	// Breakers come before the one that every ability has by default.
	Breakers   []session.Breaker
	Alerts     Alerts
	Delegation session.Delegation
	Tasks      []Task
	Review     Review
	Trim       Trim
	Budget     Budget
	// Interactive: a user's message begins streaks anew.
	Interactive bool
	// Prices is a file of prices, relative to the configuration until Resolve;
	// "": the built-in table. Unknown is what a model costs that is not in it.
	Prices  string
	Unknown prices.OnUnknown
	Edits   []dsl.NamePattern // abilities that edit files; nil: the defaults
	Check   Check
	Audit   Audit

	file string
	said map[string]diag.Position // by setting: where it stands
	// warnings tell of what stands there and says nothing.
	warnings []string
}

// Parse reads a configuration. It is nil if and only if a finding is an error.
func Parse(file string, data []byte) (*Config, diag.List) {
	d := document.Parse(file, data, document.Limits{Bytes: MaxFile, Depth: maxDepth, Nodes: maxNodes})
	if d.Root == nil {
		return nil, withoutPasswords(d.Findings())
	}
	r := reader{Document: d, config: &Config{file: file, said: map[string]diag.Position{}}}
	r.Fields(d.Root, "a configuration", []document.Field{
		{Name: "policies", Read: r.policies}, {Name: "policy_keys", Read: r.policyKeys}, {Name: "policy_watch", Read: r.policyWatch}, {Name: "state", Read: r.state},
		{Name: "on_store_error", Read: r.onStoreError}, {Name: "store_timeout", Read: r.storeTimeout}, {Name: "fleet", Read: r.fleet},
		{Name: "builtins", Read: r.builtins}, {Name: "breakers", Read: r.breakers},
		{Name: "breaker_alerts", Read: r.alerts},
		{Name: "delegation", Read: r.delegation}, {Name: "tasks", Read: r.tasks}, {Name: "interactive", Read: r.interactive},
		{Name: "prices", Read: r.prices}, {Name: "on_unknown_price", Read: r.unknownPrice},
		{Name: "budget", Read: r.budget}, {Name: "edits", Read: r.edits}, {Name: "review", Read: r.review}, {Name: "trim", Read: r.trim}, {Name: "check", Read: r.check}, {Name: "audit", Read: r.audit},
	}, map[string]string{"policy": "did you mean policies?", "limits": "limits belong to builtins", "sets": "sets belong to builtins"})
	r.needFleet()
	findings := withoutPasswords(d.Findings())
	if findings.Err() != nil {
		return nil, findings
	}
	return r.config, findings
}

// Resolve makes the paths of a configuration relative to where the program
// runs, given the configuration's own path.
func (c *Config) Resolve(path string) {
	dir := filepath.Dir(path)
	if p, ok := strings.CutPrefix(c.State, "file:"); ok && !filepath.IsAbs(p) {
		c.State = "file:" + filepath.Join(dir, p)
	}
	if len(c.Review.Command) > 0 {
		c.Review.Command[0] = programIn(dir, c.Review.Command[0])
	}
	files := []*string{&c.Prices, &c.Review.Preamble, &c.Review.Patterns}
	for i := range c.Tasks {
		files = append(files, &c.Tasks[i].Preamble)
	}
	for _, f := range files {
		if *f != "" && !filepath.IsAbs(*f) {
			*f = filepath.Join(dir, *f)
		}
	}
	if c.Audit.Path != "" && !filepath.IsAbs(c.Audit.Path) {
		c.Audit.Path = filepath.Join(dir, c.Audit.Path)
	}
	for _, list := range [][]string{c.Policies, c.PolicyKeys, c.Check.Plugins, c.Check.Abilities} {
		for i, p := range list {
			if !filepath.IsAbs(p) {
				list[i] = filepath.Join(dir, p)
			}
		}
	}
}

// programIn makes the path of a program relative to where this one runs. A
// name without a separator is looked for where programs are, and stays.
func programIn(dir, program string) string {
	if filepath.IsAbs(program) || filepath.Base(program) == program {
		return program
	}
	joined := filepath.Join(dir, program)
	if filepath.Base(joined) == joined {
		joined = "." + string(filepath.Separator) + joined
	}
	return joined
}

func (r *reader) state(n *document.Node) {
	text, ok := r.Text(n, "state")
	r.mark("state", n)
	if ok { // the finding does not show it, as it may hold a password
		if _, err := address.Parse(text); err != nil {
			r.Report(document.SyntaxID, n.Pos, "state: "+err.Error(), "such as file:state.db, or redis://HOST:6379")
		}
	}
	r.config.State = text
}

// withPassword is a line that may show a password.
var withPassword = regexp.MustCompile(`://\S*@`)

// withoutPasswords takes lines that may show a password out of findings.
func withoutPasswords(findings diag.List) diag.List {
	for _, f := range findings {
		if withPassword.MatchString(f.Text) {
			f.Text = ""
		}
	}
	return findings
}

// origin is where a setting stands in the file; "" if it is not there.
func (c *Config) origin(setting string) string {
	pos, said := c.said[setting]
	if !said {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", c.file, pos.Line, pos.Column)
}

func (r *reader) policies(n *document.Node) {
	r.config.Policies = r.texts(n, "policies")
	r.markAll("policies", n)
}

func (r *reader) policyKeys(n *document.Node) {
	r.config.PolicyKeys = r.texts(n, "policy_keys")
	r.markAll("policy_keys", n)
}

// policyWatch reads how often policies are looked at, or that they are not.
func (r *reader) policyWatch(n *document.Node) {
	r.mark("policy_watch", n)
	if n.Text == "off" || n.Text == "false" {
		return
	}
	if r.config.PolicyWatch = r.duration(n, "policy_watch"); 0 < r.config.PolicyWatch && r.config.PolicyWatch < policies.MinInterval {
		r.wrong(n, "policy_watch", "write a time of at least "+policies.MinInterval.String()+", or off")
	}
}

func (r *reader) prices(n *document.Node) {
	r.config.Prices, _ = r.Text(n, "prices")
	r.mark("prices", n)
}

func (r *reader) unknownPrice(n *document.Node) {
	r.mark("on_unknown_price", n)
	if err := r.config.Unknown.UnmarshalText([]byte(n.Text)); err != nil || !n.Scalar() {
		r.wrong(n, "on_unknown_price", "write "+strings.Join(prices.OnUnknownWords(), ", "))
	}
}

func (r *reader) interactive(n *document.Node) {
	r.config.Interactive = r.flag(n, "interactive")
	r.mark("interactive", n)
}

func (r *reader) edits(n *document.Node) {
	r.config.Edits = r.patterns(n, "edits")
	r.mark("edits", n)
}
