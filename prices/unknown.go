package prices

import (
	"fmt"

	"github.com/cbpolicy/cbpolicy/internal/document"
)

// OnUnknown says what a model costs that is not in the table, as
// on_unknown_price does. The zero value is Dearest.
type OnUnknown uint8

// What can be done about an unknown model.
const (
	Dearest OnUnknown = iota // it counts at the highest rates in the table
	Deny                     // it has no price, which is an error
	Zero                     // it is free: only where the operator says so
)

var onUnknownWords = []string{"dearest", "deny", "zero"}

// OnUnknownWords returns the words of on_unknown_price.
func OnUnknownWords() []string { return append([]string(nil), onUnknownWords...) }

// String returns the word for it.
func (o OnUnknown) String() string {
	if int(o) < len(onUnknownWords) {
		return onUnknownWords[o]
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (o OnUnknown) MarshalText() ([]byte, error) {
	if int(o) >= len(onUnknownWords) {
		return nil, fmt.Errorf("on_unknown_price: no word for %d", o)
	}
	return []byte(o.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *OnUnknown) UnmarshalText(text []byte) error {
	for i, word := range onUnknownWords {
		if string(text) == word {
			*o = OnUnknown(i)
			return nil
		}
	}
	return fmt.Errorf("on_unknown_price: want dearest, deny or zero, not %q", text)
}

// UnknownModelError says that a model has no price.
type UnknownModelError struct {
	Model   string
	Version string // of the table
}

// Error names the model and the table, and what to do.
func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("the model %s has no price in the table %s (import a newer table, or set on_unknown_price)",
		document.Quote(e.Model), e.Version)
}

// Quote is the price that counts for a model, and why.
type Quote struct {
	Price   Price
	Of      string // the provider/model whose price it is; "" where the model is unknown
	Unknown bool   // the table does not know the model
	Version string // of the table
	Note    string // for the verdict: how an unknown model counts; "" for a known one
}

// Quote returns the price that counts for a model. The error is an
// *UnknownModelError: the table does not know the model and it is to be
// denied, or to count at the dearest rates of a table that has none above 0.
func (t *Table) Quote(model string, o OnUnknown) (Quote, error) {
	if e, ok := t.Lookup(model); ok {
		return Quote{Price: e.Price, Of: e.Of(), Version: t.header.Version}, nil
	}
	q := Quote{Unknown: true, Version: t.header.Version}
	quoted := document.Quote(model)
	switch {
	case o == Zero:
		free := PerMillion(0)
		q.Price.Rates = Rates{free, free, free, free, free}
		q.Note = "the model " + quoted + " has no price in the table " + t.header.Version + " and counts as free, as configured"
	case o == Dearest && t.dearest.Rates[Input].Nano > 0 && t.dearest.Rates[Output].Nano > 0:
		q.Price = t.dearest
		q.Note = "the model " + quoted + " has no price in the table " + t.header.Version + " and counts at the dearest known rates"
	default:
		return Quote{}, &UnknownModelError{model, t.header.Version}
	}
	return q, nil
}
