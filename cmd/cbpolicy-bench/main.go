// Command cbpolicy-bench measures what a decision costs and holds it against bars:
// ratios between things measured in the same run, medians of interleaved
// rounds, because machines differ and are noisy. It prints a table and exits
// with 1 if a bar is missed.
//
//	go run ./cmd/cbpolicy-bench [-rounds 6] [-time 100ms] [-only NAME]
//
// With -scale it prints what grows with what instead, the tables of
// docs/scale.md; -redis adds a server, whose figures it resets, and alone prints
// what the homes of the state cost.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"
)

// entry is one thing that is measured.
type entry struct {
	name string
	run  func(b *testing.B)
}

// bar is a ratio that must not be passed.
type bar struct {
	what     string
	num, den string // entries; den "": num's own figure against limit
	limit    float64
	value    func(*result) float64                 // nil: the median time
	third    string                                // a further entry, for of
	of       func(num, den, third *result) float64 // nil: the ratio of the two
	atLeast  bool
}

// result is what the rounds gave.
type result struct {
	ns     []float64
	allocs float64
	bytes  float64
	extra  map[string]float64
}

func (r *result) median() float64 {
	s := slices.Sorted(slices.Values(r.ns))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func main() {
	rounds := flag.Int("rounds", 6, "interleaved rounds")
	per := flag.Duration("time", 100*time.Millisecond, "time a round")
	program := flag.String("program", "", "the cbpolicy program, to time whole commands; empty: leave them out")
	only := flag.String("only", "", "only entries whose name this regular expression matches, and the bars of those")
	growth := flag.Bool("scale", false, "print what grows with what, and hold it against nothing")
	address := flag.String("redis", "", "the address of a server to measure, such as redis://localhost:6379: with the other tables of -scale, or the homes of the state alone")
	testing.Init()
	flag.Parse()
	if err := flag.Set("test.benchtime", per.String()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	switch {
	case *growth:
		scale(*address)
		return
	case *address != "":
		scaleHomes(*address)
		return
	}
	which, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "-only:", err)
		os.Exit(2)
	}
	entries, bars := suite(*program)
	entries = slices.DeleteFunc(entries, func(e entry) bool { return !which.MatchString(e.name) })
	if !report(measure(entries, *rounds), entries, bars) {
		os.Exit(1)
	}
}

// measure runs every entry once a round, so that a slow spell of the machine
// falls on all of them.
func measure(entries []entry, rounds int) map[string]*result {
	results := map[string]*result{}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for _, e := range entries {
			r := results[e.name]
			if r == nil {
				r = &result{extra: map[string]float64{}}
				results[e.name] = r
			}
			b := testing.Benchmark(e.run)
			r.ns = append(r.ns, float64(b.T.Nanoseconds())/float64(b.N))
			r.allocs, r.bytes = float64(b.AllocsPerOp()), float64(b.AllocedBytesPerOp())
			for k, v := range b.Extra {
				r.extra[k] = v
			}
		}
	}
	return results
}

// report prints the figures and the bars, and whether every bar is kept.
func report(results map[string]*result, entries []entry, bars []bar) bool {
	fmt.Printf("%-40s %12s %10s %8s\n", "what", "median", "spread", "allocs")
	for _, e := range entries {
		r := results[e.name]
		m := r.median()
		fmt.Printf("%-40s %12s %9.0f%% %8.0f\n", e.name, time.Duration(m), 100*(slices.Max(r.ns)-slices.Min(r.ns))/m, r.allocs)
	}
	fmt.Printf("\n%-58s %9s %9s\n", "bar", "measured", "allowed")
	kept := true
	for _, b := range bars {
		got, ok := b.measured(results)
		if !ok {
			continue
		}
		sign, verdict := "≤", ""
		good := got <= b.limit
		if b.atLeast {
			sign, good = "≥", got >= b.limit
		}
		if !good {
			kept, verdict = false, "  MISSED"
		}
		fmt.Printf("%-58s %9.2f %s %7.2f%s\n", b.what, got, sign, b.limit, verdict)
	}
	return kept
}

// measured returns the bar's figure; false if its entries were not run.
func (b *bar) measured(results map[string]*result) (float64, bool) {
	num, den, third := results[b.num], results[b.den], results[b.third]
	if num == nil || b.den != "" && den == nil || b.third != "" && third == nil {
		return 0, false
	}
	if b.of != nil {
		return b.of(num, den, third), true
	}
	value := b.value
	if value == nil {
		value = (*result).median
	}
	if b.den == "" {
		return value(num), true
	}
	return value(num) / value(den), true
}

// overMicroseconds is by how much one thing takes longer than another.
func overMicroseconds(num, den, _ *result) float64 { return (num.median() - den.median()) / 1000 }

// overShare is the same as a share of a third thing.
func overShare(num, den, third *result) float64 {
	return (num.median() - den.median()) / third.median()
}
