package dsl

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar. Each node holds the tokens that mean something; package
// participle fills them in by the tags. A field named Tokens gets all tokens
// of the node. Translation into the types of ast.go is in translate.go.

type ruleNode struct {
	Condition conditionNode  `parser:"@@ Bar"`
	Action    actionNode     `parser:"@@"`
	Reason    *lexer.Token   `parser:"( Bar ( @String"`
	Options   []*optionsNode `parser:"( Bar @@ )? | @@ ) )?"`
}

type conditionNode struct {
	Atoms []*atomNode `parser:"@@ ( And @@ )*"`
}

type atomNode struct {
	Tokens    []lexer.Token
	Frequency *frequencyNode `parser:"  @@"`
	When      *whenNode      `parser:"| @@"`
	Not       *lexer.Token   `parser:"| @Not?"`
	Ability   *abilityNode   `parser:"  ( @@"`
	After     *afterNode     `parser:"  | @@"`
	Match     *matchNode     `parser:"  | @@ )"`
	Threshold *thresholdNode `parser:"| @@"`
}

type frequencyNode struct {
	Name   *lexer.Token `parser:"( 'frequency':Word | FrequencyTag @( Name | String | Class ) )"`
	Scope  *lexer.Token `parser:"( '@' @( 'chain' | 'session' | 'all' ) )?"`
	Count  lexer.Token  `parser:"'>' @Number"`
	Window durationNode `parser:"'/' @@"`
}

type durationNode struct {
	N    lexer.Token `parser:"@Number"`
	Unit string      `parser:"@( 'h' | 's' | 'm' | 'd' )"`
}

type whenNode struct {
	Tokens []lexer.Token
	Tag    lexer.Token `parser:"@WhenTag ( Expr | ExprString | ExprOpen | ExprClose | ExprBar )+"`
}

type abilityNode struct {
	Name lexer.Token `parser:"AbilityTag @( Name | String | Class )"`
}

type afterNode struct {
	Name lexer.Token `parser:"AfterTag @( Name | String | Class )"`
}

type matchNode struct {
	Output  bool         `parser:"( @OutputTag | ArgTag )"`
	Path    lexer.Token  `parser:"@( Path | Class )"`
	Kind    string       `parser:"( @MatchTag"`
	Pattern *lexer.Token `parser:"  @( Bare | String | Raw )"`
	In      *lexer.Token `parser:"| InTag @( 'user' | 'outputs' ) )"`
}

type thresholdNode struct {
	Key    lexer.Token  `parser:"@Word"`
	Op     string       `parser:"@Op"`
	Number *lexer.Token `parser:"( @Number"`
	Unit   string       `parser:"  @( 's' | 'm' | 'h' | 'd' )?"`
	Param  *lexer.Token `parser:"| ParamOpen @Word ParamClose )"`
}

type actionNode struct {
	Tokens []lexer.Token
	Kind   string        `parser:"( @( 'abort' | 'review' | 'warn' )"`
	Timed  string        `parser:"| @( 'confirm' | 'throttle' )"`
	Limit  *durationNode `parser:"  ( '(' @@ ')' )? )"`
}

type optionsNode struct {
	Options []*optionNode `parser:"@@ ( ',' @@ )*"`
}

type optionNode struct {
	Tokens  []lexer.Token
	ID      *lexer.Token `parser:"  IdTag @( Name | String )"`
	Mode    string       `parser:"| 'mode' '=' @( 'enforce' | 'observe' )"`
	Missing string       `parser:"| 'missing' '=' @( 'fire' | 'wait' | 'skip' )"`
	OnError string       `parser:"| 'on_store_error' '=' @( 'deny' | 'allow' | 'local' )"`
}

// loneAction is an action by itself. A "|" before it brings the lexer into the right state.
type loneAction struct {
	Action actionNode `parser:"Bar @@"`
}

// The parsers are built once and never changed.
var (
	ruleParser      = sync.OnceValue(build[ruleNode])
	conditionParser = sync.OnceValue(build[conditionNode])
	actionParser    = sync.OnceValue(build[loneAction])
)

func build[T any]() *participle.Parser[T] {
	return participle.MustBuild[T](participle.Lexer(lexerDef()), participle.UseLookahead(1))
}
