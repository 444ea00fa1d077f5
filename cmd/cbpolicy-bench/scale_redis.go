package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/redis"
)

// decider returns what claims one window of a subject after the other. The
// window is so short that it never is full.
func decider(store state.Store, subject string) func() {
	claim, grant := window1(dsl.MaxHistory-1, time.Millisecond), new(state.Grant)
	claim.Needs[0].Counter.Subject = subject
	return func() {
		if err := store.Claim(context.Background(), claim, grant); err != nil || !grant.Admitted {
			panic(fmt.Sprint("the store failed: ", err))
		}
	}
}

// together is how many decisions a second 64 callers get, each on a counter of its own.
func together(store state.Store) float64 {
	const callers, span = 64, 2 * time.Second
	var made atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for i := range callers {
		decide := decider(store, fmt.Sprint("caller ", i))
		wg.Go(func() {
			for time.Since(begun) < span {
				decide()
				made.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(made.Load()) / time.Since(begun).Seconds()
}

// scaleRedis adds a server: what it is for a caller, and what a decision costs
// the server itself, by its own count, which is what bounds it.
func scaleRedis(address string) {
	o, err := goredis.ParseURL(address)
	if err != nil {
		panic(err)
	}
	client := goredis.NewClient(&goredis.Options{Addr: o.Addr, DB: o.DB, Username: o.Username, Password: o.Password,
		Protocol: 2, DisableIdentity: true, ContextTimeoutEnabled: true, PoolSize: 64})
	defer client.Close()
	domain := fmt.Sprint("bench ", time.Now().UnixNano())
	store, err := redis.New(client, redis.Options{Timeout: time.Minute, Domain: domain})
	if err != nil {
		panic(err)
	}
	homeRow("redis", store)
	inTurns(client, store, domain)

	table("A decision on the server, by its own count", "windows", "server time", "bytes to it", "bytes from it")
	nothing := goredis.NewScript("return 1")
	served(client, "a script that does nothing", func() error {
		return nothing.Run(context.Background(), client, []string{"key"}).Err()
	})
	for _, n := range []int{1, 2, 10} {
		claim, grant := window1(dsl.MaxHistory-1, time.Millisecond), new(state.Grant)
		for i := 1; i < n; i++ {
			need := claim.Needs[0]
			need.Counter.Spec = fmt.Sprint("chain calls x", i)
			claim.Needs = append(claim.Needs, need)
		}
		claim.Needs[0].Counter.Subject = "server " + strconv.Itoa(n)
		served(client, strconv.Itoa(n), func() error { return store.Claim(context.Background(), claim, grant) })
	}
}

// served prints what a call costs the server.
func served(client *goredis.Client, name string, call func() error) {
	const times = 20_000
	if err := client.ConfigResetStat(context.Background()).Err(); err != nil {
		panic(err)
	}
	for range times {
		if err := call(); err != nil {
			panic(err)
		}
	}
	row(name, stat(client, "commandstats", `cmdstat_evalsha:.*usec_per_call=([\d.]+)`)+" µs",
		perCall(client, "total_net_input_bytes", times), perCall(client, "total_net_output_bytes", times))
}

// stat is a figure of the server's own.
func stat(client *goredis.Client, section, pattern string) string {
	info, err := client.Info(context.Background(), section).Result()
	if err != nil {
		panic(err)
	}
	m := regexp.MustCompile(pattern).FindStringSubmatch(info)
	if m == nil {
		panic("the server does not say " + pattern)
	}
	return m[1]
}

func perCall(client *goredis.Client, name string, times int) string {
	total, err := strconv.Atoi(stat(client, "stats", name+`:(\d+)`))
	if err != nil {
		panic(err)
	}
	return strconv.Itoa(total / times)
}
