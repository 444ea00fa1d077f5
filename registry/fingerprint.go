package registry

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
)

// Fingerprint tells values apart within this process: equal values give equal
// numbers, others with overwhelming likelihood others. The order of the names
// does not matter, how a number is written does.
func (vs *Values) Fingerprint(seed maphash.Seed) uint64 {
	var sum uint64
	if vs == nil {
		return sum
	}
	for name, v := range vs.bindings {
		sum += memberPrint(seed, name, v.text, &v.Value)
	}
	for name, text := range vs.texts {
		sum += memberPrint(seed, name, text, nil)
	}
	return sum
}

// memberPrint hashes one name with its value. A text and a number that are
// written alike differ, as they do in a call. What is short is hashed at once, and
// the lengths tell where each part ends.
func memberPrint(seed maphash.Seed, name, text string, v *Value) uint64 {
	kind := byte(0)
	switch {
	case v == nil:
	case v.numeric:
		kind = 1
	case v.kind == kindOther:
		return maphash.Comparable(seed, [2]uint64{maphash.String(seed, name), treePrint(seed, v)})
	}
	var room [96]byte
	if len(name)+len(text) > len(room)-1-8 {
		return maphash.Comparable(seed, [3]uint64{maphash.String(seed, name), maphash.String(seed, text), uint64(kind)})
	}
	b := binary.LittleEndian.AppendUint64(append(room[:0], kind), uint64(len(name)))
	return maphash.Bytes(seed, append(append(b, name...), text...))
}

// treePrint hashes a value as JSON.
func treePrint(seed maphash.Seed, v *Value) uint64 {
	room := rooms.Get().(*[]byte)
	*room = v.tree.AppendJSON((*room)[:0])
	sum := maphash.Bytes(seed, *room)
	if cap(*room) > mostRoom {
		*room = nil
	}
	rooms.Put(room)
	return sum
}

// rooms are where values were written to be hashed.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// TextBytes returns how many bytes of text stand under a name, in lists and
// objects too.
func (vs *Values) TextBytes(name string) int64 {
	v, ok := vs.get(name)
	if !ok {
		return 0
	}
	if v.kind != kindOther {
		return int64(len(v.text))
	}
	n := int64(0)
	w := leafWalk{f: func(leaf string) bool { n += int64(len(leaf)); return true }}
	w.walk(v.tree, maxInner)
	return n
}
