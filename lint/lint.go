// Package lint owns the static analysis of policies, chains, recordings and
// the blocks in model text: what can be said about them before anything runs.
//
// What the readers of other packages refuse is reported as they say it; the
// checks of this package add what no single line shows. It opens no files,
// runs no chain and changes nothing. One check is one file.
package lint

import (
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// Identifiers of the findings that this package makes beside those of the
// packages that read the files.
const (
	DuplicateRuleID       = "duplicate-rule"
	UnknownKeyID          = "unknown-key"
	NeverProducedID       = "never-produced"
	MaybeUnsetID          = "maybe-unset"
	UndeclaredInputID     = "undeclared-input"
	DanglingID            = "dangling-reference"
	UnknownAbilityID      = "unknown-ability"
	UndeclaredParameterID = "undeclared-parameter"
	MissingParameterID    = "missing-parameter"
	UntrustedFlowID       = "untrusted-flow"
	UndeclaredDependsID   = "undeclared-dependency"
	EndlessThrottleID     = "endless-throttle"
	UnscopedLimitID       = "unscoped-rate-limit"
	LocalWithoutFleetID   = "local-without-fleet"
	SelfComparisonID      = "self-comparison"
	ConstantComparisonID  = "constant-comparison"
	ContradictionID       = "contradiction"
	UnclosedReferenceID   = "unclosed-reference"
	BadSuppressionID      = "bad-suppression"
	UnusedSuppressionID   = "unused-suppression"
)

// File is a file to look at. Its name is used in findings only, but for the
// extension: a document named *.json is JSON.
type File struct {
	Name string
	Data []byte
	Kind Kind
	// Found: nobody named the file, it was found in a directory. A document
	// that has nothing of a chain or a recording is then passed over.
	Found bool
}

// Report is what was found.
type Report struct {
	Findings diag.List // in the order of files and places
	Files    int       // that were looked at
	Rules    int       // that could be read
	// Suppressed is how many findings a comment has let pass.
	Suppressed int
	// PassedOver is how many documents that nobody named have nothing of a
	// chain, as recorded runs and manifests have not. They were not looked at.
	PassedOver int
}

// check looks for one kind of fault in everything that was read.
type check func(*pass)

// checks are all checks, in no order that matters.
func checks() []check {
	return []check{
		compile, duplicateRule, unknownKey, neverProduced, maybeUnset,
		undeclaredInput, danglingReference, recordingOfChain,
		unknownAbility, undeclaredParameter, missingParameter, wrongType, untrustedFlow, undeclaredDependency,
		endlessThrottle, unscopedRateLimit, selfComparison, constantComparison, contradiction, unclosedReference, localWithoutFleet,
	}
}

// Options say what is known beside the files. The zero Options are the defaults.
type Options struct {
	Abilities Abilities
	// Sources and Sinks are the abilities that untrusted-flow goes by; nil:
	// DefaultSources and DefaultSinks.
	Sources, Sinks []dsl.NamePattern
	// FleetUnknown: counters are on a server that processes share, and nobody
	// says how many these are.
	FleetUnknown bool
}

// Run looks at files that belong together: the policies are taken to be
// loaded at once, and their rules to apply to the chains among the files.
func Run(files []File) Report { return Options{}.Run(files) }

// Run is the function Run with what is known beside the files.
func (o Options) Run(files []File) Report {
	p := &pass{data: map[string][]byte{}, marks: map[*diag.Finding]mark{}, made: map[string]int{},
		abilities: &o.Abilities, sources: o.Sources, sinks: o.Sinks, fleetUnknown: o.FleetUnknown}
	if p.sources == nil {
		p.sources = DefaultSources()
	}
	if p.sinks == nil {
		p.sinks = DefaultSinks()
	}
	for _, f := range files {
		p.read(f)
	}
	p.patches()
	for _, c := range checks() {
		c(p)
	}
	return p.finish()
}
