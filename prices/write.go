package prices

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// AppendJSON appends the table as a file that Parse reads to an equal one: a
// line for each model, in an order that does not depend on how it was made.
func (t *Table) AppendJSON(b []byte) []byte {
	b = append(b, "{\n"...)
	for _, f := range []struct{ name, text string }{
		{"version", t.header.Version}, {"source", t.header.Source}, {"date", t.header.Date}, {"unit", Unit},
	} {
		b = append(b, `  "`+f.name+`": `...)
		b = append(jsonv.AppendString(b, f.text), ",\n"...)
	}
	b = append(b, "  \"models\": [\n"...)
	for i, e := range t.entries {
		b = append(b, "    "...)
		b = e.appendJSON(b, t.header.Source)
		if i < len(t.entries)-1 {
			b = append(b, ',')
		}
		b = append(b, '\n')
	}
	return append(b, "  ]\n}\n"...)
}

// Digest is the SHA-256 of what AppendJSON writes, in hex: equal tables, and
// only they, have equal digests.
func (t *Table) Digest() string {
	sum := sha256.Sum256(t.AppendJSON(nil))
	return hex.EncodeToString(sum[:])
}

// appendJSON leaves out a source that is that of the table.
func (e Entry) appendJSON(b []byte, source string) []byte {
	b = append(b, `{"provider": `...)
	b = jsonv.AppendString(b, e.Provider)
	b = append(b, `, "model": `...)
	b = jsonv.AppendString(b, e.Model)
	for i, name := range e.Names {
		b = append(b, separator(i, `, "names": [`)...)
		b = jsonv.AppendString(b, name)
	}
	if len(e.Names) > 0 {
		b = append(b, ']')
	}
	b = e.Price.Rates.appendJSON(b)
	for i, tier := range e.Price.Tiers {
		b = append(b, separator(i, `, "tiers": [`)...)
		b = append(b, `{"above": `...)
		b = strconv.AppendInt(b, tier.Above, 10)
		b = append(tier.Rates.appendJSON(b), '}')
	}
	if len(e.Price.Tiers) > 0 {
		b = append(b, ']')
	}
	if e.Source != source {
		b = append(b, `, "source": `...)
		b = jsonv.AppendString(b, e.Source)
	}
	return append(b, '}')
}

// separator stands before element i of a list that opens with a text.
func separator(i int, opening string) string {
	if i == 0 {
		return opening
	}
	return ", "
}

func (r Rates) appendJSON(b []byte) []byte {
	for _, k := range Kinds() {
		if r[k].Listed {
			b = append(b, `, "`+k.String()+`": `+r[k].String()...)
		}
	}
	return b
}

// String returns the rate in dollars for a million tokens, exactly; "" for no rate.
func (r Rate) String() string {
	if !r.Listed {
		return ""
	}
	return decimal.Scaled(r.Nano, -rateScale).String()
}
