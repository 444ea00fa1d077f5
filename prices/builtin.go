package prices

import (
	_ "embed"
	"sync"
)

//go:embed builtin.json
var builtinFile []byte

var builtin = sync.OnceValues(func() (*Table, error) {
	t, findings := Parse("builtin.json", builtinFile)
	return t, findings.Err()
})

// Builtin returns the built-in table: the models of a few makers that agents
// use most, with source and date. It grows old; import a newer one where money
// counts. builtin.json is what "cbpolicy prices import --from genai-prices"
// wrote, less the models that agents hardly use and those on whose price the
// sources disagree. It is part of the program, and a test sees to it that it can be read;
// should it not be, the error says why.
func Builtin() (*Table, error) { return builtin() }
