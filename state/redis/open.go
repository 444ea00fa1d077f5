package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/address"
)

// Open returns the store at an address, which it does not contact yet:
//
//	redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?PARAMETERS]
//	rediss://…                     the same with TLS
//	unix://[USER[:PASSWORD]@]PATH[?PARAMETERS]
//
// How it is read is that of package [address]. The parameters are
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
func Open(text string, o Options) (*Store, error) {
	opts, domain, timeout, err := parse(text)
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
	dials := &dialer{timeout: o.Timeout, tls: opts.TLSConfig}
	opts.Dialer = dials.dial
	client := goredis.NewUniversalClient(opts)
	s, err := New(client, o)
	if err != nil {
		client.Close()
		return nil, err
	}
	s.dialer = dials
	return s, nil
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
func parse(text string) (*goredis.UniversalOptions, string, time.Duration, error) {
	a, err := address.Parse(text)
	if err == nil && a.Kind != address.Redis {
		err = errors.New("it is not that of a server: want redis://, rediss:// or unix://")
	}
	if err != nil {
		return nil, "", 0, err
	}
	o := &goredis.UniversalOptions{
		Addrs: a.Nodes, Username: a.User, Password: a.Password, DB: a.Database, IsClusterMode: a.Cluster,
		MasterName: a.Master, SentinelUsername: a.SentinelUser, SentinelPassword: a.SentinelPassword,
	}
	if a.Path != "" {
		o.Addrs = []string{a.Path}
	}
	if a.TLS {
		if o.TLSConfig, err = tlsOf(a); err != nil {
			return nil, "", 0, err
		}
	}
	return o, a.Domain, a.Timeout, nil
}

// tlsOf sets up TLS.
func tlsOf(a *address.Address) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.Master == "" && !a.Cluster {
		c.ServerName = a.Host // others are found by names of their own
	}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, fmt.Errorf("ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca: %s holds no certificate in PEM", a.CA)
		}
	}
	if a.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, fmt.Errorf("cert and key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
