package registry

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// eachCovered calls f for the topmost values that a key pattern covers, at
// or below a named one, until f returns false. Lists are crossed; what is
// covered is given whole.
func eachCovered(glob dsl.KeyPattern, name string, v *Value, f func(*Value) bool) bool {
	if glob.Match(name) || v.broken {
		if glob.IsClass() && v.blank() {
			return true // it says nothing of what the class is about
		}
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

// blank reports whether nothing is in the value: no leaf, or only blanks.
func (v *Value) blank() bool {
	blank := true
	broken := v.leaves(func(leaf string) bool {
		blank = strings.TrimSpace(leaf) == ""
		return blank
	})
	return blank && !broken
}
