package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/diag"
	durations "github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// The measures of a strip: the calls of one run, side by side.
const (
	stripWidth  = 960.0
	stripHeight = 26.0
	maxMark     = 16.0 // width of a call
	maxMarks    = 480
)

// haltView is a halted run as it is shown.
type haltView struct {
	Source, Format, Kind, Decision, Rule, Reason, Explain, Saved string
	At, Calls                                                    int
	Width, Height, HaltX                                         string
	Marks                                                        []mark
	Rows                                                         []row
	Notes                                                        []string
}

// mark is a call in a strip.
type mark struct{ X, Width, Class, Title string }

// row is a line of a timeline: an entry with what fired, or several calls that
// nothing was said of.
type row struct {
	When, Calls, What, Args string
	Decision, Class         string
	Fired                   []firedView
	Note                    string
}

// firedView is a rule that fired.
type firedView struct{ Rule, Action, Explain, Reason string }

// maxRows bounds a timeline, maxArgs and maxNames the text of a row.
const (
	maxRows  = 300
	maxArgs  = 240
	maxNames = 12
)

func haltOf(t *replay.Timeline, kind string) haltView {
	r := &t.Result
	v := haltView{
		Source: diag.Escape(r.Source), Format: diag.Escape(r.Format), Kind: diag.Escape(kind), Decision: r.Decision, Rule: diag.Escape(r.Rule),
		Reason: diag.Escape(r.Reason), Explain: diag.Escape(r.Explain), At: r.HaltedAt, Calls: r.ToolCalls, Saved: savedText(r.Saved),
	}
	for _, note := range r.Notes {
		v.Notes = append(v.Notes, diag.Escape(note))
	}
	v.strip(t)
	v.rows(t)
	return v
}

// strip draws the calls, and where the run is halted. Of more calls than there
// is room for, several share a mark, which is that of the gravest.
func (v *haltView) strip(t *replay.Timeline) {
	per := (v.Calls + maxMarks - 1) / maxMarks
	width := min(stripWidth/float64(max(v.Calls, 1)), maxMark)
	v.Width, v.Height = coordinate(stripWidth), coordinate(stripHeight)
	v.HaltX = coordinate(float64(v.At) * width)
	var calls []*replay.Entry
	for i := range t.Entries {
		if e := &t.Entries[i]; e.Kind == replay.Called || e.Kind == replay.Unmade {
			calls = append(calls, e)
		}
	}
	for group := range slices.Chunk(calls, max(per, 1)) {
		first, last := group[0], group[len(group)-1]
		gravest := slices.MaxFunc(group, func(a, b *replay.Entry) int { return cmp.Compare(gravity(a), gravity(b)) })
		title := fmt.Sprintf("call %d: ", first.Call)
		if last != first {
			title = fmt.Sprintf("calls %d to %d, among them ", first.Call, last.Call)
		}
		all := width * float64(len(group))
		v.Marks = append(v.Marks, mark{
			coordinate(float64(first.Call-1) * width), coordinate(max(all-1, all*0.7)), markClasses[gravity(gravest)],
			title + diag.Escape(gravest.Ability) + ", " + decisionText(gravest),
		})
	}
}

// markClasses are how calls look, from the least grave.
var markClasses = [...]string{"unmade", "allow", "observe", "warn", "stop"}

// gravity is the place of a call among them.
func gravity(e *replay.Entry) int {
	if e.Kind == replay.Unmade {
		return 0
	}
	switch class := decisionClass(e.Decision); {
	case class == "allow" && len(e.Fired) > 0:
		return 2
	default:
		return slices.Index(markClasses[:], class)
	}
}

// rows tells the timeline, with calls that nothing was said of taken together.
func (v *haltView) rows(t *replay.Timeline) {
	for i := 0; i < len(t.Entries); {
		n := i
		for n < len(t.Entries) && quiet(&t.Entries[n]) && t.Entries[n].Kind == t.Entries[i].Kind {
			n++
		}
		if n > i {
			v.Rows = append(v.Rows, together(t, t.Entries[i:n]))
			i = n
			continue
		}
		v.Rows = append(v.Rows, entryRow(t, &t.Entries[i]))
		i++
	}
	if left := len(v.Rows) - maxRows; left > 0 {
		between := row{What: fmt.Sprintf("%d more lines, which replay --explain tells", left), Class: "unmade"}
		v.Rows = slices.Concat(v.Rows[:maxRows/2], []row{between}, v.Rows[len(v.Rows)-maxRows/2:])
	}
}

// quiet reports whether there is nothing to say of an entry but that it was.
func quiet(e *replay.Entry) bool {
	return e.Kind == replay.Unmade || e.Kind == replay.Called && e.Decision == registry.Allow.String() && len(e.Fired) == 0
}

// together are calls of one kind in one row.
func together(t *replay.Timeline, entries []replay.Entry) row {
	first, last := &entries[0], &entries[len(entries)-1]
	r := row{When: when(t, first), Calls: fmt.Sprint(first.Call), Decision: decisionText(first), Class: decisionClass(first.Decision)}
	if last != first {
		r.Calls += "–" + fmt.Sprint(last.Call)
	}
	if first.Kind == replay.Unmade {
		r.Class = "unmade"
	}
	var names []string
	for i := 0; i < len(entries); {
		n := i
		for n < len(entries) && entries[n].Ability == entries[i].Ability {
			n++
		}
		name := shortened(diag.Escape(entries[i].Ability), 60)
		if n-i > 1 {
			name += fmt.Sprintf(" ×%d", n-i)
		}
		if names = append(names, name); len(names) == maxNames && n < len(entries) {
			names = append(names, "…")
			break
		}
		i = n
	}
	r.What = strings.Join(names, ", ")
	return r
}

func entryRow(t *replay.Timeline, e *replay.Entry) row {
	r := row{
		When: when(t, e), Calls: fmt.Sprint(e.Call), What: diag.Escape(e.Ability), Args: shortened(diag.Escape(string(e.Args)), maxArgs),
		Decision: decisionText(e), Class: decisionClass(e.Decision),
	}
	switch e.Kind {
	case replay.Between:
		r.Calls, r.What = "", "between calls"
	case replay.After:
		r.Calls, r.What = "", "after the last event"
	}
	if e.Task != "" {
		r.What = diag.Escape(e.Task) + ": " + r.What
	}
	for _, f := range e.Fired {
		action := f.Action
		if f.Mode != "enforce" {
			action += ", observed only"
		}
		if f.Approved {
			action += ", approved"
		}
		r.Fired = append(r.Fired, firedView{diag.Escape(f.Rule), action, diag.Escape(f.Explain), diag.Escape(f.Reason)})
	}
	switch {
	case e.Kind == replay.Waited:
		r.Note = "waits " + durations.Format(time.Duration(e.WaitMS)*time.Millisecond) + " and is judged again"
	case e.Declined:
		r.Note = "declined: the call is left out"
	case e.Stops:
		r.Note = "the run stops here"
	}
	return r
}

// when is the time since the run began; made-up times are not told.
func when(t *replay.Timeline, e *replay.Entry) string {
	if !t.Timed {
		return ""
	}
	return "+" + durations.Format((time.Duration(e.ElapsedMS) * time.Millisecond).Round(100*time.Millisecond))
}

func decisionText(e *replay.Entry) string {
	if e.Kind == replay.Unmade {
		return "not made"
	}
	return e.Decision
}

// decisionClass is how a decision looks.
func decisionClass(decision string) string {
	switch decision {
	case registry.Allow.String():
		return "allow"
	case registry.Warned.String(), registry.Throttled.String():
		return "warn"
	}
	return "stop"
}

func savedText(s *replay.Saved) string {
	text := fmt.Sprintf("%d calls", s.ToolCalls)
	if s.ToolCalls == 1 {
		text = "1 call"
	}
	if s.Tokens > 0 {
		text += ", " + compact(float64(s.Tokens)) + " tokens"
	}
	if s.Cents > 0 {
		text += ", " + moneyText(s.Cents)
	}
	return text
}

// moneyText prints an amount in dollars, or in cents where it is less than one.
func moneyText(c replay.Cents) string {
	cents := float64(c) / 1e7
	if cents >= 100 {
		return fmt.Sprintf("$%.2f", cents/100)
	}
	return significant(cents) + " ¢"
}
