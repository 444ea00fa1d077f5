package eval_test

func (g *generator) rule(id string) rule {
	r := rule{
		id:      id,
		section: pick(g, "*", "*", "*", "trade", "trade.*", "t*", "nyaya/*", "*.fast"),
		action:  pick(g, "warn", "warn", "throttle", "throttle", "throttle", "confirm", "confirm", "review", "review", "abort", "abort"),
		reason:  pick(g, "", "stop", `say "no" | & \`),
		observe: g.chance(8),
		spaced:  g.chance(30),
	}
	if g.theme == throttling && g.chance(80) {
		r.action = "throttle"
	}
	if r.action == "confirm" || r.action == "throttle" {
		r.limit = pick(g, "", "", "(30s)")
	}
	r.atoms = []atom{g.mainAtom()}
	for g.chance(30) && len(r.atoms) < 3 {
		r.atoms = append(r.atoms, g.narrowingAtom())
	}
	g.Shuffle(len(r.atoms), func(i, j int) { r.atoms[i], r.atoms[j] = r.atoms[j], r.atoms[i] })
	for _, a := range r.atoms {
		if _, ok := a.(threshold); ok {
			r.missing = pick(g, "", "", "", "skip", "skip", "skip", "wait", "fire")
			if g.theme != comparing && g.chance(70) {
				r.missing = "skip"
			}
		}
	}
	return r
}

// mainAtom draws what the rule is about.
func (g *generator) mainAtom() atom {
	switch g.theme {
	case counting, throttling:
		return g.frequency()
	case comparing:
		switch {
		case g.chance(65):
			return g.threshold()
		case g.chance(75):
			return g.match()
		}
		return g.when()
	case flowing:
		switch {
		case g.chance(40):
			return g.provenance()
		case g.chance(50):
			return after{not: g.chance(25), name: g.pattern()}
		}
		return g.match()
	}
	return g.anyAtom()
}

// narrowingAtom draws a further test, which the main atom must hold with.
func (g *generator) narrowingAtom() atom {
	if g.chance(40) {
		return ability{not: g.chance(25), name: g.pattern()}
	}
	return g.anyAtom()
}

func (g *generator) anyAtom() atom {
	switch g.IntN(8) {
	case 0, 1:
		return g.frequency()
	case 2, 3:
		return g.threshold()
	case 4:
		return after{not: g.chance(25), name: g.pattern()}
	case 5:
		return g.match()
	case 6:
		return g.when()
	}
	return ability{not: g.chance(25), name: g.pattern()}
}

func (g *generator) pattern() string {
	return pick(g, "pay.send", "PAY.Send", "pay.*", "pay.s*", "*.send", "mail.*", "m*l.send", "read_*",
		"*.*.bulk", "caf\u00e9.pay", "CAFE\u0301.PAY", "pay", "*", "@writes")
}

func (g *generator) frequency() atom {
	a := frequency{
		scope:  pick(g, "", "", "chain", "session", "all"),
		count:  pick(g, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 6),
		window: pick(g, 1, 2, 10),
		unit:   pick(g, "s", "s", "m", "m", "h"),
	}
	if g.chance(50) {
		a.name = pick(g, "pay.*", "pay.*", "PAY.send", "*", "*.send", "mail.*", "@writes")
	}
	return a
}

func (g *generator) threshold() atom {
	if g.chance(12) {
		return threshold{key: pick(g, "task.tool_calls", "session.duration"), op: pick(g, ">", ">=", "=="), limit: "50"}
	}
	a := threshold{
		key: pick(g, "amount", "amount", "price", "order.amount", "order.line.amount", "fetch.output", "fetch.output.price"),
		op:  pick(g, ">", ">", ">=", "<", "<=", "==", "!="),
		limit: pick(g, "10", "10", "1000", "1000", "1e3", "0.1", "-5", "0.30000000000000000000000000000000000001",
			"123456789012345678901234567890"),
	}
	if g.chance(10) {
		a.limit, a.unit = "2", pick(g, "s", "m", "h", "d")
	}
	return a
}

func (g *generator) match() atom {
	a := match{
		not:     g.chance(25),
		subject: pick(g, "arg", "arg", "output"),
		key:     g.keyPattern(),
		kind:    pick(g, "contains", "contains", "icontains", "equals", "matches"),
		quote:   pick(g, '"', '"', '`', 0),
	}
	switch a.kind {
	case "matches":
		a.pattern = pick(g, `^fa[il]+$`, `\d{3,}`, `(?i)error`, `@x\.org`, `^$`)
	default:
		a.pattern = pick(g, "fail", "Fail", "ok", "5", "10", "1000", "bob@x.org", "true", "error 5", "o", "strasse", "caf\u00e9")
	}
	// A pattern that holds signs of the grammar cannot stand bare.
	if a.quote == 0 && a.kind == "matches" {
		a.quote = '`'
	}
	return a
}

func (g *generator) provenance() atom {
	return match{
		not:     g.chance(60),
		subject: "arg",
		key:     pick(g, "to", "to", "to", "note", "order.to", "order.*", "*", "@destinations", "@destinations"),
		kind:    "in",
		pattern: pick(g, "user", "user", "outputs"),
	}
}

func (g *generator) keyPattern() string {
	return pick(g, "note", "note", "to", "amount", "order", "order.amount", "order.line.amount", "fetch.output",
		"order.*", "or*", "*.amount", "fetch.*", "*", "*")
}

func (g *generator) when() atom {
	a := when{
		guarded: g.chance(60),
		key:     "weight",
		op:      pick(g, ">", ">=", "<", "<=", "==", "!="),
		value:   pick(g, "3", "5", "2.5"),
	}
	if g.chance(25) {
		a.isText, a.op, a.value = true, pick(g, "==", "!="), pick(g, "heavy", "light")
	}
	return a
}
