package policies_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/bundle"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// lasting is a store that outlasts the processes of a test, and may be away.
type lasting struct {
	state.Store
	away, readOnly bool
	before         func() // a write
}

func newLasting() *lasting { return &lasting{Store: memory.New(memory.Options{})} }

func (s *lasting) Load(ctx context.Context, q state.Query, v *state.View) error {
	if s.away {
		return fmt.Errorf("%w: it is down", state.ErrUnavailable)
	}
	return s.Store.Load(ctx, q, v)
}

func (s *lasting) Settle(ctx context.Context, st *state.Settlement) error {
	if s.away || s.readOnly {
		return fmt.Errorf("%w: it is down", state.ErrUnavailable)
	}
	if do := s.before; do != nil {
		s.before = nil
		do()
	}
	return s.Store.Settle(ctx, st)
}

// starts begins a process with the bundle, as it lies there, on a history.
func (f *fleet) starts(h policies.History, accept bool) error {
	f.t.Helper()
	f.reg = new(registry.Registry)
	f.open([]string{"p.cbb"}, public(1))
	return f.loader.Remember(f.t.Context(), h, accept)
}

// A restart takes no bundle that is older than one that was in force before,
// unless it is told to.
func TestRemember_Restart(t *testing.T) {
	f, h := newFleet(t, nil), policies.History{Store: newLasting()}
	for _, step := range []struct {
		what     string
		revision uint64
		id       string
		accept   bool
		want     string // of the error
	}{
		{"the first", 5, "a", false, ""},
		{"the same again", 5, "a", false, ""},
		{"an older one", 4, "a", false, "older than one that was in force before: it has revision 4, and 5 was"},
		{"a newer one", 7, "b", false, ""},
		{"the first, now older", 5, "a", false, "it has revision 5, and 7 was"},
		{"other files", 7, "c", false, "it has revision 7, which was in force with other files"},
		{"an older one that is accepted", 5, "a", true, ""},
		{"from then on it is the newest", 5, "a", false, ""},
		{"and still older ones are not taken", 4, "a", false, "it has revision 4, and 5 was"},
		{"other files that are accepted", 5, "d", true, ""},
		{"and the files before are not taken", 5, "a", false, "it has revision 5, which was in force with other files"},
		{"the newest again", 7, "b", false, ""},
	} {
		f.write("p.cbb", bundled(t, step.revision, step.id, 1))
		err := f.starts(h, step.accept)
		if (step.want == "") != (err == nil) || err != nil && !(errors.Is(err, policies.ErrRollback) && isSource(err) && strings.Contains(err.Error(), step.want) && strings.Contains(err.Error(), "p.cbb")) {
			t.Errorf("%s: error %v, want %q", step.what, err, step.want)
		}
	}
}

// Each path has a history of its own, by where it is and not by how it is named,
// and what is no bundle has none.
func TestRemember_Paths(t *testing.T) {
	f, h := newFleet(t, map[string]string{"p.cbb": bundled(t, 5, "p", 1), "q.cbb": bundled(t, 1, "q", 1), "r.cbp": rule("r")}), policies.History{Store: newLasting()}
	f.open([]string{"p.cbb", "q.cbb", "r.cbp"}, public(1))
	f.must(f.loader.Remember(t.Context(), h, false))
	f.write("p.cbb", bundled(t, 4, "p", 1))
	dir, err := os.Getwd()
	f.must(err)
	relative, err := filepath.Rel(dir, f.path("p.cbb"))
	f.must(err)
	l, err := policies.Open(new(registry.Registry), policies.Options{Paths: []string{relative}, Keys: slicesOf(public(1), 1)})
	f.must(err)
	if err := l.Remember(t.Context(), h, false); !errors.Is(err, policies.ErrRollback) {
		t.Errorf("by another name: %v, want ErrRollback", err)
	}
}

// Updates are remembered, and held against what other processes have in force.
func TestRemember_Updates(t *testing.T) {
	f, s := newFleet(t, map[string]string{"p.cbb": bundled(t, 5, "a", 1)}), newLasting()
	h := policies.History{Store: s}
	f.must(f.starts(h, false))
	f.write("p.cbb", bundled(t, 6, "b", 1))
	f.later()
	f.want("an update", "b", "")
	f.write("p.cbb", bundled(t, 5, "a", 1))
	if err := f.starts(h, false); !errors.Is(err, policies.ErrRollback) {
		t.Errorf("a restart: %v, want ErrRollback", err)
	}
	f.write("p.cbb", bundled(t, 6, "b", 1))
	f.must(f.starts(h, false))

	other := newFleet(t, nil)
	other.dir = f.dir
	f.write("p.cbb", bundled(t, 9, "d", 1))
	f.must(other.starts(h, false))
	f.write("p.cbb", bundled(t, 8, "c", 1))
	f.later()
	f.want("newer than ours, older than the other's", "b", "it has revision 8, and 9 was")
	f.write("p.cbb", bundled(t, 9, "d", 1))
	f.later()
	f.want("what the other has", "d", "")

	// Of two that are remembered at once the newer one stays.
	f.write("p.cbb", bundled(t, 11, "f", 1))
	s.before = func() { f.must(other.starts(h, false)); f.write("p.cbb", bundled(t, 10, "e", 1)) }
	f.later()
	f.want("a race for the same", "f", "")
	if err := f.starts(h, false); !errors.Is(err, policies.ErrRollback) {
		t.Errorf("after a race: %v, want ErrRollback", err)
	}
}

// A store that is away lets no bundle through whose age is not known, unless the
// operator says so; once it is back the update is taken without another change.
func TestRemember_StoreIsAway(t *testing.T) {
	f, s := newFleet(t, map[string]string{"p.cbb": bundled(t, 5, "a", 1)}), newLasting()
	s.away = true
	if err := f.starts(policies.History{Store: s}, false); !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "p.cbb: which revision was the newest in force is not known: ") {
		t.Errorf("at the start: %v, want ErrUnavailable", err)
	}
	var unknown []error
	lenient := policies.History{Store: s, Unknown: func(err error) { unknown = append(unknown, err) }}
	f.must(f.starts(lenient, false))
	if len(unknown) != 1 || !strings.Contains(unknown[0].Error(), "p.cbb") {
		t.Errorf("told of %v, want one error", unknown)
	}

	s.away = false
	f.must(f.starts(policies.History{Store: s}, false))
	s.readOnly = true
	told := len(f.changed)
	f.write("p.cbb", bundled(t, 6, "b", 1))
	f.later()
	f.want("it cannot be written", "a", "the revision cannot be remembered: state: unavailable: it is down")
	s.away = true
	f.later()
	f.want("it is down", "a", "the revision cannot be remembered")
	if n := len(f.changed) - told; n != 1 {
		t.Errorf("told %d times of one refusal", n)
	}
	s.away, s.readOnly = false, false
	f.later()
	f.want("it is back", "b", "")
	f.write("p.cbb", bundled(t, 5, "a", 1))
	f.later()
	f.want("an older one", "b", bundle.ErrOlder.Error())
}
