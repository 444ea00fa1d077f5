// Package chain owns the chain document: its two dialects, parameters,
// templates, conditions, and how keys flow from step to step. It evaluates no
// rules, runs no steps, opens no files and reads no clock.
package chain

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

// Limits of a chain document.
const (
	MaxFile   = 1 << 20 // bytes
	MaxDepth  = 100     // lists and maps in each other
	MaxNodes  = 20_000  // values, those that aliases repeat counted again
	MaxSteps  = 200
	MaxParams = 100
	MaxRules  = 1000
	MaxEnum   = 1000   // values of one parameter
	MaxRefs   = 10_000 // references {{key}} in templates

	MaxDependencies = 2000 // entries of depends_on, of all steps
)

// ModelPrefix begins the ids of model-written chains. A document may not
// have such an id.
const ModelPrefix = "nyaya/"

// Chain is a chain document that was read without a fault. It is not changed
// after Parse, and safe for concurrent use.
type Chain struct {
	File                  string
	ID, Name, Description string // Name and Description may be empty
	Dialect               Dialect
	Params                []Param
	Steps                 []Step // at least one; they run in this order
	Rules                 []Rule
	Breaker               *Breaker // of every ability of the chain; nil: the chain asks for none
	// Block is the block that wrote the chain, or changed this copy of it: its
	// rules and grants hold beside Rules, with the trust of a model. nil: no
	// model had a hand in it.
	Block *dsl.Block
}

// Dialect is the form in which a chain is written.
type Dialect int

// The dialects. A step with params or depends_on makes a chain a Catalogue one.
const (
	// Documented: a step's arguments are its args, steps run in the order of
	// the file, and parameters are declared.
	Documented Dialect = iota
	// Catalogue: a step's arguments are its params, depends_on orders the
	// steps, and {{input.x}} is a parameter x that need not be declared.
	Catalogue
)

// inputPrefix begins the references to parameters in the catalogue dialect.
const inputPrefix = "input."

// Param is a declared parameter.
type Param struct {
	Name        string
	Type        Type
	Description string
	Required    bool // a Default satisfies it
	Default     *Value
	Min, Max    *decimal.Decimal // numbers only; nil: no bound
	Enum        []Value          // empty: any value
	// Implicit: {{input.x}} of the catalogue dialect declares it. It may have any value.
	Implicit bool
	Pos      diag.Position // of an implicit one, its first reference
}

// Type is the type of a parameter.
type Type string

// The types of parameters. A parameter without one is a TextType.
const (
	TextType    Type = "text"    // any scalar but null
	NumberType  Type = "number"  // a number, or a text that is one
	URLType     Type = "url"     // a text that is not empty
	BooleanType Type = "boolean" // true or false, also as a text
)

// Rule is an entry of circuit_breakers.
type Rule struct {
	*dsl.Rule
	Pos diag.Position // of the condition
}

// Step is one step of a chain.
type Step struct {
	ID        string
	Ability   string
	Args      []Arg
	OutputKey string     // "": the output is bound as <id>.output only
	Condition *Condition // nil: the step always runs
	OnFailure string     // the id of the step to go on with, or Continue; "": the run ends
	// DependsOn are the steps that run before this one. It is an order and no
	// condition: a step whose dependency has failed and let the run go on runs.
	DependsOn []string
	// Added: a model has added the step to its copy of the chain. What it
	// declares keeps no rule of the chain's or an operator's waiting.
	Added      bool
	Pos        diag.Position
	AbilityPos diag.Position
	target     int // 1 + the index of the step OnFailure; 0: none
}

// Continue is the word for on_failure with which a run goes on with the next
// step, unless a step of the chain is called so.
const Continue = "continue"

// AfterFailure returns the step that a run goes on with when step i fails, and
// whether that is a jump, which is made once a run; -1: the run ends.
func (c *Chain) AfterFailure(i int) (next int, jump bool) {
	switch s := &c.Steps[i]; {
	case s.target > 0:
		return s.target - 1, true
	case s.OnFailure == Continue:
		return i + 1, false
	}
	return -1, false
}

// EmptyAfterFailure reports whether step i, when it fails, puts out an empty
// text: a step of the catalogue dialect that lets the run go on, as the steps
// that read it go on too.
func (c *Chain) EmptyAfterFailure(i int) bool {
	s := &c.Steps[i]
	return c.Dialect == Catalogue && s.OnFailure == Continue && s.target == 0
}

// Arg is one argument of a step.
type Arg struct {
	Name  string
	Value Template
	Pos   diag.Position // of the name
}

// OutputName is the name that a step's output is always bound to.
func (s *Step) OutputName() string { return s.ID + ".output" }

// ErrorName is the name that the error's text is bound to when the step fails
// and the run goes on.
func (s *Step) ErrorName() string { return s.ID + "_error" }

// StepIndex returns the index of a step, or −1.
func (c *Chain) StepIndex(id string) int {
	for i := range c.Steps {
		if c.Steps[i].ID == id {
			return i
		}
	}
	return -1
}

// Param returns the parameter that a name stands for, or nil. In the catalogue
// dialect input.x is the parameter x.
func (c *Chain) Param(name string) *Param {
	name = c.paramName(name)
	for i := range c.Params {
		if c.Params[i].Name == name {
			return &c.Params[i]
		}
	}
	return nil
}

// paramName is what a parameter is called by who supplies it: in the catalogue
// dialect input.x is called x.
func (c *Chain) paramName(name string) string {
	if c.Dialect == Catalogue {
		return strings.TrimPrefix(name, inputPrefix)
	}
	return name
}
