package registry

import (
	"encoding/json"
	"sync/atomic"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// MaxDepth is how deep lists and objects may be nested in a value that is judged.
const MaxDepth = 200

// jsonLimits bound what is read as JSON.
var jsonLimits = jsonv.Limits{Depth: MaxDepth}

// Value is a value bound to a key, parsed once: as a number if it is one, as
// a JSON tree if it is a list or an object or a text that holds one.
// The zero Value is an empty text.
type Value struct {
	text    string // a text's contents, a number's source text, "true", "false" or "null"
	num     decimal.Decimal
	tree    jsonv.Value
	kind    valueKind
	inner   bool // tree holds what the text, read as JSON, contains
	broken  bool // cannot be read: atoms over it hold
	numeric bool // was a JSON number, not a text that reads as one
}

// valueKind sorts values by how atoms see them.
type valueKind uint8

const (
	kindText   valueKind = iota // text that is no number
	kindNumber                  // a number, or text that is one
	kindOther                   // true, false, null, a list or an object
)

// Text binds a text. A text that is a number counts as one; in a text that
// is JSON the leaves are seen too.
func Text(s string) Value {
	v := Value{text: s}
	if n, ok := decimal.Parse(s); ok {
		v.num, v.kind = n, kindNumber
		return v
	}
	v.tree, v.inner, v.broken = innerJSON(s)
	return v
}

// JSON binds a JSON value that was already read.
func JSON(j jsonv.Value) Value {
	switch j.Kind() {
	case jsonv.String:
		return Text(j.Text())
	case jsonv.Number:
		v := Value{text: j.Text(), numeric: true}
		if n, ok := decimal.Parse(v.text); ok {
			v.num, v.kind = n, kindNumber
		}
		return v
	case jsonv.Bool, jsonv.Null:
		return Value{text: j.Text(), kind: kindOther, tree: j}
	}
	return Value{tree: j, kind: kindOther}
}

// ParseValue binds a value given as JSON text. It refuses what is not JSON,
// duplicate keys, and nesting deeper than MaxDepth.
func ParseValue(raw json.RawMessage) (Value, error) {
	j, err := jsonv.Parse(raw, jsonLimits)
	if err != nil {
		return Value{}, err
	}
	return JSON(j), nil
}

// innerJSON reads a text that may itself be JSON: a list, an object or a
// quoted text. Duplicate members are kept, so that each is judged. A text
// that is nested deeper than is read counts as broken.
func innerJSON(s string) (tree jsonv.Value, inner, broken bool) {
	switch firstByte(s) {
	case '{', '[', '"':
	default:
		return jsonv.Value{}, false, false
	}
	j, err := jsonv.Parse([]byte(s), jsonv.Limits{Depth: MaxDepth, KeepDuplicates: true})
	if err != nil {
		return jsonv.Value{}, false, jsonv.IsTooDeep(err)
	}
	return j, true, false
}

// firstByte returns the first byte that is not a JSON blank, or 0.
func firstByte(s string) byte {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return s[i]
		}
	}
	return 0
}

// String returns the value as a person would write it: the text, the
// number's source, or JSON.
func (v *Value) String() string {
	if v.kind == kindOther {
		return string(v.tree.AppendJSON(nil))
	}
	return v.text
}

// Structured reports whether String has to make its text: the value is neither
// a text nor a number.
func (v *Value) Structured() bool { return v.kind == kindOther }

// AppendText appends what String returns.
func (v *Value) AppendText(b []byte) []byte {
	if v.kind == kindOther {
		return v.tree.AppendJSON(b)
	}
	return append(b, v.text...)
}

// Leaves calls f for every leaf of the value: texts, numbers by their source,
// true and false, and for a text that is JSON also the leaves inside it.
func (v *Value) Leaves(f func(string)) {
	v.leaves(func(leaf string) bool { f(leaf); return true })
}

// structure returns the list or object that the value is or holds.
func (v *Value) structure() (jsonv.Value, bool) {
	if (v.inner || v.kind == kindOther) && (v.tree.Kind() == jsonv.List || v.tree.Kind() == jsonv.Object) {
		return v.tree, true
	}
	return jsonv.Value{}, false
}

// Values are named values: a step's arguments, the outputs before it, or a
// chain's parameters. The zero value holds none. Values are read by many
// steps; Bind and Unbind are for their one owner.
type Values struct {
	bound map[string]*binding
	texts map[string]string
	fault error  // a name that cannot be seen was bound
	mixed bool   // a name other than lower-case ASCII was bound
	calls *calls // nil: no output of a call was bound
}

// binding is a bound value, with what is known not to be in it.
type binding struct {
	Value
	memory atomic.Pointer[memory] // nil: no rule has looked in it
}

// Texts wraps a map of texts without copying it. Each is parsed when a rule
// asks for it; bind values instead where they are judged more than once.
func Texts(m map[string]string) *Values { v := TextValues(m); return &v }

// TextValues is Texts without the pointer, for a host that reuses its memory.
func TextValues(m map[string]string) Values { return Values{texts: m} }

// ParseValues binds the members of a JSON object. It refuses what ParseValue
// refuses, and a value that is no object.
func ParseValues(raw json.RawMessage) (*Values, error) {
	j, err := jsonv.Parse(raw, jsonLimits)
	if err != nil {
		return nil, err
	}
	return Members(j)
}

// Members binds the members of an object that was already read.
func Members(j jsonv.Value) (*Values, error) {
	if j.Kind() != jsonv.Object {
		return nil, errNoObject
	}
	vs := &Values{bound: make(map[string]*binding, j.Len())}
	for i := range j.Len() {
		vs.Bind(j.Key(i), JSON(j.Elem(i)))
	}
	return vs, nil
}

// Bind binds a name, replacing what was bound to it.
func (vs *Values) Bind(name string, v Value) { vs.bind(name, &binding{Value: v}) }

func (vs *Values) bind(name string, b *binding) {
	if vs.bound == nil {
		vs.bound = make(map[string]*binding)
	}
	if vs.fault == nil {
		vs.fault = checkBinding(name, &b.Value)
	}
	vs.mixed = vs.mixed || !lowerASCII(name)
	vs.bound[name] = b
	vs.calls.meets(name)
}

// BindOutput is Bind for what a tool has put out. Its keys are not those of a
// step: a tool that puts out names nobody can see does not make every later
// step a malformed one.
func (vs *Values) BindOutput(name string, v Value) { vs.bindOutput(name, &binding{Value: v}) }

func (vs *Values) bindOutput(name string, b *binding) {
	fault := vs.fault
	vs.bind(name, b)
	if fault == nil && checkName("key", name) == nil {
		vs.fault = nil
	}
}

// Unbind removes a name.
func (vs *Values) Unbind(name string) {
	delete(vs.bound, name)
	vs.calls.drop(name)
}

// Len returns the number of names.
func (vs *Values) Len() int {
	if vs == nil {
		return 0
	}
	return len(vs.bound) + len(vs.texts) + vs.calls.size()
}

// named returns what is bound to a name as a value; nil: nothing is.
func (vs *Values) named(name string) *binding {
	if b := vs.bound[name]; b != nil {
		return b
	}
	return vs.calls.get(name)
}

// bindings calls f for all that is bound as a value, in no order, until it returns false.
func (vs *Values) bindings(f func(name string, b *binding) bool) {
	for name, b := range vs.bound {
		if !f(name, b) {
			return
		}
	}
	if vs.calls == nil {
		return
	}
	for _, of := range vs.calls.of {
		for _, out := range of.list {
			if !f(out.name, &out.binding) {
				return
			}
		}
	}
}

// get returns the value of a top-level name. Texts are parsed each time.
func (vs *Values) get(name string) (*Value, bool) {
	if vs == nil {
		return nil, false
	}
	if b := vs.named(name); b != nil {
		return &b.Value, true
	}
	if s, ok := vs.texts[name]; ok {
		v := Text(s)
		return &v, true
	}
	return nil, false
}

// Leaves calls f for every leaf of every value, in the order of the names.
func (vs *Values) Leaves(f func(string)) {
	for _, name := range vs.sortedNames() {
		v, _ := vs.get(name)
		v.Leaves(f)
	}
}

// each calls f for every name in unspecified order until it returns false.
func (vs *Values) each(f func(name string, v *Value) bool) {
	if vs == nil {
		return
	}
	for name, b := range vs.bindings {
		if !f(name, &b.Value) {
			return
		}
	}
	for name, s := range vs.texts {
		v := Text(s)
		if !f(name, &v) {
			return
		}
	}
}
