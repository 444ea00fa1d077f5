package trace

import "github.com/cbpolicy/cbpolicy/registry"

// Limits bound what is read. The zero Limits are the defaults. What is larger
// is refused with a [*LimitError].
type Limits struct {
	// RunBytes is how large a run may be, and so is what belongs to one: a
	// line, an element of a list. 0: DefaultRunBytes.
	RunBytes int64
	// RunValues is how many JSON values a run may have; 0: DefaultRunValues.
	RunValues int
	// Unpacked is how large a compressed file may become; 0: DefaultUnpacked.
	Unpacked int64
}

// The default limits: 64 MiB, two million values, and 4 GiB.
const (
	DefaultRunBytes  = 64 << 20
	DefaultRunValues = 2_000_000
	DefaultUnpacked  = 4 << 30
)

// maxDepth is how deep the JSON of a run may be nested: what rules see of a
// value, and what the formats put around it.
const maxDepth = registry.MaxDepth + 32

func (l Limits) withDefaults() Limits {
	if l.RunBytes <= 0 {
		l.RunBytes = DefaultRunBytes
	}
	if l.RunValues <= 0 {
		l.RunValues = DefaultRunValues
	}
	if l.Unpacked <= 0 {
		l.Unpacked = DefaultUnpacked
	}
	return l
}
