package main

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// sizes are the numbers of rules.
var sizes = []int{10, 100, 1000, 10_000}

// suite is what is measured and what must hold.
func suite(program string) (entries []entry, bars []bar) {
	for _, part := range []func() ([]entry, []bar){decisions, firing, parallel, windows, sessions, loading} {
		e, b := part()
		entries, bars = append(entries, e...), append(bars, b...)
	}
	if program != "" {
		e, b := commands(program)
		entries, bars = append(entries, e...), append(bars, b...)
	}
	return entries, bars
}

// decisions: nothing fires, which is what most steps come to.
func decisions() (entries []entry, bars []bar) {
	for _, n := range sizes {
		rules, chains := workload(n)
		e, f, chain := newEngine(rules, chains), newFloor(rules), chains[0]
		name := func(s string) string { return fmt.Sprintf("%s/%d", s, n) }
		entries = append(entries,
			loop(name("floor"), func() { f.decide(chain, stepAbility, outputs) }),
			loop(name("maps"), func() { e.fromMaps(chain, outputs) }),
			loop(name("bound"), func() { e.fromBound(chain) }),
		)
		bars = append(bars,
			bar{what: fmt.Sprintf("%d rules, from maps / floor", n), num: name("maps"), den: name("floor"), limit: 1.3},
			bar{what: fmt.Sprintf("%d rules, from bound values / floor", n), num: name("bound"), den: name("floor"), limit: 1.0},
			bar{what: fmt.Sprintf("%d rules, nothing fires, allocations", n), num: name("maps"), value: allocs},
		)
	}
	return entries, append(bars, bar{what: "t(10,000 rules) / t(100 rules)", num: "maps/10000", den: "maps/100", limit: 3.5})
}

// firing: one threshold fires, with its text made only when it is printed.
func firing() ([]entry, []bar) {
	rules, chains := workload(100)
	e := newEngine(rules, chains)
	high := map[string]string{}
	for k, v := range outputs {
		high[k] = v
	}
	high["amount"] = "2000001"
	if e.fromMaps(chains[0], high) == 0 {
		panic("nothing fires")
	}
	return []entry{loop("one fires/100", func() { e.fromMaps(chains[0], high) })},
		[]bar{{what: "one fires, allocations", num: "one fires/100", value: allocs, limit: 1}}
}

// parallel: two goroutines, each on chains of its own.
func parallel() ([]entry, []bar) {
	rules, chains := workload(1000)
	e := newEngine(rules, chains)
	together := func(n int) func(b *testing.B) {
		return func(b *testing.B) {
			done := make(chan struct{})
			for i := range n {
				own := e.share()
				go func() {
					for range b.N / n {
						own.fromMaps(chains[i], outputs)
					}
					done <- struct{}{}
				}()
			}
			for range n {
				<-done
			}
		}
	}
	return []entry{{name: "one goroutine", run: together(1)}, {name: "two goroutines", run: together(2)}},
		[]bar{{what: "throughput of two goroutines / one", num: "one goroutine", den: "two goroutines", limit: 1.8, atLeast: true}}
}

// windows: what counting costs, by itself.
func windows() ([]entry, []bar) {
	keys := make([]string, 100)
	limiters := map[string]*rate.Limiter{}
	for i := range keys {
		keys[i] = fmt.Sprintf("chain_%06d", i)
		limiters[keys[i]] = rate.NewLimiter(rate.Inf, 1)
	}
	store := memory.New(memory.Options{})
	claim := window1(dsl.MaxHistory-1, time.Millisecond) // holds some tens of entries, as the windows of real rules do
	var grant state.Grant
	i := 0
	record := loop("check and record", func() {
		claim.Needs[0].Counter.Subject = keys[i%len(keys)]
		i++
		if store.Claim(context.Background(), claim, &grant) != nil {
			panic("the store failed")
		}
	})
	for _, l := range limiters {
		l.SetLimit(1e12)
		l.SetBurst(1 << 30)
	}
	j := 0
	limiter := loop("x/time/rate", func() {
		limiters[keys[j%len(keys)]].Allow()
		j++
	})
	few, many := filled(10), filled(dsl.MaxHistory)
	return []entry{record, limiter, few.entry("window of 10"), many.entry("window of 10,000")}, []bar{
		{what: "check and record / x/time/rate", num: "check and record", den: "x/time/rate", limit: 1.0},
		{what: "check and record, allocations", num: "check and record", value: allocs},
		{what: "a window with 10,000 entries / with 10", num: "window of 10,000", den: "window of 10", limit: 1.1},
	}
}

func window1(limit int64, span time.Duration) *state.Claim {
	return &state.Claim{Needs: []registry.Need{{
		Counter: registry.CounterID{Spec: "chain calls x"},
		Windows: []registry.Window{{Span: span, Limit: limit, Refuses: true}}, Front: []int{0},
	}}}
}

// fullCounter is a counter at its limit: it is looked at and refuses.
type fullCounter struct {
	store *memory.Store
	claim *state.Claim
	grant state.Grant
}

func filled(n int) *fullCounter {
	f := &fullCounter{store: memory.New(memory.Options{}), claim: window1(int64(n), time.Hour)}
	if n == dsl.MaxHistory {
		f.claim = window1(int64(n)-1, time.Hour)
	}
	for range n {
		if err := f.store.Claim(context.Background(), f.claim, &f.grant); err != nil {
			panic(err)
		}
	}
	return f
}

func (f *fullCounter) entry(name string) entry {
	return loop(name, func() {
		if f.store.Claim(context.Background(), f.claim, &f.grant) != nil {
			panic("the store failed")
		}
	})
}

// loading: from text to rules in force, and a reload beside decisions.
func loading() ([]entry, []bar) {
	rules, chains := workload(1000)
	data := text(rules)
	load := func() *registry.Registry {
		p, faults := dsl.ParsePolicy("workload.cbp", data)
		if faults.Err() != nil {
			panic(faults)
		}
		var reg registry.Registry
		if err := reg.Load(p); err != nil {
			panic(err)
		}
		return &reg
	}
	e := newEngine(rules, chains)
	return []entry{loop("load 1,000 rules", func() { load() }), {name: "decide while reloading", run: func(b *testing.B) {
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for reg := load(); ; {
					select {
					case <-stop:
						return
					default:
						reg.Set()
						load()
					}
				}
			}()
			for b.Loop() {
				e.fromMaps(chains[0], outputs)
			}
			close(stop)
			<-stopped
		}}}, []bar{
			{what: "1,000 rules from text to ready, ms", num: "load 1,000 rules", value: func(r *result) float64 { return r.median() / 1e6 }, limit: 80},
		}
}

// commands: whole processes.
func commands(program string) ([]entry, []bar) {
	run := func(name string, args ...string) entry {
		return loop(name, func() {
			if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				panic(fmt.Sprintf("%s %v: %v\n%s", program, args, err, out))
			}
		})
	}
	return []entry{run("version", "version"), run("check one file", "check", "examples/global/policy.cbp")},
		[]bar{{what: "check on one small file / version", num: "check one file", den: "version", limit: 3}}
}

func loop(name string, f func()) entry {
	return entry{name: name, run: func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
	}}
}

// byTurns is an entry that is measured by turns with all others that are.
func byTurns(name string, f func()) entry { return entry{name: name, turn: f} }

func allocs(r *result) float64 { return r.allocs }
