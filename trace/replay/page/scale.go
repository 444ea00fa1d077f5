package page

import (
	"math"
	"strconv"
)

// number is what kind of number a chart's values are.
type number uint8

const (
	real  number = iota
	whole        // 0, 1, 2 …
	share        // from 0 to 1
)

// scale lays out values from left to right: evenly where the values are small
// whole numbers or a share of one, otherwise by powers of ten, with the values below
// the first of them in a place of their own.
type scale struct {
	log      bool
	centred  bool    // the mark of a value is below the middle of its bar
	lo, hi   float64 // exponents, or the values at both ends
	from, to float64 // where they are drawn
	zero     bool    // there is a place for what is below the powers of ten
	edges    []float64
}

// evenly is the greatest whole number up to which the scale is even.
const evenly = 40

// zeroWidth is the width of the place of values that have no logarithm.
const zeroWidth = 34

// perDecade is how many bars a power of ten has.
const perDecade = 10

// newScale fits a scale to values and limits, none of which is negative.
func newScale(values, limits []float64, kind number, from, to float64) *scale {
	if kind == share {
		return shareScale(from, to)
	}
	least, greatest, zero := math.Inf(1), 0.0, false
	for i, v := range append(append([]float64{}, values...), limits...) {
		if v > 0 {
			least = min(least, v)
		} else if i < len(values) {
			zero = true
		}
		greatest = max(greatest, v)
	}
	if kind == whole && greatest <= evenly {
		s := &scale{centred: true, hi: max(greatest+1, 5), from: from, to: to}
		for v := 0.0; v <= s.hi; v++ {
			s.edges = append(s.edges, v)
		}
		return s
	}
	if math.IsInf(least, 1) {
		least, greatest = 1, 1
	}
	s := &scale{log: true, lo: math.Floor(math.Log10(least)), zero: zero, from: from, to: to}
	s.hi = max(math.Ceil(math.Log10(greatest)), s.lo+1)
	for k := int(s.lo) * perDecade; k <= int(s.hi)*perDecade; k++ {
		edge := math.Pow(10, float64(k)/perDecade)
		if kind == whole {
			edge = math.Round(edge)
		}
		if n := len(s.edges); n == 0 || edge > s.edges[n-1] {
			s.edges = append(s.edges, edge)
		}
	}
	return s
}

// shareScale is the scale of what is from 0 to 1, in bars of a twentieth.
func shareScale(from, to float64) *scale {
	s := &scale{hi: 1, from: from, to: to}
	for i := 0; i <= 20; i++ {
		s.edges = append(s.edges, float64(i)/20)
	}
	return s
}

// x is where a value is drawn.
func (s *scale) x(v float64) float64 {
	from, part := s.from, (v-s.lo)/(s.hi-s.lo)
	if s.log {
		if s.zero {
			from += zeroWidth
		}
		if part = (math.Log10(v) - s.lo) / (s.hi - s.lo); v <= 0 {
			return s.from
		}
	}
	return from + min(max(part, 0), 1)*(s.to-from)
}

// bar is a bar of a histogram: the values from one edge to the next.
type bar struct {
	from, to float64 // to: exclusive
	x, width float64
	fine     int // runs that nothing halted
	halted   int
}

// bars counts values into bars, and leaves empty ones out.
func (s *scale) bars(values []float64, halted []bool) []bar {
	all := make([]bar, len(s.edges))
	if s.zero {
		all[0] = bar{x: s.from, width: zeroWidth - 6}
	}
	for i := 1; i < len(s.edges); i++ {
		x := s.x(s.edges[i-1])
		all[i] = bar{from: s.edges[i-1], to: s.edges[i], x: x, width: s.x(s.edges[i]) - x}
	}
	for i, v := range values {
		at := 0
		for at < len(s.edges)-1 && v >= s.edges[at] {
			at++
		}
		if !s.zero {
			at = max(at, 1)
		}
		if halted[i] {
			all[at].halted++
		} else {
			all[at].fine++
		}
	}
	filled := all[:0]
	for _, b := range all {
		if b.fine+b.halted > 0 {
			filled = append(filled, b)
		}
	}
	return filled
}

// tick is a mark of the axis.
type tick struct {
	X    string
	Text string
}

// ticks are the marks of the axis.
func (s *scale) ticks() []tick {
	var all []tick
	if !s.log && !s.centred {
		for i := 0; i <= 5; i++ {
			v := s.hi * float64(i) / 5
			all = append(all, tick{coordinate(s.x(v)), compact(v)})
		}
		return all
	}
	if !s.log {
		step := 1.0
		for (s.hi-s.lo)/step > 12 {
			step = map[float64]float64{1: 2, 2: 5, 5: 10, 10: 20}[step]
		}
		for v := s.lo; v < s.hi; v += step {
			all = append(all, tick{coordinate(s.x(v + 0.5)), compact(v)})
		}
		return all
	}
	if s.zero {
		all = append(all, tick{coordinate(s.from + (zeroWidth-6)/2), "0"})
	}
	step := math.Ceil((s.hi - s.lo) / 8)
	for e := s.lo; e <= s.hi; e += step {
		v := math.Pow(10, e)
		all = append(all, tick{coordinate(s.x(v)), compact(v)})
	}
	return all
}

// coordinate prints a place in a drawing.
func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// compact prints a number for a person: 1.2M, 40k, 0.03.
func compact(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) < unit.size {
			continue
		}
		if unit.name == "k" {
			unit.size = 1e3
		}
		return significant(v/unit.size) + unit.name
	}
	return significant(v)
}

// significant prints a number with three digits that count, and none lost
// before the point.
func significant(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
