package review

import "fmt"

// minUnverified is the least number of unchecked changes that is a finding.
const minUnverified = 2

// unverified finds changes that nothing was read, tested or checked after.
// Calls that failed have changed nothing.
func unverified(s *signs) *finding {
	changes, sent, lastChange := 0, 0, -1
	for i, k := range s.kinds {
		switch {
		case s.calls[i].Error != nil:
		case k == verifies || k == reads:
			changes, sent, lastChange = 0, 0, -1
		case k == edits || k == sends:
			changes, lastChange = changes+1, i
			if k == sends {
				sent++
			}
		}
	}
	if changes < minUnverified {
		return nil
	}
	c := &s.calls[lastChange]
	f := &finding{
		specialist: Approach,
		weight:     changes,
		analysis:   fmt.Sprintf("The last %d changes, the latest by %s, were followed by nothing that reads, tests or checks them.", changes, cite(c.Ability)),
		mistake:    "Changing on without looking whether the change before did what it should.",
		approach:   []string{"After each change, read or test what it did before making the next."},
	}
	if sent > 0 {
		f.approach = append(f.approach, "What was sent or ordered cannot be taken back: find out what has happened already before sending anything again.")
	}
	return f
}
