// Package address owns how it is written where state lives: memory, file:PATH,
// or the URL of a server. It reads what is written, and opens nothing.
package address

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of a home.
type Kind int

// The kinds of homes.
const (
	Memory Kind = iota
	File
	Redis
)

// Address is where state lives. The zero Address is the memory of the process.
type Address struct {
	Kind Kind
	// Path is that of the file; of a server, that of its socket, where it has one.
	Path string

	// The rest is of servers only. Nodes are written HOST:PORT; there are none
	// if there is a socket.
	Nodes          []string
	Host           string // the first node's, as it was written
	TLS            bool
	User, Password string
	Database       int
	Cluster        bool   // the nodes are a Cluster's
	Master         string // if not "", the nodes are Sentinels, who know it
	// Who the Sentinels know.
	SentinelUser, SentinelPassword string
	CA, Cert, Key                  string // files in PEM; "": none
	Domain                         string // "": nobody says
	Timeout                        time.Duration
}

const (
	wanted  = "want memory, file:PATH, or an address that begins with redis://, rediss:// or unix://"
	escapes = "in a user, a password or a value write : / ? # @ & ; % as %3A %2F %3F %23 %40 %26 %3B %25"
)

// Parse reads an address:
//
//	memory
//	file:PATH
//	redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?PARAMETERS]
//	rediss://…                     the same with TLS
//	unix://[USER[:PASSWORD]@]PATH[?PARAMETERS]
//
// The parameters are those of [redis.Open]. An error shows no part of the
// address that may be one of a password.
//
// [redis.Open]: https://pkg.go.dev/github.com/cbpolicy/cbpolicy/state/redis#Open
func Parse(text string) (*Address, error) {
	kind, rest, colon := strings.Cut(text, ":")
	switch {
	case text == "memory":
		return &Address{}, nil
	case colon && kind == "file":
		return parseFile(rest)
	case colon && (kind == "redis" || kind == "rediss" || kind == "unix"):
		if !strings.HasPrefix(rest, "//") {
			return nil, fmt.Errorf("behind %s: stands //, as in redis://HOST:PORT or unix:///PATH", kind)
		}
		return parseURL(text)
	case colon && scheme.MatchString(kind):
		return nil, fmt.Errorf("its kind is %q: %s", kind, wanted)
	}
	return nil, errors.New(wanted)
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

func parseFile(path string) (*Address, error) {
	switch {
	case path == "":
		return nil, errors.New("a state file needs a path, such as file:state.db")
	case strings.HasPrefix(path, "//") && !strings.HasPrefix(path, "///"):
		return nil, errors.New("behind file:// stands no host: write file:state.db for a file here, or file:/var/lib/state.db")
	}
	return &Address{Kind: File, Path: path}, nil
}

func parseURL(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil { // which would show what it could not read
		return nil, errors.New("it is no URL: want redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?PARAMETERS]; " + escapes)
	}
	if strings.Contains(text, "#") {
		return nil, errors.New("it has a #, behind which nothing is read; " + escapes)
	}
	if strings.Contains(u.Path, "@") || u.User == nil && strings.Contains(u.RawQuery, "@") {
		return nil, errors.New("it has an @ behind the host; " + escapes)
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("its parameters cannot be read: want NAME=VALUE&NAME=VALUE; " + escapes)
	}
	q := parameters{values: values}
	a := &Address{Kind: Redis, TLS: u.Scheme == "rediss", User: u.User.Username()}
	a.Password, _ = u.User.Password()
	q.place(a, u)
	a.Master = q.take("master")
	a.SentinelUser, a.SentinelPassword = q.take("sentinel_user"), q.take("sentinel_password")
	q.nodes(a)
	a.Domain, a.Timeout = q.take("domain"), q.duration("timeout")
	if a.CA, a.Cert, a.Key = q.take("ca"), q.take("cert"), q.take("key"); !a.TLS && a.CA+a.Cert+a.Key != "" {
		q.fail("ca, cert and key are for rediss:// only")
	}
	if (a.Cert == "") != (a.Key == "") {
		q.fail("cert and key belong together")
	}
	q.unknown()
	if q.err != nil {
		return nil, q.err
	}
	return a, nil
}

// parameters are what follows the question mark; the first error is kept.
type parameters struct {
	values url.Values
	err    error
}

func (q *parameters) fail(format string, args ...any) {
	if q.err == nil {
		q.err = fmt.Errorf(format, args...)
	}
}

// place reads what stands before the parameters, and the database.
func (q *parameters) place(a *Address, u *url.URL) {
	if u.Scheme == "unix" {
		if u.Host != "" || u.Path == "" {
			q.fail("unix: wants an absolute path, such as unix:///run/redis/redis.sock")
		}
		a.Path = u.Path
		if db := q.take("database"); db != "" {
			a.Database = q.number("database", db)
		}
		return
	}
	a.Host = u.Hostname()
	port := u.Port()
	if port == "" {
		port = "6379"
	}
	host := a.Host
	if host == "" {
		host = "localhost"
	}
	if !isPort(port) {
		q.fail("the port is no number from 1 to 65535")
	}
	a.Nodes = append([]string{net.JoinHostPort(host, port)}, q.values["addr"]...)
	delete(q.values, "addr")
	for _, node := range a.Nodes[1:] {
		if host, port, err := net.SplitHostPort(node); err != nil || host == "" || !isPort(port) {
			q.fail("addr wants HOST:PORT")
		}
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		a.Database = q.number("the database", path)
	}
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// nodes checks what several nodes are.
func (q *parameters) nodes(a *Address) {
	switch q.take("cluster") {
	case "", "false":
		if len(a.Nodes) > 1 && a.Master == "" {
			q.fail("it names several nodes, which are to be said to be cluster=true or the Sentinels of master=NAME")
		}
	case "true":
		a.Cluster = true
		if a.Master != "" || a.Database != 0 || a.Path != "" {
			q.fail("a cluster has no master=, no database and no unix socket")
		}
	default:
		q.fail("cluster wants true or false")
	}
}

// take removes and returns a parameter that may be there once.
func (q *parameters) take(name string) string {
	v := q.values[name]
	delete(q.values, name)
	if len(v) > 1 {
		q.fail("%s is there %d times", name, len(v))
	}
	return strings.Join(v, "")
}

func (q *parameters) number(what, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		q.fail("%s wants a whole number", what)
	}
	return n
}

func (q *parameters) duration(name string) time.Duration {
	text := q.take(name)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		q.fail("%s wants a duration with its unit, such as 50ms", name)
	}
	return d
}

// plain is a name that is not taken for a part of a password.
var plain = regexp.MustCompile(`^[a-z_]{1,30}$`)

// unknown refuses what is left over.
func (q *parameters) unknown() {
	for name := range q.values {
		if plain.MatchString(name) {
			q.fail("it has an unknown parameter %q; there are domain, timeout, addr, cluster, master, sentinel_user, sentinel_password, ca, cert, key, and database for unix", name)
		}
		q.fail("it has a parameter with an unknown name; %s", escapes)
	}
}
