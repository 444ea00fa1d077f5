package address_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/state/address"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]address.Address{
		"memory":                       {},
		"file:s.db":                    {Kind: address.File, Path: "s.db"},
		"file:/var/lib/s.db":           {Kind: address.File, Path: "/var/lib/s.db"},
		"file:///var/lib/s.db":         {Kind: address.File, Path: "///var/lib/s.db"},
		"redis://":                     {Kind: address.Redis, Nodes: []string{"localhost:6379"}},
		"redis://[::1]:7000/3":         {Kind: address.Redis, Nodes: []string{"[::1]:7000"}, Host: "::1", Database: 3},
		"rediss://h?ca=a&cert=b&key=c": {Kind: address.Redis, Nodes: []string{"h:6379"}, Host: "h", TLS: true, CA: "a", Cert: "b", Key: "c"},
		"redis://u:p%40%2Fs@h:1?domain=eu&timeout=20ms": {
			Kind: address.Redis, Nodes: []string{"h:1"}, Host: "h", User: "u", Password: "p@/s", Domain: "eu", Timeout: 20 * time.Millisecond,
		},
		"redis://a:1?cluster=true&addr=b:2": {Kind: address.Redis, Nodes: []string{"a:1", "b:2"}, Host: "a", Cluster: true},
		"redis://u:p@a:1/2?master=main&sentinel_user=s&sentinel_password=p@w": {
			Kind: address.Redis, Nodes: []string{"a:1"}, Host: "a", User: "u", Password: "p", Database: 2, Master: "main", SentinelUser: "s", SentinelPassword: "p@w",
		},
		"unix://u:p@/run/r.sock?database=4": {Kind: address.Redis, Path: "/run/r.sock", User: "u", Password: "p", Database: 4},
	} {
		got, err := address.Parse(text)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// A mistake is refused, and never means another place.
func TestParse_Mistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "want memory, file:PATH, or an address",
		"memroy":                             "want memory",
		"memory:x":                           `its kind is "memory": want memory`,
		"http://h":                           `its kind is "http": want memory`,
		"Redis://h":                          `its kind is "Redis": want memory`,
		"file:":                              "needs a path",
		"file://s.db":                        "behind file:// stands no host",
		"redis:10.0.0.5:6380":                "behind redis: stands //",
		"unix:/run/r.sock":                   "behind unix: stands //",
		"redis://h?domain=a;timeout=1s":      "its parameters cannot be read",
		"redis://h?domain=%zz":               "its parameters cannot be read",
		"redis://h#domain=x":                 "it has a #",
		"redis://h#":                         "it has a #",
		"redis://h?cluser=true":              `it has an unknown parameter "cluser"`,
		"redis://h?addr=b&cluster=true":      "addr wants HOST:PORT",
		"redis://h:0":                        "the port is no number",
		"redis://h:65536":                    "the port is no number",
		"redis://h/one":                      "the database wants a whole number",
		"redis://h?timeout=5":                "timeout wants a duration with its unit",
		"redis://h?timeout=1s&timeout=2s":    "timeout is there 2 times",
		"rediss://h?cert=a":                  "cert and key belong together",
		"redis://h?ca=x":                     "ca, cert and key are for rediss:// only",
		"unix://h":                           "unix: wants an absolute path",
		"unix:///s?cluster=true":             "a cluster has no master=",
		"redis://h?addr=b:1":                 "it names several nodes",
		"redis://h?cluster=yes":              "cluster wants true or false",
		"redis://h?database=2":               `it has an unknown parameter "database"`,
		"redis://u:p@h/1?master=m&cluster=1": "cluster wants true or false",
	} {
		if _, err := address.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// No error shows a password, wherever the address is wrong.
func TestParse_ErrorsHideThePassword(t *testing.T) {
	for _, text := range []string{
		"redis://admin:s3cret/x@h:1", "redis://admin:s3cret#x@h:1", "redis://admin:s3cret?x@h:1", "redis://admin:12/s3cret@h",
		"redis://admin:12?s3cret@h", "redis://admin:12#s3cret@h", "redis://admin:12?s3cret&x@h", "redis://admin:s3cret%zz@h", "redis://u:s3cret@h:port",
		"redis+tls://u:s3cret@h", "Redis://u:s3cret@h", "rediz://u:s3cret@h", "redis:u:s3cret@h", "u:s3cret@h", ":s3cret@h", "s3cret@h:1", "s3cret",
		"redis://u:12?timeout=s3cret@h", "redis://u:p@h?cluster=s3cret", "redis://u:p@h/s3cret", "redis://u:p@h?S3cret=s3cret", "redis://u:12?s3cret",
		"redis://u:p@h?timeout=s3cret", "redis://u:p@h?addr=s3cret&cluster=true", "redis://u:s3cret@h?a=b;c", "unix://u:s3cret@h/x", "file://u:s3cret@h",
	} {
		if _, err := address.Parse(text); err == nil || strings.Contains(strings.ToLower(err.Error()), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"redis://u:p@h:1/2?addr=x:1&cluster=true", "rediss://h?ca=x", "unix:///s?database=1", "redis://[::1]", "redis://%", "://", "file:x", "memory"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := address.Parse(text)
		if err != nil {
			return
		}
		if a.Kind == address.Redis && len(a.Nodes) == 0 == (a.Path == "") || a.Kind == address.File && a.Path == "" || a.Database < 0 || a.Timeout < 0 {
			t.Errorf("%q: %+v", text, a)
		}
	})
}
