package registry

import (
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// eachCovered calls f for the topmost values that a key pattern covers, at
// or below a named one, until f returns false. Lists are crossed; what is
// covered is given whole.
func eachCovered(glob dsl.KeyPattern, name string, v *Value, f func(*Value) bool) bool {
	if glob.Match(name) || v.broken {
		return f(v)
	}
	if tree, ok := v.structure(); ok {
		return eachCoveredIn(glob, name, tree, f)
	}
	return true
}

func eachCoveredIn(glob dsl.KeyPattern, at string, j jsonv.Value, f func(*Value) bool) bool {
	switch j.Kind() {
	case jsonv.List:
		for i := range j.Len() {
			if !eachCoveredIn(glob, at, j.Elem(i), f) {
				return false
			}
		}
	case jsonv.Object:
		for i := range j.Len() {
			v := JSON(j.Elem(i))
			if !eachCovered(glob, at+"."+j.Key(i), &v, f) {
				return false
			}
		}
	case jsonv.String:
		inner, ok, broken := innerJSON(j.Text())
		if broken { // what the pattern covers in it cannot be known
			return f(&Value{text: j.Text(), broken: true})
		}
		if ok && inner.Kind() != jsonv.String {
			return eachCoveredIn(glob, at, inner, f)
		}
	}
	return true
}
