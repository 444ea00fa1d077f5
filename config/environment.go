package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/registry"
)

// variable is an environment variable and the settings that it stands for.
type variable struct {
	name     string
	settings []string // as they stand in the file
	// set takes a text for one of the settings. The error says what is wrong
	// with it; nothing has changed then.
	set func(e *Environment, setting, text string) error
}

// variables have the names by which other programs' users know them. Of two
// that stand for one setting the first counts.
var variables = []variable{
	limitVariable("BB_CIRCUIT_BREAKER_TOOL_CAP", things, "tool_call_limit"),
	limitVariable("BB_CIRCUIT_BREAKER_COST_CAP_CENTS", things, "token_spend_limit"),
	limitVariable("BB_CIRCUIT_BREAKER_DURATION_SECS", seconds, "duration_limit"),
	limitVariable("BB_CIRCUIT_BREAKER_IDLE_SECS", seconds, "idle_timeout"),
	limitVariable("BB_CIRCUIT_BREAKER_JACCARD", share, "output_loop"),

	flagVariable("CIRCUIT_BREAKER_ENABLED", setsPrefix+setMonitor, func(e *Environment, on bool) { e.Sets[setMonitor] = on }),
	limitVariable("CIRCUIT_BREAKER_TOOL_WARNING", things, "tool_calls_high"),
	limitVariable("CIRCUIT_BREAKER_TOOL_CRITICAL", things, "tool_calls_critical"),
	limitVariable("CIRCUIT_BREAKER_MESSAGE_WARNING", things, "messages_high"),
	limitVariable("CIRCUIT_BREAKER_MESSAGE_CRITICAL", things, "messages_critical"),
	limitVariable("CIRCUIT_BREAKER_CONTEXT_WARNING", things, "context_high"),
	limitVariable("CIRCUIT_BREAKER_CONTEXT_CRITICAL", things, "context_critical"),
	limitVariable("CIRCUIT_BREAKER_MAX_TOOL_CALLS", things, "tool_call_limit", "tool_calls_critical"),
	limitVariable("CIRCUIT_BREAKER_MAX_DURATION", seconds, "duration_limit"),
	limitVariable("CIRCUIT_BREAKER_MAX_MESSAGES", things, "messages_critical"),
	limitVariable("CIRCUIT_BREAKER_MAX_CONTEXT", things, "context_critical"),

	flagVariable("MESSAGE_TRIM_ENABLED", trimPrefix+"enabled", func(e *Environment, on bool) { e.Trim.Off = !on }),
	trimVariable("MESSAGE_TRIM_THRESHOLD", "threshold"),
	trimVariable("MESSAGE_TRIM_KEEP_LAST", "keep_last"),
	trimVariable("MESSAGE_TRIM_MAX_TOKENS", "max_tokens"),
	trimVariable("MESSAGE_TRIM_COMPLETION_TOKENS", "completion_tokens"),
	trimVariable("MESSAGE_TRIM_SYSTEM_TOKENS", "system_tokens"),
	{"MESSAGE_TRIM_STRATEGY", []string{trimStrategy}, func(_ *Environment, _, text string) error { return checkStrategy(text) }},

	flagVariable("QC_ENABLED", reviewPrefix+"reviewer", func(e *Environment, on bool) {
		e.Review.By = map[bool]Reviewer{true: RulesReviewer, false: NoReviewer}[on]
	}),
	flagVariable("QC_AUTO_ENABLE", "review.mandatory", func(e *Environment, on bool) {
		e.Review.Mandatory.Asked = map[bool]Asked{true: Always, false: Never}[on]
	}),
	flagVariable("QC_ON_EXCEED", reviewPrefix+"on_exceed", func(e *Environment, on bool) { e.Review.OnExceed = onExceedOf(on) }),
	{"QC_ROLE", []string{reviewPrefix + "role"}, func(e *Environment, _, text string) error { e.Review.Role = text; return nil }},
	{"QC_PREAMBLE_PATH", []string{reviewPrefix + "preamble"}, func(e *Environment, _, text string) error { e.Review.Preamble = text; return nil }},
	{"QC_MAX_RETRIES", []string{reviewPrefix + "max_reviews"}, setMostReviews},
	{"QC_TIMEOUT", []string{reviewPrefix + "timeout"}, setReviewTimeout},
	{"QC_TIMEOUT_SECONDS", []string{reviewPrefix + "timeout"}, setReviewTimeout},
}

// Environment is what environment variables say.
type Environment struct {
	Limits map[string]registry.BuiltinLimit // by rule id
	Sets   map[string]bool                  // sets of built-in rules that are on or off
	Trim   Trim
	Review Review
	// Warnings tell of values that cannot be; the next lower source counts in their place.
	Warnings []string

	from    map[string]string // by setting: the variable that says it
	unknown []string          // variables that are named like those that are read; see Names
}

// Variable is an environment variable, and the settings that it stands for as
// they stand in the file.
type Variable struct {
	Name     string
	Settings []string
}

// Variables returns the variables that are read, those that count first where
// two stand for one setting before the others.
func Variables() (all []Variable) {
	for _, v := range variables {
		all = append(all, Variable{v.name, slices.Clone(v.settings)})
	}
	return all
}

// ReadEnvironment reads the variables through a function such as os.LookupEnv.
// One that is set to nothing is as good as not set. Blanks around a value are no
// part of it, nor is the end of a line that a file of variables leaves there.
func ReadEnvironment(lookup func(name string) (string, bool)) Environment {
	e := Environment{Limits: map[string]registry.BuiltinLimit{}, Sets: map[string]bool{}, from: map[string]string{}}
	for _, v := range variables {
		text, _ := lookup(v.name)
		if text = strings.TrimSpace(text); text != "" {
			e.read(&v, text)
		}
	}
	return e
}

// read takes a variable in, but for the settings that an earlier one has said.
func (e *Environment) read(v *variable, text string) {
	said := ""
	for _, setting := range v.settings {
		if by := e.from[setting]; by != "" {
			said = by
			continue
		}
		if err := v.set(e, setting, text); err != nil {
			e.warn("%s: %s; %s is not changed by it", v.name, err, settingName(setting))
			return
		}
		e.from[setting] = v.name
	}
	if said != "" {
		e.warn("%s: %s has said it already, and counts", v.name, said)
	}
}

func (e *Environment) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// settingName is a setting as its users call it: a limit by its rule.
func settingName(setting string) string { return strings.TrimPrefix(setting, limitsPrefix) }

// limitVariable stands for the limit of one rule, or of several of which one
// is in force.
func limitVariable(name string, u unit, rules ...string) variable {
	v := variable{name: name}
	for _, rule := range rules {
		v.settings = append(v.settings, limitsPrefix+rule)
	}
	v.set = func(e *Environment, setting, text string) error {
		_, number := decimal.Parse(text)
		limit, err := u.read(text, number || !strings.HasPrefix(name, "CIRCUIT_")) // the first five take no units
		if err == nil {
			e.Limits[settingName(setting)] = registry.BuiltinLimit{Value: limit, From: name}
		}
		return err
	}
	return v
}

// flagVariable stands for something that is on or off.
func flagVariable(name, setting string, set func(e *Environment, on bool)) variable {
	return variable{name, []string{setting}, func(e *Environment, _, text string) error {
		switch strings.ToLower(text) {
		case "true", "on", "yes", "1":
			set(e, true)
		case "false", "off", "no", "0":
			set(e, false)
		default:
			return fmt.Errorf("%q is neither true nor false", text)
		}
		return nil
	}}
}

// trimVariable stands for a number of trim.
func trimVariable(name, key string) variable {
	return variable{name, []string{trimPrefix + key}, func(e *Environment, _, text string) error {
		n, err := wholeOf(text, 1, maxCount)
		for _, number := range trimNumbers {
			if number.key == key && err == nil {
				setNumber(number.of(&e.Trim), n)
			}
		}
		return err
	}}
}

func setMostReviews(e *Environment, _, text string) error {
	n, err := wholeOf(text, 0, maxReviews)
	if err == nil {
		e.Review.Most = orNone(n)
	}
	return err
}

func setReviewTimeout(e *Environment, _, text string) error {
	timed := text
	if _, number := decimal.Parse(text); number {
		timed += "s"
	}
	d, ok := duration.Parse(timed)
	if !ok || d <= 0 {
		return fmt.Errorf("%q is no time such as 120 (seconds) or 2m", text)
	}
	e.Review.Timeout = d
	return nil
}

// wholeOf reads a whole number.
func wholeOf(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is no whole number from %d to %d", text, least, most)
	}
	return n, nil
}
