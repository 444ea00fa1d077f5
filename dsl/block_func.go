package dsl

import (
	"bytes"
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
	switch {
	case text == "":
		r.report(l.fault(l.Tag+": is empty", "write what it says"))
		return
	case l.Tag == "P":
		r.readFuncParam(l)
		return
	case l.Tag == "RF":
		r.readFuncField(l)
		return
	case l.Tag == "EX":
		r.readExample(l)
		return
	case !r.once(l):
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
		kind, words, _ := strings.Cut(text, ":")
		f.ReturnType, f.Returns = trimBlank(kind), trimBlank(words)
		if f.ReturnType == "" {
			r.report(l.text.fault(0, len(l.Text), "RET: is missing the type", "such as RET:int:the number of lines"))
		}
	}
}

// readFuncParam reads P:name:type:required:default:description, of which the
// last parts may be left out.
func (r *blockReader) readFuncParam(l blockLine) {
	fields := strings.SplitN(l.Text, ":", 5)
	p, f := l.funcParam(fields, r.block.Function.Params, "P:city:string:required")
	if f != nil {
		r.report(f)
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
	r.block.Function.Params = append(r.block.Function.Params, p)
}

// readFuncField reads RF:name:type:description.
func (r *blockReader) readFuncField(l blockLine) {
	fields := strings.SplitN(l.Text, ":", 3)
	p, f := l.funcParam(fields, r.block.Function.Fields, "RF:lines:int:the number")
	if f != nil {
		r.report(f)
		return
	}
	if len(fields) > 2 {
		p.Description = trimBlank(fields[2])
	}
	r.block.Function.Fields = append(r.block.Function.Fields, p)
}

// funcParam reads the name and the type, which every parameter and field has.
func (l *blockLine) funcParam(fields []string, others []FunctionParam, example string) (p FunctionParam, f *diag.Finding) {
	p = FunctionParam{Name: trimBlank(fields[0]), Pos: l.At}
	if len(fields) > 1 {
		p.Type = trimBlank(fields[1])
	}
	switch {
	case !blockName().MatchString(p.Name) || p.Type == "":
		f = l.text.fault(0, max(len(l.Text), 1), l.Tag+": needs a name and a type", "such as "+example)
	case slices.ContainsFunc(others, func(o FunctionParam) bool { return o.Name == p.Name }):
		f = l.text.fault(0, len(fields[0]), "a second "+inQuotes(p.Name), "choose another name")
	case len(others) == maxFunctionPart:
		f = l.text.tooMany(0, len(l.Text), l.Tag+": lines", maxFunctionPart)
	}
	return p, f
}

// readExample reads EX:input->output, both JSON.
func (r *blockReader) readExample(l blockLine) {
	in, out, ok := cutExample(l.Text)
	switch examples := &r.block.Function.Examples; {
	case !ok:
		r.report(l.text.fault(0, len(l.Text), "an example is JSON, ->, and JSON", `such as EX:{"city":"NYC"}->{"temp":21}`))
	case len(*examples) == maxFunctionPart:
		r.report(l.text.tooMany(0, len(l.Text), "examples", maxFunctionPart))
	default:
		*examples = append(*examples, [2]string{in, out})
	}
}

// cutExample splits at the "->" behind the first JSON value, which may hold others.
func cutExample(text string) (in, out string, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	var first json.RawMessage
	if d.Decode(&first) != nil {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(text[d.InputOffset():], " \t"), "->")
	if rest = trimBlank(rest); !ok || !json.Valid([]byte(rest)) {
		return "", "", false
	}
	return string(bytes.TrimSpace(first)), rest, true
}
