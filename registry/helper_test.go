package registry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// start is when the tests' steps are decided.
var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func parse(t testing.TB, policy string) *dsl.Policy {
	t.Helper()
	p, findings := dsl.ParsePolicy("test.cbp", []byte(policy))
	if err := findings.Err(); err != nil {
		t.Fatalf("parse: %v", err)
	}
	return p
}

// load puts a policy in force.
func load(t testing.TB, policy string) *registry.Registry {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.Load(parse(t, policy)); err != nil {
		t.Fatalf("load: %v", err)
	}
	return reg
}

// defs are rules written a line each, to be registered in a scope.
func defs(t testing.TB, lines ...string) []registry.RuleDef {
	t.Helper()
	var out []registry.RuleDef
	for i, line := range lines {
		pos := diag.Position{Line: i + 1, Column: 3}
		rule, f := dsl.ParseRule("rules.cbp", pos, line)
		if f != nil {
			t.Fatalf("parse %s: %v", line, f)
		}
		out = append(out, registry.RuleDef{Rule: rule, Source: registry.Source{File: "rules.cbp", Pos: pos}})
	}
	return out
}

func deciderOf(reg *registry.Registry) *session.Decider {
	return &session.Decider{Registry: reg, Store: memory.New(memory.Options{})}
}

// judge decides the step and gives the verdict in brief: the decision and the
// ids of the rules that fired.
func judge(t testing.TB, d *session.Decider, st registry.Step) string {
	t.Helper()
	if st.Chain == "" {
		st.Chain = "trade"
	}
	if st.Ability == "" {
		st.Ability = "pay.send"
	}
	if st.Now == 0 {
		st.Now = start.UnixNano()
	}
	var v registry.Verdict
	d.Decide(t.Context(), &st, &v)
	return brief(&v)
}

func brief(v *registry.Verdict) string {
	parts := []string{v.Decision.String()}
	for _, f := range v.Fired {
		parts = append(parts, f.Rule.ID)
	}
	return strings.Join(parts, " ")
}

// values are arguments given as JSON.
func values(t testing.TB, raw string) *registry.Values {
	t.Helper()
	vs, err := registry.ParseValues([]byte(raw))
	if err != nil {
		t.Fatalf("values %s: %v", raw, err)
	}
	return vs
}

// declared is the state of every unbound key.
type declared registry.Declared

func (d declared) Declared(dsl.Key) registry.Declared { return registry.Declared(d) }

// meters are bound as given.
type meters map[dsl.Key]int64

func (m meters) Meter(k dsl.Key) (decimal.Decimal, bool) {
	n, ok := m[k]
	return decimal.FromInt(n), ok
}

// said are the words of a step.
type said struct{ user, outputs registry.Words }

func (s *said) InUser(text string) bool    { return s.user.Has(text) }
func (s *said) InOutputs(text string) bool { return s.outputs.Has(text) }

func userSaid(texts ...string) *said {
	s := &said{}
	for _, text := range texts {
		s.user.Add(text)
	}
	return s
}
