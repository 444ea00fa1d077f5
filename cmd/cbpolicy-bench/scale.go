package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// scale prints what grows with what, as the tables of docs/scale.md.
func scale(address string) {
	scaleRules()
	scaleChains()
	scaleCounters()
	scaleSessions()
	scaleHomes(address)
}

// table begins a table in Markdown.
func table(title string, columns ...string) {
	fmt.Printf("\n%s\n\n", title)
	row(columns...)
	rule := make([]string, len(columns))
	for i := range rule {
		rule[i] = "---"
	}
	row(rule...)
}

func row(cells ...string) {
	for _, c := range cells {
		fmt.Print("| ", c, " ")
	}
	fmt.Println("|")
}

// held is how much more memory is in use after something was made than before.
func held(make func() any) (any, uint64) {
	before := heap()
	made := make()
	after := heap()
	return made, max(after, before) - before
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// took is the time of one of what is done again and again, the best of five
// times: what neighbours add is no part of it.
func took(f func()) time.Duration {
	best := time.Duration(1 << 62)
	for range 5 {
		r := testing.Benchmark(loop("", f).run)
		best = min(best, time.Duration(r.T.Nanoseconds()/int64(r.N)))
	}
	return best
}

func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d >= time.Microsecond:
		return fmt.Sprintf("%.2f µs", float64(d)/1e3)
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}

func amount(n uint64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// loaded is rules in force, read from text.
func loaded(data []byte) *registry.Registry {
	p, faults := dsl.ParsePolicy("scale.cbp", data)
	if err := faults.Err(); err != nil {
		panic(err)
	}
	reg := new(registry.Registry)
	if err := reg.Load(p); err != nil {
		panic(err)
	}
	return reg
}

// scaleRules: a tenth of the rules covers every step, the rest ten a chain.
func scaleRules() {
	table("Rules, a tenth of them for every chain, the others ten a chain",
		"rules", "that cover a step", "from text to ready", "memory", "a decision")
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		rules, chains := workload(n)
		data := text(rules)
		begun := time.Now()
		_, size := held(func() any { return loaded(data) })
		ready := time.Since(begun)
		e := newEngine(rules, chains[:1])
		row(fmt.Sprint(n), fmt.Sprint(min(n, max(n/10, 1)+perChain)), short(ready), amount(size), short(took(func() { e.fromBound(chains[0]) })))
		runtime.KeepAlive(e)
	}
}

// scaleChains: ten rules for every chain, and ten more for each.
func scaleChains() {
	table("Chains, ten rules each, and ten for all", "chains", "rules", "memory", "a decision")
	for _, n := range []int{1, 100, 10_000} {
		rules := []spec{}
		for i := range perChain {
			rules = append(rules, one("*", i))
		}
		chains := make([]string, n)
		for c := range chains {
			chains[c] = fmt.Sprintf("chain_%06d", c)
			for i := range perChain {
				rules = append(rules, one(chains[c], perChain*(c+1)+i))
			}
		}
		data := text(rules)
		_, size := held(func() any { return loaded(data) })
		e, i := newEngine(rules, nil), 0
		row(fmt.Sprint(n), fmt.Sprint(len(rules)), amount(size), short(took(func() {
			e.fromBound(chains[i%n])
			i++
		})))
	}
}

// scaleCounters: what the entries of a window cost in memory, and to look at.
func scaleCounters() {
	table("Entries of one window, in memory", "entries", "bytes an entry", "a decision that counts it")
	for _, n := range []int{1, 10, 100, 9_000} {
		const counters = 100
		claim := window1(dsl.MaxHistory-1, time.Hour)
		fill := func() any {
			store := memory.New(memory.Options{})
			var g state.Grant
			for i := range counters {
				claim.Needs[0].Counter.Subject = fmt.Sprint("subject ", i)
				for range n {
					if err := store.Claim(context.Background(), claim, &g); err != nil {
						panic(err)
					}
				}
			}
			return store
		}
		store, size := held(fill)
		claim.Refused = true // looks, and adds nothing
		var g state.Grant
		row(fmt.Sprint(n), fmt.Sprint(size/uint64(counters*n)), short(took(func() {
			if err := store.(*memory.Store).Claim(context.Background(), claim, &g); err != nil {
				panic(err)
			}
		})))
	}
}

// scaleSessions: sessions that live at the same time in one process, each of
// which has made ten calls under the built-in rules.
func scaleSessions() {
	table("Sessions in one process, built-in rules, ten calls behind each", "sessions", "memory a session", "before and after a call")
	for _, n := range []int{1, 1000, 100_000} {
		made, size := held(func() any { return newCrowd(n) })
		c, i := made.(*crowd), 0
		row(fmt.Sprint(n), amount(size/uint64(n)), short(took(func() {
			c.call(i % n)
			i++
		})))
	}
}

// crowd is many sessions on one state.
type crowd struct {
	sessions []*session.Session
	args     *registry.Values
	outputs  *registry.Values
	verdict  registry.Verdict
	made     int
}

func newCrowd(n int) *crowd {
	reg := new(registry.Registry)
	limits := map[string]registry.BuiltinLimit{"tool_call_limit": {Value: "1000000000"}}
	if err := reg.TuneBuiltins(registry.Builtins{Limits: limits}); err != nil {
		panic(err)
	}
	store := memory.New(memory.Options{})
	c := &crowd{args: registry.Texts(map[string]string{"url": "https://example.com/"}), outputs: &registry.Values{}}
	for i := range n {
		s, err := session.New(session.Options{ID: fmt.Sprint("session ", i), Registry: reg, Store: store, Breakers: session.DefaultBreakers()})
		if err != nil {
			panic(err)
		}
		c.sessions = append(c.sessions, s)
		for range 10 {
			c.call(i)
		}
	}
	return c
}

// call makes a call whose result is like no other.
func (c *crowd) call(i int) {
	c.made++
	out := registry.Text(fmt.Sprint("result ", c.made))
	st := &session.Step{Call: session.Call{Ability: "web.fetch", Args: c.args}, Outputs: c.outputs}
	c.sessions[i].Before(context.Background(), st, &c.verdict)
	if c.verdict.Decision.Blocks() {
		panic(c.verdict.Blocking().Explain())
	}
	if err := c.sessions[i].After(context.Background(), session.Outcome{Step: st, Output: &out}); err != nil {
		panic(err)
	}
}

// scaleHomes: where the counters are.
func scaleHomes(address string) {
	table("Homes of the state, one window a decision", "home", "a decision, one caller", "decisions a second, 64 callers")
	homeRow("memory", memory.New(memory.Options{}))
	dir, err := os.MkdirTemp("", "cbpolicy-bench")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	f, err := file.Open(filepath.Join(dir, "state.db"), file.Options{})
	if err != nil {
		panic(err)
	}
	homeRow("file", f)
	if address != "" {
		scaleRedis(address)
	}
}

func homeRow(name string, store state.Store) {
	row(name, short(took(decider(store, "alone"))), fmt.Sprintf("%.0f", together(store)))
}
