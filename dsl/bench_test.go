package dsl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
)

func BenchmarkParseRule(b *testing.B) {
	for name, text := range map[string]string{
		"threshold": `amount>1000|abort|"Transaction exceeds $1000 limit"`,
		"frequency": `frequency>5/1h|throttle|"Max 5 trades per hour"`,
		"match":     `output:error_msg|contains:fail|abort|"Step produced failure indicator"`,
		"three":     `ability:send_money & after:read_* & !arg:recipient|in:user|confirm|"The recipient did not come from the user"`,
		"when":      `when: args.amount > 2 * params.limit || (risk == "high" && step != "a")|review|"r"|id=x`,
		"fault":     `frequency>10|throttle|"Max 5 trades per hour"`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dsl.ParseRule("", start, text)
			}
		})
	}
}

func BenchmarkParsePolicy1000(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "CHAIN:chain%d\n", i)
		for j := range 10 {
			switch {
			case j < 3:
				fmt.Fprintf(&text, "B:amount_%d>%d|abort|\"Transaction exceeds the limit\"\n", j, 1000+i)
			case j < 6:
				fmt.Fprintf(&text, "B:ability:trading.execute%d|confirm|\"Confirm before executing\"\n", j)
			case j < 8:
				fmt.Fprintf(&text, "B:output:error_%d|contains:fail|abort|\"Step produced failure indicator\"\n", j)
			default:
				fmt.Fprintf(&text, "B:frequency>%d/%dh|throttle|\"Too many requests\"\n", 5+i, j)
			}
		}
	}
	data := []byte(text.String())
	b.ReportAllocs()
	for b.Loop() {
		if p, findings := dsl.ParsePolicy("", data); len(findings) > 0 || p.Rules() != 1000 {
			b.Fatal(p.Rules(), findings)
		}
	}
}
