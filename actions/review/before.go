package review

import "fmt"

// precautions are what to see to in work that is risky for a reason.
var precautions = map[ReasonKind]string{
	OfRisk:     "Look at what is there before changing anything, and keep a way back for every change.",
	OfAbility:  "Before a call that cannot be undone, check its arguments against what was asked, word by word, and make it once.",
	OfCalls:    "Split the work into parts that can be finished and checked by themselves, and do the one that matters most first.",
	OfDuration: "Say after each part what is done and what is open, so that the work can be taken up where it stops.",
	OfFiles:    "Change one file after the other, and check each before the next.",
	OfBlocking: "Others wait for the result: hand over as soon as what they need is there, and say what it is.",
}

// before is what the reviewer without a model says of work that has not begun:
// why it is risky, and what to see to.
func before(c *Case) *Guidance {
	g := &Guidance{Specialist: Approach, Source: "rules"}
	for _, r := range c.Work.Reasons {
		if r.Mandatory {
			g.Approach = append(g.Approach, precautions[r.Kind])
		}
	}
	g.Analysis = fmt.Sprintf("The work is %s (%d of 100): %s.", c.Work.Level, c.Work.Score, c.Work.Why())
	g.Approach = unique(append(g.Approach, "Write down first what has to be true for the task to be done, and check it at the end."))
	return g.clean()
}
