package review

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/cbpolicy/cbpolicy/dsl"
)

// CriticalPatterns are the abilities that are critical by default, a new slice
// each time: those that move money, destroy, go live, run anything, or change
// who may do what. A verb counts alone, as the last part of a name of two or
// three, and before an underscore or hyphen there: pay, order.pay, pay_invoice, order.pay-invoice;
// and so in names as MCP servers' tools have them: mcp__shop__pay_invoice.
// Capitals within a word are read as an underscore before it: payInvoice.
func CriticalPatterns() []dsl.NamePattern {
	var patterns []dsl.NamePattern
	for _, verb := range []string{
		"pay", "payment", "make_payment", "send_payment", "create_payment", "create_refund", "create_order", "place_order", "place_trade", "transfer", "withdraw", "refund", "trade", "buy", "sell", "order", "purchase", "send_money",
		"delete", "drop", "truncate", "destroy", "purge", "wipe", "erase", "terminate", "rm",
		"deploy", "release", "publish", "merge", "migrate", "rollback", "force_push",
		"execute", "exec", "shell", "bash", "sudo",
		"grant", "revoke", "chmod", "chown", "set_permissions", "reset_password", "rotate",
	} {
		for _, form := range []string{"%s", "%s_*", "%s-*", "*.%s", "*.%s_*", "*.%s-*", "*.*.%s", "*.*.%s_*", "*.*.%s-*", "mcp__*__%s", "mcp__*__%s_*"} {
			patterns = append(patterns, dsl.NamePattern(fmt.Sprintf(form, verb)))
		}
	}
	return patterns
}

// critical returns the first ability that a critical pattern covers; "": there is none.
func (l Limits) critical(abilities []string) string {
	patterns := l.Critical
	if patterns == nil {
		patterns = CriticalPatterns()
	}
	for _, a := range abilities {
		plain, spelt := dsl.Fold(a), dsl.Fold(underscored(a))
		for _, p := range patterns {
			if p = p.Fold(); p.Match(plain) || p.Match(spelt) {
				return a
			}
		}
	}
	return ""
}

// underscored writes deletePullRequest as delete_Pull_Request.
func underscored(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
