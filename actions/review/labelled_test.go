package review_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions/review"
)

// labelled is a failure of testdata/failures.txt.
type labelled struct {
	line             int
	half, kind, rule string
	c                *review.Case
}

// failures reads the labelled set. The notation is described in its head.
func failures(t *testing.T) (all []labelled) {
	f, err := os.Open("testdata/failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 4 {
			t.Fatalf("line %d: %d fields", n, len(fields))
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		l := labelled{n, fields[0], fields[1], fields[2], &review.Case{Rule: review.Rule{ID: fields[2]}}}
		serial := 0
		for _, call := range unroll(t, fields[3]) {
			serial++
			l.c.Calls = append(l.c.Calls, parseCall(call, serial))
		}
		all = append(all, l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// unroll writes (a ; b)*2 out as a, b, a, b.
func unroll(t *testing.T, text string) (calls []string) {
	for rest := text; rest != ""; {
		before, group, found := strings.Cut(rest, "(")
		calls = append(calls, split(before)...)
		if !found {
			break
		}
		body, after, found := strings.Cut(group, ")*")
		count, more, _ := strings.Cut(after, ";")
		n, err := strconv.Atoi(strings.TrimSpace(count))
		if !found || err != nil {
			t.Fatalf("%q: want (…)*N", text)
		}
		for range n {
			calls = append(calls, split(body)...)
		}
		rest = more
	}
	return calls
}

func split(text string) (calls []string) {
	for c := range strings.SplitSeq(text, ";") {
		if c = strings.TrimSpace(c); c != "" {
			calls = append(calls, c)
		}
	}
	return calls
}

func parseCall(text string, serial int) review.Call {
	words := strings.Fields(text)
	c := review.Call{Ability: words[0], Output: "same"}
	if worker, ok := strings.CutPrefix(words[0], "delegate."); ok {
		c.Worker = worker
	}
	for _, w := range words[1:] {
		if class, ok := strings.CutPrefix(w, "!"); ok {
			c.Error, c.Output = &review.Failure{Class: class, Message: "failed"}, ""
			continue
		}
		if w, changes := strings.CutSuffix(w, "~"); changes {
			c.Output = fmt.Sprint("output ", serial)
			c.Args = strconv.Quote(w)
			continue
		}
		c.Args = strconv.Quote(strings.ReplaceAll(w, "#", fmt.Sprint(serial)))
	}
	return c
}

// remember records failures, as their review says, and returns of which kinds
// each pattern is.
func remember(t *testing.T, p *review.Patterns, all []labelled) map[string][]string {
	kinds := map[string][]string{}
	for _, l := range all {
		g, err := review.Ask(t.Context(), "rules", review.Rules{}, l.c, 0)
		if err != nil {
			t.Fatal(err)
		}
		id := p.Record(l.c, g)
		kinds[id] = append(kinds[id], l.kind)
	}
	return kinds
}

// score is how often the right pattern came first.
type score struct{ right, of, falsely, others int }

// found judges what is found for a failure.
func (s *score) found(t *testing.T, l labelled, matches []review.Match, kinds map[string][]string) {
	if l.kind == "other" {
		s.others++
		if len(matches) > 0 && kinds[matches[0].ID][0] != "other" {
			s.falsely++
			t.Logf("line %d: other: %s at %.4f", l.line, kinds[matches[0].ID], matches[0].Similarity)
		}
		return
	}
	s.of++
	if len(matches) == 0 {
		t.Logf("line %d: %s: nothing found", l.line, l.kind)
		return
	}
	for _, kind := range kinds[matches[0].ID] { // of all failures that were merged into it
		if kind != l.kind {
			t.Logf("line %d: %s: found %s at %.4f", l.line, l.kind, kinds[matches[0].ID], matches[0].Similarity)
			return
		}
	}
	s.right++
}

func (s *score) report(t *testing.T, half string) {
	t.Logf("%s half: the right pattern comes first in %d of %d failures (%d %%); of %d that are like no other, %d are offered one",
		half, s.right, s.of, s.right*100/s.of, s.others, s.falsely)
	if s.right*10 < s.of*9 {
		t.Errorf("%s half: the right pattern comes first in %d of %d failures; at least 90 %% are wanted", half, s.right, s.of)
	}
}

// The right pattern comes first in at least 90 % of the failures: of the tuned
// half each with all others of that half known, of the held half with the tuned
// half known.
func TestPatterns_TheRightOneComesFirst(t *testing.T) {
	var tuned, held []labelled
	for _, l := range failures(t) {
		if l.half == "tuned" {
			tuned = append(tuned, l)
		} else {
			held = append(held, l)
		}
	}
	var s score
	for i, l := range tuned {
		var p review.Patterns
		kinds := remember(t, &p, append(append([]labelled(nil), tuned[:i]...), tuned[i+1:]...))
		s.found(t, l, p.Similar(l.c), kinds)
	}
	s.report(t, "tuned")
	s = score{}
	var p review.Patterns
	kinds := remember(t, &p, tuned)
	for _, l := range held {
		s.found(t, l, p.Similar(l.c), kinds)
	}
	s.report(t, "held")
}
