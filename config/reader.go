package config

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// reader reads a configuration out of its document.
type reader struct {
	*document.Document
	config *Config
}

// Fields reads a map of settings, as the document does, and notes those that
// have no value: whoever writes reviewer: and nothing behind it may believe that
// there is one.
func (r *reader) Fields(n *document.Node, what string, fields []document.Field, hints map[string]string) (known bool) {
	if n.Kind == jsonv.Object {
		for i, name := range n.Names {
			if item := n.Items[i]; item.Kind == jsonv.Null {
				r.config.warnings = append(r.config.warnings, fmt.Sprintf("%s:%d:%d: %s has no value, and is as good as left out", r.File, name.Pos.Line, name.Pos.Column, name.Text))
			}
		}
	}
	return r.Document.Fields(n, what, fields, hints)
}

// mark keeps where a setting stands.
func (r *reader) mark(setting string, n *document.Node) { r.config.said[setting] = n.Pos }

// markAll keeps where a list stands, and each of its entries, such as policies[0].
func (r *reader) markAll(setting string, n *document.Node) {
	r.mark(setting, n)
	for i, item := range n.Items {
		r.mark(fmt.Sprintf("%s[%d]", setting, i), item)
	}
}

// wrong reports a value that cannot be.
func (r *reader) wrong(n *document.Node, what, hint string) {
	value := n.Kind.String()
	if n.Scalar() {
		value = document.Quote(n.Text)
	}
	r.Report(document.SyntaxID, n.Pos, what+" cannot be "+value, hint)
}

// texts reads a list of texts that are not empty.
func (r *reader) texts(n *document.Node, what string) []string {
	texts := []string{}
	for _, item := range r.List(n, what, maxList) {
		if text, ok := r.Text(item, "an entry of "+what); ok {
			if text == "" {
				r.Report(document.SyntaxID, item.Pos, "an entry of "+what+" is empty", "remove it")
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// patterns reads a list of ability patterns, as ability: takes them.
func (r *reader) patterns(n *document.Node, what string) []dsl.NamePattern {
	patterns := []dsl.NamePattern{}
	for i, text := range r.texts(n, what) {
		patterns = append(patterns, r.pattern(n.Items[i], text))
	}
	return patterns
}

// pattern reads one pattern.
func (r *reader) pattern(n *document.Node, text string) dsl.NamePattern {
	condition, fault := dsl.ParseCondition(r.File, diag.Position{Line: 1, Column: 1}, "ability:"+text)
	if ability, ok := single(condition); fault == nil && ok {
		return ability.Name
	}
	r.Report(document.SyntaxID, n.Pos, document.Quote(text)+" is no pattern of abilities", "such as gmail.read or browser.*")
	return ""
}

func single(c dsl.Condition) (*dsl.Ability, bool) {
	if len(c) != 1 {
		return nil, false
	}
	a, ok := c[0].(*dsl.Ability)
	return a, ok && !a.Not
}

// maxCount is the highest number that a setting may have.
const maxCount = 1_000_000_000

// count reads a whole number of at least a least one.
func (r *reader) count(n *document.Node, what string, least int) int {
	v, err := strconv.Atoi(n.Text)
	if n.Kind != jsonv.Number || err != nil || v < least || v > maxCount {
		hint := "write a whole number of at least " + strconv.Itoa(least)
		if v > maxCount { // also of one that Atoi cannot hold
			hint = "write a whole number of at most " + strconv.Itoa(maxCount)
		}
		r.wrong(n, what, hint)
		return 0
	}
	return v
}

// flag reads on or off.
func (r *reader) flag(n *document.Node, what string) bool {
	switch n.Text {
	case "true", "on":
		return true
	case "false", "off":
		return false
	}
	r.wrong(n, what, "write true or false")
	return false
}

// duration reads a time such as 90s, or a number of seconds.
func (r *reader) duration(n *document.Node, what string) time.Duration {
	text := n.Text
	if n.Kind == jsonv.Number {
		text += "s"
	}
	d, ok := duration.Parse(text)
	if !n.Scalar() || !ok || d <= 0 {
		r.wrong(n, what, "write a time such as 90s, 10m or 2h")
		return 0
	}
	return d
}
