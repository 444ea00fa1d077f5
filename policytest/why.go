package policytest

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
)

// Why says in lines what was decided and which rules fired, so that a reader
// sees what is behind a failure.
func (f *Failure) Why() []string {
	if f.Verdict != nil {
		return verdictLines(f.Verdict, "")
	}
	var out []string
	if f.Run == nil {
		return out
	}
	for i := range f.Run.Steps {
		s := &f.Run.Steps[i]
		line := fmt.Sprintf("%s (%s) %s", s.Step, s.Ability, s.Outcome)
		if s.Error != nil {
			line += fmt.Sprintf(": %s: %s", s.Error.Class, s.Error.Message)
		}
		out = append(out, line)
		if s.Verdict != nil {
			out = append(out, firedLines(s.Verdict, "  ")...)
		}
	}
	if f.Run.Final != nil {
		out = append(out, "after the last step: "+f.Run.Final.Decision)
		out = append(out, firedLines(f.Run.Final, "  ")...)
	}
	if f.Cause != "" {
		out = append(out, f.Cause)
	}
	return out
}

func verdictLines(v *registry.VerdictJSON, indent string) []string {
	if len(v.Fired) == 0 {
		return []string{indent + "no rule fired"}
	}
	return firedLines(v, indent)
}

// firedLines says of each fired rule what it does, what it compared, and where it stands.
func firedLines(v *registry.VerdictJSON, indent string) []string {
	var out []string
	for _, f := range v.Fired {
		action := f.Action
		switch {
		case f.Mode == "observe":
			action += ", observed only"
		case f.Approved:
			action += ", approved"
		}
		line := fmt.Sprintf("%s%s (%s): %s", indent, f.Rule, action, f.Explain)
		if f.Source != "" {
			line += fmt.Sprintf(" [%s rule at %s]", f.Origin, f.Source)
		}
		out = append(out, line)
	}
	if v.RetryAfterMS != 0 {
		out = append(out, indent+"retry after: "+waitText(v.RetryAfterMS))
	}
	return out
}
