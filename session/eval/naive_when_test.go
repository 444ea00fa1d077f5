package eval_test

// judge: an absent argument is an error unless tested for, a text cannot be
// ordered against a number, and an error makes the atom hold.
func (a when) judge(_ rule, _ *history, s step) judgement {
	var arg node
	present := false
	s.args.members(a.key, func(n node) { arg, present = n, true })
	if !present {
		return plain(!a.guarded, "missing")
	}
	have, haveNumber := number(arg)
	if a.isText {
		return plain((!haveNumber && arg.text == a.value) == (a.op == "=="), "matched")
	}
	want, ok := number(node{kind: isText, text: a.value})
	if !ok {
		panic("a test wrote an expression with the number " + a.value)
	}
	switch {
	case haveNumber:
		return plain(compares(have.Cmp(want), a.op), "matched")
	case a.op == "==":
		return plain(false, "")
	}
	return plain(true, "malformed")
}
