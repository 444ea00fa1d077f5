package fallback

import (
	"sync"

	"github.com/cbpolicy/cbpolicy/state"
)

// flights are the calls with an identity that this process is asking for, or
// was admitted and has not ended. The zero value has room for none.
type flights struct {
	mu    sync.Mutex
	max   int
	calls map[state.CallID]flight
	// missed: there was no room for one, so that a call that is not here may be
	// in flight all the same. Nobody tells when it ends.
	missed bool
}

// flight is one of them.
type flight struct {
	asking   int  // claims of it that are not answered yet
	admitted bool // by the home, or locally
	// untold: it was admitted locally and not kept, so that the home need not
	// hear of its end.
	untold bool
}

// ask notes that a call is about to be asked for.
func (f *flights) ask(id *state.CallID) {
	if id.IsZero() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	of, ok := f.calls[*id]
	if !ok && len(f.calls) >= f.max {
		f.missed = true
		return
	}
	if f.calls == nil {
		f.calls = map[state.CallID]flight{}
	}
	of.asking++
	f.calls[*id] = of
}

// answered notes what became of it. It reports whether the call is not in
// flight for certain: nobody else asks for it, or was admitted it.
func (f *flights) answered(id *state.CallID, admitted bool) (grounded bool) {
	if id.IsZero() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	of, ok := f.calls[*id]
	if !ok || of.asking == 0 {
		return false
	}
	of.asking--
	of.admitted = of.admitted || admitted
	f.put(id, of)
	return of == flight{} && !f.missed
}

// tell notes whether the home is to hear of a call that is admitted locally.
// What it has heard of it knows.
func (f *flights) tell(id *state.CallID, told bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of, ok := f.calls[*id]; ok && (told || !of.admitted) {
		of.untold = !told
		f.calls[*id] = of
	}
}

// ended notes that a call has ended.
func (f *flights) ended(id *state.CallID) {
	if id.IsZero() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if of, ok := f.calls[*id]; ok {
		f.put(id, flight{asking: of.asking})
	}
}

// find returns an admitted call; false: it is not in flight, or not known to be.
func (f *flights) find(id *state.CallID) (of flight, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of = f.calls[*id]
	return of, of.admitted
}

func (f *flights) put(id *state.CallID, of flight) {
	if of == (flight{}) {
		delete(f.calls, *id)
		return
	}
	f.calls[*id] = of
}
