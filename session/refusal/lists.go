package refusal

import (
	"maps"
	"slices"
	"strings"
)

// wordLists returns the alternatives of a named list. Every list is one
// concept that several phrases share.
func wordLists(name string) (string, bool) {
	s, ok := lists[name]
	return s, ok
}

func listNames() string {
	return "<" + strings.Join(slices.Sorted(maps.Keys(lists)), ">, <") + ">"
}

var lists = map[string]string{
	// Who answers: the worker itself.
	"i": `i|we|this agent|this assistant|this worker|this bot|this model|our team|my team|our agent`,
	// The answerer's forms of "be".
	"am": `am|are|is|was|were|remain|feel|have been|has been|will be|would be`,
	// Adverbs that may stand between the answerer and what it cannot.
	"adv": `currently|really|simply|just|also|still|therefore|unfortunately|regrettably|actually|honestly|
		personally|directly|legally|ethically|safely|presently|yet|quite|even|truly|sadly|genuinely|certainly|
		at this time|at the moment|right now|in good conscience|at present|respectfully|kindly|politely|
		obviously|clearly|strictly|technically|physically|absolutely|then|now|here|in fact|ultimately|
		again|once more|repeatedly|only|fully|properly|reliably|alone|myself|probably|definitely|hereby`,
	// That something cannot be done, or could not.
	"cannot": `can not|could not|can no longer|can in no way|am unable to|are unable to|is unable to|
		was unable to|were unable to|am not able to|are not able to|is not able to|was not able to|
		were not able to|have been unable to|have not been able to|has not been able to|
		has been unable to|will be unable to|will not be able to|would not be able to|
		would be unable to|am incapable of|am not capable of|failed to|have failed to|did not manage to|
		am not authorized to|am not authorised to|am not allowed to|am not permitted to|may not`,
	// The same without the answerer: how blunt answers begin.
	"unable": `can not|could not|unable to|was unable to|not able to|was not able to|failed to|failure to|
		impossible to|impossible for me to|not possible to|no way to|incapable of|did not manage to`,
	// Doing what was asked, whatever it was.
	"task": `help|assist|complete|do this|do that|do it|do so|do either|do any of|do what|fulfil|fulfill|proceed|
		carry|continue|comply|finish|accomplish|go any further|go further|satisfy|perform this|perform that|
		perform the|perform these|execute this|execute the|process this|process your|process the|handle this|
		handle that|handle your|handle the|take this|take on|take care|accommodate|oblige|go ahead|
		make progress|make any progress|make that happen|make this happen|solve this|resolve this|
		get this done|get it done|act on`,
	// What a worker needs in order to work.
	"means": `access|permission|permissions|ability|capability|capabilities|capacity|tool|tools|tooling|
		credentials|rights|authority|authorization|authorisation|clearance|privileges|means|way|internet|
		browser|shell|connection|connectivity|network|information|info|data|knowledge|expertise|skill|skills|
		training|context|resources|feature|features|functionality|function|option|key|keys|password|login|
		license|licence|token|feed|visibility|insight|integration|plugin|subscription|eyes|ears|hands|
		experience|mandate|idea|clue|luck|equipment|qualification|qualifications|memory|record|instructions|scope|
		terminal|interpreter|sandbox|account|connector|api|line`,
	// What limits a worker: its own things.
	"mine": `instructions|guidelines|guardrails|tools|tool|toolset|permissions|permission|policy|policies|role|access|
		configuration|system|sandbox|environment|account|training|credentials|token|rules|setup|scope|
		programming|mandate|profile|settings|key|session|restrictions|limitations|constraints|knowledge|design|
		context|runtime|container|capabilities|abilities|license|licence|privileges`,
	// What such things do to it.
	"bar": `do not|does not|did not|can not|prevent|prevents|prevented|forbid|forbids|prohibit|prohibits|
		is limited|are limited|is restricted|are restricted|only allow|only allows|only cover|
		only covers|only include|only includes|has expired|have expired|was rejected|were rejected|
		was denied|lacks|lack|is read only|are read only|only goes|only go|ends|end|stops|
		has been revoked|was revoked|were revoked|has been suspended|was suspended|has been disabled|
		is disabled|was disabled|is blocked|was blocked|was removed|has been removed|is invalid|
		are invalid|exclude|excludes|stop me|stops me|bar|bars`,
	// The limits of what a worker is for.
	"remit": `scope|area|areas|expertise|remit|domain|capabilities|capability|competence|competency|competencies|
		abilities|ability|field|responsibility|responsibilities|role|job|lane|wheelhouse|mandate|department|
		purview|skill|skills|skillset|toolset|tools|knowledge|reach|specialty|speciality|specialism|jurisdiction|
		territory|training|programming|control|power|powers|depth|league|permissions|limits|authority|brief|
		function|purpose|duties|bailiwick|line of work|assignment`,
	// Done: what a worker says of what it did.
	"did": `added|adjusted|agreed|answered|appended|applied|approved|archived|arranged|assembled|assigned|attached|
		automated|backed up|baked|booked|bought|built|calculated|cancelled|canceled|categorised|categorized|
		chose|classified|cleaned|cleared|closed|coded|collected|compared|compiled|completed|composed|computed|
		configured|confirmed|converted|cooked|copied|corrected|created|debugged|delivered|deployed|designed|
		disabled|documented|downloaded|drafted|edited|emailed|mailed|enabled|ended up with|estimated|exported|
		extended|extracted|filed|filled|finished|fixed|formatted|found|generated|gathered|got|granted|grouped|
		identified|implemented|imported|improved|included|initialised|initialized|inserted|installed|invoiced|isolated|issued|
		labelled|labeled|launched|listed|logged|made|managed to|mapped|marked|matched|measured|merged|messaged|migrated|
		modified|moved|narrowed|negotiated|notified|obtained|ordered|organised|organized|outlined|packed|paid|paged|
		patched|picked|pinned|placed|planned|posted|prepared|priced|produced|proofread|published|purchased|pushed|put|
		ranked|reached|rebooked|rebuilt|recorded|recovered|redirected|reduced|refactored|refunded|registered|reimbursed|
		released|renamed|renewed|repaired|replaced|replied|reproduced|rescheduled|reserved|reset|resolved|restarted|
		restored|retrieved|reverted|rewrote|rolled|sampled|saved|scheduled|scraped|secured|selected|sent|set|shipped|
		shortened|signed|sketched|solved|sorted|split|spotted|stored|styled|submitted|substituted|succeeded|summarised|
		summarized|swapped|switched|synced|tagged|texted|traced|translated|trimmed|turned|unlocked|updated|upgraded|
		uploaded|used|validated|verified|went with|worked out|wrote|written|written up|kept|left|tested|ran the|ran it|ran all|ran your|cut|drew|
		deduplicated|deleted|removed|dropped|reconciled|called in`,
	// Effort: what a worker did without a result.
	"tried": `tried|attempted|looked|took a look|took a closer look|was hoping|were hoping|had hoped|was planning|set out|was looking|checked|searched|reviewed|examined|considered|analysed|analyzed|read|
		understood|received|contacted|noticed|wanted|spent|gave|went|asked|opened|visited|queried|browsed|
		called|rang|phoned|consulted|studied|explored|investigated|waited|retried|started|began|hoped|
		double checked|went through|looked into|worked through|thought|see|understand|appreciate|
		apologize|apologise|regret|know|realise|realize|wish|believe|would love|would like|
		would be happy|would be glad|would have loved|would gladly|scanned|inspected|hear|recognise|recognize|
		can see|do see|can help|can assist|can try|can only|could try|suggest|recommend|advise|was asked|
		am asked|have been asked|was given|have been given|was told|am here|am happy`,
	// Why a worker could not go on: what its sentence holds besides the refusal.
	"obstacle": `blocked|denied|expired|unreachable|unavailable|offline|down|requires|required|require|needs|need|missing|
		invalid|rejected|rejects|timed out|times out|timeout|timeouts|fails|failed|error|errors|empty|corrupted|corrupt|captcha|
		paywall|paywalled|locked|forbidden|refused|refuses|unsupported|limited|disabled|broken|not|no|nothing|none|
		never|without|only|401|403|404|429|500|502|503|504|unresponsive|interrupted|hangs|hung|crashes|crashed|
		exhausted|maintenance|exceeded|insufficient|unauthorized|unauthorised|inaccessible|impossible|unknown|stuck|
		keeps|prevents|blocks|block|protected|encrypted|password|behind|hidden|private|login|sign in|barred|banned|prevented|restricted|confidential|illegal|unsafe|harmful|sensitive|outside|beyond`,
	// Who delegates.
	"boss": `supervisor|orchestrator|coordinator|manager|main agent|parent|parent agent|caller|planner|lead|
		router|dispatcher|boss|controller|root agent|triage|primary agent|delegator|main assistant|host agent|
		supervising agent|team lead|head agent|queue|user|operator`,
	// Giving a task back.
	"giving": `transferring|returning|passing|handing|sending|routing|giving|transfer|return|pass|hand|send|route|
		give|transferred|returned|passed|handed|sent|routed|gave|escalating|escalate|escalated|bouncing|bounce|
		deferring|defer|redirecting|redirect|reassigning|kicking|kick|yielding|yield|forwarding|forward|
		delegating|delegate|throwing|throw|relinquishing|bringing|bring|putting|put|punting|punt`,
	// The same as the beginning of an answer.
	"returning": `transferring|returning|handing|passing|routing|escalating|deferring|redirecting|forwarding|
		delegating|yielding|sending|giving|bringing|transferred|transfer|handed|returned|passed|escalated|
		routed|reassigning|bouncing|kicking|i am returning|i am transferring`,
	// Another who might do it.
	"other": `agent|worker|team|assistant|specialist|department|colleague|desk|human|person|expert`,
	// A task that is given back.
	"it": `this|it|that|control|the task|this task|the request|this request|the conversation|the question|the ticket|
		this ticket|the job|this job|the assignment|this one|the case|this case|the work|the item|the thread|
		your request|the baton|the ball|the floor|the turn|the query|the issue`,
	// What a worker owes.
	"result": `result|results|answer|answers|output|outcome|solution|progress|findings|deliverable|resolution|
		response|success|anything`,
	// A fault whose absence is good news.
	"fault": `problem|problems|issue|issues|error|errors|bug|bugs|vulnerability|vulnerabilities|conflict|conflicts|
		duplicate|duplicates|discrepancy|discrepancies|evidence|mistake|mistakes|flaw|flaws|defect|defects|
		objection|objections|concern|concerns|reason|reasons|regression|regressions|leak|leaks|typo|typos|
		anomaly|anomalies|inconsistency|inconsistencies|violation|violations|fault|faults|risk|risks|
		contradiction|contradictions|sign|signs|trace|indication|difference|differences|complaint|complaints|
		overlap|overlaps|red flags|warning|warnings|failure|failures|gap|gaps|wrong|suspicious|unusual|
		missing|broken|question|questions|cheaper|better|faster|shorter|earlier|lower|simpler|quicker|newer|later|nearer|larger|smaller|alternative|alternatives|below|under|closer|malicious|plagiarism|
		outliers|clash|clashes|link|correlation|proof|downside|downsides|fraud|malware|secrets|infringement`,
}
