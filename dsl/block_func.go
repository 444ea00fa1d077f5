package dsl

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Function is what a PROPOSE_FUNC block describes. It is a proposal to a
// person: nothing runs by it.
type Function struct {
	Name, Description, Category string
	Security                    string // one of Securities; "": not said
	Params                      []FunctionParam
	ReturnType, Returns         string
	Fields                      []FunctionParam // of what it returns; Required and Default are not said
	Examples                    [][2]string     // input and output, each JSON
}

// FunctionParam is a parameter, or a field, of a function.
type FunctionParam struct {
	Name, Type, Default, Description string
	Required                         bool
	Pos                              diag.Position
}

// Securities are the words of SEC:, in rising order of what a function may do.
func Securities() []string {
	return []string{"read_only", "local_write", "ext_read", "ext_write", "critical"}
}

// readFunc reads a line of a PROPOSE_FUNC block.
func (r *blockReader) readFunc(l blockLine) {
	f := r.block.Function
	text := trimBlank(l.Text)
	if text == "" {
		r.report(l.fault(l.Tag+": is empty", "write what it says"))
		return
	}
	switch l.Tag {
	case "D":
		f.Description = text
	case "CAT":
		f.Category = text
	case "SEC":
		if f.Security = text; !slices.Contains(Securities(), text) {
			r.report(l.text.fault(0, len(l.Text), "unknown security "+inQuotes(text), didYouMean(text, Securities(), "", "")))
		}
	case "RET":
		f.ReturnType, f.Returns, _ = strings.Cut(text, ":")
	case "P", "RF":
		r.readFuncParam(l)
	case "EX":
		in, out, ok := strings.Cut(text, "->")
		if !ok || !json.Valid([]byte(in)) || !json.Valid([]byte(out)) {
			r.report(l.text.fault(0, len(l.Text), "an example is JSON, ->, and JSON", `such as EX:{"city":"NYC"}->{"temp":21}`))
			return
		}
		f.Examples = append(f.Examples, [2]string{trimBlank(in), trimBlank(out)})
	}
}

// readFuncParam reads P:name:type:required:default:description, of which the
// last parts may be left out, and RF:name:type:description.
func (r *blockReader) readFuncParam(l blockLine) {
	most, into := 5, &r.block.Function.Params
	if l.Tag == "RF" {
		most, into = 3, &r.block.Function.Fields
	}
	fields := strings.SplitN(l.Text, ":", most)
	p := FunctionParam{Name: trimBlank(fields[0]), Pos: l.At}
	if !blockName().MatchString(p.Name) || len(fields) < 2 {
		r.report(l.text.fault(0, max(len(l.Text), 1), "a parameter has a name and a type", "such as P:city:string:required"))
		return
	}
	p.Type = trimBlank(fields[1])
	if l.Tag == "RF" {
		p.Description = strings.Join(fields[2:], "")
		*into = append(*into, p)
		return
	}
	if len(fields) > 2 {
		word := trimBlank(fields[2])
		if !slices.Contains([]string{"required", "optional", "true", "false", ""}, word) {
			at := len(fields[0]) + len(fields[1]) + 2
			r.report(l.text.fault(at, at+len(fields[2]), inQuotes(word)+" does not say whether it is required", "required, optional, true or false"))
			return
		}
		p.Required = word == "required" || word == "true"
	}
	if len(fields) > 3 {
		p.Default = trimBlank(fields[3])
	}
	if len(fields) > 4 {
		p.Description = trimBlank(fields[4])
	}
	*into = append(*into, p)
}
