package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"sync"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// ArgsDigest hashes the arguments as they run: names in order, texts and
// numbers by their source.
func (st *Step) ArgsDigest() Digest {
	h := newHasher()
	h.values(st.Args)
	return h.done()
}

// DigestOf hashes a list of texts, with the step's ArgsDigest behind them.
func (st *Step) DigestOf(parts ...string) Digest {
	args := st.ArgsDigest()
	h := newHasher()
	for _, part := range parts {
		h.part(part)
	}
	h.write(args[:])
	return h.done()
}

// Digest hashes everything of the step that rules can read and that is not
// counted or kept elsewhere.
func (st *Step) Digest() Digest {
	h := newHasher()
	for _, part := range [...]string{st.Chain, st.Run, st.Session, st.Task, st.ID, st.Ability, st.Worker, st.CallID, st.Risk} {
		h.part(part)
	}
	for _, vs := range [...]*Values{st.Args, st.Outputs, st.Params} {
		h.values(vs)
	}
	return h.done()
}

// ApprovalDigest names the permission that satisfies a confirm rule for a
// step: it binds the session, the ability as written, the arguments, and the
// rule with its text. A changed argument or a changed rule asks again.
func ApprovalDigest(st *Step, r *Rule) Digest {
	text := r.written
	if text == "" {
		text = r.Rule.String()
	}
	return st.DigestOf("approval", st.Session, st.Ability, r.Key(), text)
}

// writes makes the texts of the rule that are asked for with every step that it
// holds for.
func (r *Rule) writes() {
	r.written, r.unsaid = "", ""
	if r.Action.Kind == dsl.Confirm {
		r.written = r.Rule.String()
	}
	if r.Reason == "" {
		r.unsaid = r.ReasonText()
	}
}

// hasher makes a digest in memory that is used again: every call with an id
// needs one.
type hasher struct {
	hash  hash.Hash
	room  []byte   // what is written next
	names []string // of the values that are being hashed
	sum   Digest
}

// hashers are those that are done.
var hashers = sync.Pool{New: func() any { return &hasher{hash: sha256.New()} }}

func newHasher() *hasher {
	h := hashers.Get().(*hasher)
	h.hash.Reset()
	return h
}

// done returns the digest. The hasher belongs to others then.
func (h *hasher) done() Digest {
	h.hash.Sum(h.sum[:0])
	sum := h.sum
	if cap(h.room) > mostRoom {
		h.room = nil
	}
	clear(h.names)
	hashers.Put(h)
	return sum
}

// mostRoom is how much memory is kept for the next digest, in bytes.
const mostRoom = 64 << 10

func (h *hasher) write(b []byte) {
	h.room = append(h.room[:0], b...)
	h.hash.Write(h.room) // which never fails
}

// part hashes a text with its length, so that two lists of parts never hash the
// same by being cut differently.
func (h *hasher) part(text string) {
	h.room = binary.LittleEndian.AppendUint64(h.room[:0], uint64(len(text)))
	h.room = append(h.room, text...)
	h.hash.Write(h.room)
}

// value is part for a value as JSON.
func (h *hasher) value(v *Value) {
	const size = 8
	h.room = v.appendCanonical(append(h.room[:0], make([]byte, size)...))
	binary.LittleEndian.PutUint64(h.room, uint64(len(h.room)-size))
	h.hash.Write(h.room)
}

// values hashes named values in the order of their names.
func (h *hasher) values(vs *Values) {
	h.names = vs.appendNames(h.names[:0])
	slices.Sort(h.names)
	for _, name := range h.names {
		h.part(name)
		if b := vs.named(name); b != nil {
			h.value(&b.Value)
		} else {
			h.value(&Value{text: vs.texts[name]})
		}
	}
	h.part("")
}

// appendNames appends the names, in no order.
func (vs *Values) appendNames(names []string) []string {
	if vs == nil {
		return names
	}
	for name := range vs.bindings {
		names = append(names, name)
	}
	for name := range vs.texts {
		names = append(names, name)
	}
	return names
}

// sortedNames returns the names in order.
func (vs *Values) sortedNames() []string {
	names := vs.appendNames(make([]string, 0, vs.Len()))
	slices.Sort(names)
	return names
}

// appendCanonical appends the value as JSON in which a text and a number differ.
func (v *Value) appendCanonical(b []byte) []byte {
	switch {
	case v.kind == kindOther:
		return v.tree.AppendJSON(b)
	case v.numeric:
		return append(b, v.text...)
	}
	return jsonv.AppendString(b, v.text)
}
