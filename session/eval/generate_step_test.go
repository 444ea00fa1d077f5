package eval_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// draft is a line before it is written: what identifies the step and its
// call, the values, and all that holds for the line only. Values and lists
// are JSON text; "" leaves a field out.
type draft struct {
	chain, run, session, ability, callID, args string
	outputs, rest, now                         string
}

// line draws the next line. Some cannot be judged; some repeat the call of an earlier one.
func (g *generator) line() string {
	now := g.now()
	d := draft{
		chain:   pick(g, "trade", "trade", "trade.fast", "ops", "nyaya/a", "nyaya/b"),
		run:     pick(g, "", "", "r1", "r2", "r3"),
		session: pick(g, "", "s1", "s1", "s2"),
		ability: pick(g, "pay.send", "pay.send", "Pay.Send", "pay.refund", "mail.send", "mail.send.bulk", "read_mail", "pay",
			"caf\u00e9.pay", "Cafe\u0301.Pay", "mail.getAll", "mail.getall"),
		callID: pick(g, "", "c1", "c2", "c3"),
		args:   g.args(),
	}
	if len(g.drafts) > 0 && g.chance(15) {
		d = pick(g, g.drafts...)
		if g.chance(30) {
			d.run = pick(g, "", "r1", "r2")
		}
		if g.chance(20) {
			d.chain = pick(g, "trade", "trade.fast", "nyaya/a")
		}
	}
	d.outputs, d.rest = g.outputs(), g.rest(now)
	d.now = stamp(g, now)
	if g.chance(3) {
		return g.broken(d)
	}
	g.drafts = append(g.drafts, d)
	return d.text()
}

func (d draft) text() string {
	fields := []string{`"chain":` + strconv.Quote(d.chain), `"ability":` + strconv.Quote(d.ability), `"args":` + d.args}
	for _, f := range []struct{ name, value string }{{"run", d.run}, {"session", d.session}, {"call_id", d.callID}} {
		if f.value != "" {
			fields = append(fields, strconv.Quote(f.name)+":"+strconv.Quote(f.value))
		}
	}
	if d.outputs != "" {
		fields = append(fields, `"outputs":`+d.outputs)
	}
	if d.rest != "" {
		fields = append(fields, d.rest)
	}
	return "{" + strings.Join(append(fields, `"now":`+d.now), ",") + "}"
}

// member writes an object's member in so many of a hundred cases.
func (g *generator) member(members []string, percent int, name string, value func() string) []string {
	if g.chance(percent) {
		members = append(members, strconv.Quote(name)+":"+value())
	}
	return members
}

func (g *generator) args() string {
	var m []string
	m = g.member(m, 55, "amount", g.value)
	m = g.member(m, 35, "order", g.order)
	m = g.member(m, 10, "order.amount", g.value)
	m = g.member(m, 35, "note", g.note)
	m = g.member(m, 45, "to", g.note)
	m = g.member(m, 15, "price", g.value)
	m = g.member(m, 10, "replyToIDs", g.note)
	m = g.member(m, 10, "email_body", g.note)
	m = g.member(m, 8, pick(g, "empfaenger", "empfaenger_name", "empfaenger_alter", "numero_de_cuenta", "cuentaNueva", "tipo_cuenta"), g.note)
	m = g.member(m, 60, "weight", func() string { return pick(g, "2", "3", "5", "6", `"5"`, `"4.5"`, `"heavy"`, `"light"`) })
	return "{" + strings.Join(m, ",") + "}"
}

func (g *generator) outputs() string {
	if g.chance(40) {
		return ""
	}
	var m []string
	m = g.member(m, 40, "price", g.value)
	m = g.member(m, 25, "fetch.output", g.value)
	m = g.member(m, 15, "fetch", func() string { return `{"output":{"price":` + g.value() + `}}` })
	m = g.member(m, 25, "note", g.note)
	m = g.member(m, 15, "order", g.order)
	return "{" + strings.Join(m, ",") + "}"
}

// rest draws the fields that hold for their line only, besides outputs.
func (g *generator) rest(now time.Time) string {
	var m []string
	m = g.member(m, 15, "params", func() string {
		return "{" + strings.Join(g.member(nil, 80, pick(g, "amount", "price", "order"), g.value), "") + "}"
	})
	m = g.member(m, 30, "pending", func() string {
		return pick(g, `[]`, `["amount"]`, `["order"]`, `["price","order.amount"]`, `["fetch"]`, `["Amount","ord","order.line"]`)
	})
	m = g.member(m, 15, "history", func() string {
		return pick(g, `[]`, `["pay.send"]`, `["Mail.Send"]`, `["read_mail","pay"]`, `["CAF\u00c9.pay"]`)
	})
	m = g.member(m, 20, "meters", func() string {
		return pick(g, `{"task.tool_calls":50}`, `{"task.tool_calls":51,"session.duration":50}`, `{"session.duration":50.000000001}`)
	})
	m = g.member(m, 60, "user", func() string { return "[" + pick(g, sayings...) + "," + pick(g, sayings...) + "]" })
	m = g.member(m, 12, "executions", func() string { return "[" + stamp(g, g.around(now)) + "," + stamp(g, g.around(now)) + "]" })
	m = g.member(m, 12, "calls", func() string {
		return fmt.Sprintf(`[{"ability":%q,"at":%s}]`, pick(g, "pay.send", "PAY.x", "mail.send"), stamp(g, g.around(now)))
	})
	g.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
	return strings.Join(m, ",")
}

// now draws a line's time: a little later, on the edge of a window that began
// with an earlier line, back in time, or long after. All lines lie within a
// day, for a store may forget after that what nobody ends.
func (g *generator) now() time.Time {
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	at := start
	if n := len(g.times); n > 0 {
		last, earlier := g.times[n-1], pick(g, g.times[max(0, n-8):]...)
		switch {
		case g.chance(50):
			at = last.Add(pick(g, 0, 1, time.Millisecond, 333_333_333, time.Second))
		case g.chance(70):
			at = earlier.Add(pick(g, g.windows...) + pick[time.Duration](g, -1, 0, 1))
		case g.chance(60):
			at = earlier
		default:
			at = last.Add(2 * time.Hour)
		}
	}
	if at.Sub(start) >= 24*time.Hour {
		at = g.times[len(g.times)-1]
	}
	g.times = append(g.times, at)
	return at
}

// around draws a time on or near an edge of a window that ends now.
func (g *generator) around(now time.Time) time.Time {
	return pick(g, now, now.Add(1), now.Add(-pick(g, g.windows...)+pick[time.Duration](g, -1, 0, 1)), now.Add(-time.Second))
}

// stamp writes a time, in one zone or another.
func stamp(g *generator, at time.Time) string {
	if g.chance(10) {
		at = at.In(time.FixedZone("", -5*3600-30*60))
	}
	return strconv.Quote(at.Format(time.RFC3339Nano))
}

// broken writes a line that cannot be judged.
func (g *generator) broken(d draft) string {
	whole := d.text()
	prefix := strings.TrimSuffix(d.args, "}")
	if prefix != "{" {
		prefix += ","
	}
	switch g.IntN(14) {
	case 0:
		return whole[:len(whole)-1]
	case 1:
		return whole + "{}"
	case 2:
		return "[" + whole + "]"
	case 3:
		return `{"ability":"pay.send",` + whole[1:]
	case 4:
		return strings.Replace(whole, `"chain"`, `"chane"`, 1)
	case 5:
		return strings.Replace(whole, `"ability"`, `"step"`, 1)
	case 6:
		return strings.Replace(whole, `"ability":"`, `"ability":"`+pick(g, `\u200b`, `\u0007`, `\u202e`, `\ufeff`), 1)
	case 7:
		d.args = prefix + `"amo` + pick(g, `\u200d`, `\u0000`, `\u2066`) + `unt":1}`
	case 8:
		d.args = prefix + `"twice":1,"twice":1}`
	case 9:
		d.args = prefix + `"deep":[{"a":{"b":1,"b":2}}]}`
	case 10:
		d.args = prefix + `"Weigh":1,"weiGH":1}`
	case 11:
		d.args = pick(g, `5`, `[]`, `"{}"`)
	case 12:
		d.now = pick(g, `"yesterday"`, `5`, `""`)
	case 13:
		return strings.Replace(whole, `"chain":"`, "\"chain\":\"\xff", 1)
	}
	return d.text()
}
