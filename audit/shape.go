package audit

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// inRecord reports a pointer that can name nothing in any record. The shape of a
// record is that of its types.
func inRecord(pointer []string) error {
	t, at := reflect.TypeFor[session.Record](), ""
	for _, part := range pointer {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case t == reflect.TypeFor[json.RawMessage](): // the verdict
			t = reflect.TypeFor[registry.VerdictJSON]()
		case isText(t):
			return fmt.Errorf("a record has nothing inside %s", at)
		}
		switch t.Kind() {
		case reflect.Slice, reflect.Array:
			if _, err := strconv.ParseUint(part, 10, 31); err != nil && part != "*" {
				return fmt.Errorf("behind %s of a record stands a number or *, not %q", at, part)
			}
			t = t.Elem()
		case reflect.Struct:
			if part == "*" {
				return nil
			}
			next, names := member(t, part)
			if next == nil {
				return fmt.Errorf("%s has no %q, only %s", strings.TrimSuffix("a record at "+at, " at "), part, strings.Join(names, ", "))
			}
			t = next
		default:
			return fmt.Errorf("a record has nothing inside %s", at)
		}
		at += "/" + part
	}
	return nil
}

// isText reports whether values of a type are written as texts or numbers.
func isText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// member is the type of a member of an object, and what members there are.
func member(t reflect.Type, name string) (of reflect.Type, names []string) {
	for i := range t.NumField() {
		known, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if known == name {
			return t.Field(i).Type, nil
		}
		names = append(names, known)
	}
	return nil, names
}
