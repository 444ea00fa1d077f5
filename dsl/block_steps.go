package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cbpolicy/cbpolicy/diag"
)

// BlockParam is a parameter that a block declares: name:type:default.
type BlockParam struct {
	Name, Type string
	Default    string
	HasDefault bool
	Pos        diag.Position
}

// BlockStep is a step that a block writes: ability:args>output.
type BlockStep struct {
	ID         string // of ADD_STEP; "" for S:
	Ability    string
	Args       []BlockArg
	Output     string // "": none is named
	Confirm    bool   // !confirm behind it: a person is asked before
	Pos        diag.Position
	AbilityPos diag.Position
}

// Change is a line that changes the chain of a PATCH.
type Change struct {
	Param  *BlockParam // of ADD_PARAM
	Step   *BlockStep  // of ADD_STEP
	Before bool        // the step goes before the one named, else after it
	Remove bool        // REMOVE_STEP
	Name   string      // the step that an ADD_STEP stands beside, or that is removed
	Pos    diag.Position
}

// paramWords are the types of parameters that a block may name.
func paramWords() []string {
	return []string{"text", "str", "string", "number", "int", "integer", "float", "url", "bool", "boolean", "cron", "time", "date", "duration"}
}

// readParams reads P:name:type:default|name:type:default.
func (r *blockReader) readParams(l blockLine) {
	for from := 0; from <= len(l.Text) && len(r.findings) < MaxFindings; {
		end := from + len(firstPart(l.Text[from:]))
		p, f := l.param(from, end)
		switch {
		case f != nil:
			r.report(f)
		case slices.ContainsFunc(r.block.Params, func(o BlockParam) bool { return o.Name == p.Name }):
			r.report(l.text.fault(from, end, "a second parameter "+inQuotes(p.Name), "choose another name"))
		case len(r.block.Params) == MaxBlockParams:
			r.report(l.text.tooMany(from, end, "parameters", MaxBlockParams))
			return
		default:
			r.block.Params = append(r.block.Params, *p)
		}
		from = end + 1
	}
}

func (l *blockLine) param(from, to int) (*BlockParam, *diag.Finding) {
	const hint = "write name:type or name:type:default, such as city:str:NYC"
	fields := strings.SplitN(l.Text[from:to], ":", 3)
	p := &BlockParam{Name: trimBlank(fields[0]), Pos: l.text.at(skipBlanks(l.Text, from))}
	switch {
	case len(fields) < 2:
		return nil, l.text.fault(from, max(to, from+1), "a parameter is missing its type", hint)
	case IsReserved(p.Name):
		return nil, l.text.fault(from, from+len(fields[0]), inQuotes(p.Name)+" cannot be the name of a parameter", "it begins conditions of rules; choose another name")
	case !blockName().MatchString(p.Name):
		return nil, l.text.fault(from, from+len(fields[0]), inQuotes(p.Name)+" cannot be the name of a parameter", `a letter or "_", then letters, digits, "_" and "-"`)
	}
	if p.Type = trimBlank(fields[1]); !slices.Contains(paramWords(), p.Type) {
		at := from + len(fields[0]) + 1
		return nil, l.text.fault(at, at+len(fields[1]), "unknown type "+inQuotes(p.Type), didYouMean(p.Type, paramWords(), "", ""))
	}
	if len(fields) == 3 {
		p.Default, p.HasDefault = trimBlank(fields[2]), true
	}
	return p, nil
}

// maxBlockName is the longest name that values are bound to, in bytes.
const maxBlockName = 256

// blockName is the name of a parameter, an output or a step: one segment of a key.
var blockName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`^[A-Za-z_][A-Za-z0-9_-]{0,%d}$`, maxBlockName-1))
})

// readStep reads S:ability:args>output.
func (r *blockReader) readStep(l blockLine) {
	s, f := l.step(l.text)
	if f != nil {
		r.report(f)
		return
	}
	s.Pos = l.Pos
	r.block.Steps = append(r.block.Steps, *s)
}

// step reads ability:args>output, with !confirm at the end of either part.
func (l *blockLine) step(text *source) (*BlockStep, *diag.Finding) {
	s := &BlockStep{}
	body := strings.TrimRight(text.text, " \t")
	body, s.Confirm = cutConfirm(body)
	at, open := outputAt(body)
	if open {
		return nil, text.fault(0, len(body), "the quote before the last > is not closed, so it may belong to the text or name the output", `close the quote, or write \" inside a quoted text`)
	}
	if at >= 0 {
		s.Output = trimBlank(body[at+1:])
		if IsReserved(s.Output) {
			return nil, text.fault(at+1, len(body), inQuotes(s.Output)+" cannot be the name of an output", "it begins conditions of rules; choose another name")
		}
		confirm := false
		body, confirm = cutConfirm(strings.TrimRight(body[:at], " \t"))
		s.Confirm = s.Confirm || confirm
	}
	name, _, hasArgs := strings.Cut(body, ":")
	s.Ability = trimBlank(name)
	from := skipBlanks(name, 0)
	s.AbilityPos = text.at(from)
	switch {
	case s.Ability == "":
		return nil, text.fault(0, max(len(body), 1), "the step names no ability", "such as S:trading.get_price:symbol=$ticker>price")
	case !plainName().MatchString(s.Ability) || strings.Contains(s.Ability, "*") || hasInvisible(s.Ability):
		return nil, text.fault(from, from+len(s.Ability), inQuotes(s.Ability)+" cannot be the name of an ability", "such as trading.get_price")
	}
	if !hasArgs {
		return s, nil
	}
	args := &source{file: text.file, pos: text.at(len(name) + 1), text: body[len(name)+1:], line: l.src.text}
	var f *diag.Finding
	s.Args, f = args.args()
	return s, f
}

// cutConfirm takes !confirm off the end of a text. Anywhere else it is text.
func cutConfirm(text string) (string, bool) {
	rest, ok := strings.CutSuffix(text, "!confirm")
	return strings.TrimRight(rest, " \t"), ok
}

// outputAt returns where the ">" of an output stands: the last one outside
// quotes, if nothing but a name follows it; else −1. open: such a one stands
// behind a quote that nothing closes.
func outputAt(text string) (at int, open bool) {
	at, quoted, last := -1, false, -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == '>':
			if last = i; !quoted {
				at = i
			}
		}
	}
	named := func(at int) bool { return at >= 0 && blockName().MatchString(trimBlank(text[at+1:])) }
	if quoted && last != at && named(last) {
		return -1, true
	}
	if !named(at) {
		return -1, false
	}
	return at, false
}

// readChange reads ADD_PARAM, ADD_STEP and REMOVE_STEP.
func (r *blockReader) readChange(l blockLine) {
	c := Change{Pos: l.Pos}
	var f *diag.Finding
	switch l.Tag {
	case "ADD_PARAM":
		c.Param, f = l.param(0, len(l.Text))
	case "REMOVE_STEP":
		c.Remove = true
		c.Name, f = l.stepName(l.text, "such as REMOVE_STEP:notify")
	default:
		f = l.addStep(&c)
	}
	if f != nil {
		r.report(f)
		return
	}
	r.block.Changes = append(r.block.Changes, c)
}

// addStep reads after:STEP|ID|ABILITY|ARGS.
func (l *blockLine) addStep(c *Change) *diag.Finding {
	const hint = "write after:STEP|ID|ABILITY|ARGUMENTS, or before:"
	fields := strings.SplitN(l.Text, "|", 4)
	if len(fields) < 3 {
		return l.text.fault(0, max(len(l.Text), 1), "the step to add is not complete", hint)
	}
	where, beside, _ := strings.Cut(fields[0], ":")
	switch trimBlank(where) {
	case "before":
		c.Before = true
	case "after":
	default:
		return l.text.fault(0, len(where), "unknown place "+inQuotes(trimBlank(where)), didYouMean(trimBlank(where), []string{"after", "before"}, "", ":"))
	}
	var f *diag.Finding
	if c.Name, f = l.stepName(l.part(len(where)+1, beside), hint); f != nil {
		return f
	}
	at := len(fields[0]) + 1
	id, f := l.stepName(l.part(at, fields[1]), hint)
	if f != nil {
		return f
	}
	at += len(fields[1]) + 1
	step := l.Text[at:]
	if i := strings.IndexByte(step, '|'); i >= 0 { // as in S:, where ":" stands before the arguments
		step = step[:i] + ":" + step[i+1:]
	}
	if c.Step, f = l.step(l.part(at, step)); f != nil {
		return f
	}
	c.Step.ID, c.Step.Pos = id, l.Pos
	return nil
}

// part is a part of the line's text from an offset on.
func (l *blockLine) part(at int, text string) *source {
	return &source{file: l.text.file, pos: l.text.at(min(at, len(l.Text))), text: text, line: l.src.text}
}

func (l *blockLine) stepName(s *source, hint string) (string, *diag.Finding) {
	name := trimBlank(s.text)
	if !blockName().MatchString(name) || IsReserved(name) {
		return "", s.fault(0, max(len(s.text), 1), inQuotes(name)+" cannot be the name of a step", hint)
	}
	return name, nil
}

// ttl reads the time of CACHE.
func (l *blockLine) ttl(text string) (Duration, *diag.Finding) {
	fault := l.text.fault(0, max(len(text), 1), inQuotes(trimBlank(text))+" is no time", "such as CACHE:1h")
	m := cacheTime().FindStringSubmatch(trimBlank(text))
	if m == nil {
		return Duration{}, fault
	}
	n, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil || n == 0 {
		return Duration{}, fault
	}
	d := Duration{N: n, Unit: Unit(m[2][0])}
	if n > maxCacheSeconds/d.Unit.Seconds() {
		fault.Message, fault.Hint = inQuotes(trimBlank(text))+" is longer than a year", "such as CACHE:1d"
		return Duration{}, withID(fault, LimitID)
	}
	return d, nil
}

// maxCacheSeconds is the longest time that an answer may be kept: a year.
const maxCacheSeconds = 365 * 86400

// cacheTime is a whole number, bounded where it is read, and a unit of time.
var cacheTime = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+)([smhd])$`) })

// once reports a second line of a tag that stands once.
func (r *blockReader) once(l blockLine) bool {
	for _, other := range r.lines {
		if other.Tag == l.Tag {
			if other.Pos == l.Pos {
				return true
			}
			f := l.fault(fmt.Sprintf("a second %s: line", l.Tag), "a block has one")
			f.Related = []diag.Related{{File: r.block.File, Pos: other.Pos, Message: "the first one"}}
			r.report(f)
			return false
		}
	}
	return true
}
