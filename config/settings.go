package config

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/prices"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/breaker"
)

// Settings are what is in effect: the file before the environment, and that
// before the defaults. What is set for a task comes before all of them.
type Settings struct {
	Policies   []string
	PolicyKeys []string
	// PolicyWatch is how often the policies are looked at for updates; 0: never.
	PolicyWatch time.Duration
	State       string // "": the memory of the process
	Away        Away
	Builtins    registry.Builtins
	Breakers    []session.Breaker // the last covers every ability
	Alerts      Alerts
	Delegation  session.Delegation
	Tasks       []Task
	Review      Review
	Trim        Trim
	Budget      Budget
	// Interactive: a user's message begins streaks anew.
	Interactive bool
	// Prices is a file of prices; "": the built-in table.
	Prices  string
	Unknown prices.OnUnknown
	Edits   []dsl.NamePattern // nil: the defaults
	Check   Check
	Audit   Audit
	// Warnings tell of what was set and is not in effect.
	Warnings []string

	config *Config
	from   map[string]string // by setting: the variable that says it
}

// Effective puts a configuration and an environment together.
func Effective(c *Config, e Environment) *Settings {
	s := &Settings{
		Policies: c.Policies, PolicyKeys: c.PolicyKeys, PolicyWatch: c.PolicyWatch, Audit: c.Audit, State: c.State, Away: c.Away, Builtins: c.Builtins, Delegation: c.Delegation, Tasks: c.Tasks, Edits: c.Edits, Interactive: c.Interactive, Prices: c.Prices, Unknown: c.Unknown, Alerts: c.Alerts, Check: c.Check, config: c,
		Breakers: append(slices.Clone(c.Breakers), session.DefaultBreakers()...),
		Review:   c.Review, Trim: c.Trim, Budget: c.Budget, Warnings: slices.Concat(c.warnings, e.Warnings), from: e.from,
	}
	s.Builtins.Limits = map[string]registry.BuiltinLimit{}
	maps.Copy(s.Builtins.Limits, e.Limits)
	maps.Copy(s.Builtins.Limits, c.Builtins.Limits)
	s.Builtins.Sets = map[string]bool{}
	maps.Copy(s.Builtins.Sets, e.Sets)
	maps.Copy(s.Builtins.Sets, c.Builtins.Sets)
	s.fillReview(&e.Review)
	s.fillTrim(&e.Trim)
	s.Builtins.OnExceed = s.Review.OnExceed
	s.fillMonitor()
	s.warnUnknown(e.unknown)
	s.warn()
	return s
}

// Apply sets a session up, but for what only the host knows. The built-in
// rules belong to the registry; see registry.TuneBuiltins.
func (s *Settings) Apply(o *session.Options) {
	o.Breakers, o.Delegation, o.Edits = s.Breakers, s.Delegation, s.Edits
	o.Interactive = s.Interactive
	for _, t := range s.Tasks {
		o.TaskLimits = append(o.TaskLimits, t.TaskLimits)
	}
	o.Review = session.TaskReview{Role: s.Review.Role, Most: s.Review.Most}
}

// Metrics returns metrics of breakers as they are set up.
func (s *Settings) Metrics() *breaker.Metrics {
	return breaker.NewMetrics(s.Alerts.Window, s.Alerts.Alerts)
}

// Variable is the environment variable that a setting is from; "": none.
func (s *Settings) Variable(setting string) string {
	if s.config.origin(setting) != "" {
		return ""
	}
	return s.from[setting]
}

// Place is where the file says a setting, such as state or policies[0], as
// FILE:LINE:COLUMN; "": it does not.
func (s *Settings) Place(setting string) string { return s.config.origin(setting) }

// origin is who set something: a place in the file, or the default.
func (s *Settings) origin(setting string) string {
	return cmp.Or(s.config.origin(setting), s.from[setting], Default)
}
