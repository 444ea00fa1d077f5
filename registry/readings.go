package registry

import "github.com/cbpolicy/cbpolicy/internal/reading"

// readings are what leaves read, each worked out once a step however many rules
// ask. The zero value is ready.
type readings struct {
	read map[string]string // of leaves that are not plain
	// The latest short leaves that are, and the place of the next: rules of
	// several scopes ask of the same few, and the next step often has them too.
	plain [4]string
	next  int
}

// maxKept is how long a leaf may be that is kept from one step to the next.
const maxKept = 4 << 10

// maxReadings is how many a plan keeps room for from one step to the next.
const maxReadings = 64

// of returns what the leaf reads, and whether that differs from it.
func (r *readings) of(leaf string) (read string, differs bool) {
	for i := range r.plain {
		if leaf == r.plain[i] {
			return leaf, false
		}
	}
	if reading.Plain(leaf) {
		if len(leaf) <= maxKept {
			r.plain[r.next] = leaf
			r.next = (r.next + 1) % len(r.plain)
		}
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

// drop forgets them, but for the few short ones.
func (r *readings) drop() {
	if len(r.read) == 0 {
		return
	}
	if len(r.read) > maxReadings {
		r.read = nil
	}
	clear(r.read)
}
