package lint

import (
	"slices"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
)

// refused are the findings of readers, without which nothing would be in
// force: they cannot be suppressed.
func refused() []string {
	return []string{dsl.SyntaxID, dsl.UnknownTagID, dsl.LimitID, document.UnknownFieldID, BadSuppressionID}
}

// IDs returns the identifiers of all findings that a check can make, sorted.
func IDs() []string {
	ids := append(refused(),
		dsl.UnobservableID, dsl.NoBlockID, document.WrongTypeID, chain.CycleID, run.UnusedID,
		DuplicateRuleID, UnknownKeyID, NeverProducedID, MaybeUnsetID, UndeclaredInputID, DanglingID,
		UnknownAbilityID, UndeclaredParameterID, MissingParameterID, UntrustedFlowID, UndeclaredDependsID,
		EndlessThrottleID, UnscopedLimitID, LocalWithoutFleetID, SelfComparisonID, ConstantComparisonID, ContradictionID, UnclosedReferenceID, UnusedSuppressionID,
	)
	ids = append(ids, config.IDs()...)
	slices.Sort(ids)
	return slices.Compact(ids)
}
