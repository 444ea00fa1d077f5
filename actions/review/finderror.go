package review

import (
	"fmt"
	"strings"
	"unicode"
)

// The least that is called an ignored error.
const (
	minFailedAgain = 2 // failures of one call, made again unchanged
	minSameError   = 3 // failures with the same error
)

// failedAgain finds a failed call that was made again unchanged.
func failedAgain(s *signs) *finding {
	best, times := -1, 0
	for i := range s.calls {
		if s.calls[i].Error == nil {
			continue
		}
		n := 0
		for j := range s.calls {
			if s.calls[j].Error != nil && sameCall(&s.calls[i], &s.calls[j]) {
				n++
			}
		}
		if n > times {
			best, times = i, n
		}
	}
	if times < minFailedAgain {
		return nil
	}
	c := &s.calls[best]
	return &finding{
		specialist: Mistake,
		weight:     2 * times, // a failure costs the call and what was not done about it
		analysis:   fmt.Sprintf("The call %s failed %d times with unchanged arguments (%s).", citeCall(c), times, describe(c.Error)),
		mistake:    fmt.Sprintf("Making the failed call to %s again without changing anything.", cite(c.Ability)),
		approach:   append([]string{fmt.Sprintf("Do not make the call to %s again as it was.", cite(c.Ability))}, remedy(c.Error)...),
	}
}

// sameError finds an error that came again and again with different arguments.
func sameError(s *signs) *finding {
	type errors struct {
		times int
		args  map[string]bool
	}
	of := map[string]*errors{}
	best, times := -1, 0
	for i := range s.calls {
		c := &s.calls[i]
		if c.Error == nil {
			continue
		}
		key := c.Ability + "\x00" + errorKey(c.Error)
		if of[key] == nil {
			of[key] = &errors{args: map[string]bool{}}
		}
		e := of[key]
		e.times++
		e.args[c.Args] = true
		if len(e.args) > 1 && e.times > times {
			best, times = i, e.times
		}
	}
	if times < minSameError {
		return nil
	}
	c := &s.calls[best]
	return &finding{
		specialist: Mistake,
		weight:     2*times - 1, // failedAgain says more where both hold
		analysis:   fmt.Sprintf("%s failed %d times with the same error (%s).", cite(c.Ability), times, describe(c.Error)),
		mistake:    "Working on as if the error were not there: other arguments do not change its cause.",
		approach:   remedy(c.Error),
	}
}

// errorKey is equal for errors that differ in numbers and blanks only.
func errorKey(f *Failure) string {
	var b strings.Builder
	digits := false
	for _, r := range f.Message {
		switch {
		case unicode.IsDigit(r):
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		case !unicode.IsSpace(r):
			b.WriteRune(unicode.ToLower(r))
		}
		digits = false
	}
	return f.Class + "\x00" + b.String()
}

func describe(f *Failure) string {
	if f.Message == "" {
		return "class " + cite(f.Class)
	}
	return fmt.Sprintf("class %s: the tool says %s", cite(f.Class), cite(f.Message))
}

// remedy says what to do about an error of a class.
func remedy(f *Failure) []string {
	switch f.Class {
	case "InvalidArguments":
		return []string{
			"Read what the ability takes: names, types and which arguments are required. Correct the arguments by the error's words before the next try.",
		}
	case "FileNotFound":
		return []string{
			"List what is there before naming it again; the name or the place is wrong.",
			"If it does not exist anywhere, say so instead of guessing further names.",
		}
	case "RateLimitExceeded":
		return []string{
			"Stop calling for a while: each further call makes the wait longer. Ask for more at once in fewer calls.",
			"Go on with what needs no such call, or hand back what is done.",
		}
	case "NetworkError":
		return []string{
			"The other side is not there. One further try later is enough; then use another source or report that it cannot be reached.",
		}
	}
	return []string{
		"Read the error's words first and find its cause; then change what causes it, and check that by one small call.",
		"If the cause is out of reach, use another ability or report the error instead of trying on.",
	}
}
