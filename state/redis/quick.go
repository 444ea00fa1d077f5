package redis

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// Places in what a claim sends, before the request in MessagePack, for the part
// of the script that does most claims: numbers of fixed widths.
const (
	nameAt     = 0
	requestAt  = 16 // where the request begins
	forgetAt   = 20
	ownAt      = 28 // its own time
	againAt    = 36
	countersAt = 37
	cellsAt    = 38
	kindAt     = 39
	untilAt    = 40
	needsAt    = 48

	// noNeed is how long a head and a number of windows are, and noWindow how long
	// a window, also where there is none: the first of a need is always there, and
	// the first need.
	noNeed   = 19
	noWindow = 12

	// epoch is for how long, in microseconds, a head of a counter is good.
	epoch = 1_000_000_000
)

// Limits of that part.
const (
	notQuick   = 255 // counters: the claim is not for that part
	mostQuick  = 100 // counters, cells, and windows of a counter
	countsRuns = 128 // added to the number of windows
	ofCall     = 1   // the kind of a claim
	ownTime    = 2   // added to it
	neverFull  = 1 << 31
)

// claiming is a claim on its way to the server. The client writes its argument
// once for every time that it tries: what may have come before says so.
type claiming struct {
	invocation
	packer
	name []byte // room for the names of keys
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (c *claiming) MarshalBinary() ([]byte, error) {
	if c.tries > 0 {
		c.b[againAt] = 1
	}
	c.tries++
	return c.b, nil
}

// quick writes what the quick part of the script wants to know of a claim, and
// collects its keys.
func (s *Store) quick(c *state.Claim) *claiming {
	p, ok := s.claims.Get().(*claiming)
	if !ok {
		p = &claiming{invocation: invocation{script: claimScript}, packer: packer{b: make([]byte, 0, 512)}}
		p.arg = p
	}
	p.tries, p.keys, p.b = 0, p.keys[:0], append(p.b[:0], make([]byte, needsAt)...)
	// A name is to be unlike others, and no secret.
	binary.NativeEndian.PutUint64(p.b[nameAt:], rand.Uint64())
	binary.NativeEndian.PutUint64(p.b[nameAt+8:], rand.Uint64())
	binary.BigEndian.PutUint64(p.b[forgetAt:], s.forget)
	until, own := s.until.Load(), micros(c.Now)
	if own > 0 {
		binary.BigEndian.PutUint64(p.b[ownAt:], uint64(own))
		p.b[kindAt] = ownTime
		until = headUntil(time.Now().UnixMicro()) // no answer tells the server's time
	}
	binary.BigEndian.PutUint64(p.b[untilAt:], uint64(until))
	if !p.all(s.prefix, c) {
		p.b = append(p.b[:needsAt], make([]byte, noNeed+noWindow)...)
		p.b[countersAt] = notQuick
		p.keys = p.keys[:0]
	}
	if own > 0 || len(p.keys) == 0 {
		p.keys = append(p.keys, s.keys[0])
	}
	binary.BigEndian.PutUint32(p.b[requestAt:], uint32(len(p.b)))
	return p
}

// all writes a claim and reports whether it is of the common kind: of counters,
// each once, and of cells that were seen, and of nothing beside an identity.
func (p *claiming) all(prefix string, c *state.Claim) bool {
	if c.Refused || len(c.Guards)+len(c.Leases)+len(c.Reserves)+len(c.Cells) > 0 || len(c.Needs) > mostQuick || len(c.Expects) > mostQuick {
		return false
	}
	for i := range c.Needs {
		n := &c.Needs[i]
		if len(n.Past) > 0 || len(n.Windows) > mostQuick {
			return false
		}
		p.name = appendCounter(append(append(p.name[:0], prefix...), "c3:"...), &n.Counter)
		for _, other := range p.keys {
			if other == string(p.name) {
				return false
			}
		}
		p.keys = appendName(p.keys, p.name)
		if !p.windows(n, n.Run && c.Run != "") {
			return false
		}
	}
	if len(c.Needs) == 0 {
		p.b = append(p.b, make([]byte, noNeed+noWindow)...)
	}
	for i := range c.Expects {
		p.keys = append(p.keys, prefix+"v:"+c.Expects[i].Key)
		p.seen(&c.Expects[i].Cell)
	}
	for i := range c.Needs {
		if c.Needs[i].Run && c.Run != "" {
			p.keys = append(p.keys, prefix+"r:"+counterName(&c.Needs[i].Counter)+runName(c.Run))
		}
	}
	if !c.Call.IsZero() {
		p.keys = append(p.keys, prefix+"k2:"+string(c.Call[:]))
		p.b[kindAt] |= ofCall
	}
	p.b[countersAt], p.b[cellsAt] = byte(len(c.Needs)), byte(len(c.Expects))
	return true
}

// appendName appends the name of a key, and makes nothing anew if it stood there before.
func appendName(keys []string, name []byte) []string {
	if n := len(keys); n < cap(keys) && keys[:n+1][n] == string(name) {
		return keys[:n+1]
	}
	return append(keys, string(name))
}

// windows writes the head of a need's counter and its windows, and reports whether
// any of them may have room. A run adds nothing if it is quick: it has been counted.
func (p *claiming) windows(n *registry.Need, run bool) bool {
	count, add := len(n.Windows), int64(1)
	if run {
		count, add = count|countsRuns, 0
	}
	head := len(p.b)
	p.b = append(append(p.b, make([]byte, noNeed-1)...), byte(count))
	longest := int64(0)
	for i := range n.Windows {
		w := &n.Windows[i]
		rank := uint32(w.Limit + 1 - add)
		if len(n.Front) > 0 && !slices.Contains(n.Front, i) {
			rank = neverFull
		}
		if rank == 0 {
			return false
		}
		length := span(w.Span)
		longest = max(longest, length)
		p.b = binary.BigEndian.AppendUint64(p.b, uint64(length))
		p.b = binary.BigEndian.AppendUint32(p.b, rank)
	}
	if len(n.Windows) == 0 {
		p.b = append(p.b, make([]byte, noWindow)...)
	}
	copy(p.b[head:], "qs")
	if p.b[kindAt]&ownTime != 0 {
		p.b[head+1] = 'o'
	}
	binary.BigEndian.PutUint64(p.b[head+2:], uint64(longest))
	copy(p.b[head+10:], p.b[untilAt:untilAt+8])
	return true
}

// headUntil is until when the heads of counters are good that are so at a time, both
// in microseconds since 1970.
func headUntil(micros int64) int64 { return (micros/epoch + 1) * epoch }

// told notes the server's time, if an answer to a claim tells it.
func (s *Store) told(c *state.Claim, g *state.Grant) {
	if c.Now > 0 {
		return
	}
	if until := headUntil(micros(g.Now)); until != s.until.Load() {
		s.until.Store(until)
	}
}

// seen writes a cell as it was seen.
func (p *claiming) seen(c *state.Cell) {
	at := len(p.b)
	p.b = strconv.AppendInt(append(p.b, 0), c.Version, 10)
	p.b[at] = byte(len(p.b) - at - 1)
	p.b = append(binary.BigEndian.AppendUint32(p.b, uint32(len(c.Value))), c.Value...)
}
