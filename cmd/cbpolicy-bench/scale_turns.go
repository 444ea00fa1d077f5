package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
)

// byHand is the least that an exact window needs: the server's time, and one
// command that adds an entry with the name of who asks, by which a second try
// would find it. It knows nothing of other windows, counters, runs, cells, calls,
// expiry, nor of entries that are to be dropped.
const byHand = `local key = KEYS[1]
local seconds = redis.call('TIME')
local now = seconds[1] * 1000000 + seconds[2]
local limit, span = struct.unpack('>I4I8', ARGV[1], 17)
local n = redis.call('LINSERT', key, 'AFTER', 'head', struct.pack('>I8c8', now, ARGV[1]))
if n <= 0 then
  n = redis.call('RPUSH', key, 'head', struct.pack('>I8c8', now, ARGV[1]))
end
if n >= limit + 2 and struct.unpack('>I8', redis.call('LINDEX', key, limit + 1)) > now - span then
  redis.call('LPOP', key)
  redis.call('LSET', key, 0, 'head')
  return 0
end
return now`

// inTurns prints what a decision costs its caller beside calls of scripts that do
// less, of the same client, by turns.
func inTurns(client *goredis.Client, store state.Store, domain string) {
	const spells, rounds, times = 6, 40, 50
	ctx := context.Background()
	key := "cbpolicy:{" + domain + "}:by hand, chain calls x"
	script := func(source string, keys []string, arg func() []byte) func() {
		s := goredis.NewScript(source)
		if err := s.Load(ctx, client).Err(); err != nil {
			panic(err)
		}
		return func() {
			var args []any
			if arg != nil {
				args = append(args, arg())
			}
			if err := s.EvalSha(ctx, client, keys, args...).Err(); err != nil {
				panic(err)
			}
		}
	}
	window := make([]byte, 28)
	named := func() []byte {
		rand.Read(window[:16])
		window[18], window[19], window[26], window[27] = dsl.MaxHistory>>8, dsl.MaxHistory&0xff, 1000>>8, 1000&0xff
		return window
	}
	c := &contest{block: times, of: []contender{
		{"a script that does nothing", script("return 1", []string{"key"}, nil)},
		{"the same, and as many bytes as a decision", script("return 1", []string{key}, func() []byte { return []byte(strings.Repeat("b", 150)) })},
		{"one GET in a script", script("redis.call('GET', KEYS[1]) return 1", []string{key + " none"}, nil)},
		{"one exact window by hand, in 15 lines", script(byHand, []string{key}, named)},
		{"a decision of one window", decider(store, "in turns")},
	}}
	for spell := range spells + 1 {
		c.run(rounds)
		client.Del(ctx, key) // nothing else drops its entries
		if spell == 0 {
			c.forget()
		}
	}
	table(fmt.Sprintf("A call, by turns: medians of the quiet tenth of %d rounds", spells*rounds), "call", "one caller", "ratio")
	quiet := c.quiet()
	for i, k := range c.of {
		ratios := make([]float64, len(quiet))
		for j, round := range quiet {
			ratios[j] = c.took[i][round] / c.took[0][round]
		}
		row(k.name, short(time.Duration(quantile(at(c.took[i], quiet), 0.5))), fmt.Sprintf("%.2f", quantile(ratios, 0.5)))
	}
}
