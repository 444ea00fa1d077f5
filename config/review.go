package config

import (
	"time"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// Reviewer is who reviews.
type Reviewer string

// The reviewers. The zero value is nobody.
const (
	NoReviewer    Reviewer = ""
	RulesReviewer Reviewer = "rules"   // the one that needs no model
	CommandReview Reviewer = "command" // a program
	ModelReview   Reviewer = "model"   // behind an endpoint for chat completions
)

// Review says by whom and when tasks are reviewed.
type Review struct {
	By      Reviewer
	Command []string // the program and its arguments
	URL     string   // of the endpoint
	Model   string
	KeyEnv  string        // the variable that holds the endpoint's key; "": there is none
	Timeout time.Duration // of a review; 0: review.DefaultTimeout
	// Most is how many reviews a task may have; 0: session.MaxReviews, below 0: none.
	Most     int
	OnExceed registry.OnExceed
	Role     string // what the reviewer is to be
	// Preamble is a file with what the operator has to say to the reviewer,
	// Patterns one in which failures are remembered; both are relative to the
	// configuration until Resolve.
	Preamble, Patterns string
	Mandatory          Mandatory
}

// Mandatory says which work is reviewed before it begins.
type Mandatory struct {
	Asked  Asked
	Limits review.Limits
}

// Asked says whether risky work must be reviewed before it begins.
type Asked int

// The zero value is: where there is a reviewer.
const (
	IfReviewer Asked = iota
	Always           // work that nobody can review is not begun
	Never
)

// Asks reports whether risky work must be reviewed, given whether there
// is somebody to do it.
func (m *Mandatory) Asks(reviewer bool) bool {
	return m.Asked == Always || m.Asked == IfReviewer && reviewer
}

const (
	reviewPrefix    = "review."
	mandatoryPrefix = "review.mandatory."
)

// maxReviews bounds the reviews that may be set for a task: each is a whole
// further attempt.
const maxReviews = 10

func (r *reader) review(n *document.Node) {
	v := &r.config.Review
	var fields []document.Field
	add := func(name string, read func(n *document.Node)) {
		fields = append(fields, document.Field{Name: name, Read: func(n *document.Node) {
			r.mark(reviewPrefix+name, n)
			read(n)
		}})
	}
	add("reviewer", func(n *document.Node) {
		switch {
		case n.Scalar() && n.Text == "none":
		case n.Scalar() && n.Text == "rules":
			v.By = RulesReviewer
		default:
			r.wrong(n, "reviewer", "write rules, or none; a program is a command:, a model a url:")
		}
	})
	add("command", func(n *document.Node) {
		v.By = CommandReview
		if v.Command = r.texts(n, "command"); n.Kind == jsonv.List && len(n.Items) == 0 {
			r.Report(document.SyntaxID, n.Pos, "command names no program", "such as [python3, review.py]")
		}
	})
	add("url", func(n *document.Node) { v.By, v.URL = ModelReview, r.filled(n, "url") })
	add("model", func(n *document.Node) { v.Model = r.filled(n, "model") })
	add("key_env", func(n *document.Node) { v.KeyEnv = r.filled(n, "key_env") })
	add("timeout", func(n *document.Node) { v.Timeout = r.duration(n, "timeout") })
	add("max_reviews", func(n *document.Node) { v.Most = r.reviews(n, "max_reviews") })
	add("on_exceed", func(n *document.Node) { v.OnExceed = r.onExceed(n) })
	add("role", func(n *document.Node) { v.Role = r.filled(n, "role") })
	add("preamble", func(n *document.Node) { v.Preamble = r.filled(n, "preamble") })
	add("patterns", func(n *document.Node) { v.Patterns = r.filled(n, "patterns") })
	add("mandatory", r.mandatory)
	r.Fields(n, "review", fields, map[string]string{
		"key": "the key itself belongs in a variable: did you mean key_env?", "max_retries": "did you mean max_reviews?", "by": "did you mean reviewer?",
	})
	r.reviewer(n)
}

// reviewer checks that what is said of the reviewer goes together.
func (r *reader) reviewer(n *document.Node) {
	said := func(name string) bool { _, said := r.config.said[reviewPrefix+name]; return said }
	pos := func(name string) *document.Node {
		for i, field := range n.Names {
			if field.Text == name {
				return n.Items[i]
			}
		}
		return n
	}
	var who []string
	for _, name := range []string{"reviewer", "command", "url"} {
		if said(name) {
			who = append(who, name)
		}
	}
	v := &r.config.Review
	switch {
	case len(who) > 1:
		r.Report(document.SyntaxID, pos(who[1]).Pos, who[1]+" and "+who[0]+" both say who reviews", "remove one of the two")
	case said("url") && !said("model"):
		r.Report(document.SyntaxID, pos("url").Pos, "the model behind url is not named", "add model:")
	case said("url") && v.URL != "" && v.Model != "":
		if _, err := review.NewHTTP(v.URL, v.Model, ""); err != nil {
			r.Report(document.SyntaxID, pos("url").Pos, err.Error(), "such as https://api.example.com/v1")
		}
	case said("model") || said("key_env"):
		name := "model"
		if !said(name) {
			name = "key_env"
		}
		r.Report(document.SyntaxID, pos(name).Pos, name+" says nothing without url", "add url:")
	}
}

// mandatory reads whether risky work must be reviewed, and what is risky.
func (r *reader) mandatory(n *document.Node) {
	m := &r.config.Review.Mandatory
	if n.Kind != jsonv.Object {
		if m.Asked = Never; r.flag(n, "mandatory") {
			m.Asked = Always
		}
		return
	}
	m.Asked = Always
	var fields []document.Field
	add := func(name string, read func(n *document.Node)) {
		fields = append(fields, document.Field{Name: name, Read: func(n *document.Node) {
			r.mark(mandatoryPrefix+name, n)
			read(n)
		}})
	}
	add("calls", func(n *document.Node) { m.Limits.Calls = orNone(r.count(n, "calls", 0)) })
	add("duration", func(n *document.Node) { m.Limits.Duration = r.duration(n, "duration") })
	add("files", func(n *document.Node) { m.Limits.Files = orNone(r.count(n, "files", 0)) })
	add("critical", func(n *document.Node) { m.Limits.Critical = r.patterns(n, "critical") })
	r.Fields(n, "mandatory", fields, map[string]string{"abilities": "did you mean critical?"})
}

// orNone writes a limit of 0 as those do for whom 0 is the default.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// reviews reads a number of reviews.
func (r *reader) reviews(n *document.Node, what string) int {
	v := r.count(n, what, 0)
	if v > maxReviews {
		r.wrong(n, what, "write a whole number from 0 to 10: each review is a whole further attempt")
	}
	return orNone(v)
}

// onExceed reads what follows where a limit is passed.
func (r *reader) onExceed(n *document.Node) registry.OnExceed {
	switch n.Text {
	case "review":
		return registry.ReviewOnExceed
	case "abort":
		return registry.AbortOnExceed
	}
	r.wrong(n, "on_exceed", "write review, or abort")
	return registry.AsWritten
}

func onExceedOf(review bool) registry.OnExceed {
	if review {
		return registry.ReviewOnExceed
	}
	return registry.AbortOnExceed
}

// filled reads a text that is not empty.
func (r *reader) filled(n *document.Node, what string) string {
	text, ok := r.Text(n, what)
	if ok && text == "" {
		r.Report(document.SyntaxID, n.Pos, what+" is empty", "leave it out")
	}
	return text
}

// critical are the abilities that are critical, as in the file.
func (m *Mandatory) critical() string {
	if m.Limits.Critical == nil {
		return "the usual ones"
	}
	return list[dsl.NamePattern](m.Limits.Critical)
}
