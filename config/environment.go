package config

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/registry"
)

// variables tune the limits of the halts, as the programs did that had these
// first.
var variables = [...]struct {
	name, rule string
	unit       unit
}{
	{"BB_CIRCUIT_BREAKER_TOOL_CAP", "tool_call_limit", things},
	{"BB_CIRCUIT_BREAKER_COST_CAP_CENTS", "token_spend_limit", things},
	{"BB_CIRCUIT_BREAKER_DURATION_SECS", "duration_limit", seconds},
	{"BB_CIRCUIT_BREAKER_IDLE_SECS", "idle_timeout", seconds},
	{"BB_CIRCUIT_BREAKER_JACCARD", "output_loop", share},
}

// Environment is what environment variables say.
type Environment struct {
	Limits map[string]registry.BuiltinLimit // by rule id
	// Warnings tell of values that cannot be; the next lower source counts in their place.
	Warnings []string
}

// Variables returns the names of the variables that are read.
func Variables() (names []string) {
	for _, v := range variables {
		names = append(names, v.name)
	}
	return names
}

// ReadEnvironment reads the variables through a function such as os.LookupEnv.
// One that is set to nothing is as good as not set.
func ReadEnvironment(lookup func(name string) (string, bool)) Environment {
	e := Environment{Limits: map[string]registry.BuiltinLimit{}}
	for _, v := range variables {
		text, set := lookup(v.name)
		if !set || text == "" {
			continue
		}
		limit, err := v.unit.read(text, true)
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%s: %s; %s is not changed by it", v.name, err, v.rule))
			continue
		}
		e.Limits[v.rule] = registry.BuiltinLimit{Value: limit, From: v.name}
	}
	return e
}
