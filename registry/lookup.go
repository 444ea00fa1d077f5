package registry

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// path is a key made ready for look-up: every way to split its segments into
// the name of a member and the rest, as names may hold dots themselves.
type path struct {
	key    string
	splits []split // shortest name first; the last one takes the whole key
}

// split is one way to read a path: a member's name and what is looked up in it.
type split struct {
	name string
	rest *path // nil: nothing is left
}

// newPath compiles a key of n segments into at most n paths that share their tails.
func newPath(key string) *path {
	segs := strings.Split(key, ".")
	tail := make([]*path, len(segs)+1) // tail[i] looks up segs[i:]
	for i := len(segs) - 1; i >= 0; i-- {
		p := &path{key: strings.Join(segs[i:], ".")}
		for j := i + 1; j <= len(segs); j++ {
			p.splits = append(p.splits, split{name: strings.Join(segs[i:j], "."), rest: tail[j]})
		}
		tail[i] = p
	}
	return tail[0]
}

// find calls f for every value that the path names among the values, until f
// returns false. It reports whether f always returned true. The pointer is
// valid only during the call.
func (p *path) find(vs *Values, f func(*Value) bool) bool {
	if vs.Len() == 0 {
		return true
	}
	for _, s := range p.splits {
		v, ok := vs.get(s.name)
		if !ok {
			continue
		}
		if s.rest == nil {
			if !f(v) {
				return false
			}
			continue
		}
		if v.broken {
			if !f(v) {
				return false
			}
			continue
		}
		if tree, ok := v.structure(); ok && !s.rest.walk(tree, f) {
			return false
		}
	}
	return true
}

// walk looks the path up inside a JSON value: lists are crossed to every
// element, and a text that is JSON is entered.
func (p *path) walk(j jsonv.Value, f func(*Value) bool) bool {
	switch j.Kind() {
	case jsonv.List:
		for i := range j.Len() {
			if !p.walk(j.Elem(i), f) {
				return false
			}
		}
	case jsonv.Object:
		for i := range j.Len() {
			for _, s := range p.splits {
				if s.name == j.Key(i) && !p.step(s, j.Elem(i), f) {
					return false
				}
			}
		}
	case jsonv.String:
		inner, ok, broken := innerJSON(j.Text())
		if broken {
			return f(&Value{text: j.Text(), broken: true})
		}
		if ok && inner.Kind() != jsonv.String {
			return p.walk(inner, f)
		}
	}
	return true
}

func (p *path) step(s split, j jsonv.Value, f func(*Value) bool) bool {
	if s.rest != nil {
		return s.rest.walk(j, f)
	}
	v := JSON(j)
	return f(&v)
}

// maxInner is how many times JSON inside a text inside JSON is entered.
const maxInner = 16

// leaves calls f for every leaf of the value until f returns false: texts,
// numbers by their source, true and false; in a text that is JSON, the text
// itself and the leaves inside it. It reports whether something in the value
// could not be read.
func (v *Value) leaves(f func(string) bool) (broken bool) {
	w := leafWalk{f: f, broken: v.broken}
	if v.kind == kindOther {
		w.walk(v.tree, 0)
	} else if f(v.text) && v.inner {
		w.walk(v.tree, 0)
	}
	return w.broken
}

// leafWalk visits the leaves of a JSON tree.
type leafWalk struct {
	f      func(string) bool
	broken bool
}

// walk reports whether f always returned true.
func (w *leafWalk) walk(j jsonv.Value, depth int) bool {
	switch j.Kind() {
	case jsonv.Null:
		return true
	case jsonv.List, jsonv.Object:
		for i := range j.Len() {
			if !w.walk(j.Elem(i), depth) {
				return false
			}
		}
		return true
	case jsonv.String:
		if !w.f(j.Text()) {
			return false
		}
		inner, ok, broken := innerJSON(j.Text())
		if broken || ok && depth >= maxInner {
			w.broken = true
			return true
		}
		return !ok || w.walk(inner, depth+1)
	}
	return w.f(j.Text())
}
