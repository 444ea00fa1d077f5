package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/cbpolicy/cbpolicy/diag"
)

func (s *source) action(n *actionNode) (Action, *diag.Finding) {
	word := n.Kind + n.Timed
	a := Action{}
	for k, name := range actionNames {
		if name == word {
			a.Kind = ActionKind(k)
		}
	}
	if n.Limit == nil {
		return a, nil
	}
	var f *diag.Finding
	a.Limit, f = s.duration(n.Limit, "a limit")
	return a, f
}

// options reads the options; one that is given twice is an error.
func (s *source) options(n *optionsNode) (Options, *diag.Finding) {
	var out Options
	seen := map[string]bool{}
	for _, o := range n.Options {
		name := "id"
		switch {
		case o.ID != nil:
			id, f := s.name(*o.ID)
			if f != nil {
				return out, f
			}
			if strings.Contains(id, "*") {
				return out, s.tokenFault(*o.ID, "an id cannot hold *", `letters, digits, "_", "-", "/", ":" and "."`)
			}
			out.ID = id
		case o.Mode != "":
			name = "mode"
			out.Mode = map[string]Mode{"enforce": Enforce, "observe": Observe}[o.Mode]
		case o.Missing != "":
			name = "missing"
			out.Missing = map[string]Missing{"fire": MissingFire, "wait": MissingWait, "skip": MissingSkip}[o.Missing]
		case o.OnError != "":
			name = "on_store_error"
			out.OnStoreError = map[string]OnStoreError{"deny": StoreDeny, "allow": StoreAllow, "local": StoreLocal}[o.OnError]
		}
		if seen[name] {
			return out, s.tokensFault(o.Tokens, "the option "+name+" is given twice", "keep one of them")
		}
		seen[name] = true
	}
	return out, nil
}

// duration reads an integer of at least 1 and a unit.
func (s *source) duration(n *durationNode, what string) (Duration, *diag.Finding) {
	count, f := s.integer(n.N, what, 1)
	if f != nil {
		return Duration{}, f
	}
	d := Duration{N: count, Unit: Unit(n.Unit[0])}
	if count == 0 {
		return Duration{}, s.tokenFault(n.N, what+" of 0 holds nothing", "write at least 1, such as 1"+n.Unit)
	}
	if most := int64(math.MaxInt64) / int64(time.Second) / d.Unit.Seconds(); count > most {
		f := s.tokenFault(n.N, what+" of "+d.String()+" is too long", fmt.Sprintf("write at most %d%s", most, n.Unit))
		return Duration{}, withID(f, LimitID)
	}
	return d, nil
}

// integer reads digits. The least value is only named, not checked.
func (s *source) integer(t lexer.Token, what string, least int) (int64, *diag.Finding) {
	n, err := strconv.ParseUint(t.Value, 10, 63)
	if err == nil {
		return int64(n), nil
	}
	if strings.Trim(t.Value, "0123456789") == "" {
		return 0, withID(s.tokenFault(t, what+" of "+inQuotes(t.Value)+" is too large", "write a smaller number"), LimitID)
	}
	return 0, s.tokenFault(t, fmt.Sprintf("%s is a whole number of at least %d, not %s", what, least, inQuotes(t.Value)), "write digits only, such as 5")
}
