package chain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/dsl"
)

func TestFault26_LimitsOfAChain(t *testing.T) {
	many := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(line, "%", strings.Repeat("x", i/20)+string(rune('a'+i%20))))
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		before, line string
		most         int
	}{
		"steps":  {"id: c\nsteps:\n", "  - {id: a%, ability: x}\n", chain.MaxSteps},
		"params": {head + "params:\n", "  - {name: a%}\n", chain.MaxParams},
		"rules":  {head + "circuit_breakers:\n", "  - {condition: a%>1, action: warn}\n", chain.MaxRules},
	} {
		mustParse(t, tt.before+many(tt.most, tt.line))
		_, l := chain.Parse("c.yaml", []byte(tt.before+many(tt.most+1, tt.line)))
		if len(l) != 1 || l[0].ID != chain.LimitID {
			t.Errorf("%s: one too many: %v", name, l)
		}
	}
	for name, text := range map[string]string{
		"references": "id: c\nsteps: [{id: a, ability: x, args: {v: '" + strings.Repeat("{{a}}", chain.MaxRefs+1) + "'}}]",
		"depends_on": dependencies("first", chain.MaxDependencies+1),
		"enum":       head + "params: [{name: p, enum: [" + strings.Repeat("x,", chain.MaxEnum) + "x]}]",
		"file":       head + strings.Repeat("#", chain.MaxFile),
		"reason":     head + "circuit_breakers: [{condition: a>1, action: warn, reason: " + strings.Repeat("x", dsl.MaxLine+1) + "}]",
		"condition":  head + "circuit_breakers: [{condition: 'output:a|contains:" + strings.Repeat("x", dsl.MaxLine) + "', action: warn}]",
	} {
		if _, l := chain.Parse("c.yaml", []byte(text)); len(l) != 1 || l[0].ID != chain.LimitID {
			t.Errorf("%s: %.200v", name, l)
		}
	}
}

// dependencies is a chain with n entries of depends_on, all of them on.
func dependencies(on string, n int) string {
	var b strings.Builder
	b.WriteString("id: c\nsteps:\n  - {id: first, ability: x}\n")
	for i := range chain.MaxSteps - 1 {
		list := strings.Repeat(on+", ", min(n, 20))
		n -= min(n, 20)
		fmt.Fprintf(&b, "  - {id: s%d, ability: x, depends_on: [%s]}\n", i, list)
	}
	return b.String()
}

func TestAsManyDependenciesAsMayBe(t *testing.T) {
	mustParse(t, dependencies("first", chain.MaxDependencies))
}

func TestHostileDependenciesEndSoon(t *testing.T) {
	start := time.Now()
	text := dependencies("s%", chain.MaxDependencies)
	for i := range chain.MaxDependencies {
		text = strings.Replace(text, "%", fmt.Sprintf("1%02dx", i%100), 1) // each is almost the id of many steps
	}
	if c, l := chain.Parse("c.yaml", []byte(text)); c != nil || len(l) == 0 || l[0].ID != chain.DanglingID {
		t.Errorf("chain %v, %d findings", c != nil, len(l))
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestHostileTemplatesEndSoon(t *testing.T) {
	const n = 900 << 10
	for name, text := range map[string]string{
		"open":       strings.Repeat("{{", n/2),
		"open, then": strings.Repeat("{{", n/2) + "}}",
		"empty":      strings.Repeat("{{}}", n/4),
		"references": strings.Repeat("{{a}}", n/5),
		"close":      strings.Repeat("}}", n/2),
		"one":        "{{" + strings.Repeat("a.", n/2) + "a}}",
	} {
		start := time.Now()
		c, l := chain.Parse("c.yaml", []byte("id: c\nsteps: [{id: a, ability: x, args: {v: '"+text+"'}}]"))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if (c != nil) != (name == "close") || len(l) > 100 {
			t.Errorf("%s: chain %v, %d findings", name, c != nil, len(l))
		}
	}
}
