package registry

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

//go:embed builtin.cbp
var builtinPolicy []byte

// BuiltinFile is the name under which the built-in rules give their source.
const BuiltinFile = "registry/builtin.cbp"

// Builtins says which of the built-in rules are in force, and with which
// limits. The zero Builtins are the defaults.
type Builtins struct {
	// Sets turns sets on or off by their name; one that is not named is as by default.
	Sets map[string]bool
	// Modes has the rules of a set, by its name, decide or only be noted; one
	// that is not named is as by default.
	Modes map[string]dsl.Mode
	// Limits replaces limits by the rule's id.
	Limits map[string]BuiltinLimit
	// OnExceed says what follows where a limit over a task's meters is passed.
	OnExceed OnExceed
	// Standby are rules, by their id, that are in force for some tasks where they
	// are not for all: those whose [Tuning] says that they are not off.
	Standby map[string]bool
}

// BuiltinLimit is a limit in the unit of the rule's meter, and who set it.
type BuiltinLimit struct {
	Value string // a number
	From  string // such as "cbpolicy.yaml:4:20", or the name of a variable
}

// BuiltinRule is a built-in rule as it stands.
type BuiltinRule struct {
	Set     string
	On      bool
	Standby bool // it is off, but for tasks that have it
	Rule    *dsl.Rule
	From    string // who set the limit; "": it is the default
}

// DelegationLimit is the id of the rule that caps the failures of a worker.
const DelegationLimit = "delegation_limit"

// The monitor set stands in the place of a halt.
const (
	setMonitor        = "monitor"
	replacedByMonitor = "tool_call_limit"
)

// LoadBuiltins puts the built-in rules in force as they are by default. Most
// of them read meters, so they are for steps with a session attached: without
// one their keys are unbound, and they fire.
func (r *Registry) LoadBuiltins() error { return r.TuneBuiltins(Builtins{}) }

// TuneBuiltins puts the built-in rules in force as they are wanted. The error
// names a set or a rule that is not there, or a limit that is no number; the
// rules in force are then those of before.
func (r *Registry) TuneBuiltins(b Builtins) error {
	rules, err := b.Rules()
	if err != nil {
		return err
	}
	set := Ruleset{Scope: Scope{Origin: Builtin, Pattern: "*"}}
	for _, rule := range rules {
		if rule.On || rule.Standby {
			set.Rules = append(set.Rules, RuleDef{Rule: rule.Rule, Source: Source{File: BuiltinFile, Pos: rule.Rule.Pos.Start}, Standby: rule.Standby})
		}
	}
	return r.Replace(set)
}

// parsedBuiltins reads the file, once: it is a constant, and what is read of it
// is changed by nobody.
var parsedBuiltins = sync.OnceValues(func() (*dsl.Policy, error) {
	p, faults := dsl.ParsePolicy(BuiltinFile, builtinPolicy)
	return p, faults.Err()
})

// Rules returns every built-in rule, in force or not, in the order of the file.
func (b Builtins) Rules() ([]BuiltinRule, error) {
	sets := builtinSets()
	if err := b.check(sets); err != nil {
		return nil, err
	}
	p, err := parsedBuiltins()
	if err != nil {
		return nil, err
	}
	var rules []BuiltinRule
	limits, standby := maps.Clone(b.Limits), maps.Clone(b.Standby)
	for _, section := range p.Sections {
		for _, rule := range section.Rules {
			s, own := setOf(sets, rule.Pos.Start), *rule
			br := BuiltinRule{Set: s.name, On: b.on(s), Rule: &own}
			if rule.Options.ID == replacedByMonitor && b.replaces(sets) {
				br.On = false
			}
			br.Standby = !br.On && standby[rule.Options.ID]
			delete(standby, rule.Options.ID)
			if mode, ok := b.Modes[s.name]; ok {
				own.Options.Mode = mode
			}
			br.Rule = b.OnExceed.applied(br.Rule)
			if limit, ok := limits[rule.Options.ID]; ok {
				if err := br.tune(limit); err != nil {
					return nil, err
				}
				delete(limits, rule.Options.ID)
			}
			rules = append(rules, br)
		}
	}
	for _, id := range slices.Concat(slices.Sorted(maps.Keys(limits)), slices.Sorted(maps.Keys(standby))) {
		return nil, fmt.Errorf("registry: there is no built-in rule %q%s", id, suggestRule(id, rules))
	}
	return rules, nil
}

// TaskSet returns what [Tuning].Off says for a task that has a set of its own on
// or off, whatever holds for the others. Where the set stands in the place of a
// rule, a task that has the set off has that rule, as far as its own set is on.
// What is not in force for every task has to be in Standby. The error says that
// there is no such set.
func (b Builtins) TaskSet(set string, on bool) (off map[string]bool, err error) {
	b.Sets = maps.Clone(b.Sets)
	if b.Sets == nil {
		b.Sets = map[string]bool{}
	}
	b.Sets[set] = on
	rules, err := b.Rules()
	if err != nil {
		return nil, err
	}
	off = map[string]bool{}
	for _, r := range rules {
		if id := r.Rule.Options.ID; r.Set == set || set == setMonitor && id == replacedByMonitor {
			off[id] = !r.On
		}
	}
	return off, nil
}

// replaces reports whether the set monitor stands in the place of a halt. Where
// it only notes, it can take the place of nothing that stops.
func (b Builtins) replaces(sets []builtinSet) bool {
	return b.on(setNamed(sets, setMonitor)) && b.Modes[setMonitor] != dsl.Observe
}

func suggestRule(id string, rules []BuiltinRule) string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.Rule.Options.ID)
	}
	if s := diag.Suggest(id, ids); s != "" {
		return fmt.Sprintf(" (did you mean %s?)", s)
	}
	return ""
}

// CheckBuiltin returns an error if there is no built-in rule of an id, in force or not.
func CheckBuiltin(id string) error {
	_, err := builtinOf(id)
	return err
}

// ParseLimit reads a limit of a built-in rule, in the unit of its meter. The
// error says that there is no such rule, or that it can have no such limit: all
// are above 0, and a share is at most 1.
func ParseLimit(id, text string) (decimal.Decimal, error) {
	rule, err := builtinOf(id)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return readLimit(rule, text)
}

func builtinOf(id string) (*dsl.Rule, error) {
	rules, err := Builtins{}.Rules()
	if err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.Rule.Options.ID == id {
			return r.Rule, nil
		}
	}
	return nil, fmt.Errorf("registry: there is no built-in rule %q%s", id, suggestRule(id, rules))
}

func readLimit(rule *dsl.Rule, text string) (decimal.Decimal, error) {
	n, ok := decimal.Parse(text)
	key := rule.Condition[0].(*dsl.Threshold).Key // every built-in rule is one
	var wrong string
	switch {
	case !ok:
		wrong = "is no number"
	case n.Cmp(decimal.Decimal{}) <= 0:
		wrong = "is not above 0"
	case key == "task.output_similarity" && n.Cmp(decimal.FromInt(1)) > 0:
		wrong = "is above 1, the most that it can be"
	case n.Cmp(decimal.FromInt(math.MaxInt64)) > 0:
		wrong = fmt.Sprintf("is more than is ever counted, which is %d", math.MaxInt64)
	default:
		return n, nil
	}
	return n, fmt.Errorf("registry: the limit %q of %s %s", text, rule.Options.ID, wrong)
}

// tune gives the rule another limit.
func (r *BuiltinRule) tune(l BuiltinLimit) error {
	n, err := readLimit(r.Rule, l.Value)
	if err != nil {
		return err
	}
	changed := *r.Rule
	threshold := *changed.Condition[0].(*dsl.Threshold) // every built-in rule is one
	threshold.Value.Number = n                          // the units that the rules are written in are those of the meters
	changed.Condition = []dsl.Atom{&threshold}
	r.Rule, r.From = &changed, l.From
	return nil
}

// builtinSet is a heading of the file.
type builtinSet struct {
	name string
	on   bool // by default
	line int
}

// builtinSets reads the headings of the sets.
func builtinSets() (sets []builtinSet) {
	number := 0
	for line := range strings.Lines(string(builtinPolicy)) {
		number++
		if heading, ok := strings.CutPrefix(line, "# set "); ok {
			name, rest, _ := strings.Cut(heading, ", ")
			state, _, _ := strings.Cut(rest, ":")
			sets = append(sets, builtinSet{name: name, on: state == "on", line: number})
		}
	}
	return sets
}

// setOf returns the set under whose heading a place stands.
func setOf(sets []builtinSet, at diag.Position) builtinSet {
	var found builtinSet
	for _, s := range sets {
		if s.line < at.Line {
			found = s
		}
	}
	return found
}

func setNamed(sets []builtinSet, name string) builtinSet {
	for _, s := range sets {
		if s.name == name {
			return s
		}
	}
	return builtinSet{}
}

func (b Builtins) on(s builtinSet) bool {
	if on, said := b.Sets[s.name]; said {
		return on
	}
	return s.on
}

// check refuses sets that are not there.
func (b Builtins) check(sets []builtinSet) error {
	var names []string
	for _, s := range sets {
		names = append(names, s.name)
	}
	said := slices.AppendSeq(slices.Collect(maps.Keys(b.Sets)), maps.Keys(b.Modes))
	slices.Sort(said)
	for _, name := range said {
		if !slices.Contains(names, name) {
			return fmt.Errorf("registry: there is no set %q of built-in rules; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}
