package refusal

// hints are frames rather than phrases: that the worker failed or lacks
// something, whatever the words between. The same frames tell what it thinks
// or found, so they count only if the answer holds hardly anything else.
var hints = []string{
	// "I've only got static maps", "None of this is visible to me"
	"~ <self> ... ... ... (<negated>|<fails>)",
	"~ and (did|could|can|was|were|have|had) not ",
	"(more|further|bigger|longer|larger) than <i> (can|am able|could|may)",
	"<i> [<adv>] [have] left it (there|at that|here)",
	"~ (the|this|that|your) ... <errand> can only be",
	"^ (for|due to|on|because of|owing to) (legal|safety|security|privacy|policy|ethical|compliance|copyright|confidentiality|data protection|contractual) (reason|reasons|grounds|concerns|constraints|restrictions|rules|considerations)",
	"~ (as|given|at|with|like|where|however) ... ... (i|we) ... (<negated>|<fails>)",
	"(<negated>|<fails>) ... (to|for|from|by|with|at|let|lets|give|gives|show|shows|allow|allows|give|gave) <self>",
	"^ what you [are|have] (ask|asks|asked|asking|want|wanted|request|requested) ... (against|beyond|outside|<negated>|<fails>)",
	"(is|are) (off the table|off limits|out of the question|out of bounds|a no go|a non starter|a step too far) ",
	"~ (the|this|that|your) ... <errand> ... (can|could|will|may) (not|never) [<adv>] be",
	"(there is|there was|there are|there were) (not|none|no) [one|any|such] $",
	"(there is|there was|there are|there were) (no|not) ... (<gear>|<output>|route|way|function|command|button|option|right|rights|means|trace|sign of life)",
	// "It was not possible to generate the deck"
	"~ it (was|has been|proved|turned out|proves) [to be] [<adv>] (not possible|impossible|not feasible|infeasible|no longer possible|not doable) [for me] to",
	"(nobody|no one|none|nothing) ... (me|us) ",
	"(that|which) (i|this agent|this assistant|this account|my account) ... (<negated>|<fails>)",
	"~ could not (resolve|connect|open|find|read|load|parse|reach|locate|fetch|retrieve|authenticate|establish|write|create|execute|access|start|bind|allocate)",
	"~ too ... (to|for) ",
	"^ n a ",
	"~ (neither|none of them|none of these|neither of them|none of it) ",
	"~ (your|the|this) <brief> ... (<negated>|<fails>)",
	"(came|comes|come|coming|bounced) back ... (<fails>|<broken>|unanswered|undelivered)",
	"not a single ",
	"^ but ... ... (is|are) not [<adv>] (allowed|permitted|possible|acceptable|an option|supported|available) $",
	"~ [the|this] (agent|sub agent|subagent|worker|tool|model|assistant|job|script) [<adv>] (did|could) not ",
	"~ (that|this|it) would be [<adv>] (plagiarism|fraud|theft|forgery|stalking|illegal|a crime|harassment|cheating|discrimination|defamation|blackmail|impersonation|against the law)",
	"(stay|stays|remain|remains|stayed|remained) as (they are|it is|they were|it was|before)",
	"(return|returns|yield|yields|give|gives|show|shows|produce|produces) nothing ",
	"~ no ... (was|is|were|are) [<adv>] (possible|available|feasible|obtainable)",
	"~ (this|the|your) ... <errand> ... (can|could|will|may) (not|never) [<adv>] (go ahead|proceed|start|begin|continue|happen|complete)",
	"<self> [<adv>] [have|had] [<adv>|just] (lost|misread|misunderstood|botched|messed up|forgot|confused|broke|overlooked|wasted) ",
	"(leaves|leaving|left|leave) (me|us) (with|without|no|nothing)",
	"^ (requires|needs|wants) ",
	"(max|maximum|limit|limits|cap|quota|budget|tokens) ... (reached|hit|exceeded|spent|exhausted|used up|gone)",
	"(trail|search|road|story) ends (here|there)",
	"^ (no|not any) (matching|such|usable|valid|relevant|suitable|corresponding|known) ",
	"^ (exit|exited|exits) [with] (status|code) ",
	"^ http ... <fails>",
	"(take|takes|taking|took) (over|it from here|this from here) ",
	"(put|placed|parked|am holding|holding|hold) ... (on hold|off) ",
	"(exceeds|exceed|exceeded|larger than|longer than|bigger than) ... (context|limit|limits|maximum|quota|window|budget|i have|my|cap|allowance)",
	"your ... (was|were|has|have|had|could) (not|never) [<adv>|yet] [been|be] [<adv>|yet] (*ed|sent|made|done|taken|put)",
	"(is|are|was|were|remain*|stay*) [<adv>] (unchanged|untouched|unpaid|unknown|unsolved|unanswered|pending|unfinished|on hold|unmade|unsent)",
	"<self> ... (stopp*|stop|quit|gave up|give up|abandon*) $",
	// "ERROR 2026-03-02 fetch: connection refused"
	"^ <fails> (after|while|waiting) ",
	"^ (error|err|fatal|critical|severe|panic|exception) ... ... ... (<fails>|not|no) ",
	// It would take somebody or something else: "You'd have to give me access first"
	"~ (this|it|that|*ing) [<adv>] (would|will|needs|takes|requires) [to] [take|need|require|be] ... (reviewer|approval|signature|admin|password|human|person|someone|somebody|access|permission|permissions|account|key|login|credentials|licence|approval|privileges|rights|colleague|tool)",
	"~ (someone|somebody|you) [<adv>] (will|would) [<adv>] (have to|need to) ",
	"<negated> ... (your|you gave|you sent|you asked) (brief|request|task|message|mail|file|note|prompt|instruction|instructions|attachment|question|ticket)",
	// A fragment of what the worker did: "Didn't work.", "No joy."
	"^ (did|could|would|had|have|was|were) not ",
	"^ (no|not) (a|any) [single] (chance|hope|way|result|thing) ",
	"^ (no|not) (joy|dice|luck|go|can do|today|yet|enough|available|possible|happening|hope|way|cigar|permitted|allowed|authorised|authorized|here|this time|on this occasion|found|workable|feasible|supported|provided) ",
}

// efforts: what was only tried was not done.
var efforts = []string{
	"<i> [<adv>] [have|had] (tried|attempted|wanted|hoped|meant|was going|set out|was about|would have liked|would have loved) to ",
	"^ (tried|attempted|wanted|hoped|meant) to ",
	"(tried|did|done|gave it) (my|our) (best|hardest|utmost|damnedest)",
	"<i> [<adv>] [have|had] (tried|attempted) [<adv>] (*ing|several|all|every|the|both|two|three|it|this|different|various|many)",
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
	// "The thermostat did not respond", whatever it is
	"(did|would) (not|never) [<adv>|even] (respond|answer|load|open|connect|start|boot|render|react|reply|launch|initialise|initialize|install|compile|let|accept|recognise|recognize|arrive|come through|go through|parse|resolve|return|yield|authenticate|cooperate|play|download|execute|run) ",
	"will not (respond|load|connect|boot|render|let me|accept|authenticate) ",
	// "Not enough permissions", "Missing env var"
	"~ (the|this|that|your|my) ... (<gear>|<source>|<errand>) [is|are|was|were|seems|looks|appears] [<adv>|far|just|much|way] (too|no longer|barely|unfit) ",
	"^ insufficien* ",
	"^ (not|no|nothing|never|without|<fails>) ... (<gear>|<source>|<errand>)",
	"~ (no|not|nothing) ... (available|returned|received|possible|obtainable|accessible|given|provided|supplied) $",
	"~ <the> ... (was|were|has|have|had|will) (not|never) [<adv>|yet] [been|be] [<adv>|yet] (*ed|sent|made|done|taken|put)",
	"^ <fails> $",
	"^ <fails> (because|due|as|since|before|upon|to|again|when) ",
	// "The service isn't answering", "The VM never booted"
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) ... (is|are) not [<adv>] (*ing|possible|available|reachable|supported|set|there|present|ready|valid|readable|listed|known|in|among|on)",
	"~ (<gear>|<source>|<errand>) ... (is|are) not [<adv>] (*ing|possible|available|reachable|supported|set|there|present|ready|valid|readable|listed|known|in|among|on)",
	"~ (the|this|that|your|my|our|a|an|any|its|all|both) ... (<gear>|<source>|<errand>) [<adv>] never ",
}

// speaks: the worker speaks of itself. An answer that does nothing else
// delivers nothing.
var speaks = []string{"(i|my|myself)"}

// opines: what the worker thinks or has seen, in the words of a hint.
var opines = []string{
	"<i> [<adv>] [would|can|could|do|have|did|must] [<adv>|not] (think|say|guess|rate|agree|disagree|prefer|count|counted|expect|estimate|reckon|conclude|like|choose|choose|go for|go with|pick|vote|bet|argue|call it|judge|consider|advise|recommend|suggest)",
	"<i> [<adv>] have (one|two|three|four|five|six|seven|eight|nine|ten|several|some|four|all) ",
	"<i> ... (have|found|see|saw) (no|nothing) ... <fault>",
	"<i> ... (have|see) (no|little) (objection|objections|doubt|doubts|concern|concerns|issue|issues|problem|problems|complaints|reservations|qualms|regrets|reason|reasons|need|further questions|comments|remarks|changes|questions)",
	"(he|she|they) (said|says|say|told me|tells me|replied|answered|confirmed|refused|declined) ",
	"(that|which|who|whom) (i|we) ... (is|are|was|were|will) ",
	"not that <i>",
	"^ (error|exit|http|status|exception) ... (means|comes from|indicates|is caused|occurs|happens|stands for)",
	"error (budget|rate|rates|handling|message|messages|code|codes|bar|bars|margin|log|logs|page|pages|type|types)",
	"(when|if|whenever|unless|whether) ... ... (is|are|has|does|fails) [<adv>] [not|no|<fails>]",
	"(forbids|prohibits|denies|refuses|excludes|rejects) (it|them|this|that|these|any|all|everyone|harmful|such) ",
	"<i> gave ... to (dr|mr|mrs|ms|him|her|them)",
	"(the|these|those|all|both|two|three|its|their) <fails> (question|questions|test|tests|value|values|item|items|row|rows|entry|entries|field|fields|link|links|job|jobs|file|files|payment|payments|ones|one)",
	"^ no ... <fault> ... (found|detected|seen|reported|remain)",
	"my (recommendation|advice|suggestion|verdict|opinion|view|answer|pick|choice|favourite|estimate|guess|conclusion|analysis|assessment|summary|take) ",
}
