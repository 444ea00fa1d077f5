package registry

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// absentError says that an expression read what nothing binds.
type absentError struct{ key any }

// Error names the key.
func (e *absentError) Error() string {
	return fmt.Sprintf("%v is not there (test it with has())", e.key)
}

// absent is what __opt finds where there is nothing.
type absent struct{}

// get reads a member and fails if there is none.
func get(params ...any) (any, error) {
	v, ok := member(params[0], params[1])
	if !ok {
		return nil, &absentError{key: params[1]}
	}
	if list, ok := v.([]any); ok && len(list) > maxItems {
		return nil, fmt.Errorf("%v has more than %d items", params[1], maxItems)
	}
	return v, nil
}

// opt reads a member, or returns absent.
func opt(params ...any) (any, error) {
	if v, ok := member(params[0], params[1]); ok {
		return v, nil
	}
	return absent{}, nil
}

func has(params ...any) (any, error) {
	_, missing := params[0].(absent)
	return !missing, nil
}

func member(base, prop any) (any, bool) {
	switch b := base.(type) {
	case *Values:
		name, _ := prop.(string)
		v, ok := b.get(name)
		if !ok {
			return nil, false
		}
		return v.native(), true
	case *meterGroup:
		if b.meters == nil {
			return nil, false
		}
		name, _ := prop.(string)
		d, ok := b.meters.Meter(b.key(name))
		if n, whole := d.Int(); whole && n == int64(int(n)) {
			return int(n), ok // what nativeNumber reads in its text
		}
		return nativeNumber(d.String()), ok
	case map[string]any:
		name, _ := prop.(string)
		v, ok := b[name]
		return v, ok
	case []any:
		i, ok := prop.(int)
		if ok && i < 0 {
			i += len(b)
		}
		if !ok || i < 0 || i >= len(b) {
			return nil, false
		}
		return b[i], true
	}
	return nil, false
}

// native turns a value into what expr computes with.
func (v *Value) native() any {
	switch {
	case v.kind == kindNumber:
		return nativeNumber(v.text)
	case v.kind == kindOther || v.inner && v.tree.Kind() != jsonv.String:
		return nativeJSON(v.tree)
	}
	return v.text
}

func nativeNumber(text string) any {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // beyond a float's range: keep it as text, which compares with no number
		return text
	}
	return f
}

func nativeJSON(j jsonv.Value) any {
	switch j.Kind() {
	case jsonv.Null:
		return nil
	case jsonv.Bool:
		return j.Text() == "true"
	case jsonv.List:
		list := make([]any, j.Len())
		for i := range list {
			list[i] = nativeJSON(j.Elem(i))
		}
		return list
	case jsonv.Object:
		m := make(map[string]any, j.Len())
		for i := range j.Len() {
			m[j.Key(i)] = nativeJSON(j.Elem(i))
		}
		return m
	}
	v := JSON(j)
	return v.native()
}
