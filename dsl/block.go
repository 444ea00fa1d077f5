package dsl

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Limits of a <nyaya> block, beside MaxBlock.
const (
	MaxBlockSteps = 50  // S: and ADD_STEP lines
	MaxBlockRules = 100 // B: lines

	MaxBlockGrants  = 200
	MaxBlockParams  = 100 // of a chain, or of a function; as many values of C: and PATCH:
	MaxRephrasings  = 100
	MaxBlockWords   = 1000 // bytes of a label, of a trigger, and of one rephrasing
	maxFunctionPart = 100  // fields, and examples, of a function
)

// BlockPrefix begins the id of every chain that a model wrote.
const BlockPrefix = "nyaya/"

// Block is a parsed <nyaya> block. What a model writes may only tighten: who
// puts its rules in force gives them the trust of a model.
type Block struct {
	File   string
	Pos    diag.Position // of the block's first character
	Domain string        // of D:; "" without one
	Risk   Risk          // of D:; RiskNone without one
	Grants []Grant       // of all G: lines; none: the block grants nothing and limits nothing
	Rules  []*Rule
	Mode   ModeLine

	Params  []BlockParam // of P: lines; those of a function are in Function
	Steps   []BlockStep  // of S: lines
	Changes []Change     // of a PATCH
	// Trigger, Label and Rephrasings are for whoever finds the chain again.
	Trigger, Label string
	Rephrasings    []string
	TTL            Duration  // of CACHE
	Function       *Function // of PROPOSE_FUNC
	// Lines are all lines but blank ones, in order; those that have no field above too.
	Lines []TagLine
}

// Risk is how risky a domain is. The zero value means that nothing is said.
type Risk int

// The risks, in rising order.
const (
	RiskNone Risk = iota
	RiskLow
	RiskMedium
	RiskHigh
	RiskCritical
)

var riskNames = [...]string{"", "low", "medium", "high", "critical"}

// String returns "low", "medium", "high", "critical" or "".
func (r Risk) String() string { return riskNames[r] }

// ParseRisk reads a risk's word.
func ParseRisk(word string) (Risk, bool) {
	i := slices.Index(riskNames[1:], word)
	return Risk(i + 1), i >= 0
}

// Grant is an ability that a block allows its chain, exactly as named.
type Grant struct {
	Name string
	At   Span
}

// BlockMode is what a block is for.
type BlockMode int

// The modes. Without a mode line a block writes the chain of its domain.
const (
	ModeDomain BlockMode = iota
	ModeNew
	ModeRun // C:
	ModePatch
	ModeCache
	ModeNoCache
	ModeProposeFunc
)

// ModeLine is the line that says what a block is for.
type ModeLine struct {
	Kind BlockMode
	Name string // of the chain or function; "" for CACHE and NOCACHE
	Args string // what follows the name's "|", or the time of CACHE, as written
	// Values are the parts of Args between "|", without outer blanks.
	Values []string
	Pos    diag.Position
}

// TagLine is one line of a block: TAG:text.
type TagLine struct {
	Tag  string
	Text string        // behind the colon, as written
	Pos  diag.Position // of the tag
	At   diag.Position // of Text
}

// ChainID returns the id under which what the block writes runs:
// nyaya/<name>, or nyaya/<domain> without a mode line. It is "" for a block
// that writes no chain (CACHE, NOCACHE, PROPOSE_FUNC).
func (b *Block) ChainID() string {
	switch b.Mode.Kind {
	case ModeNew, ModeRun, ModePatch:
		return BlockPrefix + b.Mode.Name
	case ModeDomain:
		if b.Domain != "" {
			return BlockPrefix + b.Domain
		}
	}
	return ""
}
