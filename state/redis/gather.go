package redis

import (
	"context"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// alone is how many requests go each its own way. When more come at once they
// share a way: what waits is sent together as soon as one of these is back, so
// that the more there is to do the less it costs to send.
const alone = 4

// maxTogether bounds what is sent together.
const maxTogether = 128

// gatherer sends calls of scripts, together if there are many.
type gatherer struct {
	client  goredis.UniversalClient
	timeout time.Duration

	mu      sync.Mutex
	ways    int // under way
	waiting []*waiter
}

// waiter is a call that waits to be sent with others.
type waiter struct {
	ctx  context.Context
	call *invocation
	cmd  *goredis.Cmd
	done chan struct{} // closed when cmd is set
}

// do makes a call and returns when it is answered or the context is over.
func (g *gatherer) do(ctx context.Context, c *invocation) *goredis.Cmd {
	g.mu.Lock()
	if g.ways < alone {
		g.ways++
		g.mu.Unlock()
		defer g.next()
		cmd := c.command(ctx)
		g.client.Process(ctx, cmd) // the command has its error
		if c.unknown(cmd) {
			cmd = c.whole(ctx, g.client)
		}
		return cmd
	}
	w := &waiter{ctx: ctx, call: c, done: make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	select {
	case <-w.done:
		return w.cmd
	case <-ctx.Done():
		cmd := goredis.NewCmd(ctx)
		cmd.SetErr(ctx.Err())
		return cmd
	}
}

// next gives the way of a call that is back to those who wait, if there are any.
func (g *gatherer) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.ways--
		return
	}
	n := min(len(g.waiting), maxTogether)
	batch := g.waiting[:n:n]
	g.waiting = append([]*waiter(nil), g.waiting[n:]...)
	go func() {
		defer g.next()
		g.send(batch)
	}()
}

// send sends calls together. Nobody waits for one longer than for its own
// deadline; the whole has as long as the last of them.
func (g *gatherer) send(batch []*waiter) {
	ctx, cancel := context.WithTimeout(context.Background(), g.timeout)
	defer cancel()
	pipe := g.client.Pipeline()
	sent := batch[:0:0]
	for _, w := range batch {
		if w.ctx.Err() != nil {
			continue // who asked has gone: it must not be done after all
		}
		w.cmd = w.call.command(ctx)
		pipe.Process(ctx, w.cmd)
		sent = append(sent, w)
	}
	if len(sent) == 0 {
		return
	}
	pipe.Exec(ctx) // every call has its own error
	for _, w := range sent {
		if w.call.unknown(w.cmd) {
			w.cmd = w.call.whole(w.ctx, g.client)
		}
		close(w.done)
	}
}
