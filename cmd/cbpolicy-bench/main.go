// Command cbpolicy-bench measures what a decision costs and holds it against bars:
// ratios between things measured in the same run, medians of interleaved
// rounds, because machines differ and are noisy. What is compared by little is
// measured by turns of short blocks instead: its figures are medians of the tenth
// of the rounds in which the machine was quietest, differences and ratios are taken
// within a round, and beside them is where the middle half of all rounds lies. It
// prints a table and exits with 1 if a bar is missed.
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
	turn func() // a call, of what is measured by turns; nil: run is measured
}

// bar is a ratio that must not be passed.
type bar struct {
	what     string
	num, den string // entries; den "": num's own figure against limit
	limit    float64
	value    func(*result) float64                 // nil: the median time
	third    string                                // a further entry, for of
	of       func(num, den, third float64) float64 // of a round, all by turns; nil: the ratio of two medians
	atLeast  bool
}

// result is what the rounds gave.
type result struct {
	ns     []float64
	quiet  []int // the rounds that count, of what was measured by turns; nil: all
	allocs float64
}

func (r *result) median() float64 {
	if r.quiet != nil {
		return quantile(at(r.ns, r.quiet), 0.5)
	}
	return quantile(r.ns, 0.5)
}

// spread is how far the rounds lie apart, as a share of the median; of the many that
// are by turns, their middle half.
func (r *result) spread() float64 {
	if r.quiet != nil {
		return (quantile(r.ns, 0.75) - quantile(r.ns, 0.25)) / r.median()
	}
	return (slices.Max(r.ns) - slices.Min(r.ns)) / r.median()
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
	if !report(measure(entries, *rounds, *per), entries, bars) {
		os.Exit(1)
	}
}

// block is how many calls are made of one thing before it is the next one's turn:
// little enough that a slow spell rarely falls on one of them alone, and enough
// that a clock tells how long they took.
const block = 100

// measure runs every entry once a round, so that a slow spell of the machine
// falls on all of them, and those by turns together, as long as each would take.
func measure(entries []entry, rounds int, per time.Duration) map[string]*result {
	results, turns := map[string]*result{}, &contest{block: block}
	for _, e := range entries {
		results[e.name] = &result{}
		if e.turn != nil {
			turns.of = append(turns.of, contender{e.name, e.turn})
		}
	}
	for _, c := range turns.of {
		results[c.name].allocs = testing.AllocsPerRun(2*sessionCalls, c.call)
	}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for _, e := range entries {
			if e.turn != nil {
				continue
			}
			r, b := results[e.name], testing.Benchmark(e.run)
			r.ns = append(r.ns, float64(b.T.Nanoseconds())/float64(b.N))
			r.allocs = float64(b.AllocsPerOp())
		}
		if n := len(turns.of); n > 0 {
			turns.runFor(time.Duration(n) * per)
		}
	}
	quiet := turns.quiet()
	for i, c := range turns.of {
		results[c.name].ns, results[c.name].quiet = turns.took[i], quiet
	}
	return results
}

// report prints the figures and the bars, and whether every bar is kept.
func report(results map[string]*result, entries []entry, bars []bar) bool {
	fmt.Printf("%-40s %12s %10s %8s\n", "what", "median", "spread", "allocs")
	for _, e := range entries {
		r := results[e.name]
		fmt.Printf("%-40s %12s %9.0f%% %8.0f\n", e.name, time.Duration(r.median()), 100*r.spread(), r.allocs)
	}
	fmt.Printf("\n%-62s %9s %9s  %s\n", "bar", "measured", "allowed", "middle half of the rounds")
	kept := true
	for _, b := range bars {
		got, all, ok := b.measured(results)
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
		half := ""
		if all != nil {
			half = fmt.Sprintf("  %.2f to %.2f", quantile(all, 0.25), quantile(all, 0.75))
		}
		fmt.Printf("%-62s %9.2f %s %7.2f%s%s\n", b.what, got, sign, b.limit, half, verdict)
	}
	return kept
}

// measured returns the bar's figure, and what it comes to in every round if it was
// measured by turns; false if its entries were not run.
func (b *bar) measured(results map[string]*result) (figure float64, rounds []float64, ok bool) {
	num, den, third := results[b.num], results[b.den], results[b.third]
	if num == nil || b.den != "" && den == nil || b.third != "" && third == nil {
		return 0, nil, false
	}
	if b.of != nil {
		rounds = make([]float64, len(num.ns))
		for i := range rounds {
			last := 0.0
			if third != nil {
				last = third.ns[i]
			}
			rounds[i] = b.of(num.ns[i], den.ns[i], last)
		}
		return quantile(at(rounds, num.quiet), 0.5), rounds, true
	}
	value := b.value
	if value == nil {
		value = (*result).median
	}
	if b.den == "" {
		return value(num), nil, true
	}
	return value(num) / value(den), nil, true
}

// overMicroseconds is by how much one thing takes longer than another.
func overMicroseconds(num, den, _ float64) float64 { return (num - den) / 1000 }

// overShare is the same as a share of a third thing.
func overShare(num, den, third float64) float64 { return (num - den) / third }
