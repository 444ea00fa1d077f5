package eval_test

import (
	"strconv"
	"strings"
)

// numbers lie on, just below and just above the limits that rules are drawn with.
var numbers = []string{
	`0`, `5`, `-5`, `-5.0`, `-4.9`, `-5.0000000000000000000000000000000000001`, `9`, `9.99999999999999999999999999999`,
	`10`, `10.0`, `"10"`, `" 10\t\n"`, `"+10"`, `1e1`, `"1e+1"`, `100e-1`, `10.00000000000000000000000000001`, `11`,
	`999.9999999999999999999`, `1000`, `1e3`, `"1000.000"`, `1000.0000000000000000000001`, `1001`,
	`0.1`, `1e-1`, `"0.1"`, `0.10000000000000000555`, `0.09999999999999999999`,
	`0.3`, `0.30000000000000000000000000000000000001`, `0.30000000000000000000000000000000000002`, `0.30000000000000004`,
	`2`, `120`, `121`, `7200`, `172800`, `172801`, `1e400`, `1e-400`, `"-1e400"`,
	`123456789012345678901234567889`, `123456789012345678901234567890`, `123456789012345678901234567891`, `1.23456789012345678901234567890e29`,
}

// oddities are what must not pass as a number, or only looks like none.
var oddities = []string{
	`"NaN"`, `"nan"`, `"Infinity"`, `"-inf"`, `"1e999999999"`, `1e999999999`, `1e401`, `"1e-401"`, `1E3`, `"1E3"`, `1E-1`,
	`""`, `" "`, `"$1,200"`, `"1,200"`, `"1_000"`, `"0x10"`, `".5"`, `"5."`, `"+"`, `"--5"`, `"1 0"`, `"1e"`, `"\u0663"`, `"１０"`, `"\u00a010"`,
	`null`, `true`, `false`, `{}`, `[]`, `[5]`, `"[5]"`, `{"amount":5}`, `"{\"amount\":5}"`, `"\"10\""`, `"1000|abort"`,
	`"` + strings.Repeat("9", 1000) + `"`, `"` + strings.Repeat("9", 1001) + `"`, strings.Repeat("9", 1001),
}

// texts are what matches look for, and what surrounds it.
var texts = []string{
	`"fail"`, `"Fail"`, `"FAILED"`, `"faill"`, `"ok"`, `"error 500"`, `"ERROR 5"`, `"bob@x.org"`, `"bob"`, `"OK, bob"`,
	`"[\"fail\",{\"a\":\"ok\"}]"`, `"\"fail\""`, `" {\"to\":\"bob@x.org\"} "`, `"{\"to\":"`, `["x","fail"]`, `{"a":["ok"]}`, `true`,
	`"in der Stra\u00dfe"`, `"STRASSE"`, `"cafe\u0301"`, `"CAF\u00c9"`,
	`"x\\nfail"`, `"f\\u0061il"`, `"f\\\\\\u0061il"`, `"\uff26\uff21\uff29\uff2c"`, `"fa\u200bil"`, `"error&#32;500"`, `"fa\\\n  il"`, `"\\\"ok\\\""`,
}

// phrases are texts of plain words, for provenance.
var phrases = []string{
	`"bob"`, `"Bob"`, `"bob smith"`, `"smith"`, `"smith bob"`, `"bob@x.org"`, `"bob@x.or"`, `"eve@x.org"`, `"eve"`, `"10"`, `"100"`, `10`, `1000`,
	`["bob","eve"]`, `["bob smith","bob"]`, `{"first":"bob","last":"smith"}`, `"!?"`, `true`,
}

// sayings are what a user writes.
var sayings = []string{
	`"Send 10 to bob@x.org, please."`, `"pay Bob Smith 1000"`, `"write to (bob@x.org) and eve"`, `"bobby smithers 100"`, `"is it true?"`, `"!?"`, `"smith"`,
}

// value draws what a key that rules compare is bound to.
func (g *generator) value() string {
	switch {
	case g.words && g.chance(50):
		return pick(g, phrases...)
	case g.words:
		return pick(g, "5", "9", "10", "11", "999", "1000", "1001", "2", "121")
	case g.chance(70):
		return pick(g, numbers...)
	case g.chance(70):
		return pick(g, oddities...)
	}
	return pick(g, texts...)
}

// note draws what a key that matches read is bound to.
func (g *generator) note() string {
	switch {
	case g.words:
		return pick(g, phrases...)
	case g.chance(85):
		return pick(g, texts...)
	}
	return g.value()
}

// order draws a structure in which dotted keys are found in several ways.
func (g *generator) order() string {
	amount := `"amount":` + g.value()
	shape := pick(g,
		`{`+amount+`}`,
		`{`+amount+`}`,
		`{`+amount+`,"to":`+g.note()+`}`,
		`[{"amount":`+g.value()+`},{`+amount+`}]`,
		`[[{`+amount+`}],"bob"]`,
		`{"line":{`+amount+`}}`,
		`{"line":[{`+amount+`},{"amount":7}]}`,
		`{"line.amount":`+g.value()+`}`,
		`{"line":"bob"}`,
		g.value(),
	)
	if !g.words && g.chance(25) {
		return strconv.Quote(shape)
	}
	return shape
}
