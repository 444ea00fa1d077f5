package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/session"
)

// review shows by whom and when tasks are reviewed.
func (s *Settings) review() (all []Setting) {
	v := &s.Review
	say := func(key, value string) {
		all = append(all, Setting{reviewPrefix + key, value, s.origin(reviewPrefix + key)})
	}
	switch v.By {
	case CommandReview:
		say("command", strings.Join(v.Command, " "))
	case ModelReview:
		say("url", hideQuery(v.URL))
		say("model", v.Model)
		say("key_env", cmp.Or(v.KeyEnv, "none"))
	default:
		say("reviewer", cmp.Or(string(v.By), "none"))
	}
	say("timeout", duration.Format(cmp.Or(v.Timeout, review.DefaultTimeout)))
	say("max_reviews", reviewsText(cmp.Or(v.Most, session.MaxReviews)))
	say("on_exceed", onExceedText(v.OnExceed))
	say("role", cmp.Or(v.Role, "none"))
	say("preamble", cmp.Or(v.Preamble, "none"))
	say("patterns", cmp.Or(v.Patterns, "none"))
	return append(all, s.mandatory()...)
}

func (s *Settings) mandatory() (all []Setting) {
	m := &s.Review.Mandatory
	all = append(all, Setting{"review.mandatory", map[Asked]string{IfReviewer: "where there is a reviewer", Always: "on", Never: "off"}[m.Asked], s.origin("review.mandatory")})
	say := func(key, value string) {
		all = append(all, Setting{mandatoryPrefix + key, value, s.origin(mandatoryPrefix + key)})
	}
	say("calls", fmt.Sprint(max(cmp.Or(m.Limits.Calls, review.DefaultCalls), 0)))
	say("duration", duration.Format(cmp.Or(m.Limits.Duration, review.DefaultDuration)))
	say("files", fmt.Sprint(max(cmp.Or(m.Limits.Files, review.DefaultFiles), 0)))
	say("critical", m.critical())
	return all
}

func reviewsText(most int) string { return fmt.Sprint(max(most, 0)) }

func onExceedText(o registry.OnExceed) string {
	return map[registry.OnExceed]string{registry.AsWritten: "as each rule says", registry.ReviewOnExceed: "review", registry.AbortOnExceed: "abort"}[o]
}
