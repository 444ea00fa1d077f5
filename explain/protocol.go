package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// Protocol is what an agent is told of the breakers it works under, as a part
// of its system prompt: what the answers mean that it can get, what to do on
// each, and the limits in force. It does not need to know what only observes.
type Protocol struct {
	Rules      []*registry.Rule
	Breakers   []session.Breaker // nil: none
	Delegation session.Delegation
}

// String is the protocol as Markdown. It speaks only of answers that the rules
// can give.
func (p *Protocol) String() string {
	var b strings.Builder
	b.WriteString(`## Circuit breakers

Every tool call, chain step and delegation is judged by fixed rules before it
runs. The rules count; they cannot be argued with. A refused call was not made.
Making it again, under another name or in smaller parts, is refused as well.

When a call is refused, do this:
`)
	for _, answer := range p.answers() {
		b.WriteString(answer)
	}
	p.limits(&b)
	p.breakers(&b)
	return b.String()
}

// answers say what to do on each answer that can be had.
func (p *Protocol) answers() (all []string) {
	if p.breaks() {
		all = append(all, `
- **CircuitBreakerOpen**: the tool has failed too often in a row.
  1. Stop: do not call it again, and do not call it by another name.
  2. Wait for the time that is given, or switch to another tool that does the work.
  3. Analyse: say in a sentence what failed and why before you go on.
  4. Ask the user if there is no other tool and the work cannot wait.
`)
	}
	if p.has(dsl.Throttle) {
		all = append(all, `
- **throttle**: there is no room now. Do other work until retry_after has passed,
  then make the call once. Where no time is given, go on without it.
`)
	}
	if p.has(dsl.Confirm) {
		all = append(all, `
- **confirm**: a person has to say yes. Say plainly what the call does and why.
  A no is final. A yes is for this one call with these arguments.
`)
	}
	if p.has(dsl.Review) {
		all = append(all, `
- **review**: stop, and hand over what you have. Go on only with the guidance
  that comes back, and not as before.
`)
	}
	if p.has(dsl.Abort) {
		all = append(all, `
- **abort**: the call is not allowed. Find a way to the goal that does not need
  it, or tell the user which rule stands in the way. Where the answer says that
  the task has ended, stop: say what is done, what is not, and what you would try.
`)
	}
	if p.caps() {
		all = append(all, p.delegation())
	}
	return all
}

// has reports whether a rule that decides has an action.
func (p *Protocol) has(kind dsl.ActionKind) bool {
	for _, r := range p.Rules {
		if r.Action.Kind == kind && r.Options.Mode == dsl.Enforce {
			return true
		}
	}
	return false
}

// caps reports whether failed workers are refused.
func (p *Protocol) caps() bool {
	for _, r := range p.Rules {
		if r.ID == registry.DelegationLimit && r.Options.Mode == dsl.Enforce {
			return true
		}
	}
	return false
}

func (p *Protocol) delegation() string {
	var b strings.Builder
	b.WriteString(`
- **A worker is refused** (delegation_limit): it has failed as often as it may. Do
  not give it the task again in other words.
`)
	for _, a := range p.Delegation.Alternatives {
		fmt.Fprintf(&b, "  In the place of %s turn to %s.\n", a.Workers, strings.Join(a.Use, ", then "))
	}
	if p.Delegation.After > 0 {
		fmt.Fprintf(&b, "  It may be tried again %s after its last failure.\n", duration.Format(p.Delegation.After))
	}
	if p.Delegation.Escalate {
		b.WriteString("  Where nobody else can do it, hand your task back with what you know by now.\n")
	} else {
		b.WriteString("  Where nobody else can do it, ask the user how to go on.\n")
	}
	return b.String()
}

// limits lists the rules that decide, a line each.
func (p *Protocol) limits(b *strings.Builder) {
	first := true
	for _, r := range p.Rules {
		if r.Options.Mode != dsl.Enforce {
			continue
		}
		if first {
			b.WriteString("\nThe rules in force:\n\n")
			first = false
		}
		where := ""
		if chain := pattern(r); chain != "*" {
			where = " in " + chain
		}
		fmt.Fprintf(b, "- %s%s: %s: %s\n", r.Action, where, code(r.Condition.String()), diag.Escape(r.ReasonText()))
	}
}

// code is a text as Markdown that is shown as it is, whatever it holds.
func code(text string) string {
	text = diag.Escape(text)
	if strings.Contains(text, "`") {
		return "`` " + strings.ReplaceAll(text, "``", "` `") + " ``"
	}
	return "`" + text + "`"
}

// breaks reports whether any ability has a breaker.
func (p *Protocol) breaks() bool {
	for i := range p.Breakers {
		if !p.Breakers[i].Off {
			return true
		}
	}
	return false
}

func (p *Protocol) breakers(b *strings.Builder) {
	if len(p.Breakers) == 0 {
		return
	}
	b.WriteString("\nThe breakers of tools, of which the first that covers a tool counts:\n\n")
	for i := range p.Breakers {
		r := &p.Breakers[i]
		c := r.WithDefaults()
		switch {
		case r.Off:
			fmt.Fprintf(b, "- `%s`: none\n", r.Abilities)
		case c.Manual:
			fmt.Fprintf(b, "- `%s`: opens after %d failures in a row, and stays open until an operator closes it\n", r.Abilities, c.Threshold)
		default:
			fmt.Fprintf(b, "- `%s`: opens after %d failures in a row; one call is tried %s later\n", r.Abilities, c.Threshold, duration.Format(c.Reset.Round(time.Millisecond)))
		}
	}
}
