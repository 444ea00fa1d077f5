package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
)

// Any is the name of the ability that stands for all that are not in a table
// by their own name.
const Any = "*"

// Table says which ability does what, by their exact names. The zero Table
// knows none. It must not be changed while it is used.
type Table struct {
	byName map[string]run.Ability
}

// Add puts an ability into the table. The error says that the name is taken.
func (t *Table) Add(name string, a run.Ability) error {
	if _, ok := t.byName[name]; ok {
		return fmt.Errorf("the ability %s is given twice", diag.Escape(name))
	}
	if t.byName == nil {
		t.byName = map[string]run.Ability{}
	}
	t.byName[name] = a
	return nil
}

// Find returns the ability of a name, or nil.
func (t *Table) Find(name string) run.Ability {
	if a, ok := t.byName[name]; ok {
		return a
	}
	return t.byName[Any]
}

// Call implements run.Ability.
func (t *Table) Call(ctx context.Context, name string, args json.RawMessage) (run.Output, error) {
	a := t.Find(name)
	if a == nil {
		return run.Output{}, &run.AbilityError{Class: run.ClassTool, Message: "nothing does the ability " + diag.Escape(name)}
	}
	return a.Call(ctx, name, args)
}

// Missing lists the abilities of a chain that nothing does, each at the place
// of its first step, as findings with the id unknown-ability. Expected are the prefixes of
// names that are not known yet, such as "mail." of a server to be started.
func (t *Table) Missing(c *chain.Chain, expected ...string) diag.List {
	var names []string
	for name := range t.byName {
		names = append(names, name)
	}
	var l diag.List
	steps := map[string]int{} // by ability, until it was looked at
	for i := range c.Steps {
		steps[c.Steps[i].Ability]++
	}
	for i := range c.Steps {
		st := &c.Steps[i]
		all := steps[st.Ability]
		steps[st.Ability] = 0 // it is said at the first
		if all == 0 || t.Find(st.Ability) != nil || hasPrefix(st.Ability, expected) {
			continue
		}
		f := &diag.Finding{
			ID: UnknownAbilityID, File: c.File, Pos: st.AbilityPos,
			Message: fmt.Sprintf("nothing does the ability %q of step %q", st.Ability, st.ID),
			Hint:    "say which command or MCP server does it",
		}
		if all > 1 {
			f.Message += fmt.Sprintf(" and %d more", all-1)
		}
		if like := diag.Suggest(st.Ability, names); like != "" {
			f.Hint = "did you mean " + like + "?"
		}
		l = append(l, f)
	}
	return l
}

// UnknownAbilityID is the id of the findings of [Table.Missing].
const UnknownAbilityID = "unknown-ability"

func hasPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
