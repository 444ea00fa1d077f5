package policytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// column is a column of a table: a field of the step, or a member of one.
type column struct {
	name, field, member string
	pos                 diag.Position
}

// table makes a test of every row: the steps of the test first, if it has
// any, then the row's.
func (l *loader) table(t *rawTest) {
	var columns []column
	var rows *document.Node
	l.Fields(t.table, "a table", []document.Field{
		{Name: "columns", Required: true, Read: func(n *document.Node) { columns = l.columns(n) }},
		{Name: "rows", Required: true, Read: func(n *document.Node) { rows = n }},
	}, nil)
	if rows == nil || len(columns) == 0 {
		return
	}
	items := l.List(rows, "rows", MaxTests)
	if rows.Kind == jsonv.List && len(items) == 0 {
		l.Report(document.SyntaxID, rows.Pos, "the table has no row", "a row is a list of values, one a column")
	}
	defaults := merged(l.defaults, t.defaults)
	for i, item := range items {
		l.row(t, columns, item, defaults, i+1)
	}
}

func (l *loader) row(t *rawTest, columns []column, n, defaults *document.Node, number int) {
	if n.Kind != jsonv.List {
		l.WrongType(n, "a row is a list of values")
		return
	}
	if len(n.Items) != len(columns) {
		l.Report(document.SyntaxID, n.Pos, fmt.Sprintf("the row has %d values for %d columns", len(n.Items), len(columns)), "~ leaves a field out")
		return
	}
	name, own := l.cells(columns, n)
	if name == "" {
		name = fmt.Sprint(number)
	}
	test := &Test{Name: t.name + "/" + name, Pos: n.Pos}
	before := len(l.Findings())
	if t.steps != nil {
		test.steps = l.steps(t.steps, defaults)
	}
	end := l.steps(&document.Node{Kind: jsonv.List, Pos: n.Pos, Items: []*document.Node{own}}, l.after(test.steps, own, defaults))
	test.steps = append(test.steps, end...)
	if len(l.Findings()) == before {
		l.add(test)
	}
}

// after gives the defaults of a row that follows steps: it is at the time of
// the last of them, unless somebody says otherwise.
func (l *loader) after(steps []*step, own, defaults *document.Node) *document.Node {
	if len(steps) == 0 || member(own, "at") != nil || defaults != nil && member(defaults, "at") != nil {
		return defaults
	}
	at := &document.Node{Kind: jsonv.String, Text: steps[len(steps)-1].end().String(), Pos: own.Pos}
	return merged(defaults, &document.Node{
		Kind: jsonv.Object, Pos: own.Pos, Names: []document.Name{{Text: "at", Pos: own.Pos}}, Items: []*document.Node{at},
	})
}

// cells makes a step of a row. The column name names the row.
func (l *loader) cells(columns []column, row *document.Node) (name string, step *document.Node) {
	step = &document.Node{Kind: jsonv.Object, Pos: row.Pos}
	for i, c := range columns {
		cell := row.Items[i]
		switch {
		case c.name == "name":
			if cell.Kind != jsonv.Null {
				name, _ = l.Text(cell, "the name of a row")
			}
		case c.member != "":
			if cell.Kind == jsonv.Null {
				continue
			}
			in := member(step, c.field)
			if in == nil {
				in = &document.Node{Kind: jsonv.Object, Pos: cell.Pos}
				step.Names = append(step.Names, document.Name{Text: c.field, Pos: cell.Pos})
				step.Items = append(step.Items, in)
			}
			in.Names = append(in.Names, document.Name{Text: c.member, Pos: cell.Pos})
			in.Items = append(in.Items, cell)
		case cell.Kind != jsonv.Null:
			step.Names = append(step.Names, document.Name{Text: c.field, Pos: cell.Pos})
			step.Items = append(step.Items, cell)
		}
	}
	return name, step
}

// columns reads the names of the columns: a field of a step, a member of
// args, outputs, params or meters, such as args.amount, or name.
func (l *loader) columns(n *document.Node) []column {
	fields, _, _ := l.stepFields(&step{})
	known := []string{"name"}
	for _, f := range fields {
		known = append(known, f.Name)
	}
	var out []column
	for _, item := range l.List(n, "columns", maxListed) {
		text, ok := l.Text(item, "a column")
		if !ok {
			continue
		}
		c := column{name: text, field: text, pos: item.Pos}
		if field, rest, dotted := strings.Cut(text, "."); dotted && ofMembers(field) && rest != "" {
			c.field, c.member = field, rest
		} else if !slices.Contains(known, text) {
			hint := "did you mean args." + text + "?"
			if like := diag.Suggest(text, known); like != "" {
				hint = "did you mean " + like + ", or args." + text + "?"
			}
			l.Report(document.UnknownFieldID, item.Pos, "a step has no field "+document.Quote(text), hint)
		}
		for _, other := range out {
			if other.name == c.name || other.field == c.field && (other.member == "" || c.member == "") {
				f := l.Report(document.SyntaxID, item.Pos, "the column "+document.Quote(c.name)+" is there already", "")
				f.Related = []diag.Related{{File: l.File, Pos: other.pos, Message: "the first one"}}
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 && n.Kind == jsonv.List {
		l.Report(document.SyntaxID, n.Pos, "the table has no column", "name fields of a step, such as args.amount, expect and rules")
	}
	return out
}
