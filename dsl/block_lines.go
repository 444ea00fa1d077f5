package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// tagKind says how a line of a block is read.
type tagKind int

const (
	tagRaw tagKind = iota + 1
	tagDomain
	tagGrant
	tagRule
	tagStep
	tagMode
	tagBare // a mode line without a colon
	tagFunc // only in a PROPOSE_FUNC block
	tagParams
	tagChange // only in a PATCH block
)

// blockTags are the tags of a block.
var blockTags = map[string]tagKind{
	"D": tagDomain, "G": tagGrant, "B": tagRule, "S": tagStep,
	"NEW": tagMode, "C": tagMode, "PATCH": tagMode, "CACHE": tagMode, "NOCACHE": tagBare, "PROPOSE_FUNC": tagMode,
	"P": tagParams, "L": tagRaw, "R": tagRaw, "T": tagRaw,
	"ADD_PARAM": tagChange, "ADD_STEP": tagChange, "REMOVE_STEP": tagChange,
	"CAT": tagFunc, "SEC": tagFunc, "RET": tagFunc, "RF": tagFunc, "EX": tagFunc,
}

func knownBlockTags() []string {
	return []string{"D", "G", "B", "NEW", "C", "PATCH", "P", "S", "T", "L", "R", "CACHE", "NOCACHE",
		"ADD_PARAM", "ADD_STEP", "REMOVE_STEP", "PROPOSE_FUNC", "CAT", "SEC", "RET", "RF", "EX"}
}

// blockOnly is the hint for a tag that belongs in a block, not in a policy file.
func blockOnly(tag string) string {
	if blockTags[tag] > 0 {
		return tag + ": belongs into a <nyaya> block; a policy file has CHAIN: and B:"
	}
	return ""
}

// policyOnly is the hint for a tag that belongs in a policy file, not in a block.
func policyOnly(tag string) string {
	switch tag {
	case "CHAIN":
		return "CHAIN: belongs into a policy file; a block's rules hold for its own chain"
	case "NOCACHE":
		return "NOCACHE stands alone on its line, without a colon"
	}
	if blockTags[tag] > 0 {
		return "write " + tag + ": with a colon"
	}
	return ""
}

var modeKinds = map[string]BlockMode{"NEW": ModeNew, "C": ModeRun, "PATCH": ModePatch, "CACHE": ModeCache,
	"NOCACHE": ModeNoCache, "PROPOSE_FUNC": ModeProposeFunc}

// mode finds the mode line; a block has at most one.
func (r *blockReader) mode() {
	var first *blockLine
	for i := range r.lines {
		l := &r.lines[i]
		if kind := blockTags[l.Tag]; kind != tagMode && kind != tagBare {
			continue
		}
		if first != nil {
			f := l.fault("a second mode line", "a block does one thing: split it")
			f.Related = []diag.Related{{File: r.block.File, Pos: first.Pos, Message: "the first one"}}
			r.report(f)
			continue
		}
		first = l
		r.readMode(l)
	}
}

func (r *blockReader) readMode(l *blockLine) {
	m := &r.block.Mode
	m.Kind, m.Pos = modeKinds[l.Tag], l.Pos
	switch m.Kind {
	case ModeNoCache:
		return
	case ModeCache:
		if m.Args = trimBlank(l.Text); m.Args == "" {
			r.report(l.fault("CACHE: without a time", "such as CACHE:1h, or NOCACHE"))
			return
		}
		var f *diag.Finding
		if r.block.TTL, f = l.ttl(l.Text); f != nil {
			r.report(f)
		}
		return
	}
	name, args, given := strings.Cut(l.Text, "|")
	m.Args = args
	if given {
		for value := range strings.SplitSeq(args, "|") {
			if len(m.Values) == MaxBlockParams {
				r.report(l.text.tooMany(len(name)+1, len(l.Text), "values", MaxBlockParams))
				break
			}
			m.Values = append(m.Values, trimBlank(value))
		}
	}
	if m.Kind == ModeProposeFunc {
		r.block.Function = &Function{Name: trimBlank(name)}
	}
	var f *diag.Finding
	if m.Name, f = l.chainName(name, "such as "+l.Tag+":weather_check"); f != nil {
		r.report(f)
	}
}

// chainName reads a name that is to stand behind BlockPrefix. It has no "/"
// or wildcard, so that no name reaches beyond the prefix.
func (l *blockLine) chainName(text, hint string) (string, *diag.Finding) {
	s := &source{file: l.text.file, pos: l.text.pos, text: text, line: l.src.text}
	if f := s.checkText(); f != nil {
		return "", f
	}
	name := trimBlank(text)
	from := strings.Index(text, name)
	switch {
	case name == "":
		return "", s.fault(0, len(text), l.Tag+": without a name", hint)
	case !plainName().MatchString(name) || strings.ContainsAny(name, "/:*") || hasInvisible(name),
		strings.Contains(name, ".") && l.Tag != "PROPOSE_FUNC":
		return "", s.fault(from, from+len(name), inQuotes(name)+" cannot be the name of a chain or domain",
			`letters, digits, "_" and "-"; no "/" and no ".", so that `+BlockPrefix+`* covers every chain that a model writes`)
	}
	return name, nil
}

// readDomain reads D:domain|risk.
func (r *blockReader) readDomain(l blockLine) {
	if r.domain != nil {
		f := l.fault("a second D: line", "a block has one domain")
		f.Related = []diag.Related{{File: r.block.File, Pos: r.domain.Pos, Message: "the first one"}}
		r.report(f)
		return
	}
	r.domain = &l
	name, risk, found := strings.Cut(l.Text, "|")
	domain, f := l.chainName(name, "such as D:trading|medium")
	if f != nil {
		r.report(f)
		return
	}
	level, ok := ParseRisk(trimBlank(risk))
	if !ok {
		message := "the risk is missing"
		hint := "the risks are low, medium, high and critical"
		if found && trimBlank(risk) != "" {
			message = "unknown risk " + inQuotes(trimBlank(risk))
			hint = didYouMean(trimBlank(risk), riskNames[1:], "", "")
		}
		r.report(l.text.fault(min(len(name)+1, len(l.Text)), len(l.Text), message, hint))
		return
	}
	r.block.Domain, r.block.Risk = domain, level
}

// readGrants reads G:NAME,NAME. A name grants exactly itself.
func (r *blockReader) readGrants(l blockLine) {
	if f := l.text.checkText(); f != nil {
		r.report(f)
		return
	}
	for _, part := range splitGrants(l.Text) {
		if g, f := l.grant(part[0], part[1]); f != nil {
			r.report(f)
		} else if len(r.block.Grants) == MaxBlockGrants {
			r.report(l.text.tooMany(part[0], part[1], "grants", MaxBlockGrants))
			return
		} else if !slices.ContainsFunc(r.block.Grants, func(o Grant) bool { return o.Name == g.Name }) {
			r.block.Grants = append(r.block.Grants, g)
		}
	}
}

// splitGrants splits at the commas outside quotes and returns offsets.
func splitGrants(text string) (parts [][2]int) {
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ',' && !quoted:
			parts = append(parts, [2]int{start, i})
			start = i + 1
		}
	}
	return append(parts, [2]int{start, len(text)})
}

func (l *blockLine) grant(from, to int) (Grant, *diag.Finding) {
	const hint = "name an ability, such as G:ability:trading.execute"
	if trimBlank(l.Text[from:to]) == "" {
		return Grant{}, l.text.fault(from, max(to, from+1), "a grant is missing", hint)
	}
	for from < to && (l.Text[from] == ' ' || l.Text[from] == '\t') {
		from++
	}
	if rest, ok := strings.CutPrefix(l.Text[from:to], "ability"); ok {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), ":"); ok {
			from = to - len(after)
		}
	}
	if word, _, found := strings.Cut(l.Text[from:to], ":"); found && strings.HasPrefix(word, "a") && diag.Suggest(trimBlank(word), []string{"ability"}) != "" {
		return Grant{}, l.text.fault(from, from+len(word), "unknown word "+inQuotes(trimBlank(word))+" before the ability", "did you mean ability:?")
	}
	s := &source{file: l.text.file, pos: l.text.at(from), text: l.Text[from:to], line: l.src.text}
	name, f := s.wholeName(hint)
	if f == nil && strings.Contains(name, "*") {
		f = s.fault(0, len(s.text), "a grant names one ability; * is not allowed", "write each ability out")
	}
	return Grant{Name: name, At: s.span(0, len(strings.TrimRight(s.text, " \t")))}, f
}

// readRule reads a B: line and refuses what only an operator may say.
func (r *blockReader) readRule(l blockLine) {
	if r.rules++; r.rules > MaxBlockRules {
		if r.rules == MaxBlockRules+1 {
			r.report(withID(l.fault("too many rules", fmt.Sprintf("a block may hold %d", MaxBlockRules)), LimitID))
		}
		return
	}
	rule, f := parseRule(l.text)
	if f != nil {
		r.report(f)
		return
	}
	if rule.Options.ID == notGranted {
		r.report(l.fault(inQuotes(notGranted)+" is the id of the rule that G: lines make", "choose another id"))
		return
	}
	if rule.Options.OnStoreError != StoreDefault {
		r.report(l.fault("on_store_error is for operator rules only", "remove the option; the operator's policy may say it"))
		return
	}
	for _, a := range rule.Condition {
		if q, ok := a.(*Frequency); ok && q.Scope != ScopeChain {
			f := l.fault("a rule in a block has no wider scope than its chain", "remove @"+q.Scope.String())
			f.Pos, f.End = q.At.Start, q.At.End
			r.report(f)
			return
		}
	}
	r.block.Rules = append(r.block.Rules, rule)
}

// notGranted is the id of the rule that the registry makes of G: lines.
const notGranted = "not_granted"
