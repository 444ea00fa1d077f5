package review_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cbpolicy/cbpolicy/actions/review"
	"github.com/cbpolicy/cbpolicy/dsl"
)

// What the operator says reaches a model as its instructions and not as data;
// of work that was not begun it is told so.
func TestHTTP_RoleAndWork(t *testing.T) {
	var sent struct{ Messages []struct{ Content string } }
	r := endpoint(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		_ = json.Unmarshal(body, &sent)
		fmt.Fprint(w, completion(goodJSON))
	})
	c := &review.Case{Task: "t", Role: "a senior tester", Preamble: "Judge by the checklist."}
	if _, err := r.Review(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	system, user := sent.Messages[0].Content, sent.Messages[1].Content
	for _, want := range []string{"The operator wants the review of: a senior tester", "The operator says:\nJudge by the checklist."} {
		if !strings.Contains(system, want) || strings.Contains(user, "senior tester") || strings.Contains(user, "checklist") {
			t.Errorf("no %q in %q, or in %q", want, system, user)
		}
	}
	if strings.Contains(system, "nothing was done yet") {
		t.Error("a case of work that was done")
	}
	e := review.Assess(review.Work{Risk: dsl.RiskHigh})
	if _, err := r.Review(t.Context(), &review.Case{Work: &e}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(sent.Messages[0].Content, "nothing was done yet") || !strings.Contains(sent.Messages[1].Content, `"work":{"review":true,"score":40,"level":"medium","reasons":[{"kind":"risk"`) {
		t.Errorf("%+v", sent)
	}
	if c.Role == "" {
		t.Error("the case was changed")
	}
}

// The reviewer without a model says why work is risky, and what to see to.
func TestRules_BeforeWork(t *testing.T) {
	e := review.Assess(review.Work{Risk: dsl.RiskCritical, Abilities: []string{"pay"}, Calls: 20, Duration: -1, Files: 6, Blocks: 2})
	g, err := review.Rules{}.Review(t.Context(), &review.Case{Work: &e})
	if err != nil || len(g.Approach) != 7 || len(g.Mistakes) != 0 || !strings.Contains(g.Analysis, "The work is complex (100 of 100): the risk is critical; the ability “pay” is critical; ") {
		t.Errorf("%+v, %v", g, err)
	}
	e = review.Assess(review.Work{Abilities: []string{"pay"}, Calls: 1})
	g, err = review.Rules{}.Review(t.Context(), &review.Case{Work: &e})
	if err != nil || len(g.Approach) != 2 || strings.Contains(g.Analysis, "calls") {
		t.Errorf("what asks for no review is told: %+v, %v", g, err)
	}
}
