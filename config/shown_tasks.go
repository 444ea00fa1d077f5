package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/cbpolicy/cbpolicy/registry"
)

// tasks shows what is set for some tasks only.
func (s *Settings) tasks() (all []Setting) {
	units := map[string]string{}
	for _, r := range defaults() {
		if unitOf(r.Rule) == seconds {
			units[r.Rule.ID()] = "s"
		}
	}
	for i, t := range s.Tasks {
		prefix := fmt.Sprintf("tasks[%d]", i)
		say := func(key, value string) {
			all = append(all, Setting{prefix + "." + key, value, s.origin(prefix + "." + key)})
		}
		if t.Task != "" {
			all = append(all, Setting{prefix + ".task", string(t.Task), s.origin(prefix)})
		}
		if t.Chain != "" {
			all = append(all, Setting{prefix + ".chain", string(t.Chain), s.origin(prefix)})
		}
		for _, rule := range slices.Sorted(maps.Keys(t.Limits)) {
			say("limits."+rule, t.Limits[rule]+units[rule])
		}
		if t.Monitor != nil {
			say("monitor", strconv.FormatBool(*t.Monitor))
		}
		if t.OnExceed != registry.AsWritten {
			say("on_exceed", onExceedText(t.OnExceed))
		}
		if t.Review.Role != "" {
			say("role", t.Review.Role)
		}
		if t.Preamble != "" {
			say("preamble", t.Preamble)
		}
		if t.Review.Most != 0 {
			say("max_reviews", reviewsText(t.Review.Most))
		}
	}
	return all
}
