package config

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Default is the origin of what nobody has set.
const Default = "default"

// Setting is a value in effect, and who set it.
type Setting struct {
	Key    string `json:"key"` // as it stands in the file
	Value  string `json:"value"`
	Origin string `json:"origin"` // such as cbpolicy.yaml:4:20, the name of a variable, or default
}

// All returns every setting in effect, in the order of the file's sections.
// Whoever asks gets at least one line of each, whether or not it was set.
func (s *Settings) All() ([]Setting, error) {
	all := []Setting{
		{"policies", list(s.Policies), s.origin("policies")}, {"policy_keys", list(s.PolicyKeys), s.origin("policy_keys")},
		{"policy_watch", orNever(s.PolicyWatch), s.origin("policy_watch")},
		{"state", hidePassword(cmp.Or(s.State, "memory")), s.origin("state")},
	}
	all = append(all, s.away()...)
	rules, err := s.Builtins.Rules()
	if err != nil {
		return nil, err
	}
	sets := map[string]bool{}
	for _, r := range rules {
		if !sets[r.Set] {
			sets[r.Set] = true
			all = append(all, Setting{setsPrefix + r.Set, s.set(r.Set, rules), s.origin(setsPrefix + r.Set)})
		}
	}
	for _, r := range rules {
		from := r.From
		if from == "" {
			from = Default
		}
		all = append(all, Setting{limitsPrefix + r.Rule.Options.ID, limitOf(r.Rule), from})
	}
	all = append(all, s.breakers()...)
	all = append(all, s.alerts()...)
	all = append(all, s.delegation()...)
	all = append(all, s.tasks()...)
	all = append(all, Setting{"interactive", fmt.Sprint(s.Interactive), s.origin("interactive")})
	all = append(all, Setting{"prices", cmp.Or(s.Prices, "the built-in table"), s.origin("prices")},
		Setting{"on_unknown_price", s.Unknown.String(), s.origin("on_unknown_price")})
	all = append(all, s.budget()...)
	edits := s.Edits
	if edits == nil {
		edits = meter.EditPatterns()
	}
	all = append(all, Setting{"edits", list(edits), s.origin("edits")})
	all = append(all, s.review()...)
	all = append(all, s.trim()...)
	all = append(all, s.check()...)
	return append(all, s.audit()...), nil
}

// set says how a set stands: off, or what its rules do.
func (s *Settings) set(name string, rules []registry.BuiltinRule) string {
	for _, r := range rules {
		if r.Set == name && r.On {
			return r.Rule.Options.Mode.String()
		}
	}
	return "off"
}

func limitOf(r *dsl.Rule) string {
	return r.Condition[0].(*dsl.Threshold).Value.String()
}

// list shows a list in a line.
func list[T ~string](items []T) string {
	if len(items) == 0 {
		return "none"
	}
	out := string(items[0])
	for _, item := range items[1:] {
		out += ", " + string(item)
	}
	return out
}

// breakers shows each breaker as a line per value.
func (s *Settings) breakers() (all []Setting) {
	for i := range s.Breakers {
		b := &s.Breakers[i]
		prefix := fmt.Sprintf("breakers[%d]", i)
		from := s.origin(prefix)
		say := func(key, value string) { all = append(all, Setting{prefix + "." + key, value, from}) }
		say("abilities", string(b.Abilities))
		if b.Off {
			say("off", "true")
			continue
		}
		c := b.WithDefaults()
		say("failure_threshold", fmt.Sprint(c.Threshold))
		say("reset", map[bool]string{false: "auto", true: "manual"}[c.Manual])
		if !c.Manual {
			say("reset_timeout_seconds", fmt.Sprint(int64(c.Reset.Seconds())))
		}
		say("probe_timeout_seconds", fmt.Sprint(int64(c.Probe.Seconds())))
		say("count_errors", list(b.Count))
		say("ignore_errors", list(b.Ignore))
	}
	return all
}

func (s *Settings) check() []Setting {
	c, from := &s.Check, s.origin("check")
	usual := func(patterns []dsl.NamePattern) string {
		if patterns == nil {
			return "the usual ones"
		}
		return list(patterns)
	}
	return []Setting{
		{"check.sources", usual(c.Sources), from}, {"check.sinks", usual(c.Sinks), from}, {"check.plugins", list(c.Plugins), from},
		{"check.abilities", list(c.Abilities), from}, {"check.fail_on", cmp.Or(c.FailOn, "warning"), from},
	}
}

func (s *Settings) alerts() (all []Setting) {
	m := s.Metrics()
	a := m.Alerts()
	say := func(key, value string) {
		all = append(all, Setting{alertsPrefix + key, value, s.origin(alertsPrefix + key)})
	}
	say("trips", fmt.Sprint(a.Trips))
	say("failure_rate", fmt.Sprint(a.FailureRate))
	say("calls", fmt.Sprint(a.Calls))
	say("open", duration.Format(a.Open))
	say("window", duration.Format(m.Window()))
	return all
}

func (s *Settings) delegation() (all []Setting) {
	d := &s.Delegation
	say := func(key, value string) {
		all = append(all, Setting{delegationPrefix + key, value, s.origin(delegationPrefix + key)})
	}
	say("tools", fmt.Sprint(d.Tools))
	say("reset_after", orNever(d.After))
	say("backoff", fmt.Sprint(max(d.Factor, 1)))
	say("max_reset", orNever(d.Longest()))
	var alternatives []string
	for _, a := range d.Alternatives {
		alternatives = append(alternatives, string(a.Workers)+": "+list(a.Use))
	}
	say("alternatives", list(alternatives))
	refusals := "the built-in phrases"
	if d.Judge != nil {
		refusals = "as in the file"
	}
	say("refusals", refusals)
	say("escalate", fmt.Sprint(d.Escalate))
	say("max_failed_paths", fmt.Sprint(d.FailedPaths()))
	return all
}

// sentinelPassword is where the address of a state holds a second password.
var sentinelPassword = regexp.MustCompile(`(sentinel_password=)[^&#]*`)

// hidePassword shows an address without its passwords.
func hidePassword(address string) string {
	address = sentinelPassword.ReplaceAllString(address, "${1}xxxxx")
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	return u.Redacted()
}

// hideQuery shows an address without its fragment and the values of its query,
// any of which may be a key; names stay.
func hideQuery(address string) string {
	address, _, fragment := strings.Cut(address, "#")
	start, query, asks := strings.Cut(address, "?")
	shown := hidePassword(start)
	if asks {
		parts := strings.Split(query, "&")
		for i, part := range parts {
			if name, _, named := strings.Cut(part, "="); named {
				parts[i] = name + "=xxxxx"
			} else if part != "" {
				parts[i] = "xxxxx"
			}
		}
		shown += "?" + strings.Join(parts, "&")
	}
	if fragment {
		shown += "#xxxxx"
	}
	return shown
}

func orNever(d time.Duration) string {
	if d == 0 {
		return "never"
	}
	return duration.Format(d)
}
