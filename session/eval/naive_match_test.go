package eval_test

import (
	"regexp"
	"strings"
)

// judge: one leaf that hits is enough; negated, none may hit.
func (a match) judge(_ rule, _ *history, s step) judgement {
	place := s.args
	if a.subject == "output" {
		place = s.outputs
	}
	values := matching(place, a.key)
	holds := false
	switch {
	case a.kind == "in" && a.pattern == "user":
		holds = allOccur(values, s.user)
	case a.kind == "in":
		holds = allOccur(values, leavesOf([]node{s.outputs}))
	default:
		for _, leaf := range leavesOf(values) {
			holds = holds || a.hits(leaf)
			if a.subject == "output" && !a.not && a.kind != "equals" {
				holds = holds || a.hits(asRead(leaf))
			}
		}
	}
	return plain(holds != a.not, "matched")
}

// hits compares one leaf with the pattern.
func (a match) hits(leaf string) bool {
	switch a.kind {
	case "contains":
		return strings.Contains(leaf, a.pattern)
	case "icontains":
		return strings.Contains(folded(leaf), folded(a.pattern))
	case "equals":
		return leaf == a.pattern
	}
	return regexp.MustCompile(a.pattern).MatchString(leaf)
}

// matching returns the values that a key pattern names. A key without "*" is
// found as a threshold finds it; with "*" it is compared with the full path of
// every value there is.
func matching(place node, key string) (found []node) {
	if key != "@destinations" && !strings.Contains(key, "*") {
		walkObject(place, strings.Split(key, "."), func(n node) { found = append(found, n) })
		return found
	}
	for i, name := range place.names {
		eachPath(name, place.items[i], func(path string, n node) {
			if key == "@destinations" && saysWhere(path) && strings.TrimSpace(strings.Join(leavesOf([]node{n}), "")) != "" || nameMatches(key, path) {
				found = append(found, n)
			}
		})
	}
	return found
}

// eachPath visits a value and everything below it with its dotted path. A
// list adds nothing to the path of its elements.
func eachPath(path string, n node, visit func(string, node)) {
	visit(path, n)
	if n.kind == isText {
		inner, ok := inside(n.text, false)
		if !ok {
			return
		}
		n = inner
	}
	for i, item := range n.items {
		if n.kind == isObject {
			eachPath(path+"."+n.names[i], item, visit)
		} else {
			eachPath(path, item, visit)
		}
	}
}

// leavesOf returns the texts that a match sees: strings, numbers by their
// source text, booleans, and the leaves of JSON inside strings.
func leavesOf(values []node) (leaves []string) {
	for _, n := range values {
		switch n.kind {
		case isNumber, isBool:
			leaves = append(leaves, n.text)
		case isText:
			leaves = append(leaves, n.text)
			if inner, ok := inside(n.text, true); ok {
				leaves = append(leaves, leavesOf([]node{inner})...)
			}
		case isList, isObject:
			leaves = append(leaves, leavesOf(n.items)...)
		}
	}
	return leaves
}
