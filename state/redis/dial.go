package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// dialer makes the connections of a store, and remembers why the latest of them
// came to nothing: an operation tries several times, and what its deadline cuts off
// would otherwise say no more than that the time was over. A nil *dialer knows of
// nothing.
type dialer struct {
	timeout time.Duration
	tls     *tls.Config // nil: none

	mu      sync.Mutex
	trouble error // the latest
	at      time.Time
	shaking int // handshakes under way
}

// keepAlive finds a server that is gone before the middle of the way forgets the connection.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 5 * time.Second, Count: 3}

// dial makes a connection, in the time that is left.
func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	conn, err := (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext(ctx, network, addr)
	if err != nil {
		d.failed(err)
		return nil, err
	}
	if d.tls == nil {
		return &plain{unheard{Conn: conn, dialer: d, means: meansPlain}}, nil
	}
	config := d.tls
	if config.ServerName == "" { // as tls.Dial does
		config = config.Clone()
		if config.ServerName, _, err = net.SplitHostPort(addr); err != nil {
			config.ServerName = addr
		}
	}
	secure := tls.Client(conn, config)
	d.shake(1)
	err = secure.HandshakeContext(ctx)
	d.shake(-1)
	if err != nil {
		conn.Close()
		if !timedOut(err) || ctx.Err() == context.Canceled {
			err = explained(err)
			d.failed(err)
			return nil, err
		}
		d.failed(errNoHandshake)
		return nil, fmt.Errorf("%w: %w", errNoHandshake, err)
	}
	return &unheard{Conn: secure, dialer: d, means: meansSecure}, nil
}

// errNoHandshake: the server was reached, and does not answer to TLS in time.
var errNoHandshake = errors.New("the server has not answered to TLS in time; a port without TLS never does, and wants redis://")

// explained says what a failure to speak TLS mostly means.
func explained(err error) error {
	if header := (tls.RecordHeaderError{}); errors.As(err, &header) {
		return fmt.Errorf("%w; a port without TLS wants redis://", err)
	}
	return err
}

func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

func (d *dialer) shake(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shaking += n
}

// failed notes why a connection came to nothing. That its time was over, or that
// nobody wants it any more, is no reason.
func (d *dialer) failed(err error) {
	if timedOut(err) || errors.Is(err, context.Canceled) || errors.Is(err, net.ErrClosed) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble, d.at = err, time.Now()
}

// why returns what came in the way of connections since a time; nil: nothing is known.
func (d *dialer) why(since time.Time) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.trouble != nil && !d.at.Before(since):
		return d.trouble
	case d.shaking > 0:
		return errNoHandshake
	}
	return nil
}

// unheard is a connection that tells of a server that hangs up before it has said
// anything.
type unheard struct {
	net.Conn
	dialer *dialer
	means  func(said []byte, err error) error // what a first answer means; nil: nothing
	heard  bool
}

// Read implements net.Conn.
func (c *unheard) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.heard {
		if trouble := c.means(b[:n], err); trouble != nil {
			c.dialer.failed(trouble)
		}
		c.heard = n > 0
	}
	return n, err
}

// plain is a connection without TLS.
type plain struct{ unheard }

// meansPlain says what the first answer on such a connection means.
func meansPlain(said []byte, err error) error {
	const alert = 0x15 // the first byte of what TLS says to what is not TLS
	switch {
	case len(said) > 0 && said[0] == alert:
		return errSpeaksTLS
	case len(said) == 0 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return fmt.Errorf("the server hangs up without a word, as a port with TLS does, which wants rediss://: %w", err)
	}
	return nil
}

// meansSecure says what the first answer on a connection with TLS means: what a
// server has against a client's certificate it says after the handshake.
func meansSecure(said []byte, err error) error {
	if len(said) == 0 && err != nil {
		return err
	}
	return nil
}

// errSpeaksTLS: a server has answered with an alert.
var errSpeaksTLS = errors.New("the server speaks TLS on this port: it wants rediss://")

// SyscallConn implements syscall.Conn, by which the client looks whether a
// connection that was idle is still good.
func (c *plain) SyscallConn() (syscall.RawConn, error) {
	if conn, ok := c.Conn.(syscall.Conn); ok {
		return conn.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// reason is what an error of an operation means: what came in the way of its
// connections while it had time, where it is not the server's own answer.
func (s *Store) reason(err error) (reason error, known bool) {
	if answer := goredis.Error(nil); errors.As(err, &answer) {
		return plainly(err), false
	}
	if why := s.dialer.why(time.Now().Add(-s.timeout)); why != nil {
		return why, true
	}
	return plainly(err), false
}

// plainly puts what a Sentinel says, which is no server of data, into words.
func plainly(err error) error {
	switch text := err.Error(); {
	case strings.Contains(strings.ToLower(text), "unknown command 'eval"), strings.Contains(strings.ToLower(text), "unknown command `eval"):
		return errors.New("the server knows no EVALSHA and EVAL; a Sentinel does not, and wants the name of its master, master=NAME")
	case strings.Contains(text, "sentinels specified in configuration are unreachable") && strings.HasSuffix(text, goredis.Nil.Error()):
		return errors.New("no Sentinel knows a master of this name (master=)")
	}
	return err
}
