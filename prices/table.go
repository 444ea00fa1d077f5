package prices

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Bounds of a table.
const (
	MaxEntries = 50_000
	MaxNames   = 100 // names of one entry
	MaxTiers   = 16  // tiers of one entry
	MaxName    = 256 // bytes of a name, a version or a date
	MaxSource  = 1024
)

// Entry is the price of one model at one provider.
type Entry struct {
	Provider string // who bills, such as anthropic or aws
	Model    string // the provider's name of the model
	// Names are further names of the model. One that ends in * stands for
	// itself and for what it begins, followed by a date or a version.
	Names  []string
	Source string // where the price was read
	Price  Price
}

// Of names the entry as provider/model.
func (e Entry) Of() string { return e.Provider + "/" + e.Model }

// Header says what a table is and where it is from.
type Header struct {
	Version string // names the table in records of decisions
	Source  string // where it was read
	Date    string // the day at which the prices held, YYYY-MM-DD
}

// Table is a set of prices. It does not change once it is made, and is safe
// for concurrent use.
type Table struct {
	header  Header
	entries []Entry
	index   index
	dearest Price
}

// An EntryError says which entry of a table is wrong.
type EntryError struct {
	Index int // counts from 0
	Of    string
	Err   error
}

// Error names the entry and what is wrong with it.
func (e *EntryError) Error() string {
	return fmt.Sprintf("price %d (%s): %v", e.Index+1, diag.Escape(e.Of), e.Err)
}

// Unwrap returns what is wrong.
func (e *EntryError) Unwrap() error { return e.Err }

// New makes a table. Entries are kept in order of provider and model. The
// error says which part of the header is wrong, or is an *EntryError.
func New(h Header, entries []Entry) (*Table, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, errors.New("a table of prices has at least one price")
	}
	if len(entries) > MaxEntries {
		return nil, fmt.Errorf("a table of prices has at most %d prices, not %d", MaxEntries, len(entries))
	}
	t := &Table{header: h, entries: make([]Entry, len(entries))}
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		err := e.Check()
		if key := fold(e.Of()); err == nil && seen[key] {
			err = errors.New("the model has a price already")
		} else {
			seen[key] = true
		}
		if err != nil {
			return nil, &EntryError{i, e.Of(), err}
		}
		t.entries[i] = e.clone()
		t.dearest.Rates = t.dearest.Rates.higher(e.Price.Rates)
		for _, tier := range e.Price.Tiers {
			t.dearest.Rates = t.dearest.Rates.higher(tier.Rates)
		}
	}
	slices.SortStableFunc(t.entries, func(a, b Entry) int { return strings.Compare(a.Of(), b.Of()) })
	t.index = newIndex(t.entries)
	return t, nil
}

// Header returns what the table is.
func (t *Table) Header() Header { return t.header }

// Entries returns a copy of the prices, in order of provider and model.
func (t *Table) Entries() []Entry {
	out := make([]Entry, len(t.entries))
	for i, e := range t.entries {
		out[i] = e.clone()
	}
	return out
}

// Equal reports whether two tables say the same.
func (t *Table) Equal(u *Table) bool {
	return t.header == u.header && slices.EqualFunc(t.entries, u.entries, func(a, b Entry) bool {
		return a.Of() == b.Of() && a.Source == b.Source && slices.Equal(a.Names, b.Names) && a.Price.equal(b.Price)
	})
}

func (e Entry) clone() Entry {
	e.Names, e.Price.Tiers = slices.Clone(e.Names), slices.Clone(e.Price.Tiers)
	return e
}

func (h Header) check() error {
	switch {
	case !shows(h.Version, MaxName):
		return errors.New("version: want a text that names the table, of at most 256 bytes")
	case !shows(h.Source, MaxSource):
		return errors.New("source: want a text that says where the prices are from, of at most 1024 bytes")
	}
	if _, err := time.Parse(time.DateOnly, h.Date); err != nil {
		return errors.New("date: want the day of the prices, such as 2026-09-23")
	}
	return nil
}

// Check says what of an entry New would refuse; nil if it is fine.
func (e Entry) Check() error {
	switch {
	case !ValidName(e.Provider) || strings.Contains(e.Provider, "/"):
		return errors.New("provider: want a name without blanks and slashes")
	case !ValidName(e.Model):
		return errors.New("model: want a name without blanks")
	case !shows(e.Source, MaxSource):
		return errors.New("source: want a text that says where the price is from")
	case len(e.Names) > MaxNames:
		return fmt.Errorf("names: at most %d, not %d", MaxNames, len(e.Names))
	case len(e.Price.Tiers) > MaxTiers:
		return fmt.Errorf("tiers: at most %d, not %d", MaxTiers, len(e.Price.Tiers))
	}
	for _, name := range e.Names {
		if !ValidName(strings.TrimSuffix(name, "*")) {
			return fmt.Errorf("names: %q is no name (a * may only stand at its end)", name)
		}
	}
	if err := e.Price.Rates.check(); err != nil {
		return err
	}
	above := int64(0)
	for _, t := range e.Price.Tiers {
		if t.Above <= above {
			return errors.New("tiers: each begins above 0 and above the one before")
		}
		if err := t.Rates.check(); err != nil {
			return fmt.Errorf("above %d tokens: %w", t.Above, err)
		}
		above = t.Above
	}
	return nil
}

func (r Rates) check() error {
	for k, rate := range r {
		switch {
		case !rate.Listed && (Kind(k) == Input || Kind(k) == Output):
			return fmt.Errorf("%s: a rate is required", Kind(k))
		case !rate.Listed && rate.Nano != 0:
			return fmt.Errorf("%s: a rate that is not listed is 0", Kind(k))
		case rate.Nano < 0:
			return fmt.Errorf("%s: a rate is not below 0", Kind(k))
		case rate.Nano > MaxRate:
			return fmt.Errorf("%s: a rate is at most 5000 dollars for a million tokens", Kind(k))
		}
	}
	return nil
}

// ValidName reports whether a text can be the name of a model or a provider:
// of at most MaxName bytes, without blanks, * and what does not show.
func ValidName(s string) bool { return shows(s, MaxName) && !strings.ContainsAny(s, " *") }

// shows reports whether a text is not empty, in bounds, and free of
// characters that do not show.
func shows(s string, most int) bool {
	return s != "" && len(s) <= most && utf8.ValidString(s) && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, diag.Invisible)
}
