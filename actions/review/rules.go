package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// Rules is the reviewer that needs no model: it finds in the recorded calls
//
//   - the loop: equal calls with equal results, calls by turns, one ability
//     over and over with other arguments (specialist loop);
//   - the ignored error: an error again and again, a failed call made again
//     unchanged (specialist error);
//   - the repeated edit: one file changed again and again, each time with more
//     text (specialist approach);
//   - the missing verification: changes with nothing read, tested or checked
//     behind them (specialist approach),
//
// and says so, what weighs most first. For equal cases its guidance is equal.
// What it cites of calls stands in “…” and is cut short. The zero Rules is ready.
type Rules struct{}

// signs is what finders look at.
type signs struct {
	calls []Call
	kinds []kind // of each call
}

// finding is one thing that went wrong in a case.
type finding struct {
	specialist Specialist
	weight     int // how many calls it cost, as far as can be told
	analysis   string
	mistake    string
	approach   []string
}

// Review implements Reviewer. It never fails but for a context that has ended.
func (Rules) Review(ctx context.Context, c *Case) (*Guidance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c = c.Bounded()
	if c.Work != nil {
		return before(c), nil
	}
	s := &signs{calls: c.Calls}
	for i := range s.calls {
		s.kinds = append(s.kinds, kindOf(&s.calls[i]))
	}
	var found []*finding
	// Their order decides between equal weights.
	for _, find := range []func(*signs) *finding{equalCalls, turns, failedAgain, sameError, repeatedEdit, oneAbility, unverified} {
		if f := find(s); f != nil {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b *finding) int { return b.weight - a.weight })
	if len(found) == 0 {
		found = []*finding{tooLarge(s)}
	}
	g := &Guidance{Analysis: opening(c), Specialist: found[0].specialist, Source: "rules"}
	for _, f := range found {
		g.Analysis += " " + f.analysis
		g.Mistakes = append(g.Mistakes, f.mistake)
		g.Approach = append(g.Approach, f.approach...)
	}
	g.Approach = unique(append(g.Approach, remembered(c)...))
	return g.clean(), nil
}

// opening says what was stopped and by which rule.
func opening(c *Case) string {
	why := c.Rule.Explain
	if why == "" {
		why = c.Rule.Reason
	}
	calls := len(c.Calls) + c.LeftOut
	if n, err := strconv.Atoi(c.Counters["task.tool_calls"]); err == nil && n > 0 {
		calls = n // those under way, and those left out, too
	}
	text := fmt.Sprintf("Attempt %d was stopped after %s", c.Attempt, count(calls, "call"))
	if c.Rule.ID != "" {
		text += " by the rule " + c.Rule.ID
	}
	if why != "" {
		text += " (" + cut(why, 200) + ")"
	}
	return text + "."
}

// tooLarge is the finding when there is no other.
func tooLarge(s *signs) *finding {
	f := &finding{
		specialist: Approach,
		analysis:   "The recorded calls hold no loop and no repeated error: the work was too large for one attempt, or its goal was not clear.",
		mistake:    "Working on without a plan that says when the task is done.",
		approach: []string{
			"Write down in a few lines what has to be true for the task to be done, and which of it is done already.",
			"Do the most important open part first, in as few calls as it needs, and leave out what nobody asked for.",
			"If what is left does not fit, hand back what is done and say what is open.",
		},
	}
	looked := 0
	for _, k := range s.kinds {
		if k == reads || k == searches {
			looked++
		}
	}
	if looked >= 10 && looked*10 >= len(s.kinds)*9 {
		f.analysis = fmt.Sprintf("Of %s, %d looked something up and next to nothing was done with it.", count(len(s.kinds), "call"), looked)
		f.mistake = "Gathering more and more without deciding."
		f.approach[1] = "Decide with what is known now; look up only what that decision still lacks, and name it before the call."
	}
	return f
}

// earlierAdvice begins advice that is an earlier remedy, which is not recorded
// as a new one.
const earlierAdvice = "In an earlier failure that looked like this one, the advice was: "

// Advised are the failure patterns of a case whose remedies helped and are
// given on, the most alike first: at most two, as more would be no advice.
func Advised(c *Case) (ids []string) {
	for _, k := range advised(c) {
		ids = append(ids, k.ID)
	}
	return ids
}

func advised(c *Case) (helped []Match) {
	for _, k := range c.Known {
		// A remedy that failed more often than not is no advice.
		if len(k.Remedy) > 0 && 2*k.Helped >= k.Offered && len(helped) < 2 {
			helped = append(helped, k)
		}
	}
	return helped
}

// remembered is what helped in failures that looked alike.
func remembered(c *Case) (approach []string) {
	for _, k := range advised(c) {
		approach = append(approach, earlierAdvice+cut(strings.Join(k.Remedy, " "), 600))
	}
	return approach
}

func unique(texts []string) []string {
	var out []string
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// cite quotes a text of a call on one line, so that it cannot end its quotation.
func cite(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`).Replace(strings.TrimSpace(cut(text, 200)))
	return "“" + cut(diag.Escape(text), 120) + "”"
}

// citeCall quotes a call.
func citeCall(c *Call) string {
	if c.Args == "" || c.Args == "{}" {
		return cite(c.Ability)
	}
	return cite(c.Ability + " " + c.Args)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
