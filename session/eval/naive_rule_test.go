package eval_test

import (
	"fmt"
	"strconv"
	"strings"
)

// rule is one policy line, with the section it stands in.
type rule struct {
	id      string
	section string // a pattern over chain ids
	atoms   []atom
	action  string
	limit   string // of a confirm or a throttle, such as "(30s)"; "": the default
	reason  string // "": none written
	missing string // "", wait, fire or skip
	observe bool
	spaced  bool // written with blanks around its tokens
}

// atom is one test of a rule's condition. Text prints it; blank is what
// stands around its tokens.
type atom interface {
	judge(r rule, h *history, s step) judgement
	text(blank string) string
}

func (r rule) mode() string {
	if r.observe {
		return "observe"
	}
	return "enforce"
}

// line prints the rule as a policy line.
func (r rule) line() string {
	blank := ""
	if r.spaced {
		blank = " "
	}
	atoms := make([]string, len(r.atoms))
	for i, a := range r.atoms {
		atoms[i] = a.text(blank)
	}
	fields := []string{"B:" + blank + strings.Join(atoms, blank+"&"+blank), r.action + r.limit}
	if r.reason != "" {
		fields = append(fields, strconv.Quote(r.reason))
	}
	options := []string{"id=" + r.id}
	if r.observe {
		options = append(options, "mode=observe")
	}
	if r.missing != "" {
		options = append(options, "missing="+r.missing)
	}
	fields = append(fields, strings.Join(options, ","+blank))
	return strings.Join(fields, blank+"|"+blank)
}

// policyText prints rules as a policy file. Rules of one section stand together.
func policyText(rules []rule) string {
	var b strings.Builder
	section := "*"
	for _, r := range rules {
		if r.section != section {
			section = r.section
			fmt.Fprintf(&b, "CHAIN:%s\n", section)
		}
		b.WriteString(r.line() + "\n")
	}
	return b.String()
}

// threshold is Key Op Value.
type threshold struct {
	key, op, limit string
	unit           string // "", s, m, h or d
}

func (a threshold) text(blank string) string {
	return a.key + blank + a.op + blank + a.limit + a.unit
}

// frequency is "frequency" [":" name] ["@" scope] ">" count "/" window.
type frequency struct {
	name   string // "": executions of the chain
	scope  string // "", chain, session or all
	count  int
	window int // in units
	unit   string
}

func (a frequency) text(blank string) string {
	var b strings.Builder
	b.WriteString("frequency")
	if a.name != "" {
		b.WriteString(":" + blank + nameText(a.name))
	}
	if a.scope != "" {
		b.WriteString(blank + "@" + a.scope)
	}
	fmt.Fprintf(&b, "%s>%s%d/%d%s", blank, blank, a.count, a.window, a.unit)
	return b.String()
}

// ability is ["!"] "ability:" name.
type ability struct {
	not  bool
	name string
}

func (a ability) text(blank string) string {
	return bang(a.not) + "ability:" + blank + nameText(a.name)
}

// after is ["!"] "after:" name.
type after struct {
	not  bool
	name string
}

func (a after) text(blank string) string {
	return bang(a.not) + "after:" + blank + nameText(a.name)
}

// match is ["!"] ("output:" | "arg:") key "|" kind ":" pattern. For the kind
// "in" the pattern is user or outputs.
type match struct {
	not     bool
	subject string // output or arg
	key     string
	kind    string
	pattern string
	quote   rune // '"', '`' or 0: bare
}

func (a match) text(blank string) string {
	pattern := a.pattern
	switch a.quote {
	case '"':
		pattern = strconv.Quote(pattern)
	case '`':
		pattern = "`" + pattern + "`"
	}
	return bang(a.not) + a.subject + ":" + blank + a.key + blank + "|" + blank + a.kind + ":" + blank + pattern
}

// when is the small part of "when:" that needs no expression language:
// [has(args.key) &&] args.key op value.
type when struct {
	guarded bool
	key, op string
	value   string // a number, or a text
	isText  bool
}

func (a when) text(blank string) string {
	value := a.value
	if a.isText {
		value = strconv.Quote(value)
	}
	test := fmt.Sprintf("args.%s %s %s", a.key, a.op, value)
	if a.guarded {
		test = fmt.Sprintf("has(args.%s) && %s", a.key, test)
	}
	return "when:" + blank + test
}

func bang(not bool) string {
	if not {
		return "!"
	}
	return ""
}

// nameText quotes a name that holds more than ASCII letters, digits and the
// signs a bare name may hold.
func nameText(name string) string {
	if name == "@writes" {
		return name
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.ContainsRune("_-/:.*", c):
		default:
			return `"` + name + `"`
		}
	}
	return name
}
