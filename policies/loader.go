package policies

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
)

// DefaultInterval is how often Watch looks.
const DefaultInterval = 2 * time.Second

// MinInterval is the shortest time between looks that makes sense: it has to be
// longer than it takes to write the files.
const MinInterval = 10 * time.Millisecond

// restless is after how many looks in a row, all different, the sources are said
// not to come to rest.
const restless = 10

// Options set a loader up.
type Options struct {
	// Paths name policy files, directories that stand for the .cbp files below
	// them, and signed bundles. Without any there are no rules.
	Paths []string
	// Keys may have signed bundles. They are asked for anew by no update.
	Keys []ed25519.PublicKey
	// Stdin is what the path "-" stands for, read once; nil: a file of that name.
	Stdin io.Reader
	// Now is the time that a Status speaks of; nil: the machine's.
	Now func() time.Time
	// Changed is told of every update, in force or refused, by whoever looks. It
	// must not look itself. nil: nobody is.
	Changed func(Status)
}

// Loader keeps the operator's rules of a registry what its sources say. Its
// methods are safe for any number of goroutines.
type Loader struct {
	reg    *registry.Registry
	opts   Options
	status atomic.Pointer[Status]

	mu      sync.Mutex // held for a look
	reader  reader
	acted   key             // what was put in force or refused last
	before  key             // what the look before found
	changes int             // looks in a row that found something new
	ruled   map[string]bool // the files of directories whose rules are in force
	history *History        // nil: nothing is remembered
}

// Open reads the sources and puts their rules in the place of all operator rules
// of a registry, all or nothing. A source without a single rule is refused, now and
// later: see [ErrNoRules]. The error is a [*SourceError], or a [diag.List] over all
// files.
//
// The notes of the registry are the loader's from now on.
func Open(reg *registry.Registry, o Options) (*Loader, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Loader{reg: reg, opts: o, reader: reader{stdin: o.Stdin}}
	l.opts.Paths = slices.Clone(o.Paths)
	l.status.Store(&Status{})
	seen := l.reader.snapshot(l.opts.Paths)
	l.reader.again = true
	l.acted, l.before = seen.key, seen.key
	if err := l.load(&seen, o.Now()); err != nil {
		return nil, err
	}
	return l, nil
}

// Status returns what is in force. It does not wait for a look.
func (l *Loader) Status() Status {
	s := *l.status.Load()
	s.Sources = slices.Clone(s.Sources)
	return s
}

// Watch looks at the sources again and again, until the context ends. An interval
// of 0 is DefaultInterval.
func (l *Loader) Watch(ctx context.Context, every time.Duration) {
	if every <= 0 {
		every = DefaultInterval
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.Look()
		}
	}
}

// Look looks at the sources once, and puts an update in force or refuses it, if
// the look before has found the same. It reports whether it did either.
func (l *Loader) Look() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	acted := l.look()
	if acted && l.opts.Changed != nil {
		l.opts.Changed(l.Status())
	}
	return acted
}

func (l *Loader) look() (acted bool) {
	last := l.acted
	defer func() {
		if r := recover(); r != nil { // the host goes on, by the rules that it has
			if l.acted == last {
				l.acted = key{} // it was not what was found: the next look tries again
			}
			l.refuse(fmt.Errorf("the loader failed: %v", r))
			acted = true
		}
	}()
	now := l.opts.Now()
	l.set(func(s *Status) { s.Looked = now })
	seen := l.reader.snapshot(l.opts.Paths)
	settled := seen.key == l.before
	l.before = seen.key
	if !settled {
		if l.changes++; l.changes == restless {
			l.acted = key{} // whatever they come to rest at is looked into
			l.refuse(ErrRestless)
			return true
		}
		return false
	}
	l.changes = 0
	if seen.key == l.acted {
		return false
	}
	l.acted = seen.key
	if err := l.load(&seen, now); err != nil {
		return l.put(err)
	}
	return true
}

// put refuses an update, and reports whether that is news. One that could not be
// remembered is tried again at every look, for the store may be back.
func (l *Loader) put(err error) bool {
	if errors.Is(err, state.ErrUnavailable) {
		l.acted = key{}
		if r := l.status.Load().Refused; r != nil && errors.Is(r.Err, state.ErrUnavailable) {
			return false
		}
	}
	l.refuse(err)
	return true
}

// remember has the history know of the bundles that are new, if they can be put
// in force at all: what is remembered lets nothing older through any more.
func (l *Loader) remember(p *parsed, inForce []Source) error {
	if l.history == nil {
		return nil
	}
	var fresh []Source
	for i, s := range p.sources {
		if s.Kind == Bundle && (i >= len(inForce) || inForce[i].Digest != s.Digest) {
			fresh = append(fresh, s)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := new(registry.Registry).Load(p.policies...); err != nil {
		return err
	}
	return l.history.take(context.Background(), fresh, false)
}

// load puts a snapshot in force, or leaves everything as it is.
func (l *Loader) load(seen *snapshot, now time.Time) error {
	inForce := l.status.Load().Sources
	p, err := seen.parse(l.opts.Keys, inForce, l.ruled)
	if err != nil {
		return err
	}
	if err := l.remember(&p, inForce); err != nil {
		return err
	}
	if err := l.reg.Load(p.policies...); err != nil {
		return err
	}
	l.ruled = p.ruled
	next := Status{Sources: p.sources, Since: now, Looked: now}
	changed := len(inForce) != len(next.Sources)
	for i := range next.Sources {
		s := &next.Sources[i]
		s.Since = now
		if i < len(inForce) && inForce[i].Digest == s.Digest {
			s.Since = inForce[i].Since
		} else {
			changed = true
		}
	}
	if !changed { // a bad update was taken back
		next.Since = l.status.Load().Since
	}
	l.status.Store(&next)
	return nil
}

// refuse leaves what is in force, and has every verdict say so.
func (l *Loader) refuse(err error) {
	l.set(func(s *Status) { s.Refused = &Refusal{At: s.Looked, Err: err, Reason: reasonOf(err)} })
	l.reg.Note(l.status.Load().Note())
}

// set changes the status.
func (l *Loader) set(change func(*Status)) {
	s := *l.status.Load()
	change(&s)
	l.status.Store(&s)
}
