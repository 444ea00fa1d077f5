package redis

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

func TestParse(t *testing.T) {
	type want struct {
		addrs          []string
		user, password string
		db             int
		master         string
		cluster, tls   bool
		domain         string
		timeout        time.Duration
	}
	tests := []struct {
		address string
		want    want
	}{
		{"redis://", want{addrs: []string{"localhost:6379"}}},
		{"redis://h", want{addrs: []string{"h:6379"}}},
		{"redis://[::1]:7000/3", want{addrs: []string{"[::1]:7000"}, db: 3}},
		{"redis://u:p%40ss@h:1?domain=eu&timeout=20ms", want{addrs: []string{"h:1"}, user: "u", password: "p@ss", domain: "eu", timeout: 20 * time.Millisecond}},
		{"redis://:p@h", want{addrs: []string{"h:6379"}, password: "p"}},
		{"rediss://h", want{addrs: []string{"h:6379"}, tls: true}},
		{"redis://a:1?cluster=true&addr=b:2&addr=c:3", want{addrs: []string{"a:1", "b:2", "c:3"}, cluster: true}},
		{"redis://a:1/2?master=main&addr=b:2", want{addrs: []string{"a:1", "b:2"}, master: "main", db: 2}},
		{"unix://u:p@/run/redis.sock", want{addrs: []string{"/run/redis.sock"}, user: "u", password: "p"}},
		{"unix:///run/redis.sock?database=4", want{addrs: []string{"/run/redis.sock"}, db: 4}},
	}
	for _, tt := range tests {
		o, domain, timeout, err := parse(tt.address)
		if err != nil {
			t.Errorf("%s: %v", tt.address, err)
			continue
		}
		got := want{o.Addrs, o.Username, o.Password, o.DB, o.MasterName, o.IsClusterMode, o.TLSConfig != nil, domain, timeout}
		if !slices.Equal(got.addrs, tt.want.addrs) {
			t.Errorf("%s: addresses %q, want %q", tt.address, got.addrs, tt.want.addrs)
		}
		got.addrs, tt.want.addrs = nil, nil
		if got.user != tt.want.user || got.password != tt.want.password || got.db != tt.want.db || got.master != tt.want.master ||
			got.cluster != tt.want.cluster || got.tls != tt.want.tls || got.domain != tt.want.domain || got.timeout != tt.want.timeout {
			t.Errorf("%s: %+v, want %+v", tt.address, got, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for address, want := range map[string]string{
		"":                                        "want memory, file:PATH, or an address",
		"http://h":                                `its kind is "http": want`,
		"redis://h:port":                          "it is no URL",
		"redis://u:secret@h:port":                 "it is no URL",
		"redis://h/one":                           "the database wants a whole number",
		"redis://h/-1":                            "the database wants a whole number",
		"redis://h?timeout=5":                     "timeout wants a duration with its unit, such as 50ms",
		"redis://h?timeout=-5s":                   "timeout wants a duration",
		"redis://h?timeout=1s&timeout=2s":         "timeout is there 2 times",
		"redis://h?addr=b:1":                      "it names several nodes",
		"redis://h?cluster=yes":                   "cluster wants true or false",
		"redis://h/1?cluster=true":                "a cluster has no master=, no database",
		"redis://h?cluster=true&master=m":         "a cluster has no master=",
		"redis://h?skip_verify=true":              `it has an unknown parameter "skip_verify"`,
		"redis://h?ca=x":                          "ca, cert and key are for rediss:// only",
		"rediss://h?ca=/no/such/file":             "ca: open /no/such/file",
		"rediss://h?cert=/no/such/file&key=/none": "cert and key: open",
		"unix://h":                                "unix: wants an absolute path",
		"memory":                                  "it is not that of a server",
		"file:s.db":                               "it is not that of a server",
		"redis://h?domain={x}":                    `the domain is "{x}", want a name without braces`,
	} {
		_, err := Open(address, Options{})
		if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", address, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v shows the password", address, err)
		}
	}
}

// A reply is all that a claim asked for, or none.
func FuzzReply(f *testing.F) {
	f.Add([]byte{1, 0, 5, 255, 0, 255, 255, 0, 3, 9, 4, 255, 1})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, numbers []byte) {
		c := state.Claim{
			Needs: []registry.Need{
				{Windows: []registry.Window{{Span: time.Second}}},
				{Windows: []registry.Window{{Span: time.Second}, {Span: time.Hour}}},
			},
			Guards: []registry.Guard{{}},
		}
		var r reply
		for _, n := range numbers {
			r = append(r, int64(int8(n))*(math.MaxInt64/127))
		}
		var g state.Grant
		if !r.grant(&c, &g) {
			return
		}
		if len(g.At) != 2 || len(g.Approved) != 1 {
			t.Fatalf("%+v is no answer to the claim", g)
		}
		for i, at := range g.At {
			if at >= 0 && at+len(c.Needs[i].Windows) > len(g.Counts) {
				t.Fatalf("%+v has too few counts", g)
			}
		}
	})
}

func TestTimes(t *testing.T) {
	for nanosIn, want := range map[int64]int64{0: 0, 1: 1, 999: 1, 1000: 1, 1999: 1, 2000: 2, math.MaxInt64: exact - 1} {
		if got := micros(nanosIn); got != want {
			t.Errorf("micros(%d) = %d, want %d", nanosIn, got, want)
		}
	}
	for d, want := range map[time.Duration]int64{1: 1, 1000: 1, 1001: 2, time.Hour: 3_600_000_000, math.MaxInt64: longest} {
		if got := span(d); got != want {
			t.Errorf("span(%d) = %d, want %d", d, got, want)
		}
	}
	if got := nanos(math.MaxInt64); got != math.MaxInt64 {
		t.Errorf("nanos of the end of time are %d", got)
	}
}

func TestNames(t *testing.T) {
	a := counterName(&registry.CounterID{Spec: "a", Subject: "bc"})
	if b := counterName(&registry.CounterID{Spec: "ab", Subject: "c"}); a == b {
		t.Errorf("two counters are called %q", a)
	}
	if amountName("a", "bc") == amountName("ab", "c") {
		t.Error("two amounts have one name")
	}
	if len(runName("x")) != len(runName(strings.Repeat("x", 1000))) || runName("") != "" {
		t.Error("names of runs differ in length")
	}
}

func TestCheckInfo(t *testing.T) {
	good := "# Server\r\nredis_version:7.0.15\r\nrole:master\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"
	if err := checkInfo(good); err != nil {
		t.Errorf("error %v of a good server", err)
	}
	for change, want := range map[[2]string]string{
		{"7.0.15", "6.0.20"}:                          `redis has version "6.0.20", want 6.2 or later`,
		{"7.0.15", "x"}:                               `redis has version "x", want 6.2 or later`,
		{"master", "slave"}:                           "redis is a slave, want a master",
		{"y:0", "y:1000"}:                             "",
		{"noeviction", "allkeys-lru"}:                 "",
		{"y:0\r\nmaxmemory_policy:noeviction", "y:9"}: "", // it does not say
		{"y:0\r\nmaxmemory_policy:noeviction", "y:9\r\nmaxmemory_policy:allkeys-lru"}: `maxmemory-policy is "allkeys-lru", want noeviction`,
	} {
		err := checkInfo(strings.Replace(good, change[0], change[1], 1))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", change, err, want)
		}
	}
}

// The documentation names the commands that a user must be allowed.
func TestPermissionsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range Permissions() {
		fmt.Fprint(&all, " ", p)
	}
	if want := "~cbpolicy:{" + DefaultDomain + "}:*" + all.String() + "\n"; !strings.Contains(string(doc), want) {
		t.Errorf("docs/redis.md is to say %s", want)
	}
}

// All scripts are one slot's, whatever the names in a domain are.
func TestOneSlot(t *testing.T) {
	s, err := New(goredis.NewClient(&goredis.Options{}), Options{Domain: "eu"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if want := "cbpolicy:{eu}:time"; s.keys[0] != want {
		t.Errorf("the domain's key is %q, want %q", s.keys[0], want)
	}
}
