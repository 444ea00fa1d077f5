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
	ctx    context.Context
	script *goredis.Script
	keys   []string
	arg    any
	cmd    *goredis.Cmd
	done   chan struct{} // closed when cmd is set
}

// call calls a script and returns when it is answered or the context is over.
func (g *gatherer) call(ctx context.Context, script *goredis.Script, keys []string, arg any) *goredis.Cmd {
	g.mu.Lock()
	if g.ways < alone {
		g.ways++
		g.mu.Unlock()
		defer g.next()
		cmd := script.EvalSha(ctx, g.client, keys, arg)
		if unknown(cmd, arg) {
			cmd = script.Eval(ctx, g.client, keys, arg)
		}
		return cmd
	}
	w := &waiter{ctx: ctx, script: script, keys: keys, arg: arg, done: make(chan struct{})}
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
		w.cmd = w.script.EvalSha(ctx, pipe, w.keys, w.arg)
		sent = append(sent, w)
	}
	if len(sent) == 0 {
		return
	}
	pipe.Exec(ctx) // every call has its own error
	for _, w := range sent {
		if unknown(w.cmd, w.arg) {
			w.cmd = w.script.Eval(w.ctx, g.client, w.keys, w.arg)
		}
		close(w.done)
	}
}

// unknown reports whether the server does not know the script of a call.
func unknown(cmd *goredis.Cmd, arg any) bool {
	if !goredis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		return false
	}
	if c, ok := arg.(*claiming); ok {
		c.unknown()
	}
	return true
}
