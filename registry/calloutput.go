package registry

import (
	"strconv"
	"strings"
)

// calls is memory for what the calls of a session have put out, of which there
// is one more with every call: names and places are taken from pieces that hold
// many, so that an output costs no allocation of its own.
type calls struct {
	names  strings.Builder   // the piece that names are cut from
	latest map[string]string // by ability: the name of its latest output
	places []binding         // those that are left
	taken  int               // from the last piece of places
}

// How large the pieces grow, each being twice the one before: a session of a few
// calls shall not pay for many.
const (
	fewNames   = 64   // bytes of the first piece
	mostNames  = 4096 // bytes
	mostPlaces = 32   // bindings
)

// BindCall is BindOutput for what a call outside a chain has put out: every output
// as <ability>.<number>.output, the latest of each ability as <ability>.output too.
func (vs *Values) BindCall(ability string, number int, v Value) {
	if vs.calls == nil {
		vs.calls = &calls{}
	}
	place := vs.calls.place()
	place.Value = v
	vs.bindOutput(vs.calls.name(ability, number), place)
	vs.bound[vs.calls.nameLatest(ability)] = place
}

// place is a binding that nothing is bound to.
func (c *calls) place() *binding {
	if len(c.places) == 0 {
		c.taken = min(2*c.taken+1, mostPlaces)
		c.places = make([]binding, c.taken)
	}
	place := &c.places[0]
	c.places = c.places[1:]
	return place
}

// name is the name of an output.
func (c *calls) name(ability string, number int) string {
	var room [20]byte
	digits := strconv.AppendInt(room[:0], int64(number), 10)
	size := len(ability) + len(".") + len(digits) + len(outputSuffix)
	if c.names.Cap()-c.names.Len() < size {
		piece := max(min(2*c.names.Cap(), mostNames), fewNames, size)
		c.names.Reset()
		c.names.Grow(piece)
	}
	start := c.names.Len()
	c.names.WriteString(ability)
	c.names.WriteByte('.')
	c.names.Write(digits)
	c.names.WriteString(outputSuffix)
	return c.names.String()[start:]
}

const outputSuffix = ".output"

// nameLatest is the name of an ability's latest output.
func (c *calls) nameLatest(ability string) string {
	name, known := c.latest[ability]
	if !known {
		if c.latest == nil {
			c.latest = map[string]string{}
		}
		name = ability + outputSuffix
		c.latest[ability] = name
	}
	return name
}
