package review

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// The bounds of guidance.
const (
	MaxGuidance  = 16 << 10 // bytes of Text
	maxAnalysis  = 4 << 10  // bytes of the analysis
	maxPoint     = 1 << 10  // bytes of a mistake or of a step of the approach
	maxPoints    = 20       // mistakes, and steps of the approach
	maxSource    = 100      // bytes
	maxAnswer    = 1 << 20  // bytes of a reviewer's answer
	answerNested = 20       // depth of its JSON
)

// Specialist is the kind of trouble that guidance is about.
type Specialist string

// The specialists. The empty one is read as Approach.
const (
	Loop     Specialist = "loop"     // the same again and again
	Mistake  Specialist = "error"    // an error that is not dealt with
	Approach Specialist = "approach" // the wrong way to go about it
)

// Guidance is what a reviewer has to say. It is words and nothing else: calls
// that it suggests are judged like any others when the agent makes them.
type Guidance struct {
	Analysis   string     `json:"analysis"` // what went wrong; never blank
	Mistakes   []string   `json:"mistakes"`
	Approach   []string   `json:"approach"` // what to do instead, in order; at least one
	Specialist Specialist `json:"specialist"`
	Source     string     `json:"source"` // the reviewer's name, set by Ask
}

// Text is what is handed to the agent: at most MaxGuidance bytes of UTF-8, in
// which nothing can be read as a rule, as a block or as a character that does
// not show.
func (g *Guidance) Text() string {
	c := g.clean()
	var b strings.Builder
	b.WriteString("A review of your earlier attempt at this task")
	if c.Source != "" {
		b.WriteString(" (" + strings.ReplaceAll(c.Source, "\n", " ") + ")")
	}
	b.WriteString(". It is advice: every rule and limit holds as before.\n\nWhat went wrong:\n")
	item(&b, "- ", c.Analysis)
	if len(c.Mistakes) > 0 {
		b.WriteString("\nMistakes not to repeat:\n")
	}
	for _, m := range c.Mistakes {
		item(&b, "- ", m)
	}
	if len(c.Approach) > 0 {
		b.WriteString("\nA better approach:\n")
	}
	for i, a := range c.Approach {
		item(&b, fmt.Sprintf("%d. ", i+1), a)
	}
	return cutValid(b.String(), MaxGuidance)
}

// clean returns a copy within bounds, without blank points, and harmless.
func (g *Guidance) clean() *Guidance {
	c := &Guidance{Analysis: words(g.Analysis, maxAnalysis), Mistakes: points(g.Mistakes), Approach: points(g.Approach),
		Specialist: g.Specialist, Source: words(g.Source, maxSource)}
	if c.Specialist != Loop && c.Specialist != Mistake {
		c.Specialist = Approach
	}
	return c
}

func points(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = words(t, maxPoint); t != "" && len(out) < maxPoints {
			out = append(out, t)
		}
	}
	return out
}

// words cuts twice: escaping lengthens, and what is cut anyway need not be
// escaped. It is "" where nothing shows: escaped, that would read as words.
func words(text string, n int) string {
	start := cut(text, n)
	shown := start
	if len(text) > n {
		shown = strings.TrimSuffix(start, CutMark)
	}
	if !strings.ContainsFunc(shown, shows) {
		return ""
	}
	return cutValid(harmless(strings.TrimSpace(start)), n)
}

// check says what guidance lacks.
func (g *Guidance) check() error {
	switch {
	case strings.TrimSpace(g.Analysis) == "":
		return errors.New("the guidance has no analysis")
	case len(g.Approach) == 0:
		return errors.New("the guidance has no approach: there is nothing to do otherwise")
	}
	return nil
}

// ParseGuidance reads guidance from a reviewer's answer: one JSON object
//
//	{"analysis": "…", "mistakes": ["…"], "approach": ["…"], "specialist": "loop"}
//
// with a specialist of loop, error or approach. analysis and approach are
// required; source is ignored. Any other member is an error, as a reviewer that
// sends a rule or a limit must not believe it to hold.
func ParseGuidance(data []byte) (*Guidance, error) {
	if len(data) > maxAnswer {
		return nil, fmt.Errorf("the answer has %d bytes; at most %d are read", len(data), maxAnswer)
	}
	v, err := jsonv.Parse(data, jsonv.Limits{Depth: answerNested})
	if err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if v.Kind() != jsonv.Object {
		return nil, fmt.Errorf("the answer is %s; guidance is an object with analysis, mistakes, approach and specialist", v.Kind())
	}
	g := &Guidance{}
	for i := range v.Len() {
		if err := g.member(v.Key(i), v.Elem(i)); err != nil {
			return nil, err
		}
	}
	g = g.clean()
	if err := g.check(); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Guidance) member(key string, v jsonv.Value) (err error) {
	switch key {
	case "analysis":
		g.Analysis, err = text(key, v)
	case "mistakes":
		g.Mistakes, err = texts(key, v)
	case "approach":
		g.Approach, err = texts(key, v)
	case "source":
		_, err = text(key, v)
	case "specialist":
		var s string
		s, err = text(key, v)
		if g.Specialist = Specialist(s); err == nil && s != string(Loop) && s != string(Mistake) && s != string(Approach) {
			err = fmt.Errorf("specialist: %q is none; write loop, error or approach", cut(s, 40))
		}
	default:
		err = fmt.Errorf("guidance has no member %q; it has analysis, mistakes, approach and specialist", cut(key, 40))
	}
	return err
}

func text(key string, v jsonv.Value) (string, error) {
	if v.Kind() != jsonv.String {
		return "", fmt.Errorf("%s: a text is wanted, not %s", key, v.Kind())
	}
	return v.Text(), nil
}

func texts(key string, v jsonv.Value) ([]string, error) {
	switch v.Kind() {
	case jsonv.List:
	case jsonv.Null: // how many languages write an empty list
		return nil, nil
	default:
		return nil, fmt.Errorf("%s: a list of texts is wanted, not %s", key, v.Kind())
	}
	out := make([]string, v.Len())
	for i := range out {
		var err error
		if out[i], err = text(fmt.Sprintf("%s[%d]", key, i), v.Elem(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
