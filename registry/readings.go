package registry

import "github.com/cbpolicy/cbpolicy/internal/reading"

// readings are what leaves read, each worked out once a step however many rules
// ask. Plain ones are not among them. The zero value is ready.
type readings struct{ read map[string]string }

// maxReadings is how many a plan keeps room for from one step to the next.
const maxReadings = 64

// of returns what the leaf reads, and whether that differs from it.
func (r *readings) of(leaf string) (read string, differs bool) {
	if reading.Plain(leaf) {
		return leaf, false
	}
	read, known := r.read[leaf]
	if !known {
		if r.read == nil {
			r.read = map[string]string{}
		}
		read, _ = reading.Of(leaf)
		r.read[leaf] = read
	}
	return read, read != leaf
}

// drop forgets them.
func (r *readings) drop() {
	if len(r.read) > maxReadings {
		r.read = nil
	}
	clear(r.read)
}
