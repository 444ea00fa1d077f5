package eval_test

// nameCases are about abilities, chains and what was admitted before.
func nameCases() []tableCase {
	guard := func(pattern string) []rule { return rules(on("abort", ability{name: pattern})) }
	calls := func(name, want string) tableStep { return now(`"ability":"`+name+`"`, want) }
	afterRead := rules(on("review", ability{name: "pay.*"}, after{name: "read_*"}))
	return []tableCase{
		{"a star matches within one segment", guard("pay.s*d"), steps(
			calls("pay.send", "abort r"), calls("pay.sd", "abort r"), calls("pay.send.bulk", "allow"), calls("pay.se.d", "allow"), calls("pay.sen", "allow"),
		)},
		{"a final star matches one or more further segments", guard("pay.*"), steps(
			calls("pay.send", "abort r"), calls("pay.send.bulk", "abort r"), calls("pay", "allow"), calls("payroll.send", "allow"),
		)},
		{"an inner star matches exactly one segment", guard("pay.*.bulk"), steps(
			calls("pay.send.bulk", "abort r"), calls("pay.bulk", "allow"), calls("pay.a.b.bulk", "allow"),
		)},
		{"a star alone matches any", guard("*"), steps(calls("pay", "abort r"), calls("pay.send.bulk", "abort r"))},
		{"Fault03 case does not matter", guard("Pay.SEND"), steps(calls("pay.send", "abort r"), calls("PAY.Send", "abort r"))},
		{"Fault03 blanks do not matter", rules(rule{id: "r", section: "*", action: "abort", spaced: true, atoms: []atom{ability{name: "pay.send"}}}), steps(
			calls("pay.send", "abort r"), calls("pay.sent", "allow"),
		)},
		{"names are normalised", guard("caf\u00e9.pay"), steps(
			calls("cafe\u0301.pay", "abort r"), calls("CAF\u00c9.pay", "abort r"), calls("cafe.pay", "allow"),
		)},
		{"@writes is any ability whose name does not say that it only reads", guard("@writes"), steps(
			calls("send_money", "abort r"), calls("get_rate", "allow"), calls("pay.getRate", "allow"), calls("rate", "abort r"),
			calls("get_or_create_user", "abort r"), calls("get.user.delete", "abort r"), calls("WebSearch", "allow"), calls("websearch", "abort r"),
		)},
		{"what writes was admitted before", rules(on("review", ability{name: "pay.*"}, after{name: "@writes"})), steps(
			calls("mail.getAll", "allow"), calls("pay.send", "allow"), calls("pay.send", "review r"),
		)},
		{"calls of all that writes are counted together", rules(on("abort", frequency{name: "@writes", count: 1, window: 1, unit: "h"})), steps(
			calls("pay.send", "allow"), calls("mail.get", "allow"), calls("mail.send", "abort r"), calls("mail.list", "allow"),
		)},
		{"a negated class", rules(on("abort", ability{not: true, name: "@writes"})), steps(calls("pay.send", "allow"), calls("mail.get", "abort r"))},
		{"a negated ability", rules(on("abort", ability{not: true, name: "mail.*"})), steps(calls("pay.send", "abort r"), calls("mail.send", "allow"))},
		{"after: an ability was admitted before in this session", afterRead, steps(
			now(``, "allow"), calls("Read_mail", "allow"), now(``, "review r"), now(`"session":"t"`, "allow"), now(`"session":""`, "allow"),
		)},
		{"the step itself is not before", rules(on("review", after{name: "pay.*"})), steps(now(``, "allow"), now(``, "review r"))},
		{"a refused step was not admitted", rules(on("confirm", ability{name: "read_*"}).named("ask"), on("review", after{name: "read_*"})), steps(
			calls("read_mail", "confirm ask"), now(``, "allow"),
		)},
		{"history counts for its line only", afterRead, steps(now(`"history":["x","READ_mail"]`, "review r"), now(``, "allow"))},
		{"a negated after", rules(on("abort", after{not: true, name: "read_*"}, ability{name: "pay.*"})), steps(
			now(``, "abort r"), now(`"history":["read_mail"]`, "allow"),
		)},
		{"every atom must hold", rules(on("abort", ability{name: "pay.*"}, over("amount", "5"))), steps(
			now(`"args":{"amount":9}`, "abort r"), now(`"args":{"amount":1}`, "allow"), now(`"args":{"amount":9},"ability":"mail"`, "allow"),
		)},
		{"a section is for the chains its pattern covers", rules(
			on("warn", ability{name: "*"}).named("all"), on("warn", ability{name: "*"}).in("trade").named("one"),
			on("warn", ability{name: "*"}).in("trade.*").named("below"), on("warn", ability{name: "*"}).in("nyaya/*").named("model"),
		), steps(
			now(``, "warn all one"), now(`"chain":"trade.fast"`, "warn all below"), now(`"chain":"nyaya/x"`, "warn all model"), now(`"chain":"ops"`, "warn all"),
		)},
		{"the strongest action decides, every fired rule is listed in order", rules(
			on("warn", over("a", "0")).named("w"), on("abort", over("b", "0")).named("a"), on("throttle", over("c", "0")).named("t"),
			on("review", over("d", "0")).named("v"), on("confirm", over("e", "0")).named("c"),
		), steps(
			now(`"args":{"a":1,"b":1,"c":1,"d":1,"e":1}`, "abort w a t v c -1ms"),
			now(`"args":{"a":1,"b":0,"c":1,"d":1,"e":1}`, "review w t v c -1ms"),
			now(`"args":{"a":1,"b":0,"c":1,"d":0,"e":1}`, "confirm w t c -1ms"),
			now(`"args":{"a":1,"b":0,"c":1,"d":0,"e":0}`, "throttle w t -1ms"),
			now(`"args":{"a":1,"b":0,"c":0,"d":0,"e":0}`, "warn w"),
			now(`"args":{"a":0,"b":0,"c":0,"d":0,"e":0}`, "allow"),
		)},
		{"an observed rule is listed and never decides", rules(on("abort", ability{name: "*"}).observed()), steps(now(``, "allow r"))},
	}
}

// stepCases are about steps that cannot be judged.
func stepCases() []tableCase {
	c := tableCase{name: "what cannot be judged is refused", rules: rules(on("warn", after{name: "*"}))}
	for _, fields := range []string{
		`"ability":"pay\u200b.send"`, `"ability":"pay\u0007.send"`, `"ability":"pay\u202e.send"`, `"ability":"\ufeffpay"`, `"ability":"\u2066pay"`,
		`"args":{"amo\u200dunt":1}`, `"args":{"a":[{"b\u0000":1}]}`, `"outputs":{"\u200fprice":1}`, `"params":{"a\u0085":1}`,
		`"args":{"a":1,"a":1}`, `"args":{"a":[{"b":{"c":1,"c":2}}]}`, `"run":"r1","run":"r1"`, `"outputs":{"a":1,"a":2}`,
		`"args":{"amount":1,"Amount":2}`, `"args":{"stra\u00dfe":1,"STRASSE":2}`,
		`"args":[]`, `"now":"yesterday"`, `"pending":"amount"`, `"ability":""`, `"executions":[5]`,
	} {
		c.steps = append(c.steps, now(fields, "abort malformed_step"))
	}
	for _, line := range []string{``, `{`, `[]`, `null`, `{"chain":"trade"}`, `{"ability":"pay.send"}`, `{"chain":"trade","ability":"a"}{}`, "{\"chain\":\"\xff\",\"ability\":\"a\"}"} {
		c.steps = append(c.steps, tableStep{line, "abort malformed_step"})
	}
	c.steps = append(c.steps,
		now(``, "allow"),
		now(`"args":{"a":{"b":1,"B":2}},"outputs":{"a":1,"A":2}`, "warn r"),
		now(`"args":{"note":"\u200b\u202e\u0007"}`, "warn r"),
		now(`"args":{"caf\u00e9":1,"cafe\u0301s":2}`, "warn r"),
	)
	return []tableCase{c}
}
