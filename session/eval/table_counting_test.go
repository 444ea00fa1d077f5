package eval_test

import "time"

// countingCases are about what frequency atoms count.
func countingCases() []tableCase {
	const s = time.Second
	three := rules(on("abort", runs(3, 60)))
	one := rules(on("abort", runs(1, 60).of("pay.*")))
	return []tableCase{
		{"Fault09 more than three admits exactly three", three, steps(
			at(0, ``, "allow"), at(1*s, ``, "allow"), at(2*s, ``, "allow"), at(3*s, ``, "abort r"),
		)},
		{"Fault10 a refused attempt takes no slot", three, steps(
			at(0, ``, "allow"), at(1*s, ``, "allow"), at(2*s, ``, "allow"), at(3*s, ``, "abort r"),
			at(59*s, ``, "abort r"), at(60*s, ``, "allow"), at(60*s, ``, "abort r"), at(61*s, ``, "allow"),
		)},
		{"Fault12 the window is (now-W, now], to the nanosecond", one, steps(
			at(0, ``, "allow"), at(60*s-1, ``, "abort r"), at(60*s, ``, "allow"),
		)},
		{"the clock never goes back", one, steps(
			at(60*s, ``, "allow"), at(0, ``, "abort r"), at(119*s, ``, "abort r"), at(120*s, ``, "allow"),
			at(0, ``, "abort r"), at(180*s-1, ``, "abort r"), at(180*s, ``, "allow"),
		)},
		{"Fault13 a chain counts alone, all of them together", rules(
			on("abort", runs(1, 60)).named("chain"), on("abort", runs(2, 60).per("all")).named("all"),
		), steps(
			now(``, "allow"), now(``, "abort chain"), now(`"chain":"ops"`, "allow"), now(`"chain":"mail"`, "abort all"),
			now(`"chain":"ops"`, "abort chain all"),
		)},
		{"a session counts alone", rules(on("abort", runs(1, 60).per("session"))), steps(
			now(``, "allow"), now(`"chain":"ops"`, "abort r"), now(`"session":"t"`, "allow"), now(`"session":""`, "allow"), now(`"session":""`, "allow"),
		)},
		{"counters of two sections are not shared across chains", rules(
			on("abort", runs(1, 60).per("all")).in("ops").named("ops"), on("abort", runs(1, 60).per("all")).in("tr*").named("trade"),
		), steps(
			now(``, "allow"), now(`"chain":"ops"`, "allow"), now(`"chain":"tree"`, "abort trade"), now(`"chain":"ops"`, "abort ops"),
		)},
		{"a run is one execution", rules(on("abort", runs(1, 60))), steps(
			now(`"run":"r1"`, "allow"), now(`"run":"r1"`, "allow"), now(`"run":"r2"`, "abort r"),
			at(59*s, `"run":"r1"`, "allow"), at(60*s, `"run":"r2"`, "allow"), at(60*s, `"run":"r1"`, "allow"),
		)},
		{"a run belongs to its chain", rules(on("abort", runs(1, 60).per("all"))), steps(
			now(`"run":"r1"`, "allow"), now(`"run":"r1","chain":"ops"`, "abort r"),
		)},
		{"until it is admitted, each step of a run is tried as the first", rules(on("abort", runs(1, 60)), on("confirm", ability{name: "mail.*"}).named("ask")), steps(
			now(`"run":"r1","ability":"mail.send"`, "confirm ask"), now(`"run":"r2"`, "allow"), now(`"run":"r1"`, "abort r"),
		)},
		{"Fault14 a name counts calls, and pools what it matches", one, steps(
			now(`"run":"r1"`, "allow"), now(`"run":"r1","ability":"PAY.refund"`, "abort r"), now(`"run":"r1","ability":"mail.send"`, "allow"),
		)},
		{"the same call takes one slot", one, steps(
			now(`"call_id":"c1"`, "allow"), now(`"call_id":"c1"`, "allow"), at(59*s, `"call_id":"c1"`, "allow"), now(`"call_id":"c2"`, "abort r"),
		)},
		{"the same call without a run is one execution, in another run another", rules(on("abort", runs(1, 60))), steps(
			now(`"call_id":"c1"`, "allow"), now(`"call_id":"c1"`, "allow"), now(`"call_id":"c1","run":"r1"`, "abort r"), now(`"call_id":"c2"`, "abort r"),
		)},
		{"an empty id, other arguments, another ability or session is a new call", one, steps(
			now(`"call_id":"c1"`, "allow"), now(`"call_id":""`, "abort r"), now(`"call_id":"c1","args":{"a":1}`, "abort r"),
			now(`"call_id":"c1","ability":"pay.refund"`, "abort r"), now(`"call_id":"c1","session":"t"`, "abort r"),
		)},
		{"a call is the same in whatever order its arguments stand", one, steps(
			now(`"call_id":"c1","args":{"a":1,"b":2}`, "allow"), now(`"call_id":"c1","args":{"b":2,"a":1}`, "allow"),
			now(`"call_id":"c1","args":{"b":1,"a":2}`, "abort r"),
		)},
		{"executions count for their line only", rules(on("abort", runs(1, 60))), steps(
			at(60*s, `"executions":["2026-01-05T09:00:00.000000001Z"]`, "abort r"),
			at(60*s, `"executions":["2026-01-05T09:00:00Z","2026-01-05T09:01:00.000000001Z"]`, "allow"),
		)},
		{"calls count where the name matches", one, steps(
			at(s, `"ability":"pay.send","calls":[{"ability":"Pay.X","at":"2026-01-05T09:00:00Z"}]`, "abort r"),
			at(s, `"ability":"pay.send","calls":[{"ability":"mail.send","at":"2026-01-05T09:00:00Z"}]`, "allow"),
		)},
		{"two windows in one rule must both be exceeded", rules(on("abort", runs(1, 10), runs(2, 60))), steps(
			at(0, ``, "allow"), at(1*s, ``, "allow"), at(2*s, ``, "abort r"), at(11*s, ``, "allow"), at(12*s, ``, "abort r"),
		)},
		{"a rule that does not hold still counts", rules(on("abort", runs(1, 60).of("pay.*"), over("amount", "5"))), steps(
			now(`"args":{"amount":1}`, "allow"), now(`"args":{"amount":9}`, "abort r"),
		)},
		{"a warning and an observed rule admit", rules(on("warn", runs(1, 60)), on("abort", runs(0, 60)).named("seen").observed()), steps(
			now(``, "allow seen"), now(``, "warn r seen"),
		)},
		{"another rule's refusal takes no slot", rules(on("abort", runs(1, 60)), on("review", over("amount", "5")).named("big")), steps(
			now(`"args":{"amount":9}`, "review big"), now(`"args":{"amount":1}`, "allow"), now(`"args":{"amount":1}`, "abort r"),
		)},
		{"new names of model-written chains reset no limit", rules(on("abort", runs(1, 60))), steps(
			now(`"chain":"nyaya/a"`, "allow"), now(`"chain":"nyaya/b"`, "abort r"), now(`"chain":"nyaya/b","session":"t"`, "allow"), now(``, "allow"),
		)},
		{"what cannot be judged takes no slot and moves no clock", one, steps(
			at(600*s, `"args":[]`, "abort malformed_step"), at(0, ``, "allow"), at(1*s, ``, "abort r"), at(60*s, ``, "allow"),
		)},
	}
}

// waitingCases are about retry_after.
func waitingCases() []tableCase {
	const s = time.Second
	two := on("throttle", runs(2, 60))
	return []tableCase{
		{"until the entry expires whose leaving makes room", rules(two), steps(
			at(0, ``, "allow"), at(10*s, ``, "allow"), at(15*s, ``, "throttle r 45000ms"), at(60*s, ``, "allow"), at(61*s, ``, "throttle r 9000ms"),
		)},
		{"Fault12 rounded up to the millisecond", rules(two), steps(
			at(0, ``, "allow"), at(0, ``, "allow"), at(60*s-1, ``, "throttle r 1ms"), at(60*s-1_000_001, ``, "throttle r 1ms"), at(60*s, ``, "allow"),
		)},
		{"rounded up from a millisecond and a nanosecond", rules(two), steps(
			at(0, ``, "allow"), at(0, ``, "allow"), at(60*s-1_000_001, ``, "throttle r 2ms"),
		)},
		{"with several entries too many, the last of them", rules(on("throttle", runs(1, 60)), on("warn", runs(9, 60)).named("w")), steps(
			at(30*s, `"executions":["2026-01-05T09:00:10Z","2026-01-05T09:00:05Z","2026-01-05T09:00:20Z"]`, "throttle r 50000ms"),
		)},
		{"count 0: no time is known", rules(on("throttle", runs(0, 60))), steps(at(0, ``, "throttle r -1ms"), at(s, ``, "throttle r -1ms"))},
		{"no frequency atom: no time is known", rules(on("throttle", ability{name: "pay.*"})), steps(now(``, "throttle r -1ms"))},
		{"a rule waits for the first of its atoms to end", rules(on("throttle", runs(1, 60), runs(0, 10).of("pay.*"), runs(1, 90).of("*"))), steps(
			at(0, `"ability":"mail.send"`, "allow"), at(5*s, ``, "throttle r 55000ms"),
		)},
		{"of several rules the longest wait counts", rules(on("throttle", runs(1, 60)), on("throttle", runs(1, 90).of("*")).named("q")), steps(
			at(0, ``, "allow"), at(5*s, ``, "throttle r q 85000ms"),
		)},
		{"and an unknown one wins", rules(on("throttle", runs(1, 60)), on("throttle", over("amount", "5")).lacking("skip").named("q")), steps(
			at(0, ``, "allow"), at(5*s, ``, "throttle r 55000ms"), at(5*s, `"args":{"amount":9}`, "throttle r q -1ms"),
		)},
		{"it is told whatever the decision, for enforced throttle rules alone", rules(
			two, on("throttle", over("amount", "5")).lacking("skip").named("seen").observed(), on("abort", over("amount", "5")).lacking("skip").named("big"),
		), steps(
			at(0, ``, "allow"), at(0, ``, "allow"), at(0, `"args":{"amount":9}`, "abort r seen big 60000ms"),
			at(60*s, `"args":{"amount":9}`, "abort seen big"),
		)},
		{"a run that is in waits until the count is down to the limit", rules(
			on("throttle", runs(1, 60), over("amount", "5")).lacking("skip"),
		), steps(
			at(0, `"run":"r1"`, "allow"), at(10*s, `"run":"r2"`, "allow"), at(20*s, `"run":"r1","args":{"amount":9}`, "throttle r 40000ms"),
			at(20*s, `"run":"r3","args":{"amount":9}`, "throttle r 50000ms"),
		)},
	}
}
