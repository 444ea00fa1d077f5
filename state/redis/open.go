package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/cbpolicy/cbpolicy/state"
)

// Open returns the store at an address, which it does not contact yet:
//
//	redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?PARAMETERS]
//	rediss://…                     the same with TLS
//	unix://[USER[:PASSWORD]@]PATH[?PARAMETERS]
//
// The parameters are
//
//	domain=NAME      as in Options
//	timeout=50ms     as in Options
//	addr=HOST:PORT   a further node, or Sentinel; may be there several times
//	cluster=true     the nodes are a Cluster's, of which one is enough
//	master=NAME      the nodes are Sentinels, who know the master of that name
//	sentinel_user, sentinel_password   who the Sentinels know
//	ca=FILE          the authorities that TLS trusts, in PEM; default: the system's
//	cert=FILE, key=FILE   who we are, in PEM
//	database=N       for unix
//
// What o says counts before what the address says.
func Open(address string, o Options) (*Store, error) {
	opts, domain, timeout, err := parse(address)
	if err != nil {
		return nil, fmt.Errorf("%w: state address: %w", state.ErrInvalid, err)
	}
	if o.Domain == "" {
		o.Domain = domain
	}
	if o.Timeout <= 0 {
		o.Timeout = timeout
	}
	o.Timeout = orDefault(o.Timeout, DefaultTimeout)
	tune(opts, o.Timeout)
	client := goredis.NewUniversalClient(opts)
	s, err := New(client, o)
	if err != nil {
		client.Close()
	}
	return s, err
}

// tune makes a client that answers in time, and says little when it connects:
// many processes make one decision only.
func tune(o *goredis.UniversalOptions, timeout time.Duration) {
	o.ContextTimeoutEnabled = true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.DialerRetries = 1 // the command's own tries are enough
	o.MinRetryBackoff, o.MaxRetryBackoff = time.Millisecond, 8*time.Millisecond
	o.Protocol = 2
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

// parse reads an address. Its errors do not show it, as it may hold a password.
func parse(address string) (*goredis.UniversalOptions, string, time.Duration, error) {
	u, err := url.Parse(address)
	if err != nil {
		if inner := (*url.Error)(nil); errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, "", 0, fmt.Errorf("it is no URL: %w", err)
	}
	o := &goredis.UniversalOptions{Username: u.User.Username()}
	o.Password, _ = u.User.Password()
	q := parameters{values: u.Query()}
	switch u.Scheme {
	case "redis", "rediss":
		o.Addrs = append(o.Addrs, net.JoinHostPort(or(u.Hostname(), "localhost"), or(u.Port(), "6379")))
		o.Addrs = append(o.Addrs, q.values["addr"]...)
		delete(q.values, "addr")
		if path := strings.Trim(u.Path, "/"); path != "" {
			o.DB = q.number("the database", path)
		}
	case "unix":
		if u.Host != "" || u.Path == "" {
			return nil, "", 0, errors.New("unix: wants an absolute path, such as unix:///run/redis/redis.sock")
		}
		o.Addrs = []string{u.Path}
		if db := q.take("database"); db != "" {
			o.DB = q.number("database", db)
		}
	default:
		return nil, "", 0, fmt.Errorf("its scheme is %q, want redis, rediss or unix", u.Scheme)
	}
	o.MasterName = q.take("master")
	o.SentinelUsername, o.SentinelPassword = q.take("sentinel_user"), q.take("sentinel_password")
	switch cluster := q.take("cluster"); cluster {
	case "", "false":
		if len(o.Addrs) > 1 && o.MasterName == "" {
			q.fail("it names several nodes, which are to be said to be cluster=true or the Sentinels of master=NAME")
		}
	case "true":
		o.IsClusterMode = true
		if o.MasterName != "" || o.DB != 0 || u.Scheme == "unix" {
			q.fail("a cluster has no master=, no database and no unix socket")
		}
	default:
		q.fail("cluster is %q, want true or false", cluster)
	}
	domain := q.take("domain")
	timeout := q.duration("timeout")
	q.tls(o, u)
	for name := range q.values {
		q.fail("it has an unknown parameter %q", name)
	}
	return o, domain, timeout, q.err
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
		q.fail("%s is %q, want a number", what, text)
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
		q.fail("%s is %q, want a duration such as 50ms", name, text)
	}
	return d
}

// tls sets up TLS if the scheme asks for it.
func (q *parameters) tls(o *goredis.UniversalOptions, u *url.URL) {
	ca, cert, key := q.take("ca"), q.take("cert"), q.take("key")
	if u.Scheme != "rediss" {
		if ca+cert+key != "" {
			q.fail("ca, cert and key are for rediss:// only")
		}
		return
	}
	o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if o.MasterName == "" && !o.IsClusterMode {
		o.TLSConfig.ServerName = u.Hostname() // others are found by names of their own
	}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			q.fail("ca: %w", err)
			return
		}
		o.TLSConfig.RootCAs = x509.NewCertPool()
		if !o.TLSConfig.RootCAs.AppendCertsFromPEM(pem) {
			q.fail("ca: %s holds no certificate in PEM", ca)
		}
	}
	if cert+key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			q.fail("cert and key: %w", err)
		}
		o.TLSConfig.Certificates = slices.Concat(o.TLSConfig.Certificates, []tls.Certificate{pair})
	}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
