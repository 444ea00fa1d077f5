package lint_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// fault changes the parts of a line that a pattern finds, one at a time.
type fault struct {
	kind   string
	files  string         // the extensions of the files it is for
	find   *regexp.Regexp // its first group is changed
	change func(part string) string
	// declares: the part declares a name, so that a fault in it shows where
	// the name is used.
	declares bool
}

// misspelt drops a letter from the middle of a word, or doubles the last of a short one.
func misspelt(word string) string {
	if len(word) < 4 {
		return word + word[len(word)-1:]
	}
	return word[:len(word)/2] + word[len(word)/2+1:]
}

// misspeltLast misspells the last segment of a name.
func misspeltLast(name string) string {
	i := strings.LastIndexByte(name, '.') + 1
	return name[:i] + misspelt(name[i:])
}

// misspeltFirst misspells the first segment of a name.
func misspeltFirst(name string) string {
	first, rest, found := strings.Cut(name, ".")
	if found {
		rest = "." + rest
	}
	return misspelt(first) + rest
}

func to(text string) func(string) string { return func(string) string { return text } }

func around(before, after string) func(string) string {
	return func(part string) string { return before + part + after }
}

// faults are those that stand in one line.
func faults() []fault {
	re := regexp.MustCompile
	all := []fault{
		{kind: "misspelt ability", files: ".yaml", find: re(`^ +(?:- )?ability: (\S+)`), change: misspeltLast},
		{kind: "misspelt ability", files: ".yaml .cbp .txt", find: re(`(?:ability|frequency|after):([a-z]+\.[a-z]+)`), change: misspeltLast},
		{kind: "misspelt ability", files: ".txt", find: re(`^S:([a-z.]+)`), change: misspeltLast},
		{kind: "misspelt ability", files: ".txt", find: re(`^G:([a-z]+\.[a-z]+)`), change: misspeltLast},
		{kind: "misspelt ability", files: ".txt", find: re(`\|(notify\.user)\|`), change: misspeltLast},

		{kind: "misspelt field", files: ".yaml", find: re(`^(?: *(?:- )?)([a-z_]+):(?: |$)`), change: misspelt},
		{kind: "misspelt field", files: ".yaml", find: re(`[{,] ?([a-z_]+): `), change: misspelt},
		{kind: "misspelt parameter", files: ".txt", find: re(`[: |]([a-z_]+)=`), change: misspelt},
		{kind: "misspelt key", files: ".yaml", find: re(`\{\{([a-z_.]+)\}\}`), change: misspeltFirst},
		{kind: "misspelt input", files: ".yaml", find: re(`\{\{(input\.[a-z_.]+)\}\}`), change: misspeltLast},
		{kind: "misspelt key", files: ".yaml", find: re(`ref_key: ([a-z_.]+)`), change: misspeltFirst},
		{kind: "misspelt key", files: ".yaml .txt .cbp", find: re(`(?:output|arg):([a-z_]+)\|`), change: misspelt},
		{kind: "misspelt key", files: ".yaml .txt .cbp", find: re(`(?:[& "]|B:|condition: )([a-z_.]+)[<>]`), change: misspeltFirst},
		{kind: "misspelt key", files: ".txt", find: re(`\$([a-z_]+)`), change: misspelt},
		{kind: "misspelt step", files: ".yaml", find: re(`depends_on: \[(\w+)`), change: misspelt},
		{kind: "misspelt step", files: ".yaml", find: re(`depends_on: \[\w+, (\w+)`), change: misspelt},
		{kind: "misspelt step", files: ".yaml", find: re(`on_failure: (\w+)`), change: misspelt},
		{kind: "misspelt step", files: ".txt", find: re(`after:(send)\|`), change: misspelt},
		{kind: "misspelt declaration", files: ".yaml", find: re(`^  - id: (\w+)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".yaml", find: re(`output_key: (order|summary|receipt)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".yaml", find: re(`^  - \{?name: (\w+)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".yaml", find: re(`^id: (\w+)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".txt", find: re(`>(mails|summary)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".txt", find: re(`^P:(\w+)`), change: misspelt, declares: true},
		{kind: "misspelt declaration", files: ".txt", find: re(`^ADD_PARAM:(\w+)`), change: misspelt, declares: true},
		{kind: "misspelt tag", files: ".txt .cbp", find: re(`^([A-Z_]+):`), change: to("QX")},
		{kind: "misspelt word", files: ".yaml", find: re(`(?:op|mode|missing|param_type): (\w+)`), change: misspelt},
		{kind: "misspelt word", files: ".yaml .txt .cbp", find: re(`(contains|icontains|matches|equals):`), change: misspelt},
		{kind: "misspelt word", files: ".yaml .txt .cbp", find: re(`(ability|frequency|after|output|arg):`), change: misspelt},
		{kind: "misspelt word", files: ".txt", find: re(`[a-z]:(str|number):`), change: misspelt},
		{kind: "misspelt word", files: ".txt", find: re(`^D:\w+\|(\w+)`), change: misspelt},

		{kind: "unknown action", files: ".yaml", find: re(`action: (\w+)`), change: misspelt},
		{kind: "unknown action", files: ".txt .cbp", find: re(`\|(abort|confirm|throttle|warn)`), change: misspelt},
		{kind: "> for >=", files: ".yaml .txt .cbp", find: re(`(>=)`), change: to(">")},
		{kind: ">= for >", files: ".yaml .txt .cbp", find: re(`frequency[a-z:.@]*(>)`), change: to(">=")},

		{kind: "unclosed tag", files: ".txt", find: re(`^(</nyaya>)`), change: to("")},
		{kind: "unclosed tag", files: ".txt", find: re(`^(</nyaya>)`), change: to("<nyaya>")},
		{kind: "unclosed tag", files: ".txt", find: re(`^(</nyaya>)`), change: to("</naya>")},
		{kind: "unclosed tag", files: ".txt", find: re(`^(<nyaya>)`), change: to("")},
		{kind: "unclosed reference", files: ".yaml", find: re(`(\}\})`), change: to("}")},
		{kind: "unclosed reference", files: ".yaml", find: re(`(\}\})`), change: to("")},
		{kind: "unclosed quote", files: ".yaml .txt .cbp", find: re("[^:=|{ ]([\"`])"), change: to("")},
		{kind: "unclosed bracket", files: ".yaml", find: re(`(\])`), change: to("")},
		{kind: "unclosed bracket", files: ".yaml", find: re(`[^}](\})$`), change: to("")},
		{kind: "unclosed bracket", files: ".yaml .txt .cbp", find: re(`[ms](\))`), change: to("")},

		{kind: "swapped fields", files: ".txt .cbp", find: re(`\|((?:abort|confirm|throttle|warn)(?:\(\w+\))?\|"[^"]*")`), change: swapped("|")},
		{kind: "swapped fields", files: ".txt", find: re(`B:([^|"]*\|(?:abort|confirm|throttle))`), change: swapped("|")},
		{kind: "swapped fields", files: ".txt", find: re(`\w:((?:str|number):\w+)`), change: swapped(":")},
		{kind: "swapped fields", files: ".txt", find: re(`^D:(\w+\|\w+)`), change: swapped("|")},

		{kind: "dropped dependency", files: ".yaml", find: re(`depends_on: \[(\w+(?:, )?)`), change: to("")},
		{kind: "dropped dependency", files: ".yaml", find: re(`depends_on: \[\w+(, \w+)`), change: to("")},
	}
	for _, wrong := range []func(string) string{around("[", "]"), around("{is: ", "}")} {
		all = append(all, fault{kind: "wrong type", files: ".yaml", find: re(`^ *(?:- )?[a-z_]+: ([^\[{ ].*)$`), change: wrong})
	}
	return append(all,
		fault{kind: "wrong type", files: ".yaml", find: re(`[a-z_]+: (\d+|true|false)$`), change: to("many")},
		fault{kind: "wrong type", files: ".yaml", find: re(`[a-z_]+: ((?:\[|\{).*)$`), change: to("many")},
		fault{kind: "wrong type", files: ".txt", find: re(`(?:limit|number)[=:](\d+)`), change: to("many")},
		fault{kind: "wrong type", files: ".txt .cbp", find: re(`[<>]=?(\d+)[|/]`), change: to("many")},
	)
}

// swapped puts two parts of a text in each other's place.
func swapped(separator string) func(string) string {
	return func(part string) string {
		first, second, _ := strings.Cut(part, separator)
		return second + separator + first
	}
}

// mutants are all that the faults make of a file.
func (g goodFiles) mutants(name string) []mutant {
	lines, ext := g.lines[name], name[strings.LastIndexByte(name, '.'):]
	var all []mutant
	for _, f := range faults() {
		if !slices.Contains(strings.Fields(f.files), ext) {
			continue
		}
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "#") || ext == ".txt" && !strings.Contains(line, ":") && !strings.Contains(line, "nyaya>") {
				continue
			}
			for _, at := range f.find.FindAllStringSubmatchIndex(line, -1) {
				part := line[at[2]:at[3]]
				changed := slices.Clone(lines)
				changed[i] = line[:at[2]] + f.change(part) + line[at[3]:]
				right := map[place]bool{{name, i + 1}: true}
				if f.declares {
					maps.Copy(right, g.mentions(part))
					if len(right) == 1 {
						continue // nobody uses it: it may be called anything
					}
				}
				if f.kind == "unclosed tag" { // the one tag that is there
					for j, l := range lines {
						if strings.HasSuffix(l, "nyaya>") {
							right[place{name, j + 1}] = true
						}
					}
				}
				all = append(all, mutant{f.kind, strings.TrimSpace(changed[i]), changed, right})
			}
		}
	}
	if ext == ".yaml" {
		all = append(all, g.flattened(name)...)
		all = append(all, g.swappedLines(name)...)
		all = append(all, g.droppedSteps(name)...)
	}
	return all
}

var containerLine = regexp.MustCompile(`^( *)(params|steps|circuit_breakers?|args|condition):$`)

// flattened puts a text in the place of a list or a map.
func (g goodFiles) flattened(name string) []mutant {
	lines := g.lines[name]
	var all []mutant
	for i, line := range lines {
		m := containerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		changed := slices.Clone(lines)
		changed[i] += " many"
		for j := i + 1; j < len(lines) && (lines[j] == "" || strings.HasPrefix(lines[j], m[1]+" ")); j++ {
			changed[j] = ""
		}
		all = append(all, mutant{"wrong type", strings.TrimSpace(changed[i]), changed, map[place]bool{{name, i + 1}: true}})
	}
	return all
}

// exchanged are the fields of neighbouring lines whose values can be told apart.
var exchanged = [][2]string{
	{"condition", "action"}, {"action", "reason"}, {"id", "ability"}, {"ref_key", "op"}, {"op", "value"}, {"name", "param_type"}, {"param_type", "required"},
}

var fieldLine = regexp.MustCompile(`^( *(?:- )?)([a-z_]+): (.+)$`)

// swappedLines puts the values of two fields in each other's place.
func (g goodFiles) swappedLines(name string) []mutant {
	lines := g.lines[name]
	var all []mutant
	for i := range lines[1:] {
		a, b := fieldLine.FindStringSubmatch(lines[i]), fieldLine.FindStringSubmatch(lines[i+1])
		if a == nil || b == nil || !slices.Contains(exchanged, [2]string{a[2], b[2]}) {
			continue
		}
		changed := slices.Clone(lines)
		changed[i], changed[i+1] = a[1]+a[2]+": "+b[3], b[1]+b[2]+": "+a[3]
		right := map[place]bool{{name, i + 1}: true, {name, i + 2}: true}
		if a[2] == "id" || a[2] == "name" { // nothing is called so any more
			maps.Copy(right, g.mentions(a[3]))
		}
		all = append(all, mutant{"swapped fields", strings.TrimSpace(changed[i] + " / " + changed[i+1]), changed, right})
	}
	return all
}

var stepLine = regexp.MustCompile(`^  - id: (\w+)$`)

// droppedSteps removes one step at a time of those that others depend on, or
// that go on after a failure: that shows where they name it or what it puts out.
func (g goodFiles) droppedSteps(name string) []mutant {
	lines := g.lines[name]
	var all []mutant
	first := slices.Index(lines, "steps:") + 1
	for i := first; i < len(lines); i++ {
		m := stepLine.FindStringSubmatch(lines[i])
		if m == nil || !regexp.MustCompile(`(depends_on|on_failure): .*\b`+m[1]+`\b`).MatchString(strings.Join(lines[first:], "\n")) {
			continue
		}
		end, right := i+1, g.mentions(m[1])
		for ; end < len(lines) && !stepLine.MatchString(lines[end]); end++ {
			if output, found := strings.CutPrefix(lines[end], "    output_key: "); found {
				maps.Copy(right, g.mentions(output))
			}
		}
		changed := slices.Clone(lines)
		for j := i; j < end; j++ {
			changed[j] = "" // the other lines keep their numbers
		}
		all = append(all, mutant{"dropped dependency", "without step " + m[1], changed, right})
	}
	return all
}
