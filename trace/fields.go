package trace

import (
	"iter"
	"strconv"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// field is a value of a record with its path, for a reader that goes through
// many optional ones. The first that is not what it should be is kept in the
// fault that all fields of a record share; the reader asks for it once, at the
// end. What is absent or null is the zero of its type.
type field struct {
	jsonv.Value
	path  string
	fault *error
}

// record is the outermost field of a value, which must be an object.
func record(v jsonv.Value) field {
	f := loose(v)
	if v.Kind() != jsonv.Object {
		f.wrong("an object")
	}
	return f
}

// loose is the outermost field of a value of any kind.
func loose(v jsonv.Value) field { return field{Value: v, fault: new(error)} }

// err returns what was wrong with the record so far.
func (f field) err() error { return *f.fault }

// wrong notes what should have been there.
func (f field) wrong(want string) {
	if *f.fault == nil {
		path := f.path
		if path == "" {
			path = "the record"
		}
		*f.fault = &FieldError{Path: path, Want: want, Got: got(f.Value)}
	}
}

// got describes a value that is not what it should be.
func got(v jsonv.Value) string {
	const shown = 40
	text := v.Text()
	switch {
	case v.Kind() == jsonv.Null:
		return "nothing"
	case v.Kind() == jsonv.String && len(text) <= shown:
		return "the text " + strconv.QuoteToASCII(text)
	case v.Kind() == jsonv.Number && len(text) <= shown:
		return text
	}
	return v.Kind().String()
}

// none reports whether the field is absent or null.
func (f field) none() bool { return f.Kind() == jsonv.Null }

// in returns a member of an object; of anything else, nothing.
func (f field) in(name string) field {
	v, _ := f.Member(name)
	path := name
	if f.path != "" {
		path = f.path + "." + name
	}
	return field{v, path, f.fault}
}

// members returns the members of an object, or none, in order.
func (f field) members() iter.Seq2[string, field] {
	return func(yield func(string, field) bool) {
		if f.object().Kind() != jsonv.Object {
			return
		}
		for i := range f.Len() {
			if !yield(f.Key(i), field{f.Elem(i), f.path + "." + f.Key(i), f.fault}) {
				return
			}
		}
	}
}

// at returns the member at the end of a path of names.
func (f field) at(names ...string) field {
	for _, name := range names {
		f = f.in(name)
	}
	return f
}

// must insists that the field is there.
func (f field) must(want string) field {
	if f.none() {
		f.wrong(want)
	}
	return f
}

// object insists on an object, or nothing.
func (f field) object() field {
	if f.Kind() != jsonv.Object && !f.none() {
		f.wrong("an object")
	}
	return f
}

// list returns the elements of a list, or none.
func (f field) list() []field {
	if f.none() {
		return nil
	}
	if f.Kind() != jsonv.List {
		f.wrong("a list")
		return nil
	}
	all := make([]field, f.Len())
	for i := range all {
		all[i] = field{f.Elem(i), f.path + "[" + strconv.Itoa(i) + "]", f.fault}
	}
	return all
}

// objects returns the elements of a list, each of which must be an object, or
// none.
func (f field) objects() []field {
	all := f.list()
	for _, e := range all {
		if e.Kind() != jsonv.Object {
			e.wrong("an object")
		}
	}
	return all
}

// text returns a text, or "".
func (f field) text() string {
	switch f.Kind() {
	case jsonv.String:
		return f.Text()
	case jsonv.Null:
	default:
		f.wrong("a text")
	}
	return ""
}

// name returns a text or a number, which some programs write for an id.
func (f field) name() string {
	if f.Kind() == jsonv.Number {
		return f.Text()
	}
	return f.text()
}

// yes reports whether the field is true; absent it is not.
func (f field) yes() bool { return f.known() == Yes }

// known returns whether the field is true, if it is there.
func (f field) known() Outcome {
	switch f.Kind() {
	case jsonv.Bool:
		return outcome(f.Text() == "true")
	case jsonv.Null:
	default:
		f.wrong("true or false")
	}
	return Unknown
}

// number returns a number, also one that is written as a text.
func (f field) number(want string) (decimal.Decimal, bool) {
	switch f.Kind() {
	case jsonv.Null:
		return decimal.Decimal{}, false
	case jsonv.Number, jsonv.String:
		if d, ok := decimal.Parse(f.Text()); ok {
			return d, true
		}
	}
	f.wrong(want)
	return decimal.Decimal{}, false
}

// count returns a whole number that is not below 0.
func (f field) count() int64 {
	const want = "a whole number, 0 or more"
	d, ok := f.number(want)
	if !ok {
		return 0
	}
	n, ok := d.Int()
	if !ok || n < 0 {
		f.wrong(want)
		return 0
	}
	return n
}

// The powers of ten by which amounts are kept as whole numbers.
const (
	nanoPerUnit  = 9 // of dollars and seconds
	nanoPerMicro = 3
)

// scaled returns an amount times a power of ten, rounded up.
func (f field) scaled(exp int, want string) (int64, bool) {
	d, ok := f.number(want)
	if !ok {
		return 0, false
	}
	n, ok := d.CeilScaled(exp)
	if !ok || n < 0 {
		f.wrong(want)
		return 0, false
	}
	return n, true
}

// dollars returns an amount of money as nano-dollars, and whether there is one.
func (f field) dollars() (nano int64, ok bool) {
	return f.scaled(nanoPerUnit, "an amount, 0 or more")
}

// seconds returns a number of seconds.
func (f field) seconds() time.Duration {
	n, _ := f.scaled(nanoPerUnit, "a number of seconds, 0 or more")
	return time.Duration(n)
}

// The years whose nanoseconds since 1970 a session can tell.
const firstYear, lastYear = 1970, 2261

// timeLayouts are how programs write times. One without a zone is taken as UTC.
var timeLayouts = [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// instant returns a time as Unix nanoseconds, or 0.
func (f field) instant() int64 {
	text := f.text()
	if text == "" {
		return 0
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if y := t.Year(); y < firstYear || y > lastYear || t.UnixNano() <= 0 {
			break
		}
		return t.UnixNano()
	}
	f.wrong("a time such as 2026-01-05T09:00:00Z")
	return 0
}

// unix returns a time that is written as a number since 1970, in units of ten
// to the power of exp nanoseconds.
func (f field) unix(exp int) int64 {
	const want = "a time since 1970"
	n, ok := f.scaled(exp, want)
	if ok && (n == 0 || time.Unix(0, n).UTC().Year() > lastYear) {
		f.wrong(want)
		return 0
	}
	return n
}

// inner returns what a text that is JSON holds, and any other field as it is.
func (f field) inner(l Limits) field {
	if f.Kind() != jsonv.String {
		return f
	}
	if v, err := parse([]byte(f.Text()), l); err == nil {
		f.Value = v
	}
	return f
}
