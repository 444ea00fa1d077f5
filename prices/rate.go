package prices

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Kind is a kind of tokens that has a rate of its own.
type Kind uint8

// The kinds.
const (
	Input        Kind = iota // read by the model and not from a cache
	Output                   // written by the model, its reasoning included
	CacheRead                // read from a cache
	CacheWrite5m             // written to a cache that lasts five minutes, or for as long as is usual
	CacheWrite1h             // written to a cache that lasts an hour

	kinds = iota
)

// kindNames are the kinds as files and messages name them.
var kindNames = [kinds]string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h"}

// String names the kind as in a table's file.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Kinds returns all kinds, in the order of a table's file.
func Kinds() []Kind { return []Kind{Input, Output, CacheRead, CacheWrite5m, CacheWrite1h} }

// KindSet is a set of kinds. The zero value is empty.
type KindSet uint8

// Has reports whether the kind is in the set.
func (s KindSet) Has(k Kind) bool { return s&(1<<k) != 0 }

// String names the kinds, with commas between them; "" if there are none.
func (s KindSet) String() string {
	var names []string
	for _, k := range Kinds() {
		if s.Has(k) {
			names = append(names, k.String())
		}
	}
	return strings.Join(names, ", ")
}

// perMillion is how many tokens a rate is for. Vendors quote dollars per
// million tokens, down to fractions of a cent: in nano-dollars for a million
// every quoted rate is a whole number, in nano-dollars for one token it is not.
const perMillion = 1_000_000

// MaxRate is the highest rate that a table may hold: 5,000 dollars for a
// million tokens, eight times the dearest that is known. What is above it is a
// slip in the source, of which there are some, and would make every unknown
// model as dear.
const MaxRate = 5_000 * 1_000_000_000

// Rate is what tokens of one kind cost. The zero value is no rate: the source
// says nothing about the kind.
type Rate struct {
	Nano   int64 // nano-dollars for a million tokens
	Listed bool  // the source has a rate, which may be 0
}

// PerMillion returns a rate in nano-dollars for a million tokens.
func PerMillion(nano int64) Rate { return Rate{Nano: nano, Listed: true} }

// Rates holds a rate for each kind, by its number.
type Rates [kinds]Rate

// dearest is the highest listed rate.
func (r Rates) dearest() int64 {
	most := int64(0)
	for _, rate := range r {
		most = max(most, rate.Nano)
	}
	return most
}

// of returns the rate at which a kind counts. A kind without one of its own
// never counts for less than it may cost: nobody charges more for reading a
// cache than for reading without, and for all else the dearest rate counts.
func (r Rates) of(k Kind) int64 {
	switch {
	case r[k].Listed:
		return r[k].Nano
	case k == CacheRead && r[Input].Listed:
		return r[Input].Nano
	}
	return r.dearest()
}

// atLeast takes for each kind the higher rate at which it counts. A kind that
// neither lists stays unlisted.
func (r Rates) atLeast(s Rates) Rates {
	out := r
	for k := range out {
		if r[k].Listed || s[k].Listed {
			out[k] = PerMillion(max(r.of(Kind(k)), s.of(Kind(k))))
		}
	}
	return out
}

// higher takes the higher of each listed rate.
func (r Rates) higher(s Rates) Rates {
	for k := range r {
		if s[k].Listed && (!r[k].Listed || s[k].Nano > r[k].Nano) {
			r[k] = s[k]
		}
	}
	return r
}

// Tier is the rates of a request whose prompt is long. They hold for all of
// its tokens, not only for those above the limit, as vendors charge it.
type Tier struct {
	Above int64 // tokens: a prompt of more than these, cached ones included, is in the tier
	Rates Rates
}

// Price is what a model costs.
type Price struct {
	Rates Rates
	Tiers []Tier // by Above, ascending
}

// Usage is how many tokens one request took. A count below 0 stands for 0.
type Usage struct {
	Input        int64 // without those that are counted as cached below
	Output       int64
	CacheRead    int64
	CacheWrite5m int64 // also what is not known to be written for an hour
	CacheWrite1h int64
}

// counts are the tokens by kind.
func (u Usage) counts() [kinds]uint64 {
	var n [kinds]uint64
	for k, tokens := range [kinds]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h} {
		n[k] = uint64(max(tokens, 0))
	}
	return n
}

// Cost returns the cost of a request in nano-dollars, rounded up once. It is
// never negative; a cost that does not fit is the greatest int64. Assumed
// holds the kinds that have no rate in the table and were counted at another.
func (p Price) Cost(u Usage) (nano int64, assumed KindSet) {
	n := u.counts()
	rates := p.rates(n)
	var hi, lo, over uint64 // nano-dollars × 10^6; over is what even 128 bits do not hold
	for k, tokens := range n {
		if tokens == 0 {
			continue
		}
		if !rates[k].Listed {
			assumed |= 1 << k
		}
		h, l := bits.Mul64(tokens, uint64(max(rates.of(Kind(k)), 0)))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, carry = bits.Add64(hi, h, carry)
		over |= carry
	}
	if over > 0 || hi >= perMillion {
		return math.MaxInt64, assumed
	}
	q, rest := bits.Div64(hi, lo, perMillion)
	if rest > 0 && q < math.MaxInt64 {
		q++
	}
	return int64(min(q, math.MaxInt64)), assumed
}

// rates returns the rates of a request with so many tokens.
func (p Price) rates(n [kinds]uint64) Rates {
	prompt := uint64(0)
	for _, k := range []Kind{Input, CacheRead, CacheWrite5m, CacheWrite1h} {
		prompt = min(prompt+n[k], math.MaxInt64) // neither is above it, so that the sum fits
	}
	rates := p.Rates
	for _, t := range p.Tiers {
		if prompt > uint64(max(t.Above, 0)) {
			rates = t.Rates
		}
	}
	return rates
}

// AtLeast returns a price by which no request costs less than by either of
// the two, for where it is not known which of them holds.
func (p Price) AtLeast(q Price) Price {
	out := Price{Rates: p.Rates.atLeast(q.Rates)}
	limits := make([]int64, 0, len(p.Tiers)+len(q.Tiers))
	for _, t := range slices.Concat(p.Tiers, q.Tiers) {
		limits = append(limits, t.Above)
	}
	slices.Sort(limits)
	for _, above := range slices.Compact(limits) {
		out.Tiers = append(out.Tiers, Tier{above, p.above(above).atLeast(q.above(above))})
	}
	return out
}

// above returns the rates of a prompt just above so many tokens.
func (p Price) above(tokens int64) Rates {
	rates := p.Rates
	for _, t := range p.Tiers {
		if t.Above <= tokens {
			rates = t.Rates
		}
	}
	return rates
}

// equal reports whether two prices are the same.
func (p Price) equal(q Price) bool {
	if p.Rates != q.Rates || len(p.Tiers) != len(q.Tiers) {
		return false
	}
	for i := range p.Tiers {
		if p.Tiers[i] != q.Tiers[i] {
			return false
		}
	}
	return true
}
