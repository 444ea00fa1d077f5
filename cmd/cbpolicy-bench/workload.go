package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
)

// spec is one rule of the workload, for the engine and for the floor alike.
type spec struct {
	chain   string // "*": every chain
	kind    kind
	key     string // threshold, contains
	limit   int    // threshold, frequency
	text    string // contains: the pattern; ability: the name
	seconds int    // frequency: the window
}

type kind int

const (
	threshold kind = iota
	ability
	contains
	frequency
)

// perChain is how many rules a chain has of its own.
const perChain = 10

// The step of the workload: five outputs, of which three are numbers.
var outputs = map[string]string{
	"amount": "900", "total": "4200.5", "volume": "1234567.125",
	"note": strings.Repeat("plain words ", 3)[:32],
	"body": strings.Repeat("the quick brown fox jumps over a lazy dog; ", 6)[:256],
}

var numberKeys = [...]string{"amount", "total", "volume"}

// workload makes n rules: a tenth global, the rest ten a chain; of ten rules
// three are thresholds, three abilities, two contains and two frequencies.
func workload(n int) (rules []spec, chains []string) {
	global := max(n/10, 1)
	for i := range global {
		rules = append(rules, one("*", i))
	}
	for i := 0; i+global < n; i++ {
		chain := fmt.Sprintf("chain_%06d", i/perChain)
		if i%perChain == 0 {
			chains = append(chains, chain)
		}
		rules = append(rules, one(chain, i))
	}
	return rules, chains
}

func one(chain string, i int) spec {
	s := spec{chain: chain}
	switch m := i % perChain; {
	case m < 3:
		s.kind, s.key, s.limit = threshold, numberKeys[m], 2_000_000+i
	case m < 6:
		s.kind, s.text = ability, fmt.Sprintf("tool%d.run%06d", m, i)
	case m < 8:
		s.kind, s.key, s.text = contains, [...]string{"note", "body"}[m-6], fmt.Sprintf("q%07d", i)
	default:
		s.kind, s.limit, s.seconds = frequency, 100+i%50, 60*(1+i%60)
	}
	return s
}

// line is the rule in the language.
func (s spec) line(i int) string {
	var cond string
	switch s.kind {
	case threshold:
		cond = fmt.Sprintf("%s>%d", s.key, s.limit)
	case ability:
		cond = "ability:" + s.text
	case contains:
		cond = fmt.Sprintf("output:%s|contains:%s", s.key, s.text)
	case frequency:
		cond = fmt.Sprintf("frequency>%d/%ds", s.limit, s.seconds)
	}
	return fmt.Sprintf(`%s|abort|"rule %d of the workload"|id=r%d`, cond, i, i)
}

// text is the workload as a policy file.
func text(rules []spec) []byte {
	var b strings.Builder
	chain := "*"
	for i, s := range rules {
		if s.chain != chain {
			chain = s.chain
			fmt.Fprintf(&b, "CHAIN:%s\n", chain)
		}
		b.WriteString("B:" + s.line(i) + "\n")
	}
	return []byte(b.String())
}

// parsed is the workload as parsed rules by scope.
func parsed(rules []spec) []registry.Ruleset {
	var sets []registry.Ruleset
	for i, s := range rules {
		r, fault := dsl.ParseRule("workload", diag.Position{Line: i + 1, Column: 1}, s.line(i))
		if fault != nil {
			panic(fault)
		}
		if len(sets) == 0 || string(sets[len(sets)-1].Scope.Pattern) != s.chain {
			sets = append(sets, registry.Ruleset{Scope: registry.Scope{Pattern: dsl.NamePattern(s.chain)}})
		}
		set := &sets[len(sets)-1]
		set.Rules = append(set.Rules, registry.RuleDef{Rule: r, Source: registry.Source{File: "workload"}})
	}
	return sets
}

// history is how many executions every chain of the workload has behind it.
const history = 10

func window(s spec) time.Duration { return time.Duration(s.seconds) * time.Second }
