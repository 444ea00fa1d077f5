package suggest

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/trace/replay"
)

// learner learns the limits of every kind of task.
type learner struct {
	*Suggestion
	peaks map[*replay.Measures]peaks
	taken map[string]bool // ids
	// general are the limits of every kind, by subject: one of a kind is only
	// worth a rule where it is lower.
	general map[string]*big.Rat
	halts   []registry.BuiltinRule
}

// peaks are the greatest numbers of calls of a run's abilities, by folded name.
type peaks struct{ day, minute map[string]int }

// The windows of the limits of abilities. Hardly a run outlasts a day, so that
// this is a limit of the session.
var (
	day    = dsl.Duration{N: 1, Unit: 'd'}
	minute = dsl.Duration{N: 1, Unit: 'm'}
)

// learn learns from the runs that ended well.
func (s *Suggestion) learn(all []*replay.Measures, well []bool) error {
	halts, err := registry.Builtins{}.Rules()
	if err != nil {
		return err
	}
	l := learner{Suggestion: s, peaks: map[*replay.Measures]peaks{}, taken: map[string]bool{}, general: map[string]*big.Rat{}, halts: halts}
	var basis []*replay.Measures
	kinds := map[string][]*replay.Measures{}
	for i, m := range all {
		if !well[i] {
			continue
		}
		basis = append(basis, m)
		l.peaks[m] = peaks{m.Peaks(day.Time()), m.Peaks(minute.Time())}
		if m.Kind != "" {
			kinds[m.Kind] = append(kinds[m.Kind], m)
		}
	}
	l.section("", basis)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		switch {
		case len(kinds[kind]) < s.MinRuns:
		case !nameable(kind) || !readable(kind, &dsl.Rule{Condition: dsl.Condition{&dsl.Ability{Name: "*"}}}):
			s.Unnamed++
		default:
			l.section(kind, kinds[kind])
		}
	}
	return nil
}

// section learns the limits of a kind of task, or of all.
func (l *learner) section(kind string, runs []*replay.Measures) {
	for _, of := range meters() {
		l.limit(kind, of, runs)
	}
	names, callers := abilities(runs)
	for _, folded := range slices.Sorted(maps.Keys(names)) {
		name := names[folded]
		switch {
		case callers[folded] < l.MinRuns:
			if kind == "" {
				l.Rare++
			}
			continue
		case !nameable(name) || !readable("*", &dsl.Rule{Condition: dsl.Condition{&dsl.Ability{Name: dsl.NamePattern(name)}}}):
			if kind == "" {
				l.Unnamed++
			}
			continue
		}
		whole := l.limit(kind, ability(name, day, "-a-session", func(m *replay.Measures) int { return l.peaks[m].day[folded] }), runs)
		burst := ability(name, minute, "-a-minute", func(m *replay.Measures) int {
			if !m.Timed {
				return 0
			}
			return l.peaks[m].minute[folded]
		})
		if fit := l.fit(kind, burst, runs); fit != nil && whole != nil && fit.value.Cmp(whole.value) < 0 {
			l.limit(kind, burst, runs)
		}
	}
}

// limit learns a limit, and returns it also where the one of every kind
// leaves nothing to add.
func (l *learner) limit(kind string, of subject, runs []*replay.Measures) *Limit {
	fit := l.fit(kind, of, runs)
	if fit == nil {
		return nil
	}
	if kind == "" {
		l.general[of.name] = fit.value
	} else if general := l.general[of.name]; general != nil && fit.value.Cmp(general) >= 0 {
		return fit
	}
	if f, ok := fit.rule.Condition[0].(*dsl.Frequency); ok && (!fit.value.Num().IsInt64() || f.Count >= dsl.MaxHistory) {
		return fit // more than a counter can tell
	}
	words := []string{of.name}
	if kind != "" {
		words = []string{kind, of.name}
	}
	fit.Rule = idOf(l.taken, words...)
	fit.rule.Options.ID = fit.Rule
	fit.Builtin = l.stricter(fit)
	l.Limits = append(l.Limits, *fit)
	return fit
}

// stricter is the built-in rule over the same meter that has a lower limit.
func (l *learner) stricter(fit *Limit) string {
	mine, ok := fit.rule.Condition[0].(*dsl.Threshold)
	if !ok {
		return ""
	}
	for i := range l.halts {
		b := &l.halts[i]
		if !b.On || b.Rule.Options.Mode == dsl.Observe || b.Rule.Action.Kind == dsl.Warn || len(b.Rule.Condition) != 1 {
			continue
		}
		theirs, ok := b.Rule.Condition[0].(*dsl.Threshold)
		if !ok || theirs.Key != mine.Key {
			continue
		}
		if limit, ok := new(big.Rat).SetString(theirs.Value.Number.String()); ok && limit.Cmp(fit.value) < 0 {
			return b.Rule.ID()
		}
	}
	return ""
}

// abilities are the names of the abilities that were called, as first written,
// and in how many runs, by folded name.
func abilities(runs []*replay.Measures) (names map[string]string, callers map[string]int) {
	names, callers = map[string]string{}, map[string]int{}
	for _, m := range runs {
		seen := map[string]bool{}
		for i := range m.Calls {
			folded := dsl.Fold(m.Calls[i].Ability)
			names[folded] = cmp.Or(names[folded], m.Calls[i].Ability)
			if !seen[folded] {
				seen[folded] = true
				callers[folded]++
			}
		}
	}
	return names, callers
}

// nameable reports whether a name can stand in a rule for itself alone.
func nameable(name string) bool {
	return name != "" && len(name) <= 200 && dsl.NamePattern(name).Literal() && !slices.ContainsFunc([]rune(name), diag.Invisible)
}

// readable reports whether a rule in the section of a kind is read back as it is.
func readable(kind string, r *dsl.Rule) bool {
	_, err := dsl.FormatPolicy(&dsl.Policy{Sections: []dsl.Section{{Pattern: dsl.NamePattern(kind), Rules: []*dsl.Rule{r}}}})
	return err == nil
}
