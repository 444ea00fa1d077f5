package registry

import (
	_ "embed"

	"github.com/cbpolicy/cbpolicy/dsl"
)

//go:embed builtin.cbp
var builtinPolicy []byte

// BuiltinFile is the name under which the built-in rules give their source.
const BuiltinFile = "registry/builtin.cbp"

// LoadBuiltins puts the built-in rules in force. Most of them read meters, so
// they are for steps with a session attached: without one their keys are
// unbound, and they fire.
func (r *Registry) LoadBuiltins() error {
	p, faults := dsl.ParsePolicy(BuiltinFile, builtinPolicy)
	if err := faults.Err(); err != nil {
		return err
	}
	var sets []Ruleset
	for _, s := range PolicyRules(p) {
		s.Scope.Origin = Builtin
		sets = append(sets, s)
	}
	return r.Replace(sets...)
}
