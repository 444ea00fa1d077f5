package meter

import "hash/maphash"

// Call is a call that is made, or about to be.
type Call struct {
	ID      string // "": it has none
	Ability string
	Worker  string // of a delegation; "": it is none
	// Args tells the arguments apart: equal arguments, equal numbers.
	Args uint64
	// NewText is how many bytes an edit writes; only read of abilities that edit.
	NewText int64
	// Estimate is what the call may cost, in nano-dollars, which is reserved
	// while it is under way; 0: nothing is.
	Estimate int64
	// Reserved is what of that is reserved for it already, as it is under way.
	Reserved int64
	// Passing says that the Estimate stands for money that is reported apart
	// from the call: none of it counts as spent once the call has ended.
	Passing bool
	// Money names what is reserved for the call, if others are to know of it.
	Money CallMoney
	// Attached is kept with the call; nil: nothing is.
	Attached Attachment
}

// Result is what became of a call.
type Result struct {
	ID     string // of the call; "": it has none
	Output string // as text
	// Raw is the output where its text was only made for this: it is in the place
	// of Output, and read before Finish returns.
	Raw    []byte
	Failed bool
	// Counts tells whether a failure is one of the tool: whoever called it
	// wrongly, and a cancellation, say nothing of the tool.
	Counts bool
	// Cancelled: the call was called off, which says nothing of a worker either.
	Cancelled bool
	// Gave: a delegation that gave up without an error.
	Gave bool
	// Cost is what the call came to, in nano-dollars, if Settled; otherwise
	// what was reserved for it counts as spent.
	Cost    int64
	Settled bool
}

// Flight identifies a call under way in its tree; 0: none.
type Flight int64

type flight struct {
	number   Flight
	id       string
	key      print
	ability  string
	args     uint64
	worker   string
	edit     int64 // bytes of new text; -1: no edit
	reserved int64 // nano-dollars
	passing  bool  // none of it counts as spent
	money    CallMoney
	account  uint64 // to which its money belongs
	attached Attachment
}

// print tells texts apart: two hashes and the length.
type print struct {
	hash uint64
	size int
}

func fingerprint(seed maphash.Seed, text string) print {
	return print{maphash.String(seed, text), len(text)}
}

// size is how long the output is, in bytes.
func (r *Result) size() int { return len(r.Output) + len(r.Raw) }

// print tells outputs apart. A text is the same in either place.
func (r *Result) print(seed maphash.Seed) print {
	if r.Raw != nil {
		return print{maphash.Bytes(seed, r.Raw), len(r.Raw)}
	}
	return fingerprint(seed, r.Output)
}

// keyOf tells calls apart by ability and arguments.
func (t *Tree) keyOf(c *Call) print {
	parts := [3]uint64{t.name(c.Ability).print.hash, 0, c.Args}
	if c.Worker != "" {
		parts[1] = maphash.String(t.seed, c.Worker)
	}
	return print{maphash.Comparable(t.seed, parts), len(c.Ability) + len(c.Worker)}
}

func (c *Call) editSize(t *Tree) int64 {
	if t.IsEdit(c) {
		return c.NewText
	}
	return -1
}

// Fails reports whether the result of a delegation is a failure of its worker.
func (r *Result) Fails() bool { return (r.Failed || r.Gave) && !r.Cancelled }

// judged counts a failure under the name of who failed. A worker that
// succeeds keeps its failures; a tool that succeeds starts anew.
func (t *Tree) judged(f *flight, r *Result, at int64) {
	if name := t.capped(f.worker, f.ability); name != "" {
		switch {
		case f.worker != "" && r.Fails(), f.worker == "" && r.Failed && r.Counts:
			t.workers.fail(name, at)
		case !r.Failed:
			t.workers.succeed(name, at)
		}
	}
	if f.worker != "" {
		return
	}
	switch name := t.name(f.ability).folded; {
	case r.Failed && r.Counts:
		t.tools.add(name)
	case !r.Failed:
		t.tools.clear(name)
	}
}
