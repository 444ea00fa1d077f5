package eval_test

import (
	"math/big"
	"regexp"
	"strings"
)

// judge compares every binding of the key; one that holds is enough, and a
// binding that is no number holds.
func (a threshold) judge(r rule, _ *history, s step) judgement {
	found := s.bindings(a.key)
	if len(found) == 0 {
		return plain(a.missingHolds(r, s), "missing")
	}
	limit := a.limitInBaseUnit()
	for _, n := range found {
		value, ok := number(n)
		if !ok {
			return plain(true, "malformed")
		}
		if compares(value.Cmp(limit), a.op) {
			return plain(true, "exceeded")
		}
	}
	return plain(false, "")
}

// bindings returns what the key names: a meter, or what lies there in the
// arguments, the outputs and the parameters.
func (s step) bindings(key string) (found []node) {
	collect := func(n node) { found = append(found, n) }
	switch word, _, dotted := strings.Cut(key, "."); {
	case dotted && (word == "task" || word == "worker" || word == "tool" || word == "session"):
		s.meters.members(key, collect)
	default:
		for _, place := range []node{s.args, s.outputs, s.params} {
			walkObject(place, strings.Split(key, "."), collect)
		}
	}
	return found
}

// walk visits what the segments lead to from a value. Lists are crossed to
// every element, and a string that holds JSON is walked like that JSON.
func walk(n node, segments []string, visit func(node)) {
	if len(segments) == 0 {
		visit(n)
		return
	}
	switch n.kind {
	case isList:
		for _, item := range n.items {
			walk(item, segments, visit)
		}
	case isText:
		if inner, ok := inside(n.text, false); ok {
			walk(inner, segments, visit)
		}
	case isObject:
		walkObject(n, segments, visit)
	}
}

// walkObject tries every number of segments as a member's name, for a name
// may itself hold dots.
func walkObject(n node, segments []string, visit func(node)) {
	for i := 1; i <= len(segments); i++ {
		name := strings.Join(segments[:i], ".")
		n.members(name, func(m node) { walk(m, segments[i:], visit) })
	}
}

// missingHolds is the table for a key that nothing binds. Outside a chain
// only pending says that a step which can still run declares the key.
func (a threshold) missingHolds(r rule, s step) bool {
	mode := r.missing
	if mode == "" {
		mode = "wait"
	}
	if mode == "wait" && (r.names(s.ability) || !a.declared(s)) {
		mode = "fire"
	}
	return mode == "fire"
}

// declared reports whether pending holds the key or a dotted prefix of it.
// What a model-written chain declares does not count for an operator's rule.
func (a threshold) declared(s step) bool {
	if strings.HasPrefix(s.chain, "nyaya/") {
		return false
	}
	for _, p := range s.pending {
		if a.key == p || strings.HasPrefix(a.key, p+".") {
			return true
		}
	}
	return false
}

// names reports whether a positive ability atom of the rule matches.
func (r rule) names(called string) bool {
	for _, a := range r.atoms {
		if a, ok := a.(ability); ok && !a.not && abilityMatches(a.name, called) {
			return true
		}
	}
	return false
}

var numberForm = regexp.MustCompile(`^[+-]?([0-9]+)(?:\.([0-9]+))?(?:e[+-]?0*([0-9]+))?$`)

// number reads a number, or a text that is one, exactly.
func number(n node) (*big.Rat, bool) {
	if n.kind != isNumber && n.kind != isText {
		return nil, false
	}
	text := strings.Trim(n.text, " \t\r\n")
	m := numberForm.FindStringSubmatch(text)
	if m == nil || len(m[1])+len(m[2]) > 1000 {
		return nil, false
	}
	if exponent := m[3]; len(exponent) > 3 || len(exponent) == 3 && exponent > "400" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// limitInBaseUnit is the rule's number; a unit turns it into seconds.
func (a threshold) limitInBaseUnit() *big.Rat {
	limit, ok := number(node{kind: isText, text: a.limit})
	if !ok {
		panic("a test wrote a rule with the limit " + a.limit)
	}
	return limit.Mul(limit, big.NewRat(unitSeconds(a.unit), 1))
}

func unitSeconds(unit string) int64 {
	switch unit {
	case "m":
		return 60
	case "h":
		return 3600
	case "d":
		return 86400
	}
	return 1
}

// compares reports whether an order, as Cmp gives it, satisfies an operator.
func compares(order int, op string) bool {
	switch op {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "==":
		return order == 0
	}
	return order != 0
}
