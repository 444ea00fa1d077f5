package eval_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// node is a JSON value that keeps what encoding/json drops: the source text
// of numbers, and object members written twice.
type node struct {
	kind  nodeKind
	text  string   // of a string, number or boolean
	items []node   // of a list or an object
	names []string // of an object's items
}

type nodeKind int

const (
	isNull nodeKind = iota
	isText
	isNumber
	isBool
	isList
	isObject
)

// readJSON reads exactly one JSON value.
func readJSON(text string) (node, bool) {
	if !json.Valid([]byte(text)) {
		return node{}, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return readNode(d), true
}

// readNode reads the next value of a text that is known to be JSON.
func readNode(d *json.Decoder) node {
	token, err := d.Token()
	if err != nil {
		panic(err) // the text was valid
	}
	switch t := token.(type) {
	case string:
		return node{kind: isText, text: t}
	case json.Number:
		return node{kind: isNumber, text: t.String()}
	case bool:
		if t {
			return node{kind: isBool, text: "true"}
		}
		return node{kind: isBool, text: "false"}
	case json.Delim:
		return readItems(d, t)
	}
	return node{kind: isNull}
}

// readItems reads the rest of a list or an object and its closing bracket.
func readItems(d *json.Decoder, open json.Delim) node {
	n := node{kind: isList}
	if open == '{' {
		n.kind = isObject
	}
	for d.More() {
		if n.kind == isObject {
			n.names = append(n.names, readNode(d).text)
		}
		n.items = append(n.items, readNode(d))
	}
	if _, err := d.Token(); err != nil {
		panic(err) // the text was valid
	}
	return n
}

// inside returns the value that a string holds if its trimmed text is a JSON
// object or array, or, where quoted is set, a JSON string.
func inside(text string, quoted bool) (node, bool) {
	text = strings.Trim(text, " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' && (text[0] != '"' || !quoted) {
		return node{}, false
	}
	return readJSON(text)
}

// members calls visit for every member of the node that has the name.
func (n node) members(name string, visit func(node)) {
	for i, other := range n.names {
		if other == name {
			visit(n.items[i])
		}
	}
}

// repeats reports whether an object anywhere in the value has a member twice.
func (n node) repeats() bool {
	for i, name := range n.names {
		for _, later := range n.names[i+1:] {
			if later == name {
				return true
			}
		}
	}
	for _, item := range n.items {
		if item.repeats() {
			return true
		}
	}
	return false
}

// canonical prints the value with sorted members, for comparing arguments.
func (n node) canonical() string {
	switch n.kind {
	case isText:
		quoted, err := json.Marshal(n.text)
		if err != nil {
			panic(err) // a string always marshals
		}
		return string(quoted)
	case isNumber, isBool:
		return n.text
	case isList:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.canonical()
		}
		return "[" + strings.Join(parts, ",") + "]"
	case isObject:
		return "{" + strings.Join(n.sortedMembers(), ",") + "}"
	}
	return "null"
}

// sortedMembers prints an object's members, sorted by name.
func (n node) sortedMembers() []string {
	parts := make([]string, len(n.items))
	for i, item := range n.items {
		parts[i] = node{kind: isText, text: n.names[i]}.canonical() + ":" + item.canonical()
	}
	slices.Sort(parts)
	return parts
}
