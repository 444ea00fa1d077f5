package meter

import "github.com/cbpolicy/cbpolicy/dsl"

// name is what is worked out once of a name, as it was written: it is asked for
// several times with every call.
type name struct {
	written string
	folded  string
	tool    string // under which a tool's failures are capped
	print   print
	edit    bool // the ability edits a file
}

// names are those that came before, a bounded number of them.
type names struct {
	of   map[string]*name
	last *name // an agent often calls the same again
}

// name returns what is known of a name.
func (t *Tree) name(written string) *name {
	if n := t.names.last; n != nil && n.written == written {
		return n
	}
	n := t.names.of[written]
	if n == nil {
		folded := dsl.Fold(written)
		n = &name{written: written, folded: folded, tool: ToolPrefix + folded, print: fingerprint(t.seed, written), edit: t.edits(folded)}
		if t.names.of == nil || len(t.names.of) >= MaxNames {
			t.names.of = map[string]*name{}
		}
		t.names.of[written] = n
	}
	t.names.last = n
	return n
}
