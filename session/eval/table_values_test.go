package eval_test

import "strings"

// valueCases are about thresholds on keys that are bound.
func valueCases() []tableCase {
	limit := rules(on("abort", over("amount", "1000")))
	nested := rules(on("abort", over("order.amount", "1000")))
	cases := []tableCase{
		{"the documented threshold", limit, steps(
			now(`"args":{"amount":1500}`, "abort r"),
			now(`"args":{"amount":1001}`, "abort r"),
			now(`"args":{"amount":1000}`, "allow"),
		)},
		{"numbers are compared exactly", limit, steps(
			now(`"args":{"amount":1000.00000000000000000000000000001}`, "abort r"),
			now(`"args":{"amount":"1000.0000000000"}`, "allow"),
			now(`"args":{"amount":1e3}`, "allow"),
		)},
		{"every binding found is compared", limit, steps(
			now(`"args":{"amount":5},"outputs":{"amount":"2000"}`, "abort r"),
			now(`"args":{"amount":5},"params":{"amount":2000}`, "abort r"),
			now(`"args":{"amount":5},"outputs":{"amount":6},"params":{"amount":7}`, "allow"),
			now(`"args":{"amount":5},"outputs":{"amount":null}`, "abort r"),
		)},
		{"a dotted key walks into JSON, across lists to any element", nested, steps(
			now(`"args":{"order":{"amount":2000}}`, "abort r"),
			now(`"args":{"order":[{"amount":5},[{"amount":2000}]]}`, "abort r"),
			now(`"args":{"order":[{"amount":5},{"amount":6}]}`, "allow"),
			now(`"args":{"order":"{\"amount\":2000}"}`, "abort r"),
			now(`"args":{"order":["{\"amount\":5}"]}`, "allow"),
		)},
		{"a name may itself hold dots", nested, steps(
			now(`"args":{"order.amount":2000}`, "abort r"),
			now(`"args":{"order.amount":5,"order":{"amount":6}}`, "allow"),
			now(`"args":{"order.amount":5,"order":{"amount":6000}}`, "abort r"),
		)},
		{"an undotted key looks at top-level names only", limit, steps(
			now(`"args":{"amount":5,"order":{"amount":2000}}`, "allow"),
		)},
		{"a list or an object is no number", limit, steps(
			now(`"args":{"amount":[5]}`, "abort r"),
			now(`"args":{"amount":{"amount":5}}`, "abort r"),
			now(`"args":{"amount":[]}`, "abort r"),
		)},
		{"an exponent goes up to 400", limit, steps(
			now(`"args":{"amount":"-1e400"}`, "allow"),
			now(`"args":{"amount":"-1e401"}`, "abort r"),
		)},
		{"a number has up to 1,000 digits", limit, steps(
			now(`"args":{"amount":-`+strings.Repeat("9", 1000)+`}`, "allow"),
			now(`"args":{"amount":-`+strings.Repeat("9", 1001)+`}`, "abort r"),
		)},
		{"a unit turns the value into seconds", rules(on("abort", threshold{"task.duration", ">", "30", "m"})), steps(
			now(`"meters":{"task.duration":1800}`, "allow"),
			now(`"meters":{"task.duration":1800.5}`, "abort r"),
		)},
		{"operators", rules(
			on("warn", threshold{"amount", ">=", "10", ""}).named("ge"), on("warn", threshold{"amount", "<", "10", ""}).named("lt"),
			on("warn", threshold{"amount", "<=", "10", ""}).named("le"), on("warn", threshold{"amount", "==", "10", ""}).named("eq"),
			on("warn", threshold{"amount", "!=", "10", ""}).named("ne"),
		), steps(
			now(`"args":{"amount":9}`, "warn lt le ne"),
			now(`"args":{"amount":10}`, "warn ge le eq"),
			now(`"args":{"amount":11}`, "warn ge ne"),
			now(`"args":{"amount":"ten"}`, "warn ge lt le eq ne"),
		)},
	}
	for _, odd := range []string{`"NaN"`, `"inf"`, `"$1,200"`, `"1e999999999"`, `1e999999999`, `""`, `" "`, `null`, `true`, `"1E3"`, `1E1`, `".5"`, `"5."`, `"0x1"`, `"\u0661"`, `"\u00a05"`} {
		cases = append(cases, tableCase{"Fault07 fails closed: " + odd, rules(on("abort", threshold{"amount", "<", "-999", ""})), steps(
			now(`"args":{"amount":`+odd+`}`, "abort r"),
		)})
	}
	return append(cases, tableCase{"Fault07 surrounding blanks are dropped", limit, steps(
		now(`"args":{"amount":" 750"}`, "allow"),
		now(`"args":{"amount":"\t750\r\n"}`, "allow"),
	)})
}

// missingCases are about thresholds on keys that nothing binds.
func missingCases() []tableCase {
	amount := on("abort", over("amount", "1000"))
	return []tableCase{
		{"undeclared: holds", rules(amount), steps(now(``, "abort r"), now(`"args":{"Amount":5}`, "abort r"))},
		{"undeclared, missing=wait: holds", rules(amount.lacking("wait")), steps(now(``, "abort r"))},
		{"undeclared, missing=skip: does not hold", rules(amount.lacking("skip")), steps(now(``, "allow"))},
		{"Fault08 declared by a step to come: does not hold yet", rules(amount), steps(
			now(`"pending":["amount"]`, "allow"),
			now(`"pending":["price","amount"]`, "allow"),
			now(`"pending":["price"]`, "abort r"),
			now(`"pending":["amount"],"args":{"amount":1500}`, "abort r"),
		)},
		{"declared, missing=fire: holds", rules(amount.lacking("fire")), steps(now(`"pending":["amount"]`, "abort r"))},
		{"declared, missing=skip: does not hold", rules(amount.lacking("skip")), steps(now(`"pending":["amount"]`, "allow"))},
		{"pending holds for its line only", rules(amount), steps(now(`"pending":["amount"]`, "allow"), now(``, "abort r"))},
		{"a prefix in pending declares the key", rules(on("abort", over("order.amount", "1000"))), steps(
			now(`"pending":["order"]`, "allow"),
			now(`"pending":["ord"]`, "abort r"),
			now(`"pending":["order.amount.net"]`, "abort r"),
		)},
		{"an ability atom that matches this step treats wait as fire", rules(on("abort", over("amount", "1000"), ability{name: "pay.*"})), steps(
			now(`"pending":["amount"]`, "abort r"),
			now(`"pending":["amount"],"ability":"mail.send"`, "allow"),
		)},
		{"but not skip", rules(on("abort", over("amount", "1000"), ability{name: "pay.*"}).lacking("skip")), steps(
			now(`"pending":["amount"]`, "allow"),
		)},
		{"a negated ability atom waits", rules(on("abort", over("amount", "1000"), ability{not: true, name: "mail.*"})), steps(
			now(`"pending":["amount"]`, "allow"),
			now(``, "abort r"),
		)},
		{"what a model-written chain declares counts for its own rules only", rules(amount), steps(
			now(`"chain":"nyaya/x","pending":["amount"]`, "abort r"),
		)},
		{"nothing found below a key is unbound", rules(on("abort", over("order.amount", "1000"))), steps(
			now(`"args":{"order":{"price":5}},"pending":["order"]`, "allow"),
			now(`"args":{"order":[]},"pending":["order"]`, "allow"),
			now(`"args":{"order":"2000"}`, "abort r"),
		)},
		{"a meter that is not given is unbound", rules(on("abort", over("task.tool_calls", "50")).lacking("skip")), steps(
			now(``, "allow"),
			now(`"meters":{"task.tool_calls":50}`, "allow"),
			now(`"meters":{"task.tool_calls":51}`, "abort r"),
		)},
	}
}
