package registry

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// calls are what the calls of a session have put out, of which there is one more
// with every call, and which rules rarely name: they are kept by their numbers, as
// a map of their names would be hashed anew again and again while it grows. Names
// and places are taken from pieces that hold many, so that an output costs no
// allocation of its own.
type calls struct {
	of     map[string]*callOutputs // by ability
	n      int                     // outputs in all
	met    bool                    // another name was bound that reads like that of a call's output
	names  strings.Builder         // the piece that names are cut from
	places []callOutput            // those that are left
	taken  int                     // from the last piece of places
}

// callOutputs are those of one ability.
type callOutputs struct {
	latest string        // the name of the latest
	list   []*callOutput // by number, ascending
}

type callOutput struct {
	binding
	number int
	name   string
}

// How large the pieces grow, each being twice the one before: a session of a few
// calls shall not pay for many.
const (
	fewNames   = 64   // bytes of the first piece
	mostNames  = 4096 // bytes
	mostPlaces = 32   // outputs
)

// BindCall is BindOutput for what a call outside a chain has put out: every output
// as <ability>.<number>.output, the latest of each ability as <ability>.output too.
func (vs *Values) BindCall(ability string, number int, v Value) {
	if vs.calls == nil {
		vs.calls = &calls{met: vs.bindsCall()}
	}
	c := vs.calls
	out := c.place()
	out.Value, out.number, out.name = v, number, c.name(ability, number)
	of := c.of[ability]
	if of == nil {
		of = vs.newCall(ability, out.name)
	}
	if c.met && vs.bound[out.name] != nil {
		vs.bound[out.name] = &out.binding
	} else {
		c.put(of, out)
	}
	if vs.bound[of.latest] = &out.binding; c.met {
		c.drop(of.latest)
	}
}

// newCall is the first output of an ability, whose name says of all that come
// whether they can be seen.
func (vs *Values) newCall(ability, name string) *callOutputs {
	if vs.fault == nil {
		vs.fault = checkName("key", name)
	}
	vs.mixed = vs.mixed || !lowerASCII(ability)
	if vs.bound == nil {
		vs.bound = map[string]*binding{}
	}
	c, of := vs.calls, &callOutputs{latest: ability + outputSuffix}
	if c.of == nil {
		c.of = map[string]*callOutputs{}
	}
	c.of[ability] = of
	c.meets(of.latest)
	return of
}

// bindsCall reports whether a name is bound that reads like that of a call's output.
func (vs *Values) bindsCall() bool {
	for name := range vs.bound {
		if _, _, ok := cutCall(name); ok {
			return true
		}
	}
	return false
}

// put adds an output, in the place of one of the same number.
func (c *calls) put(of *callOutputs, out *callOutput) {
	if last := len(of.list) - 1; last < 0 || of.list[last].number < out.number {
		of.list = append(of.list, out)
		c.n++
		return
	}
	i, known := of.find(out.number)
	if known {
		of.list[i] = out
		return
	}
	of.list = slices.Insert(of.list, i, out)
	c.n++
}

// find returns where a number is, or belongs.
func (of *callOutputs) find(number int) (at int, known bool) {
	return slices.BinarySearchFunc(of.list, number, func(o *callOutput, n int) int { return cmp.Compare(o.number, n) })
}

// get returns the output of a name; nil: there is none.
func (c *calls) get(name string) *binding {
	if of, i := c.lookUp(name); of != nil {
		return &of.list[i].binding
	}
	return nil
}

// meets notes that a name is bound otherwise from now on. An output that has it
// is no longer found by it.
func (c *calls) meets(name string) {
	if c == nil {
		return
	}
	if _, _, reads := cutCall(name); reads {
		c.met = true
		c.drop(name)
	}
}

// drop forgets the output of a name, if there is one.
func (c *calls) drop(name string) {
	if of, i := c.lookUp(name); of != nil {
		of.list = slices.Delete(of.list, i, i+1)
		c.n--
	}
}

// lookUp returns where the output of a name is; nil: there is none.
func (c *calls) lookUp(name string) (of *callOutputs, at int) {
	if c == nil {
		return nil, 0
	}
	ability, number, ok := cutCall(name)
	if !ok || c.of[ability] == nil {
		return nil, 0
	}
	if at, ok = c.of[ability].find(number); !ok {
		return nil, 0
	}
	return c.of[ability], at
}

// size is how many outputs there are.
func (c *calls) size() int {
	if c == nil {
		return 0
	}
	return c.n
}

// cutCall takes the name of a call's output apart.
func cutCall(name string) (ability string, number int, ok bool) {
	rest, ok := strings.CutSuffix(name, outputSuffix)
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return "", 0, false
	}
	digits := rest[dot+1:]
	number, err := strconv.Atoi(digits)
	var room [20]byte
	if err != nil || string(strconv.AppendInt(room[:0], int64(number), 10)) != digits {
		return "", 0, false // such as 007, which no call has
	}
	return rest[:dot], number, true
}

// place is an output that nothing is bound to.
func (c *calls) place() *callOutput {
	if len(c.places) == 0 {
		c.taken = min(2*c.taken+1, mostPlaces)
		c.places = make([]callOutput, c.taken)
	}
	place := &c.places[0]
	c.places = c.places[1:]
	return place
}

// name is that of a call's output. It is a part of a text that is written once and
// never made longer than the memory it has, so that it does not move.
func (c *calls) name(ability string, number int) string {
	var room [128]byte
	name := append(append(room[:0], ability...), '.')
	name = append(strconv.AppendInt(name, int64(number), 10), outputSuffix...)
	if c.names.Cap()-c.names.Len() < len(name) {
		piece := max(min(2*c.names.Cap(), mostNames), fewNames, len(name))
		c.names.Reset()
		c.names.Grow(piece)
	}
	start := c.names.Len()
	c.names.Write(name)
	return c.names.String()[start:]
}

const outputSuffix = ".output"
