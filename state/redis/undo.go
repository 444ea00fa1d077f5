package redis

import (
	"context"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/state"
)

// maxUndos bounds the claims that wait to be undone. More are left counted.
const maxUndos = 1024

// The pauses between tries to undo, while the server does not answer.
const (
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
)

// undos are the claims without identity whose answer was not heard: the caller
// takes them for refused, and nobody can release them, but the server may have
// counted them, or do so yet. They are undone behind the caller's back, as long
// as the server remembers what it answered to them.
type undos struct {
	do     func(context.Context, []byte) error // undoes one; nil if the server has answered
	lasts  time.Duration                       // how long one is tried
	atLast time.Duration                       // how long closing takes, for all that are left

	mu      sync.Mutex
	waiting []undo
	working bool
	closed  bool
	closing context.Context // over once the store is being closed
	stop    context.CancelFunc
	worker  sync.WaitGroup
}

// undo is a claim that waits to be undone.
type undo struct {
	request []byte
	until   time.Time
}

// later has a claim undone as soon as it can be.
func (u *undos) later(request []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed || len(u.waiting) >= maxUndos {
		return
	}
	u.waiting = append(u.waiting, undo{request, time.Now().Add(u.lasts)})
	if !u.working {
		u.working = true
		u.worker.Go(u.work)
	}
}

// work undoes what waits until nothing does, or the store is closed.
func (u *undos) work() {
	for pause := firstPause; ; {
		request, ok := u.next()
		if !ok {
			return
		}
		if u.do(u.closing, request) == nil {
			u.done()
			pause = firstPause
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, longestPause)
		case <-u.closing.Done():
			timer.Stop()
		}
	}
}

// next returns what is to be undone next; false: nothing is, or not by the worker.
func (u *undos) next() (request []byte, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.waiting) > 0 && time.Now().After(u.waiting[0].until) {
		u.waiting = u.waiting[1:]
	}
	if len(u.waiting) == 0 || u.closed {
		u.working = false
		return nil, false
	}
	return u.waiting[0].request, true
}

func (u *undos) done() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting = u.waiting[1:]
}

// close tries once more what waits, until one cannot be undone.
func (u *undos) close() {
	u.mu.Lock()
	again := u.closed
	u.closed = true
	u.mu.Unlock()
	if again {
		return
	}
	u.stop()
	u.worker.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), u.atLast)
	defer cancel()
	for _, w := range u.waiting {
		if u.do(ctx, w.request) != nil {
			return
		}
	}
}

// undoLater has a claim undone that failed, if it has no identity by which it
// could be released or asked for again. Whatever the error, an earlier try of the
// client's may have been counted.
func (s *Store) undoLater(c *state.Claim, name []byte) {
	if !c.Call.IsZero() || c.Refused || len(c.Needs) == 0 {
		return
	}
	s.undos.later(s.packUndo(c, name))
}

// packUndo is the request to undo a claim of a name.
func (s *Store) packUndo(c *state.Claim, name []byte) []byte {
	p := &packer{}
	p.array(4)
	p.bytes(name)
	p.text(s.remember)
	p.text(runName(c.Run))
	p.array(len(c.Needs))
	for i := range c.Needs {
		p.array(2)
		p.text(counterName(&c.Needs[i].Counter))
		p.bool(c.Needs[i].Run)
	}
	return p.b
}

// undo undoes a claim.
func (s *Store) undo(ctx context.Context, request []byte) error {
	_, err := s.ask(ctx, undoScript, &packer{b: request})
	return err
}
