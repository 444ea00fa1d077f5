package refusal

// undone: what was asked for did not come about, whoever is to blame. The same
// words may report what was found, so they count only if the answer holds
// nothing else.
var undone = []string{
	// "No booking was made", "so no tests were executed", "No files written."
	"~ no ... (was|were|has been|have been|could be|can be|will be|got|is being|are being) [<adv>|ever] <done>",
	"~ (none|neither|nothing) ... (was|were|has been|have been|could be|can be|will be|got) [<adv>|ever] <done>",
	"^ (no|nothing|zero|not one|not a single) ... (<done>|*ed) [yet|here|today|so far] $",
	"^ (0|none|zero) of ... (<done>|*ed) $",
	"~ no ... (computed|written|produced|generated|created|made|sent|booked|executed|saved|published) $",
	// "No output files.", "hence no report", "no answer to give you"
	"^ no ... <output> [yet|so far|today|available|to report|to share] $",
	"~ (hence|so|thus|therefore|consequently|means|leaving) [there is|there are|there was|there were|we have|i have|still|you with] no ... <output>",
	"~ (hence|so|thus|therefore|consequently) [there is|there was] nothing to",
	"no <output> ... (for you|to give|to report|to deliver|to share|to show|to send|to present|to offer|to hand over|accompanies|is attached)",
	"nothing [useful|usable|more|else|further|yet] [that|which] <i> [<adv>] (can|could|was able|am able) ",
	"(there is|there was|leaves|left|was|is) nothing [useful|usable|more|further|left] [for me|for us|left] to (summarise|summarize|report|return|show|deliver|give|reconcile|process|compare|translate|analyse|analyze|work with|work on|work from|go on|act on|build on|hand over|share|present|send|submit|review|extract|price|convert|transcribe|write|test|run|merge|deploy)",
	"~ <i> [<adv>] (have|had|got|have got|have come up with|came back with|came away with|end up with|ended up with) (no|zero) ... <output>",
	"~ <i> [<adv>] (have|had|got|have got|came back with|came away with|end up with|ended up with|am left with) nothing ",
	"^ nothing [to] (show|deliver|share|return|hand over|submit|present) $",
	"~ <i> do not have (one|it|them|that|those|either|any|an answer|a result|the answer)",
	// "The mail was not sent", "it hasn't been filed"
	"~ <the> ... (was|were|has|have|could|will|did|got) (not|never) [<adv>|yet|been|be|get|ever] [<adv>|been] <done>",
	"~ (it|this|that|they|these) (was|were|has|have|could|will) (not|never) [<adv>|yet|been|be] [<adv>] <done>",
	"~ <work> ... (was|were|has|have|could) (not|never) [<adv>|yet|been|be] [<adv>] <done>",
	"~ (is|are) not [<adv>|yet|been] (done|complete|completed|finished|carried out) $",
	"(not|never) <done> $",
	"~ (so|hence|thus|therefore) ... (can|could|will) not [<adv>] be *ed",
	"^ not (done|completed|complete|finished|started|attempted|run|executed|carried out|performed|delivered|sent|booked|processed|applied|ready|fulfilled|possible)",
	// "so the lookup did not happen", "The run never got off the ground"
	"~ <the> ... did not [<adv>] <happen>",
	"~ <work> ... did not [<adv>] <happen>",
	"~ (it|this|that|they|none of it|none of this) (did not|will not|is not going to) [<adv>] <happen>",
	"(never|not even) (happened|took place|ran|started|began|completed|finished|went through|went out|left|succeeded|got off the ground|got started|got going|got that far|got done|materialised|materialized|made it)",
	"~ <the> ... is not (happening|going to happen|going ahead|going to work)",
	// "remains unsubmitted", "was left blank", "stays as it was"
	"(remain|remains|remained|stay|stays|stayed|is still|are still|was left|were left|is left|left|leaving|leave|has been left|sits) [<adv>|still] (undone|unsubmitted|unsent|unresolved|unplaced|unmade|unwritten|unrenewed|unreconciled|unconverted|unchecked|unverified|uncreated|undelivered|unscheduled|unassigned|untested|unmerged|unwritten|unfiled|unprocessed|unstarted|untranslated|unbooked|unanswered|uncompleted|unexecuted|unsolved|unreviewed|unfinished|untouched|unsaved|unpublished|not done|to be done|outstanding|as it was|as they were|as it is|as is)",
	"~ (so|hence|thus|therefore) ... (remain|remains|remained|stay|stays|stayed|is still|are still|is|was left|were left|left) [<adv>] (unchanged|blank|empty|open|the same|incomplete|missing|pending|unpaid|unknown|on hold)",
	"~ <i> (am|was|will be) [<adv>] leaving ... (blank|empty|open|undone|as is|as it is|alone|untouched|unchanged|to you|there)",
	"~ <i> [<adv>] [have] left ... (blank|empty|undone|as is|as it is|as it was|alone|untouched|unchanged|as they were)",
	// "Steps 2-6 skipped", "Blocked: …", "Execution halted"
	"^ [the|this|your|task] <halted> $",
	"^ [the|this|your] <run> [is|was|has been|had to be|got|has] [<adv>|been] <halted>",
	"^ [the|this|your|all|every|each] (step|steps|stage|stages|remaining|following|subsequent|later) ... (skipped|failed|aborted|cancelled|canceled|blocked|halted|dropped)",
	"^ [the|this|your] <run> ... (failed|errored|exited|crashed|died|terminated|aborted|halted|ended) (with|on|at|because|due|after|before)",
	"~ (everything|all|the rest|the whole|the entire) ... (was|were|got|had to be|has been) [<adv>] (skipped|aborted|halted|abandoned|called off|dropped|discarded|cancelled|canceled|stopped)",
	"^ (aborting|aborted|blocked|halted|stopped|stuck|terminated) (because|due|by|on|at|as|after|before|with|without|since|until|here|there|pending|waiting)",
	"^ no go $",
	// "I stopped there", "I haven't sent it", "I didn't do this"
	"~ <i> [<adv>] [have|had to|have to|must|had] (stopped|halted|aborted|quit|bailed|bailed out|backed out|backed off|paused|stop|abort|halt) (there|here|at that|at this|at the|at step|before|short|without|because|as|after|right|so|since|until|when|and|this|that|the|now|rather) ",
	"~ <i> [<adv>] [have] (stopped|halted|aborted|quit|bailed|bailed out|backed out|backed off|stop|am stuck|got stuck|am blocked|gave up|broke off|broke it off|called it off|dropped it|skipped it|skipped this|left it) $",
	"~ <i> [<adv>] (have|had) (not|never) [<adv>|yet|even|been] <did>",
	"~ [<i>] [have|had] not [<adv>|yet|even] (done|made|sent|booked|written|created|produced|started|touched|changed|run|executed|submitted|carried|drafted|prepared|filed|placed) [it|them|this|that|so|any|anything|the|one]",
	"~ <i> [<adv>] did not [<adv>|even] <do> (it|this|that|them|any|anything|the|a|an|one|your|these|those|so|either|with|further|because)",
	"~ <i> [<adv>] did not [<adv>|even] <do> $",
	// "I couldn't open it": all of it, unlike "I couldn't verify her age"
	"~ <i> [<adv>] <cannot> [<adv>] ... (it|them|this|these|any|anything|either|neither|one|so|further|on|from there|proceed|continue) ",
	"(so|therefore|hence|thus|why|consequently) <i> [<adv>] (<cannot>|did not|have not|am unable|was unable|will not|was not able|am not able)",
	"~ <i> [<adv>] never [<adv>] <did>",
	"~ <i> [<adv>] [have] <did> (nothing|none of|neither) [at all|yet|so far|of it|of them]",
	"~ <i> [<adv>] did neither",
	"~ <i> [<adv>] (did|have) (nothing|none of) ",
	"~ <i> [<adv>] (did not|have not) (do|done) (this|it|that|so|anything)",
	"without [<adv>|even|ever] (doing|producing|returning|making|sending|finding|completing|finishing|getting|booking|writing|reaching|starting|delivering|obtaining|creating|achieving|attempting|saving) (anything|any|it|them|a|an|the|one|this|that)",
	"before [<adv>|even] (<i>|it|they) ... (had|could|found|got|wrote|made|managed|did|reached|produced|was able|finished|completed|started|had written|began)",
	"before [<adv>|even|ever] <i> would <did>",
	"empty handed",
	"(stopped|stop|stopping) short of",
	// "All I got was a blank page"
	"~ (what|all|all that|the only thing) [<i>] [that|<i>] (got|came through|received|arrived|found|was given|were given|see|have|came back|can see|could see|was sent) (is|was|were|are)",
	// "before returning anything", "prior to producing output"
	"(crashed|terminated|exited|died|hung|stopped|failed|timed out|disconnected|shut down|went down|ended|killed|quit|froze|aborted) ... (before|prior to|without) ... (anything|output|result|results|answer|response|any|it could|i could|<output>)",
	"~ <the> ... (crashed|terminated|exited|died|hung|froze) ... (before|prior to) ",
	"~ <the> <worker> ... (crashed|terminated|aborted|exited|died|hung|gave up|was killed|was stopped|timed out|ran out of) ",
	// "Nothing came of it", "to no avail"
	"nothing (came|comes) of (it|that|this)",
	"(came|comes|led|amounted) to (nothing|naught)",
	"(to no avail|in vain|without success|without luck|without avail|without any luck|without any success|fruitless|fruitlessly)",
	"^ no ... (arrived|came|came through|reached me|loaded|opened|answered|responded|replied|materialised|materialized|got through) ",
	// "every attempt timed out", "All sources I tried were offline"
	"~ (every|each|all|any|both|all of|none of|neither of|either) ... <tries> ... <broke>",
	"~ (three|four|five|six|several|multiple|repeated|many|2|3|4|5|6|10) [more|separate|different|further] (attempts|tries|retries|requests|calls) ... <broke>",
	"~ (none|neither|nothing) [of it|of them|of these|of those|i tried|of which] [has|have] [<adv>] (returned|worked|succeeded|loaded|opened|answered|responded|helped|gave|produced|yielded|came back|turned up|held|brought|led|matched|had)",
	"(kept|keeps|keep) [on] (returning|failing|timing out|rejecting|crashing|throwing|refusing|redirecting|going round|answering|dropping|hanging|asking|blocking|giving|responding|coming back|getting|hitting|running into|disconnecting|erroring)",
	"(defeated|stopped|blocked|beat|beats|stops|blocks|stumped|thwarted|shut out|shuts out|locked out|kicked|kicked out|turned away|rejected|denied|barred|bars|kept out|keeps out|throttled|rate limited) (me|us)",
	"(stopped|prevented|prevents|kept|keeps|stops|blocked|bars) (me|us) from",
	"returned (an empty|nothing|only errors|an error|no data|no response)",
	"(turned|turns) up (nothing|no|anything|blank|empty)",
	"(led|leads|got|gets|went|goes) (nowhere|me nowhere|us nowhere)",
	"<i> [<adv>] [have|had] (ran|run|am running) out of ... (before|while|without|so) ",
	"~ <i> [<adv>] [have|had] (hit|reached|exceeded|exhausted|used up|burned|burnt|blew) [through] (the|my|our|all) ... (limit|budget|quota|allowance|window|ceiling|tokens|cap) ",
	"(defeats|exceeds|is too large for|is too long for|does not fit|did not fit|is too big for|were too large for) [in|into] (me|us|my|our)",
}
