package refusal

// hints are frames rather than phrases: that the worker failed or lacks
// something, whatever the words between. The same frames tell what it thinks
// or found, so they count only if the answer holds hardly anything else.
var hints = []string{
	// "I've only got static maps", "None of this is visible to me"
	"~ <self> ... ... (<negated>|<fails>)",
	"~ (as|given|at|with|like|where|however) ... ... (i|we) ... (<negated>|<fails>)",
	"(<negated>|<fails>) ... (to|for|from|by|with|at|let|lets|give|gives|show|shows|allow|allows|give|gave) <self>",
	"^ what you [are|have] (ask|asks|asked|asking|want|wanted|request|requested) ... (against|beyond|outside|<negated>|<fails>)",
	"(is|are) (off the table|off limits|out of the question|out of bounds|a no go|a non starter|a step too far) ",
	"~ (the|this|that|your) ... <errand> (can|could) (not|never) [<adv>] be",
	// "ERROR 2026-03-02 fetch: connection refused"
	"^ (error|err|fatal|critical|severe|panic|exception) ... ... ... (<fails>|not|no) ",
	// It would take somebody or something else: "You'd have to give me access first"
	"~ (this|it|that) [<adv>] (would|will|needs|takes|requires) [to] [take|need|require|be] ... (human|person|someone|somebody|access|permission|permissions|account|key|login|credentials|licence|approval|privileges|rights|colleague|tool)",
	"~ (someone|somebody|you) [<adv>] (will|would) [<adv>] (have to|need to) ",
	"<negated> ... (your|you gave|you sent|you asked) (brief|request|task|message|mail|file|note|prompt|instruction|instructions|attachment|question|ticket)",
	// A fragment of what the worker did: "Didn't work.", "No joy."
	"^ (did|could|would|had|have|was|were) not ",
	"^ (no|not) (a|any) [single] (chance|hope|way|result|thing) ",
	"^ (no|not) (joy|dice|luck|go|can do|today|yet|enough|available|possible|happening|hope|way|cigar|permitted|allowed|authorised|authorized|here|this time|on this occasion|found|workable|feasible|supported|provided) ",
}

// signs are frames of what the worker depends on: its gear, its sources, its
// errand. They count like hints, unless their sentence holds a figure: then it
// reports something.
var signs = []string{
	// "The portal kept asking for a code", "Parsing was impossible"
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) ... ... (<fails>|<broken>)",
	"~ (<gear>|<source>|<errand>) ... ... (<fails>|<broken>)",
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) ... (did|was|were|has|had|would|will|had) [<adv>] <negated>",
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) ... (never|lack*|only|wants|needs|requires|demands|asks)",
	"~ (<gear>|<source>|<errand>) ... (did|could|was|were|has|had|would|will) [<adv>] <negated>",
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) ... could not be ",
	// "Not enough permissions", "Missing env var"
	"^ (not|no|nothing|none|never|zero|without|<fails>) ... (<gear>|<source>|<errand>)",
	"^ <fails> $",
	"^ <fails> (because|due|by|as|after|with|since|before|upon|to|again|while|when) ",
}
