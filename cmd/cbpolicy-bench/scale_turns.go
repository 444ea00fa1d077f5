package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
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
// less, of the same client: by turns of few calls, so that a slow spell of the
// machine falls on all of them.
func inTurns(client *goredis.Client, store state.Store, domain string) {
	const rounds, turns, times = 6, 40, 50
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
	kinds := []struct {
		name string
		call func()
		took []time.Duration
	}{
		{name: "a script that does nothing", call: script("return 1", []string{"key"}, nil)},
		{name: "the same, and as many bytes as a decision", call: script("return 1", []string{key}, func() []byte { return []byte(strings.Repeat("b", 150)) })},
		{name: "one GET in a script", call: script("redis.call('GET', KEYS[1]) return 1", []string{key + " none"}, nil)},
		{name: "one exact window by hand, in 15 lines", call: script(byHand, []string{key}, named)},
		{name: "a decision of one window", call: decider(store, "in turns")},
	}
	for round := range rounds + 1 {
		took := make([]time.Duration, len(kinds))
		for range turns {
			for i := range kinds {
				begun := time.Now()
				for range times {
					kinds[i].call()
				}
				took[i] += time.Since(begun)
			}
		}
		for i := range kinds {
			if round > 0 { // the first warms up
				kinds[i].took = append(kinds[i].took, took[i]/(turns*times))
			}
		}
		client.Del(ctx, key)
	}
	table(fmt.Sprintf("A call, by turns: medians of %d", rounds), "call", "one caller", "ratio")
	var nothing time.Duration
	for i, k := range kinds {
		slices.Sort(k.took)
		median := (k.took[(rounds-1)/2] + k.took[rounds/2]) / 2
		if i == 0 {
			nothing = median
		}
		row(k.name, short(median), fmt.Sprintf("%.2f", float64(median)/float64(nothing)))
	}
}
