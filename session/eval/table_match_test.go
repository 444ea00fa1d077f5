package eval_test

// matchCases are about texts, provenance and expressions.
func matchCases() []tableCase {
	arg := func(key, kind, pattern string) match {
		return match{subject: "arg", key: key, kind: kind, pattern: pattern, quote: '"'}
	}
	from := func(key, source string) match { return match{subject: "arg", key: key, kind: "in", pattern: source} }
	not := func(m match) match { m.not = true; return m }
	output := match{subject: "output", key: "error_msg", kind: "contains", pattern: "fail"}
	args := func(value, want string) tableStep { return now(`"args":`+value, want) }
	to := func(value, said, want string) tableStep {
		return now(`"args":{"to":`+value+`},"user":["`+said+`"]`, want)
	}
	return []tableCase{
		{"Fault01 the documented form of an output match", rules(on("abort", output)), steps(
			now(`"outputs":{"error_msg":"it failed"}`, "abort r"), now(`"outputs":{"error_msg":"it is fine"}`, "allow"),
			now(`"args":{"error_msg":"it failed"}`, "allow"), now(`"outputs":{"error_msg":"FAIL"}`, "allow"),
		)},
		{"Fault22 JSON outputs are seen", rules(on("abort", output)), steps(
			now(`"outputs":{"error_msg":{"text":["ok","it failed"]}}`, "abort r"),
			now(`"outputs":{"error_msg":"[{\"text\":\"fa\\u0069l\"}]"}`, "abort r"),
		)},
		{"an output counts as it reads, too", rules(on("abort", output)), steps(
			now(`"outputs":{"error_msg":"f\\u0061il"}`, "abort r"), now(`"outputs":{"error_msg":"fa\u200bil"}`, "abort r"), now(`"outputs":{"error_msg":"f&#97;il"}`, "abort r"),
		)},
		{"negated, an output counts as it is written", rules(on("abort", not(output))), steps(
			now(`"outputs":{"error_msg":"f\\u0061il"}`, "abort r"), now(`"outputs":{"error_msg":"fail"}`, "allow"),
		)},
		{"an argument counts as it is written", rules(on("abort", arg("a", "contains", "fail"))), steps(args(`{"a":"f\\u0061il"}`, "allow"))},
		{"kinds", rules(
			on("warn", arg("a", "contains", "5")).named("contains"), on("warn", arg("a", "icontains", "OK")).named("icontains"),
			on("warn", arg("a", "equals", "true")).named("equals"), on("warn", arg("a", "matches", `^\d+$`)).named("matches"),
		), steps(
			args(`{"a":"v5x"}`, "warn contains"), args(`{"a":"it is ok"}`, "warn icontains"), args(`{"a":"true"}`, "warn equals"), args(`{"a":true}`, "warn equals"),
			args(`{"a":150}`, "warn contains matches"), args(`{"a":"1\n"}`, "allow"), args(`{"a":"nothing"}`, "allow"),
		)},
		{"numbers are seen by their source text", rules(on("abort", arg("a", "equals", "1e3"))), steps(args(`{"a":1e3}`, "abort r"), args(`{"a":1000}`, "allow"))},
		{"one hit among the leaves is enough", rules(on("abort", arg("a", "equals", "x"))), steps(
			args(`{"a":["y",{"b":"x"}]}`, "abort r"), args(`{"a":{"x":"y"}}`, "allow"), args(`{"a":"\"x\""}`, "abort r"), args(`{"a":"{\"b\":\"x\"}"}`, "abort r"),
		)},
		{"negated, none may hit", rules(on("abort", not(arg("a", "equals", "x")))), steps(
			args(`{"a":["y","x"]}`, "allow"), args(`{"a":["y","z"]}`, "abort r"),
		)},
		{"a match on a missing key does not hold, so its negation does", rules(on("warn", arg("a", "matches", ".*")).named("pos"), on("warn", not(arg("a", "matches", ".*"))).named("neg")), steps(
			args(`{}`, "warn neg"), args(`{"a":""}`, "warn pos"), args(`{"a":null}`, "warn neg"), args(`{"a":{}}`, "warn neg"),
		)},
		{"a named key is found as a threshold finds it", rules(on("abort", arg("order.note", "equals", "x"))), steps(
			args(`{"order":[{"note":"y"},{"note":"x"}]}`, "abort r"), args(`{"order":"{\"note\":\"x\"}"}`, "abort r"), args(`{"order.note":"x"}`, "abort r"),
			args(`{"note":"x"}`, "allow"),
		)},
		{"a star covers every leaf below the paths it matches", rules(
			on("warn", arg("order.*", "equals", "x")).named("below"), on("warn", arg("ord*", "equals", "x")).named("top"),
			on("warn", arg("*.note", "equals", "x")).named("note"), on("warn", arg("*", "equals", "x")).named("any"),
		), steps(
			args(`{"order":"x"}`, "warn top any"), args(`{"order":["x"]}`, "warn top any"), args(`{"order":[{"note":"x"}]}`, "warn below top note any"),
			args(`{"order":{"a":{"note":"x"}}}`, "warn below top any"), args(`{"other":{"note":["y","x"]}}`, "warn note any"), args(`{"a":"x"}`, "warn any"),
			args(`{"order.line":"x"}`, "warn below any"), args(`{"order":"{\"note\":\"x\"}"}`, "warn below top note any"),
		)},
		{"in:user needs every leaf as whole words", rules(on("confirm", not(from("to", "user")))), steps(
			to(`"Bob"`, "pay bob now", "allow"), to(`"bob"`, "pay bobby now", "confirm r"), to(`"bob smith"`, "to Bob Smith.", "allow"),
			to(`"smith bob"`, "to Bob Smith.", "confirm r"), to(`["bob","eve"]`, "bob and eve", "allow"), to(`["bob","eve"]`, "bob and Ann", "confirm r"),
			to(`100`, "pay 100 please", "allow"), to(`10`, "pay 100 please", "confirm r"),
		)},
		{"@destinations is every argument whose name says where something goes, however deep", rules(on("confirm", not(from("@destinations", "user")))), steps(
			to(`"bob"`, "pay bob", "allow"), to(`"eve"`, "pay bob", "confirm r"), now(`"args":{"body":"eve"},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"to":"bob","body":"eve"},"user":["pay bob"]`, "allow"), now(`"args":{"to":"bob","mails":[{"m":{"ReplyToIDs":["bob","eve"]}}]},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"mail":"{\"sendTo\":\"eve\",\"body\":\"bob\"}"},"user":["pay bob"]`, "confirm r"), now(`"args":{"mails":"{\"sendTo\":\"bob\",\"body\":\"eve\"}"},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"message":"{\"sendTo\":\"bob\",\"body\":\"eve\"}"},"user":["pay bob"]`, "allow"), now(`"args":{"message":{"to_user":"eve"}},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"to":"bob","to_currency":"EUR","to_date":"May"},"user":["pay bob"]`, "allow"), now(`"args":{"to":"bob","to_currency_account":"eve"},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"to":"bob","cc":[],"bcc":null,"reply_to":" "},"user":["pay bob"]`, "allow"), now(`"args":{"to":["bob",""]},"user":["pay bob"]`, "confirm r"),
			now(`"args":{"to":"!"},"user":["pay bob"]`, "confirm r"), now(`"args":{"to":""},"user":["pay bob"]`, "confirm r"), now(`"args":{},"user":["pay bob"]`, "confirm r"),
		)},
		{"a mail address is one word", rules(on("confirm", not(from("to", "user")))), steps(
			to(`"bob@x.org"`, "mail (Bob@X.org), please", "allow"), to(`"bob"`, "mail bob@x.org", "confirm r"), to(`"b@x.org"`, "mail bob@x.org", "confirm r"),
		)},
		{"a value without words, or no value, is never in", rules(on("confirm", not(from("to", "user")))), steps(
			to(`"!?"`, "what !? bob", "confirm r"), to(`null`, "null bob", "confirm r"), to(`{}`, "bob", "confirm r"), args(`{}`, "confirm r"), args(`{"to":"bob"}`, "confirm r"),
		)},
		{"the words of two messages are no sequence", rules(on("confirm", not(from("to", "user")))), steps(
			now(`"args":{"to":"bob smith"},"user":["bob","smith"]`, "confirm r"), now(`"args":{"to":"bob smith"},"user":["x","bob smith"]`, "allow"),
		)},
		{"in:outputs", rules(on("abort", from("to", "outputs"))), steps(
			now(`"args":{"to":"eve@x.org"},"outputs":{"mail":{"from":["eve@x.org"]}}`, "abort r"), now(`"args":{"to":12},"outputs":{"n":12}`, "abort r"),
			now(`"args":{"to":"eve@x.org"},"user":["eve@x.org"]`, "allow"),
		)},
		{"one line of data-flow policy", rules(on("confirm", ability{name: "send_money"}, after{name: "read_*"}, not(from("recipient", "user")))), steps(
			now(`"ability":"send_money","args":{"recipient":"eve"},"user":["pay bob"]`, "allow"), now(`"ability":"read_mail"`, "allow"),
			now(`"ability":"send_money","args":{"recipient":"eve"},"user":["pay bob"]`, "confirm r"),
			now(`"ability":"send_money","args":{"recipient":"Bob"},"user":["pay bob"]`, "allow"),
		)},
		{"when: an absent key is an error, and an error holds", rules(
			on("warn", when{key: "a", op: ">", value: "5"}).named("bare"), on("warn", when{guarded: true, key: "a", op: ">", value: "5"}).named("has"),
		), steps(
			args(`{}`, "warn bare"), args(`{"a":6}`, "warn bare has"), args(`{"a":"6"}`, "warn bare has"), args(`{"a":5}`, "allow"), args(`{"a":"heavy"}`, "warn bare has"),
		)},
		{"when: all else is text", rules(on("warn", when{guarded: true, key: "a", op: "==", value: "heavy", isText: true})), steps(
			args(`{"a":"heavy"}`, "warn r"), args(`{"a":"light"}`, "allow"), args(`{"a":5}`, "allow"),
		)},
	}
}
