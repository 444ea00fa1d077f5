package prices

import (
	"slices"
	"strings"
)

// index finds entries by name. Keys are folded; each model stands under its
// bare names and under provider/name.
type index struct {
	exact  map[string][]int
	stems  map[string][]int // names without the suffixes that any model may have
	series map[string][]int // names that end in *, without it
}

func newIndex(entries []Entry) index {
	x := index{map[string][]int{}, map[string][]int{}, map[string][]int{}}
	for i := range entries {
		e := &entries[i]
		x.add(e, e.Model, i)
		for _, name := range e.Names {
			x.add(e, name, i)
		}
	}
	return x
}

func (x index) add(e *Entry, name string, i int) {
	name, series := strings.CutSuffix(fold(name), "*")
	for _, key := range []string{name, CanonicalProvider(e.Provider) + "/" + name} {
		put(x.exact, key, i)
		put(x.stems, stem(key), i)
		if series {
			put(x.series, key, i)
		}
	}
}

func put(m map[string][]int, key string, i int) {
	if !slices.Contains(m[key], i) {
		m[key] = append(m[key], i)
	}
}

// Lookup finds the price of a model by the name that a response or a log
// gives, and reports false if the table does not know it. It never guesses:
//
//   - Letter case and outer blanks do not matter.
//   - "provider/model" asks for that provider's price, never for another's
//     price of "model". Some providers go by several names: bedrock is aws,
//     gemini/ and models/ are google.
//   - An 8-digit date (-20250514, @20250514) and a Bedrock version (-v1:0) at
//     the end need not match. Other dates, versions and -latest must, unless the
//     table has the name with a *.
//   - Anything else behind ":" or "@" belongs to the name: ":free" and
//     ":thinking" have prices of their own.
//   - The nearest name counts: of one provider an equal name before one that
//     differs in its release.
//   - Where several providers sell the model, the price of its maker counts for
//     a bare name; without it, the price on which all agree.
func (t *Table) Lookup(model string) (Entry, bool) {
	name := fold(model)
	if name == "" || len(name) > MaxName {
		return Entry{}, false
	}
	if provider, rest := splitProvider(name); provider != "" {
		if e, ok := t.one(t.find(provider+"/"+rest), provider); ok {
			return e.clone(), true
		}
	}
	e, ok := t.one(t.find(name), makerOf(name))
	return e.clone(), ok
}

// find returns the entries that a name may mean: of each provider those with
// the nearest name.
func (t *Table) find(name string) []int {
	var found []int
	take := func(indexes []int) {
		was := len(found)
		for _, i := range indexes {
			nearer := slices.ContainsFunc(found[:was], func(j int) bool { return t.entries[i].Provider == t.entries[j].Provider })
			if !nearer {
				found = append(found, i)
			}
		}
	}
	take(t.index.exact[name])
	take(t.index.stems[stem(name)])
	for _, s := range stems(name, false) {
		take(t.index.series[s])
	}
	return found
}

// one returns the entry of those found that counts, if it is clear which.
func (t *Table) one(found []int, maker string) (Entry, bool) {
	var its []int
	for _, i := range found {
		if maker != "" && CanonicalProvider(t.entries[i].Provider) == maker {
			its = append(its, i)
		}
	}
	if len(its) > 0 {
		found = its
	}
	if len(found) == 0 {
		return Entry{}, false
	}
	first := t.entries[found[0]]
	for _, i := range found[1:] {
		if !t.entries[i].Price.equal(first.Price) {
			return Entry{}, false
		}
	}
	return first, true
}

// Dearest returns for each kind the highest rate in the table, of long
// prompts included.
func (t *Table) Dearest() Price { return t.dearest }
