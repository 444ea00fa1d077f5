package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/cbpolicy/cbpolicy/diag"
)

// stop is the place where a parser gave up, as the hints look at it.
type stop struct {
	*source
	as     form
	tokens []lexer.Token
	at     int // index of the offending token
	field  int // 0: condition, 1: action, 2: reason or options, 3: options, 4: one too many
	start  int // index of the first token of the atom, in later fields of the field
	// shape tells what was read of the atom or field, one word a token, such as "Key Op Number".
	shape string
}

// advice is a message and a hint about some tokens; from and to are indexes
// of the first and the last.
type advice struct {
	from, to      int
	message, hint string
}

// explain says in words what was expected where a parser gave up, at the
// token that begins at the given offset. again parses the text from an offset
// on and returns where that fails.
func explain(s *source, as form, tokens []lexer.Token, offset int, again func(from int) int) *diag.Finding {
	p := locate(s, as, tokens, offset)
	if p.field == 0 && p.is("And") && p.complete() {
		// The parser returns to an "&" when the atom behind it fails; look at that atom.
		p = locate(s, as, tokens, again(tokens[p.at+1].Pos.Offset))
	}
	p.stepOver()
	for _, slip := range slips {
		if a, ok := slip(p); ok {
			return p.finding(a)
		}
	}
	want := p.expected()
	return p.finding(advice{p.at, p.at, "expected " + want + ", found " + p.found(), ""})
}

func (p *stop) finding(a advice) *diag.Finding {
	first, last := p.tokens[a.from], p.tokens[a.to]
	to := last.Pos.Offset + len(last.Value)
	if text := p.text[first.Pos.Offset:to]; text != "" {
		to = first.Pos.Offset + max(1, len(strings.TrimRight(text, " \t")))
	}
	return p.fault(first.Pos.Offset, to, a.message, a.hint)
}

// locate finds the token and the atom or field it stands in.
func locate(s *source, as form, tokens []lexer.Token, offset int) *stop {
	p := &stop{source: s, as: as, tokens: tokens}
	for p.at < len(tokens)-1 && tokens[p.at].Pos.Offset < offset {
		switch p.kind(p.at) {
		case "And":
			p.start = p.at + 1
		case "Bar":
			p.start = p.at + 1
			p.field++
		}
		p.at++
	}
	p.shape = p.shapeOf(p.start, p.at)
	return p
}

// stepOver moves on from the word that begins an atom: the parser returns to
// it where what follows fits nothing, but the fault is what follows.
func (p *stop) stepOver() {
	if p.field > 0 {
		return
	}
	begins := p.shape == "" && p.is("FrequencyTag", "WhenTag")
	if begins || (p.shape == "" || p.shape == "!") && p.is("AbilityTag", "AfterTag", "OutputTag", "ArgTag") {
		p.at++
		p.shape = p.shapeOf(p.start, p.at)
	}
}

// shapeOf writes the tokens from start up to but not including end as words of the table.
func (p *stop) shapeOf(start, end int) string {
	var words []string
	for i := start; i < end; i++ {
		w := p.kind(i)
		switch value := p.tokens[i].Value; w {
		case "Punct", "Not", "ParamOpen", "ParamClose":
			w = value
		case "Class":
			if w = "Name"; i > start && (p.kind(i-1) == "ArgTag" || p.kind(i-1) == "OutputTag") {
				w = "Path"
			}
		case "Word":
			if w = "Key"; i == start && value == "frequency" && p.field == 0 {
				w = "frequency"
			}
		case "Expr", "ExprString", "ExprOpen", "ExprClose", "ExprBar":
			if w = "Expr"; len(words) > 0 && words[len(words)-1] == w {
				continue
			}
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// kind is the name of a token's type; "" for the end.
func (p *stop) kind(i int) string {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].EOF() {
		return ""
	}
	return tokenNames()[p.tokens[i].Type]
}

func (p *stop) value(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.tokens[i].Value
}

// is reports whether the offending token has one of the given types.
func (p *stop) is(kinds ...string) bool {
	for _, k := range kinds {
		if p.kind(p.at) == k {
			return true
		}
	}
	return false
}

// ends reports whether the field ends at the offending token.
func (p *stop) ends() bool { return p.is("", "Bar", "And", "MatchTag", "InTag") }

// adjacent reports whether no blank stands between token i and the one before.
func (p *stop) adjacent(i int) bool {
	return i > 0 && p.tokens[i-1].Pos.Offset+len(p.tokens[i-1].Value) == p.tokens[i].Pos.Offset
}

// rest returns the text of the field from token i on, without outer blanks,
// and the index of its last token.
func (p *stop) rest(i int) (text string, last int) {
	last = i
	for p.kind(last+1) != "" && p.kind(last+1) != "Bar" {
		last++
	}
	end := p.tokens[last]
	return trimBlank(p.text[p.tokens[i].Pos.Offset : end.Pos.Offset+len(end.Value)]), last
}

func (p *stop) found() string {
	if p.kind(p.at) == "" {
		switch p.as {
		case formCondition:
			return "the end of the condition"
		case formAction:
			return "the end of the action"
		}
		return "the end of the rule"
	}
	return inQuotes(p.value(p.at))
}

// here is advice about the offending token.
func (p *stop) here(message, hint string) (advice, bool) {
	return advice{p.at, p.at, message, hint}, true
}

// around is advice about some tokens.
func around(from, to int, message, hint string) (advice, bool) {
	return advice{from, to, message, hint}, true
}

func none() (advice, bool) { return advice{}, false }
