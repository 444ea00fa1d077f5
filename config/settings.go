package config

import (
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
	Tasks       []session.TaskLimits
	// Interactive: a user's message begins streaks anew.
	Interactive bool
	// Prices is a file of prices; "": the built-in table.
	Prices  string
	Unknown prices.OnUnknown
	Edits   []dsl.NamePattern // nil: the defaults
	Audit   Audit

	config *Config
}

// Effective puts a configuration and an environment together.
func Effective(c *Config, e Environment) *Settings {
	s := &Settings{
		Policies: c.Policies, PolicyKeys: c.PolicyKeys, PolicyWatch: c.PolicyWatch, Audit: c.Audit, State: c.State, Away: c.Away, Builtins: c.Builtins, Delegation: c.Delegation, Tasks: c.Tasks, Edits: c.Edits, Interactive: c.Interactive, Prices: c.Prices, Unknown: c.Unknown, Alerts: c.Alerts, config: c,
		Breakers: append(slices.Clone(c.Breakers), session.DefaultBreakers()...),
	}
	s.Builtins.Limits = map[string]registry.BuiltinLimit{}
	maps.Copy(s.Builtins.Limits, e.Limits)
	maps.Copy(s.Builtins.Limits, c.Builtins.Limits)
	return s
}

// Apply sets a session up, but for what only the host knows. The built-in
// rules belong to the registry; see registry.TuneBuiltins.
func (s *Settings) Apply(o *session.Options) {
	o.Breakers, o.Delegation, o.TaskLimits, o.Edits = s.Breakers, s.Delegation, s.Tasks, s.Edits
	o.Interactive = s.Interactive
}

// Metrics returns metrics of breakers as they are set up.
func (s *Settings) Metrics() *breaker.Metrics {
	return breaker.NewMetrics(s.Alerts.Window, s.Alerts.Alerts)
}

// origin is who set something: a place in the file, or the default.
func (s *Settings) origin(setting string) string {
	if from := s.config.origin(setting); from != "" {
		return from
	}
	return Default
}
