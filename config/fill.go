package config

import (
	"fmt"
	"maps"
	"strings"
)

// fill takes a setting from the environment where the file says nothing of it.
func fill[T any](s *Settings, setting string, to *T, from T) {
	if s.config.origin(setting) == "" && s.from[setting] != "" {
		*to = from
	}
}

func (s *Settings) fillReview(e *Review) {
	v := &s.Review
	if s.config.origin(reviewPrefix+"command") == "" && s.config.origin(reviewPrefix+"url") == "" {
		fill(s, reviewPrefix+"reviewer", &v.By, e.By)
	}
	fill(s, "review.mandatory", &v.Mandatory.Asked, e.Mandatory.Asked)
	fill(s, reviewPrefix+"on_exceed", &v.OnExceed, e.OnExceed)
	fill(s, reviewPrefix+"role", &v.Role, e.Role)
	fill(s, reviewPrefix+"preamble", &v.Preamble, e.Preamble)
	fill(s, reviewPrefix+"max_reviews", &v.Most, e.Most)
	fill(s, reviewPrefix+"timeout", &v.Timeout, e.Timeout)
}

// fillTrim takes the numbers of the environment if they go together with those
// of the file, and otherwise none of them.
func (s *Settings) fillTrim(e *Trim) {
	was := s.Trim
	fill(s, trimPrefix+"enabled", &s.Trim.Off, e.Off)
	was.Off = s.Trim.Off
	var said []string
	for _, number := range trimNumbers {
		setting := trimPrefix + number.key
		if s.config.origin(setting) != "" || s.from[setting] == "" {
			continue
		}
		said = append(said, setting)
		copyNumber(number.of(&s.Trim), number.of(e))
	}
	err := s.Trim.check()
	if err == nil {
		return
	}
	s.Trim, s.from = was, maps.Clone(s.from)
	var names []string
	for _, setting := range said {
		names = append(names, s.from[setting])
		delete(s.from, setting)
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %v; trim is not changed by it", strings.Join(names, ", "), err))
}

// copyNumber gives an *int or *int64 the value of another.
func copyNumber(to, from any) {
	switch from := from.(type) {
	case *int:
		*to.(*int) = *from
	case *int64:
		*to.(*int64) = *from
	}
}
