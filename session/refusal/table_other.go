package refusal

// handsBack: the task returns to who gave it.
var handsBack = []string{
	// "Transferring back to supervisor", "Control returned to the orchestrator"
	"^ [successfully|now] <returning> [<it>] [over] [back] [over] to [the|my|our] <boss>",
	"^ [successfully|now] <returning> [<it>] [over] back",
	"^ (control|task|conversation) [is|was|has been] (returned|transferred|handed|passed) [over] [back] [over] to [the] <boss>",
	"^ (transfer|handoff|hand off|handover|escalation|return) to [the] <boss>",
	// "I'm handing this back", "I'll escalate this to the supervisor"
	"<i> [<adv>] [am|will|have|would|would like to|need to|must|have to|am going to] [<adv>] <giving> <it> [over|right|straight] back",
	"<i> [<adv>] [am|will|have|would|would like to|need to|must|have to|am going to] [<adv>] <giving> [<it>] [over] back [over] to [the|my|our] <boss>",
	"<i> [<adv>] (am|will|would like to|need to|must|have to|am going to) [<adv>] <giving> [<it>] [over] to [the|my|our] <boss>",
	"<returning> <it> [over] [back] to [the|my|our] (supervisor|orchestrator|coordinator|planner|dispatcher|main agent|you)",
	// "Back to you"
	"^ (back|over) to [you|the|my|our] [<boss>] $",
	"^ back to (you|the supervisor|the orchestrator|the manager|the coordinator)",
	// "Escalated to tier 2", "I'm routing it to the billing team"
	"^ [successfully|now] (reassigned|escalated|rerouted|handed over|handed off|passed on|reassigning|escalating|rerouting|handing over|handing off|passing on|referring|referred|deferring|deferred|bounced|redirected|redirecting) [<it>] [on|over|back] [to]",
	"^ <returning> <it> [on|over|along] to",
	"<i> [<adv>] (am|will|would like to|need to|must|have to|am going to|have) [<adv>] <giving> <it> [on|over|straight|along] to",
	"^ (transfer|hand off|hand over|escalate|delegate|reassign|route|refer) to ",
	"^ (handoff|hand off|handover|escalation|reassignment|transfer|hand back) $",
	"^ (handing|passing|giving|signing|hand|pass) (over|off|on|back) ",
	"^ (transferred|forwarded|bounced|handed|passed|routed|referred|kicked|reassigned) [on|over|up|along|back|off] to ",
	"^ (reassigning|forwarding|delegating|escalating|bouncing|referring|passing|handing) [this|it|that|this one] [on|over|up|along|back|off] to ",
	"<i> [<adv>] (am|have|will|must|had to) [<adv>] (escalat*|reassign*|rerout*|hand back|handing back) ",
	"~ (please|kindly) (assign|ask|route|forward|delegate|reassign|redirect|send|pass|hand|transfer|give|try|use|involve|escalate) ... (someone|somebody|a person|a human|whoever) ",
	"^ (transferring|routing|escalating|forwarding|handing over|reassigning|redirecting|passing|deferring|rerouting) to ",
	"^ [the|this|your] (ticket|task|case|request|issue|conversation|call|chat|job) [has been|was|is] [now|being] (reassign*|escalat*|handed|transferred|rerout*|routed|passed|forwarded|redirected) [on|over|back|up] to",
	"^ (not|never) (mine|ours|for me|for us|my department|our department) ",
	"~ <i> [<adv>] (am|will) [<adv>] (stepping|step|bowing|bow|backing|back|signing|sign|standing|stand) (back|aside|down|out|off|away)",
	"^ (try|ask|use|contact|consult|call|involve|get|find|bring in|send|tag|ping) [in] (the|a|an|someone|somebody|whoever) ... (agent|team|desk|department|bot|specialist|expert|for this|for this one|instead)",
	"~ (find|get|assign|ask|send|involve) (someone|somebody|anyone|a human|a person|whoever) ",
	"(looks|sounds|seems|feels) like (a job|one|a matter|a task|something|work|a case|a question) for ",
	"~ over to (you|the|my|our|your|someone|somebody|whoever|another|a) ",
	"~ (this|it|that|this one) is [<adv>] for (the|another|your|our|a|their) ... <other>",
	// "better handled by legal", "back in the queue"
	"(better|best) [be] (handled|suited|placed|left|answered|dealt with|done|addressed|served|taken|off with|asked|given|tackled|solved|looked at) (by|to|with|for|of) ",
	"(put|placed|sent|moved|goes|went|going|dropped|returned|released|returning|putting|releasing|back) [it|this] [back] (in|into|to|on|onto) the (queue|pool|backlog|inbox|board|pile|stack)",
	"~ (this|it|that|the) ... (should|needs to|has to|must|ought to|would have to) go [back] to (the|another|a|someone|somebody|whoever|your|our|legal|finance|support|billing)",
	"(is|are) [<adv>] (their|someone else's|somebody else's|another team's|another agent's|their team's) (job|area|department|remit|field|task|responsibility|domain)",
	"~ (this|it|that) is [<adv>] [more] (a job|one|a matter|a task|a question|something|work|a case|a thing) for (the|another|a|an|someone|somebody|your|our|legal|finance|support|billing) ",
	"~ (someone|somebody|anyone|anybody|whoever|a colleague|another agent|another worker|a human|a person) ... (should|needs to|has to|must|ought to|can|could|will have to|would have to) (take|handle|look|pick|do|deal|review|decide|step|continue|finish|see)",
	// "Please assign another worker", "this is a job for the flights team"
	"~ (please|kindly) (assign|ask|route|forward|delegate|reassign|redirect|send|pass|hand|transfer|give|try|use|involve|escalate) ... (another|a different|some other|the right|the appropriate|the responsible) ... <other>",
	"~ (please|kindly) (assign|ask|route|delegate|reassign|give|pass|hand) ... someone else",
	"~ (this|it|that|the task|the request|your request|this task|this request|this one) (should|must|needs to|need to|has to|ought to|would) be (handled|assigned|given|routed|taken|reassigned|delegated|forwarded|transferred|directed|addressed|escalated) (by|to) (another|a different|the|someone else|a human|whoever)",
	"~ (this|it|that|the task|the request|your request|this task|this request|this one) (belongs to|belongs with|is a job for|is a matter for|is one for|is a task for|is something for|is a question for|is work for) (the|another|a different|someone) ... (else|<other>)",
}

// returnsVoid: the task returns, and the words say that nothing came of it.
var returnsVoid = []string{
	"<i> [<adv>] [am|will|have|would|must|need to|have to] [<adv>] <giving> <it> ... (without|with no) ... <result>",
	"<i> [<adv>] [am|will|have|would|must|need to|have to] [<adv>] <giving> <it> ... (empty handed|not done|as is|as it is|un*)",
	"^ [successfully|now] <returning> <it> ... (empty handed|not done|as is|as it is|un*)",
	"^ [the|this|your] (task|ticket|request|case|job|question|item|issue) [is|was|has been] [being] (returned|handed back|sent back|passed back|given back|closed) (unresolved|undone|unsolved|unanswered|untouched|unstarted|without|empty|as is)",
	"^ [successfully|now] <returning> [<it>] [over] back ... (without|with no|unresolved|undone|unsolved|unanswered|untouched|empty handed)",
	"^ [successfully|now] <returning> <it> [over] ... (without|with no) ... <result>",
}

// unfinished: announced, or stopped before the end.
var unfinished = []string{
	// "I will look into it", "let me check", "working on it"
	"~ <i> [<adv>] will [<adv>] (look|check|search|start|begin|get back|get started|get on|work|try|see|investigate|find|research|now|report back|update you|let you know|let the|continue|proceed|do that|do this|take|go|fetch|query|read|review|analyze|analyse|use)",
	"~ <i> am [<adv>] (going to|about to|working on|looking|checking|searching|starting|trying|still|in the process|on it)",
	"^ let me (look|check|search|start|begin|see|find|think|get|first|try|pull|fetch|do|take|review|read)",
	"^ [still] (working on|looking into|searching|checking|processing|starting|in progress|on it)",
	"^ (please|just) [wait|hold|hang|give me|one] [on] [a|one] (moment|second|minute|sec|while)",
	"^ (one|just a) moment",
	"^ to be continued",
	// "Agent stopped due to iteration limit", "I ran out of steps"
	"^ [agent|run|execution|chain|worker|task|loop|the agent|the run] [was|has] (stopped|ended|terminated|halted|aborted) (due to|because of|after|at) ... (limit|iterations|steps|timeout|time limit|budget|turns)",
	"~ <i> [<adv>] [have|had] (ran|run|am running) out of (time|tokens|steps|budget|turns|iterations|context|attempts|quota|credits)",
	"~ <i> [<adv>] [have] (reached|hit|exceeded) (the|my|our) [maximum|max] ... (limit|iterations|steps|turns|budget)",
	"^ (maximum|max) [number of] (iterations|steps|turns|time|iteration limit) [was|were|has been] (reached|exceeded)",
	"~ <i> [<adv>] (have|has) not [<adv>] (finished|completed|started|begun|got to|gotten to|had time|had the time)",
	"~ <i> [<adv>] did not (finish|complete|get to|get around)",
	"^ (task|work|job|report|result|answer|this) [is|remains] [still] (unfinished|incomplete|not finished|not complete|pending|in progress)",
	"^ (tbd|todo|placeholder|incomplete|unfinished|pending) $",
}

// harmless: holds the words of a refusal and is none.
var harmless = []string{
	// "I can't recommend it enough", "I couldn't agree more"
	"<i> [<adv>] <cannot> [<adv>] (wait|lose|fail|beat|guarantee|promise|vouch|be sure|be certain|say for sure|say for certain|say which you|tell for sure|speak for|recommend|stress|emphasise|emphasize|overstate|overemphasize|thank|praise|fault|complain|agree more|be happier|be more|be better|be prouder|be clearer|imagine|think of a better|ask for|say enough|rule out|exclude|go wrong|help but|but|resist|argue|deny|reject|ignore|understate|miss|have asked|have done it without|have hoped|find fault)",
	// A story of a user: who says "I" is not the worker.
	"as (a|an|the) (user|customer|admin|visitor|buyer|guest|tenant|patient|student|manager|developer|member|shopper|reader|seller|traveller|employee) ... i <cannot>",
	"<i> [<adv>] (can not|could not) be (happier|more|better|prouder|clearer|further)",
	// "I couldn't find any problems", "found no evidence"
	"<i> [<adv>] <cannot> [<adv>] (find|see|spot|detect|identify|locate|reproduce|discover|trigger|provoke|observe|confirm) [any|a|single|one|anything|the|much|further|remaining|obvious|real|other] ... <fault>",
	"<unable> [<adv>] (find|see|spot|detect|identify|locate|discover) [any|a|single|one|anything|further|remaining|obvious|real|other] ... <fault>",
	"<i> [<adv>] (did not|do not|have not) [<adv>] (find|see|spot|detect|found|seen|notice|identify) [any|a|single|anything|further] ... <fault>",
	"<i> [<adv>] (did not|do not) have [any|a|single|further] <fault>",
	"<i> [<adv>] (found|see|have|saw|spotted|detected|identified|noticed) (no|nothing) ... <fault>",
	// "I was not able to break it"
	"<i> [<adv>] <cannot> (win|reproduce it|replicate it|reproduce the|reproduce this|break|crash|exploit|bypass|provoke|fool|trick|falsify|refute|disprove|tell the difference|tell them apart|see why not|make it fail|get it to fail)",
	"<i> (do not|would not|see no) (think|believe|need|see a need|see why|mean|expect|recommend|advise|mind|worry|doubt|know why|care|like|use|charge)",
	// "Cannot be combined with other offers": a rule, not a report.
	"^ (can not|could not|may not) (be|exceed|have|contain|stand|sleep|wait)",
	// "I refused the offer" is told of the work.
	"<i> (refused|declined|rejected) (the|their|his|her|all|optional|non essential) (offer|cookies|cookie|invitation|upsell|insurance|quote|discount|charge|meeting|calendar)",
	// "was aborted by the operator", "handed over to the customer", "were not paid in April": a finding.
	"(aborted|rejected|declined|refused|denied|cancelled|canceled|stopped|blocked|turned down|abandoned|halted|accepted|approved|signed|paid|found|closed|returned|taken|done|made) by ... <people>",
	"(handed|passed|returned|sent|forwarded|given|transferred) [<it>] [over|on|back] to ... <people>",
	"(was|were|has been|have been|been|made|done|paid|did|not) ... (in|on|since|until|till|before|by|during|last|this|next|for) [a|the|over a|last|this|early|late|mid] <when>",
	"(was|were) ... until",
	"(turned|turns) up (nothing|no) ... <fault>",
	"^ (no|nothing|none|neither) (has|have) ... ... since",
	// "There's nothing I can't do"
	"(nothing|anything|no one|nobody|everything|something) [that] <i> <cannot>",
	"(no|without any|without) (result|results) (missing|left out|omitted)",
	// Good news: "Not a single test failed", "No guests have complained"
	"(no|nobody|nothing|none|not a single|not one) ... (failed|crashed|complained|objected|died|affected|harmed|injured|hurt|broke|leaked|needed|required|detected|noticed|reported|lost|damaged|at risk)",
	"not (only|just|merely)",
	// "Although I don't have the exact figure, …" concedes something behind which more stands.
	"^ (although|though|while|whilst|even though|even if) ... ... (<negated>|<fails>)",
	"(may|might) [<adv>] (be|have been|have) <fails>",
	"<i> am (sorry|afraid|glad|happy) [to say|to report|to tell you] that",
	// An opinion or an assent: "I have no objections", "I'd refuse the offer"
	"(have|has|see|had|saw|with) (no|little) ... (objection|objections|doubt|doubts|concern|concerns|issue|issues|problem|problems|complaints|reservations|qualms|regrets|preference|reason|reasons|need|stock|vacancies|plans|comments|remarks|changes|questions)",
	"not [<adv>] (have|see|find|had) ... (to add|objection|objections|doubt|doubts|concern|concerns|issue|issues|problem|problems|reason|comments|remarks|questions)",
	"<self> [<adv>] [would|can|could|will|should|do|must] [<adv>] (not|only|never) [<adv>] (recommend|advise|suggest|worry|buy|sign|agree|bother|hesitate|mind|doubt|object|rely|trust|touch|risk|pay|choose|take it|order|go there)",
	"<i> would [<adv>|not] (refuse|decline|reject|avoid|skip|drop|turn down|buy|sign) (the|this|that|his|her|their|it|both|any)",
	"(recommendation|advice|suggestion|verdict|opinion|view|take|preference|feeling|conclusion|answer) (is|would be) (not|no|never|against)",
	"<i> (rejected|refused|declined|denied|dropped|excluded|discarded|skipped|removed|blocked) (the|all|both|one|two|three|four|five|those|them|him|her|any) (other|others|rest|offer|offers|remaining|candidates|applicants|one|ones|duplicates|two)",
	"not a (problem|worry|blocker|big deal|concern|bug)",
	"not (guilty|bad|true|exactly|necessarily|really|quite|surprisingly|yours) ",
}

// fruitless: an effort in the words of a result, such as "got nothing": its
// failure, if any, is said by another phrase.
var fruitless = []string{
	// "found that I cannot" holds the refusal behind it.
	"<i> found (that|out that|myself|it hard|it impossible|nothing|no|neither|only that)",
	"<i> [<adv>] (used|got|kept|left|made|set|put|reached|called in|sent|received|obtained) (to|an error|a 4xx|errors|only errors|getting|trying|asking|failing|stuck|blocked|locked|no|nothing|out|an empty|empty|denied|rejected|refused|logged|timeouts|a timeout|an exception|rate limited|403|404|401|429|500|502|503|504|nowhere|kicked|redirected|the same error|every|several|multiple|many|numerous|repeated|a blank|into|an access|a permission|a captcha|a request|the request|your|a message|the following error|the error|a server|an internal)",
	"(<did>|<step>) (no|nothing|none|neither|zero|little|nobody)",
	// What was done is undone or left to others: "I reverted my branch", "moved the ticket to their board"
	"<i> [<adv>] [have|had] [<adv>] (removed|reverted|rolled|reset|restored|cancelled|canceled|closed|deleted|discarded|dropped|packed|switched|moved|put|left) (it|my|off|back|again|every|all|everything|as well|the half|the branch|the ticket|the task|the draft|the backups|to where|up)",
	"and (removed|reverted|rolled|reset|restored|cancelled|closed|deleted|discarded|dropped|left) (it|them|everything|back) ",
	"(moved|reverted|assigned|added|sent|filed) [it|this|the ticket|the case|the task] [back] to (the|their|her|his) ... (desk|queue|team|board|pool|pile|list|inbox|office)",
	"^ got (to|as far|nowhere|no|up|past|only|an|stuck|back)",
	"^ reverted to ",
	"(chose|decided|opted|elected|agreed) not",
	"left ... (blank|empty|undone|as is|as it is|as it was|alone|untouched|unchanged|as they were)",
	"<i> [<adv>] [have|had] (only|just) (got|found|received|kept|used)",
	"<i> [<adv>] (am|have|had|will) [<adv>] <giving> [<it>]",
	"<i> [<adv>] [have|had] [<adv>] (<tried>|ask*|want*|need*|lack*|end*|seem*|stopp*|start*)",
	"(only|not|never) able to",
	"(<did>|<step>) [<adv>] without",
	"(which|whether|if|what) ... (is|are) ",
	"done so far",
	"turned (to|up|out) ",
	"kept (going|running|hitting|timing|seeing|being|returning|rejecting|refusing|crashing|circling|bumping|landing|coming)",
}

// delivers: something was done.
var delivers = []string{
	// "I booked", "we have now written"
	"~ <i> [<adv>] [have|did|had] [<adv>|already|successfully|instead|since|manually] <did>",
	"~ (i|we) [<adv>] [have] ... and [<adv>|then|already|successfully|instead] <did> (the|a|an|it|them|your|all|both|one|two|three|this|these|some)",
	"~ <i> [<adv>] (was|were|am|have been) [<adv>] able to",
	"~ <i> [<adv>] [have] [<adv>|successfully] transferred ... (total|money|funds|amount|payment|sum|dollars|euros|files|file|data|balance|eur|usd)",
	"~ <i> [<adv>] can confirm",
	// "Booked.", "Found 3 of 5 results"
	"~ and *ed (it|them|both|all|everything|the export|the import|your) ",
	"^ (did|*ed) (it|them) ",
	"^ [all|everything|both|now|already] <did> (to|in|on|into|onto|for|at|under|as) ",
	"~ (all|everything|both|it|that|they|this|which|these) [now|all|both] (pass|passes|run|runs|work|works|compile|compiles|build|builds) [now|again|fine] ",
	"(is|are|was|were|comes out|works out) [the|their|our] (best|cheapest|fastest|highest|lowest|largest|smallest|earliest|latest|nearest|closest|biggest|strongest|safest|shortest|longest|oldest|newest|most|least) ",
	"<i> [<adv>] [have] (took|chose|got|used|booked|picked|went with|ordered|tried) ... instead",
	"(he|she|they|who) [<adv>|have|has] (confirmed|agreed|accepted|approved|signed)",
	"(by design|as designed|as intended|on purpose) ",
	"as you (asked|said|requested|suspected|wanted|instructed|thought|expected|wished|guessed|feared)",
	"(looks|look|seems|is|are|all) [<adv>|all] (good|fine|correct|clean|green|healthy|valid|genuine|sound|in order) ",
	"(patch|fix|details|list|table|summary|draft|code|report|script|letter|results|version|plan|text) [is|are] (below|attached|above|enclosed|follows|inline) ",
	"^ [successfully|all|everything|both|now|already] (done|fixed|booked|ready|finished|completed|complete|found|created|written|sent|merged|deployed|reserved|resolved|saved|solved|updated|uploaded|scheduled|ordered|confirmed|delivered|added|removed|deleted|implemented|translated|converted|generated|approved|cancelled|refunded|published|installed|migrated|verified|cleaned|compiled|extracted|collected|attached|success|paid|shipped|drafted|summarised|summarized|refactored|patched|built|downloaded|replaced|renamed|moved|fetched|retrieved|got|wrote)",
	"^ <did> (the|a|an|it|them|your|both|all|instead|two|three|this|these|some|every|each)",
	"(is|are) [now|all|both|already] (in|at|on|under) (the|your|my|our|a) [shared|attached|new|same|team|linked] (draft|file|folder|table|report|appendix|attachment|channel|calendar|cart|drive|repo|repository|branch|document|doc|sheet|spreadsheet|notes|link|pull request)",
	// A letter that was asked for.
	"^ subject $",
	"^ dear (mr|mrs|ms|dr|miss|sir|madam|prof|professor)",
	"(you asked for|you requested|as requested) $",
	// "Here is the report", "attached", "see below"
	"(here|below|attached|enclosed) (is|are) (the|a|an|your|my|what i found|all|two|three|four|five|some data|both|one|its|his|her|their|our|everything|what was found|that)",
	"(is|are|was|were|has been|have been|got) [now|already|successfully|all|both|also] (attached|below|ready|booked|reserved|saved|fixed|merged|deployed|confirmed|uploaded|scheduled|enclosed|live|green|done|finished|complete|completed|resolved|in place|up and running|created|generated|stored|sent|ordered|paid|updated|added|written|refunded)",
	"(see|find) (the) (attached|attachment|table|list|file|report)",
	// "3 of 5", "two of the three"
	"(the) (cause|answer|fix|result|total|solution|root cause|cheapest|best match|closest|price|winner) (is|was|are)",
	"(instead|however) (i|we) <did>",
}

// steps: a step was taken, which may have led to nothing.
var steps = []string{
	"~ <i> [<adv>] [have|had] [<adv>|then|also|already|since|instead|therefore|now] *ed [<adv>] (it|them|both|all|everything|the|a|an|your|two|three|four|five|six|seven|its|her|his|their|every|each) ",
	"<i> [<adv>] [have|did|had] [<adv>|already|successfully|instead|since|manually] (<step>|<did>)",
	"^ <step> (the|a|an|it|them|your|both|all|instead|two|three|this|these|some|every|each)",
}

// asks: a question without a question mark.
var asks = []string{
	"~ tell me (which|what|whether|when|who|where|how|if|your|the)",
	"^ (please|kindly) (confirm|tell|specify|clarify|state|let me know|indicate|choose|pick)",
	"~ (please|kindly) (confirm|tell me|specify|clarify|let me know|indicate|choose|pick)",
	"~ let me know (which|what|whether|when|who|where|how many|how much|your|the)",
	"~ <i> (will|would) need (your|you|the|to know|to verify|to identify|to check a few|a few|some|more)",
	"~ <i> (need|require) (to know|your|you to|the|a|an|some|more|one|two|further)",
}

// obstacles: what stood in the way, unless the sentence holds a figure.
var obstacles = []string{"<obstacle>"}

// neutral: its sentence says nothing of the result.
var neutral = []string{
	// What the means of the work are like: "The quota resets at midnight."
	"^ [the|this|my|our|your|a|its] (quota|limit|limits|token|credentials|credential|password|session|sandbox|captcha|paywall|rate limit|permission|permissions|vpn|toolset|tools|budget) ",
	// Greetings, thanks, regrets.
	"^ (thank|thanks|hi|hello|hey|sorry|apologies|my apologies|unfortunately|regrettably|sadly|alas|ok|okay|sure|certainly|understood|noted|great|good|interesting|absolutely|of course|welcome|greetings|no|nope|yes|well|dear user|dear supervisor|best|kind regards|regards|happy to|glad to|hope|task|request|update|note|summary|final answer|answer|response|error|warning|report) ",
	"~ <i> [<adv>] [have|had|did] [<adv>|now|already|carefully|thoroughly] <tried>",
	"~ <i> (did|have done|do) (everything|all|my best|our best|what)",
	"~ <i> (ran into|hit|encountered|met with|came across|faced|got) ... (error|errors|wall|problem|problems|issue|issues|limit|obstacle|difficulty|difficulties)",
	"~ <i> (am|was) [just|only|merely|simply] (a|an|the|your|here|sorry|afraid|designed|happy|built|made|trained|configured|set up|asked|told|aware|still|text|read|given|grateful|truly|very|so|really|deeply)",
	"^ as (an|a|your|the) ",
	"^ (tried|attempted|searched|checked|looked|after|despite|having|given|upon|during|following|while|although|though|even|based on)",
	"~ (the|this|your) (request|task|question|query|topic) (is|was|concerns|belongs|asks|needs|requires|seems|looks|involves|falls|relates|would)",
	// What is as it was: "The button colour is still blue."
	"(is|are|was|stays|remains|stands) still ",
	// Advice in place of a result.
	"~ you (can|could|may|might|will|would|should|need|want|have)",
	"^ (instead|perhaps|maybe|try|consider|contact|consult|ask|for|a human|someone|another|alternatively|that said|in the meantime|the user|feel free|use|check|visit|look|reach|please|let|if|only)",
	"~ (the|another|your|a|our|my) ... (team|agent|worker|colleague|desk|department|assistant|supervisor|specialist|colleagues|expert|operator) (can|could|may|might|will|should|would|is|has)",
	"~ <i> (can|could|may|would|will) [<adv>|instead|still|happily|gladly] (help|assist|offer|suggest|recommend|try|answer|be happy|be glad|explain|guide|point|advise|be of)",
	"(anything|something|someone|somewhere|anyone) else",
	"feel free",
}
