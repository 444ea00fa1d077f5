package importer

import (
	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/prices"
)

// noPrice is why most of what is left out is: embeddings, images, audio.
const noPrice = "it has no price for both input and output tokens"

// Nano-dollars for a million tokens have so many digits more than …
const (
	ofDollarsPerMillion = 9  // … dollars for a million tokens
	ofDollarsPerToken   = 15 // … dollars for a token
)

// field returns the value of an object's field; nil for null and for none.
func field(n *document.Node, name string) *document.Node {
	if n.Kind != jsonv.Object {
		return nil
	}
	for i := range n.Names {
		if n.Names[i].Text == name && n.Items[i].Kind != jsonv.Null {
			return n.Items[i]
		}
	}
	return nil
}

// object reports whether the node is an object, and reports it if not.
func (c *collector) object(n *document.Node, what string) bool {
	if n.Kind == jsonv.Object {
		return true
	}
	c.doc.WrongType(n, what+" is an object")
	return false
}

// optionalText returns the text of a field; "" for none.
func (c *collector) optionalText(n *document.Node, name string) string {
	f := field(n, name)
	if f == nil {
		return ""
	}
	if f.Kind != jsonv.String {
		c.doc.WrongType(f, name+" is a text")
		return ""
	}
	return f.Text
}

// requiredText returns the text of a field that must be there.
func (c *collector) requiredText(n *document.Node, what, name string) string {
	if field(n, name) == nil {
		c.doc.Report(document.SyntaxID, n.Pos, what+" has no "+name, "is the file in another format?")
		return ""
	}
	return c.optionalText(n, name)
}

// rateOf returns the rate in a field of an object; no rate for none.
func (c *collector) rateOf(n *document.Node, name string, scale int) prices.Rate {
	f := field(n, name)
	if f == nil {
		return prices.Rate{}
	}
	return c.rate(f, name, scale)
}

// rate reads a rate. What it has of digits below a nano-dollar for a million
// tokens, as numbers have that a program computed, is rounded up.
func (c *collector) rate(n *document.Node, what string, scale int) prices.Rate {
	d, ok := decimal.Parse(n.Text)
	if n.Kind != jsonv.Number || !ok {
		c.doc.WrongType(n, what+" is a number")
		return prices.Rate{}
	}
	if d.Below(new(decimal.Decimal)) {
		c.doc.Report(document.WrongTypeID, n.Pos, what+" is below 0", "")
		return prices.Rate{}
	}
	nano, fits := d.CeilScaled(scale)
	if !fits {
		c.doc.Report(document.WrongTypeID, n.Pos, what+" has too many digits, or is too large", "is the file in another format?")
		return prices.Rate{}
	}
	return prices.PerMillion(nano)
}

// tokens reads the prompt above which a tier begins.
func (c *collector) tokens(n *document.Node, what string) int64 {
	d, ok := decimal.Parse(n.Text)
	count, whole := d.Int()
	if n.Kind != jsonv.Number || !ok || !whole || count < 1 {
		c.doc.Report(document.WrongTypeID, n.Pos, what+" is a whole number of tokens above 0", "")
		return 0
	}
	return count
}

// dearer returns the rate that is higher. A rate that is not listed is none.
func dearer(a, b prices.Rate) prices.Rate {
	if b.Listed && (!a.Listed || b.Nano > a.Nano) {
		return b
	}
	return a
}

// over returns the rates of a tier that lists only what differs.
func over(base, tier prices.Rates) prices.Rates {
	for k := range tier {
		if !tier[k].Listed {
			tier[k] = base[k]
		}
	}
	return tier
}
