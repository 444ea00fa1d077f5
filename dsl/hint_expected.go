package dsl

import "strings"

// What may stand at a place, in words.
const (
	wantAtom     = "a condition, such as amount>1000, frequency>5/1h or ability:email.send"
	wantAfterNot = `"ability:", "after:", "output:" or "arg:" after the "!"`
	wantOp       = "a comparison such as > or <="
	wantValue    = "a number such as 1000 or 30m, or a parameter such as {{max_spend}}"
	wantParam    = "the name of a parameter, such as {{max_spend}}"
	wantName     = "a name such as email.send or email.*"
	wantPath     = "a key such as error_msg, or * for any"
	wantMatch    = `a match such as "|contains:fail"`
	wantPattern  = "a pattern, such as fail or \"not found\""
	wantSource   = `"user" or "outputs" after "in:"`
	wantCount    = "a count, such as frequency>5/1h"
	wantOver     = `">" and a count, such as frequency>5/1h`
	wantScope    = `a scope: "session" or "all"`
	wantWindow   = "a window such as 1h after the slash"
	wantSlash    = `"/" and a window, such as frequency>5/1h`
	wantUnit     = "a unit: s, m, h or d"
	wantExpr     = "an expression, such as args.amount > 2 * params.limit"
	wantAction   = "an action: abort, confirm, throttle, review or warn"
	wantReason   = "a reason in double quotes, or an option such as id=NAME"
	wantOption   = "an option: id=NAME, mode=observe, missing=skip or on_store_error=allow"
	wantDuration = "a limit such as 5m"
	wantNothing  = "nothing more"
)

// expectedInAtom tells by the shape of what was read of an atom what may follow.
// Where it ends with "…" the atom is complete.
var expectedInAtom = [...]struct{ shape, want string }{
	{"", wantAtom},
	{"!", wantAfterNot},
	{"Key", wantOp},
	{"Key Op", wantValue},
	{"Key Op Number", "…"},
	{"Key Op Number Key", "…"},
	{"Key Op {{", wantParam},
	{"Key Op {{ Key", `"}}"`},
	{"Key Op {{ Key }}", "…"},
	{"frequency", wantOver},
	{"frequency @", wantScope},
	{"frequency @ Key", wantOver},
	{"frequency Op", wantCount},
	{"frequency Op Number", wantSlash},
	{"frequency Op Number /", wantWindow},
	{"frequency Op Number / Number", wantUnit},
	{"frequency Op Number / Number Key", "…"},
	{"FrequencyTag", wantName},
	{"AbilityTag", wantName},
	{"AfterTag", wantName},
	{"AbilityTag Name", "…"},
	{"AfterTag Name", "…"},
	{"WhenTag", wantExpr},
	{"WhenTag Expr", "…"},
	{"ArgTag", wantPath},
	{"ArgTag Path", wantMatch},
	{"ArgTag Path MatchTag", wantPattern},
	{"ArgTag Path MatchTag Pattern", "…"},
	{"ArgTag Path InTag", wantSource},
	{"ArgTag Path InTag Key", "…"},
}

// expectedInTail is the same for action, reason and options.
var expectedInTail = [...]struct {
	field       int
	shape, want string
}{
	{1, "", wantAction},
	{1, "Key (", wantDuration},
	{1, "Key ( Number", wantUnit},
	{1, "Key ( Number Key", `")"`},
	{1, "Key", `"|" and a reason in double quotes`},
	{1, "Key ( Number Key )", `"|" and a reason in double quotes`},
	{2, "", wantReason},
	{2, "String", `"|" and options`},
	{3, "", wantOption},
}

// expected says in words what may stand at the offending token.
func (p *stop) expected() string {
	if p.field > 0 {
		for _, e := range expectedInTail {
			if e.field == p.field && e.shape == p.shape {
				return p.orEnd(e.want)
			}
		}
		return p.expectedOption()
	}
	shape := p.atomShape()
	for _, e := range expectedInAtom {
		if e.shape != shape {
			continue
		}
		if e.want != "…" {
			return e.want
		}
		if p.as == formCondition {
			return `"&" and another condition`
		}
		return `"&" and another condition, or "|" and an action`
	}
	return wantAtom
}

// orEnd leaves out what an action by itself has not.
func (p *stop) orEnd(want string) string {
	if p.as == formAction && strings.HasPrefix(want, `"|"`) {
		return wantNothing
	}
	return want
}

// expectedOption looks at the option that was begun.
func (p *stop) expectedOption() string {
	option := p.shape[strings.LastIndex(p.shape, ",")+1:]
	switch strings.TrimSpace(option) {
	case "":
		return wantOption
	case "IdTag":
		return "a name for the rule, such as id=max-amount"
	case "Key":
		return `"=" and a value`
	case "Key =":
		return optionValues(p.value(p.at - 2))
	case "Key = Key", "IdTag Name", "IdTag String":
		return `"," and another option, or the end of the rule`
	}
	return wantNothing
}

func optionValues(option string) string {
	for _, o := range optionNames {
		if o.name == option {
			return "one of " + strings.Join(o.values, ", ") + " after " + option + "="
		}
	}
	return "a value"
}

// atomShape is the shape with what does not matter to what may follow
// brought to one form.
func (p *stop) atomShape() string {
	shape := strings.TrimPrefix(p.shape, "! ")
	if rest, ok := strings.CutPrefix(shape, "FrequencyTag "); ok {
		for _, name := range []string{"Name", "String"} {
			if r, ok := strings.CutPrefix(rest, name); ok {
				shape = "frequency" + r
			}
		}
	}
	if rest, ok := strings.CutPrefix(shape, "frequency @ Key "); ok {
		shape = "frequency " + rest
	}
	shape = strings.Replace(shape, "Tag String", "Tag Name", 1)
	shape = strings.Replace(shape, "OutputTag", "ArgTag", 1)
	for _, pattern := range []string{"Bare", "String", "Raw", "Name"} {
		shape = strings.Replace(shape, "MatchTag "+pattern, "MatchTag Pattern", 1)
	}
	return shape
}
