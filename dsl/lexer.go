package dsl

import (
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// Patterns that several tokens share.
const (
	keySegment  = `[A-Za-z_][A-Za-z0-9_-]*`
	pathSegment = `[A-Za-z_*][A-Za-z0-9_*-]*`
	nameSegment = `[\p{L}0-9_/:*-]+`
	quoted      = `"(?:[^"\\]|\\.)*"`
	backquoted  = "`[^`]*`"
)

// lexerState is a state of the lexer with its tokens in the order they are tried.
type lexerState struct {
	name, about string
	rules       []lexer.Rule
}

// lexerStates returns the states. A token whose name begins with a small
// letter is dropped. The last token of a state takes any character, or the
// state returns to the one before: the lexer itself never fails, so that
// every fault is explained in one place.
func lexerStates() []lexerState {
	blank := lexer.Rule{Name: "blank", Pattern: `[ \t]+`}
	word := lexer.Rule{Name: "Word", Pattern: keySegment + `(?:\.` + keySegment + `)*`}
	number := lexer.Rule{Name: "Number", Pattern: `[+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`}
	punct := lexer.Rule{Name: "Punct", Pattern: `[:@/(),=]`}
	unclosed := lexer.Rule{Name: "Unclosed", Pattern: "[\"`].*"}
	bad := lexer.Rule{Name: "Bad", Pattern: `.`}
	text := func(action lexer.Action) lexer.Rule {
		return lexer.Rule{Name: "String", Pattern: quoted, Action: action}
	}
	bar := func(action lexer.Action) lexer.Rule {
		return lexer.Rule{Name: "Bar", Pattern: `\|`, Action: action}
	}
	exprText := lexer.Rule{Name: "Expr", Pattern: "(?:[^|&\"'`()\\[\\]{}]|\\|\\||&&)+"}
	exprString := lexer.Rule{Name: "ExprString", Pattern: quoted + `|'(?:[^'\\]|\\.)*'|` + backquoted}
	exprOpen := lexer.Rule{Name: "ExprOpen", Pattern: `[(\[{]`, Action: lexer.Push("Brackets")}
	exprUnclosed := lexer.Rule{Name: "ExprUnclosed", Pattern: "[\"'`].*"}

	return []lexerState{
		{"Root", "a condition", []lexer.Rule{
			blank,
			{Name: "AbilityTag", Pattern: `ability[ \t]*:`, Action: lexer.Push("Name")},
			{Name: "FrequencyTag", Pattern: `frequency[ \t]*:`, Action: lexer.Push("Name")},
			{Name: "AfterTag", Pattern: `after[ \t]*:`, Action: lexer.Push("Name")},
			{Name: "OutputTag", Pattern: `output[ \t]*:`, Action: lexer.Push("Path")},
			{Name: "ArgTag", Pattern: `arg[ \t]*:`, Action: lexer.Push("Path")},
			{Name: "WhenTag", Pattern: `when[ \t]*:`, Action: lexer.Push("When")},
			word,
			{Name: "Op", Pattern: `[<>]=?|[=!]=`},
			number,
			{Name: "MatchTag", Pattern: `\|[ \t]*(?:contains|icontains|equals|matches)[ \t]*:`, Action: lexer.Push("Pattern")},
			{Name: "InTag", Pattern: `\|[ \t]*in[ \t]*:`},
			bar(lexer.Push("Tail")),
			{Name: "And", Pattern: `&`},
			{Name: "Not", Pattern: `!`},
			{Name: "ParamOpen", Pattern: `\{\{`},
			{Name: "ParamClose", Pattern: `\}\}`},
			punct, text(nil), unclosed, bad,
		}},
		{"Name", "the name of an ability, or an id", []lexer.Rule{
			blank,
			{Name: "Name", Pattern: nameSegment + `(?:\.` + nameSegment + `)*`, Action: lexer.Pop()},
			{Name: "Class", Pattern: `@` + nameSegment + `(?:\.` + nameSegment + `)*`, Action: lexer.Pop()},
			text(lexer.Pop()),
			lexer.Return(),
		}},
		{"Path", "the key of a match", []lexer.Rule{
			blank,
			{Name: "Path", Pattern: pathSegment + `(?:\.` + pathSegment + `)*`, Action: lexer.Pop()},
			{Name: "Class", Pattern: `@` + nameSegment + `(?:\.` + nameSegment + `)*`, Action: lexer.Pop()},
			lexer.Return(),
		}},
		{"Pattern", "the pattern of a match", []lexer.Rule{
			blank,
			text(lexer.Pop()),
			{Name: "Raw", Pattern: backquoted, Action: lexer.Pop()},
			{Name: "Bare", Pattern: "[^|&\"`]+", Action: lexer.Pop()},
			lexer.Return(),
		}},
		{"When", "an expression, up to a single | or & outside quotes and brackets", []lexer.Rule{
			exprText, exprString, exprOpen, exprUnclosed,
			lexer.Return(),
		}},
		{"Brackets", "an expression inside brackets", []lexer.Rule{
			exprText, exprString, exprOpen,
			{Name: "ExprClose", Pattern: `[)\]}]`, Action: lexer.Pop()},
			{Name: "ExprBar", Pattern: `[|&]`},
			exprUnclosed,
		}},
		{"Tail", "action, reason and options", []lexer.Rule{
			blank, bar(nil), text(nil),
			{Name: "IdTag", Pattern: `id[ \t]*=`, Action: lexer.Push("Name")},
			word, number, punct, unclosed, bad,
		}},
	}
}

// lexerDef returns the compiled lexer. It is built once and never changed.
var lexerDef = sync.OnceValue(func() *lexer.StatefulDefinition {
	rules := lexer.Rules{}
	for _, s := range lexerStates() {
		rules[s.name] = s.rules
	}
	return lexer.MustStateful(rules)
})

// tokenNames returns the name of each token type. It is built once and never changed.
var tokenNames = sync.OnceValue(func() map[lexer.TokenType]string {
	return lexer.SymbolsByRune(lexerDef())
})

// lexAll returns the tokens of a text, the last of which is the end.
func lexAll(text string) ([]lexer.Token, error) {
	l, err := lexerDef().LexString("", text)
	if err != nil {
		return nil, err
	}
	var tokens []lexer.Token
	for {
		t, err := l.Next()
		if err != nil {
			return nil, err
		}
		if tokens = append(tokens, t); t.EOF() {
			return tokens, nil
		}
	}
}
