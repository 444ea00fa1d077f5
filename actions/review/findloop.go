package review

import "fmt"

// The least that is called a loop.
const (
	minEqual   = 3  // equal calls with equal results, in all
	minTurns   = 4  // calls by turns: A B A B
	minAbility = 6  // calls of one ability in a row
	maxPeriod  = 6  // calls that are taken by turns
	minSearch  = 10 // looking for something, over all
)

// sameCall reports whether two calls are equal: ability, worker and arguments.
func sameCall(a, b *Call) bool {
	return a.Ability == b.Ability && a.Worker == b.Worker && a.Args == b.Args
}

// sameResult reports whether two calls ended equally.
func sameResult(a, b *Call) bool {
	if a.Error == nil || b.Error == nil {
		return a.Error == b.Error && a.Output == b.Output
	}
	return *a.Error == *b.Error
}

// equalCalls finds the call that was made most often with the same result. A
// poll whose result changes is none.
func equalCalls(s *signs) *finding {
	best, times := -1, 0
	for i := range s.calls {
		n := 0
		for j := range s.calls {
			if sameCall(&s.calls[i], &s.calls[j]) && sameResult(&s.calls[i], &s.calls[j]) {
				n++
			}
		}
		if n > times {
			best, times = i, n
		}
	}
	if times < minEqual || s.calls[best].Error != nil { // a failed call is failedAgain's
		return nil
	}
	c := &s.calls[best]
	return &finding{
		specialist: Loop,
		weight:     times - 1,
		analysis:   fmt.Sprintf("The call %s was made %d times with the same arguments and the same result.", citeCall(c), times),
		mistake:    fmt.Sprintf("Calling %s again although its result was known and could not change.", cite(c.Ability)),
		approach: []string{
			fmt.Sprintf("Use the result of %s that is there already; do not make this call again.", cite(c.Ability)),
			"Before each call, say what new it will tell. If it tells nothing new, take another step or finish.",
		},
	}
}

// turns finds calls that were made in turn: A B A B, or longer circles.
func turns(s *signs) *finding {
	end, length, period := 0, 0, 0
	for p := 2; p <= maxPeriod; p++ {
		run := 0
		for i := p; i < len(s.calls); i++ {
			if sameCall(&s.calls[i], &s.calls[i-p]) && sameResult(&s.calls[i], &s.calls[i-p]) {
				run++
			} else {
				run = 0
			}
			// A circle of one call is equalCalls'.
			if n := run + p; run >= p && n >= minTurns && n > length && !sameCall(&s.calls[i], &s.calls[i-1]) {
				end, length, period = i, n, p
			}
		}
	}
	if length == 0 {
		return nil
	}
	circle := ""
	for i := end - length + 1; i <= end-length+period; i++ {
		if circle != "" {
			circle += ", "
		}
		circle += cite(s.calls[i].Ability)
	}
	return &finding{
		specialist: Loop,
		weight:     length, // one more than equalCalls says of one of the two calls
		analysis:   fmt.Sprintf("The calls %s were made in turn, %d calls in a row, with the same results each time round.", circle, length),
		mistake:    "Going round between the same calls: none of them changes what the others return.",
		approach: []string{
			"Leave the circle: the calls in it have told all that they can tell.",
			"Decide from these results which way is right, and change what both depend on, not the one call or the other.",
		},
	}
}

// oneAbility finds an ability that was used over and over with other arguments.
func oneAbility(s *signs) *finding {
	at, length, distinct := 0, 0, 0
	for i := 0; i < len(s.calls); {
		j, args := i, map[string]bool{}
		for j < len(s.calls) && s.calls[j].Ability == s.calls[i].Ability {
			args[s.calls[j].Args] = true
			j++
		}
		if j-i > length && len(args) > (j-i)/2 {
			at, length, distinct = i, j-i, len(args)
		}
		i = j
	}
	// Edits are repeatedEdit's, and reading many files is work.
	if length < minAbility || s.kinds[at] == edits || s.kinds[at] == reads && length < minSearch {
		return nil
	}
	c := &s.calls[at]
	return &finding{
		specialist: Loop,
		weight:     length - minAbility/2,
		analysis:   fmt.Sprintf("The ability %s was used %d times in a row, with %d different arguments.", cite(c.Ability), length, distinct),
		mistake:    fmt.Sprintf("Trying %s with ever new arguments instead of asking why the first tries did not do.", cite(c.Ability)),
		approach: []string{
			fmt.Sprintf("Read what %s has returned so far before using it again, and name what is still missing.", cite(c.Ability)),
			"If two further tries with better arguments do not find it, take another ability or say that it was not found.",
		},
	}
}
