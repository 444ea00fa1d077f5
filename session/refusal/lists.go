package refusal

import (
	"maps"
	"slices"
	"strings"
)

// wordLists returns the alternatives of a named list. Every list is one
// concept that several phrases share.
func wordLists(name string) (string, bool) {
	for _, all := range [...]map[string]string{lists, frameLists} {
		if s, ok := all[name]; ok {
			return s, true
		}
	}
	switch name {
	case "undone":
		return undoneWords(), true
	case "leftundone":
		return "un*ed|" + undoneWords(), true
	}
	return "", false
}

// undoneWords returns the list <undone>: what is done with "un" before it, such
// as "unsent".
func undoneWords() string {
	return "un" + strings.Join(strings.Fields(strings.ReplaceAll(lists["done"], "|", " ")), "|un")
}

func listNames() string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(lists)), maps.Keys(frameLists))
	names = append(names, "undone", "leftundone")
	slices.Sort(names)
	return "<" + strings.Join(names, ">, <") + ">"
}

var lists = map[string]string{
	// Who answers: the worker itself.
	"i": `i|we|this agent|this assistant|this worker|this bot|this model|our team|my team|our agent|the agent|the assistant|
		the bot|the subagent`,
	// The answerer's forms of "be".
	"am": `am|are|is|was|were|remain|feel|have been|has been|will be|would be`,
	// Adverbs that may stand between the answerer and what it cannot.
	"adv": `currently|really|simply|just|also|still|therefore|unfortunately|regrettably|actually|honestly|
		personally|directly|legally|ethically|safely|presently|yet|quite|even|truly|sadly|genuinely|certainly|
		at this time|at the moment|right now|at present|respectfully|kindly|politely|
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
		disabled|documented|downloaded|drafted|edited|enabled|estimated|exported|
		extended|extracted|filed|finished|fixed|formatted|generated|gathered|granted|grouped|
		implemented|imported|improved|included|initialised|initialized|inserted|installed|invoiced|isolated|issued|
		labelled|labeled|launched|listed|made|managed to|mapped|marked|measured|merged|migrated|
		modified|moved|negotiated|notified|obtained|ordered|organised|organized|outlined|packed|paid|
		patched|pinned|prepared|priced|produced|proofread|published|purchased|pushed|
		ranked|rebooked|rebuilt|recorded|recovered|redirected|reduced|refactored|refunded|registered|reimbursed|
		released|renamed|renewed|repaired|replaced|replied|reproduced|rescheduled|reserved|reset|resolved|restarted|
		restored|retrieved|reverted|rewrote|rolled|sampled|saved|scheduled|scraped|secured|shipped|
		shortened|signed|sketched|solved|sorted|split|stored|styled|substituted|succeeded|summarised|
		summarized|swapped|switched|synced|tagged|traced|translated|trimmed|unlocked|updated|upgraded|
		uploaded|validated|verified|went with|worked out|wrote|written|written up|cut|drew|
		deduplicated|deleted|removed|dropped|reconciled`,
	// A step that may lead to nothing.
	"step": `found|got|reached|used|sent|submitted|kept|left|put|picked|set|called in|ran the|ran it|ran all|ran your|
		tested|spotted|selected|ended up with|matched|turned|logged|identified|filled|placed|narrowed|planned|messaged|paged|texted|emailed|mailed|posted|started`,
	// Effort: what a worker did without a result.
	"tried": `tried|attempted|looked|took a look|took a closer look|hate|hate to|was hoping|were hoping|had hoped|was planning|set out|was looking|checked|searched|reviewed|examined|considered|analysed|analyzed|read|
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
	"it": `task|request|ticket|case|conversation|job|question|enquiry|the enquiry|the inquiry|this enquiry|this inquiry|this question|
		the matter|this matter|the order|this order|back|them|these|both|this|it|that|control|the task|this task|the request|this request|the conversation|the question|the ticket|
		this ticket|the job|this job|the assignment|this one|the case|this case|the work|the item|the thread|you|the customer|the caller|the user|the client|the patient|
		your request|the baton|the ball|the floor|the turn|the query|the issue`,
	// What a worker owes.
	"result": `result|results|answer|answers|output|outcome|solution|progress|findings|deliverable|resolution|
		response|success|anything`,
	// What follows as a label's value: how something ended.
	"outcome": `status|state|result|results|outcome|output|outputs|deliverable|deliverables`,
	// Things done for who asked, as participles.
	"done": `done|made|created|sent|booked|executed|run|performed|carried out|carried through|completed|finished|produced|
		generated|written|prepared|drafted|filed|submitted|placed|processed|changed|updated|modified|applied|saved|
		stored|delivered|dispatched|shipped out|ordered|purchased|paid out|transferred|translated|summarised|summarized|transcribed|
		converted|exported|imported|uploaded|downloaded|published|posted|deployed|merged|installed|built|compiled|
		computed|calculated|analysed|analyzed|compared|reviewed|retrieved|fetched|scheduled|rescheduled|arranged|
		reserved|cancelled|canceled|refunded|issued|attempted|started|begun|launched|accomplished|achieved|fulfilled|
		obtained|extracted|collected|gathered|compiled|rendered|printed|edited|fixed|resolved|solved|answered|
		handled|taken|initiated|triggered|actioned|implemented|touched|provided|assembled|drawn|drawn up|set|set up|put together|
		moved|deleted|added|registered|recorded|logged|sorted out|reset|restored|migrated|notified|called|contacted|
		patched|pushed|committed|scraped|crawled|queried|verified|validated|checked|tested|inspected|measured|graded|assessed|scored|renewed|rerouted|reassigned|
		replaced|renamed|removed|repaired|restarted|enabled|disabled|activated|connected|configured|paid|charged|credited|redeemed|
		renegotiated|approved|forwarded|signed|rewritten|rebooked|reordered|returned|shut down|switched off|switched on|turned on|turned off|shared|opened|closed|locked|unlocked|synced|sorted|formatted|planned|designed|drafted|planted|painted|
		chosen|told|sold|bought|fed|dug|driven|flown|mown|counted|cleaned|fitted|cooked|baked|treated|minuted|brought|found out`,
	// The same in the base form.
	"do": `do|make|create|send|book|execute|run|perform|carry|complete|finish|produce|generate|write|prepare|draft|file|
		submit|place|process|change|update|modify|apply|save|deliver|order|purchase|buy|pay|transfer|translate|summarise|
		summarize|transcribe|convert|export|import|upload|download|publish|post|deploy|merge|install|build|compile|
		compute|calculate|analyse|analyze|compare|review|retrieve|fetch|schedule|arrange|reserve|cancel|refund|issue|
		attempt|try|start|begin|launch|answer|handle|touch|provide|give|return|report|show|price|reconcile|go on|work with|
		work on|act on|build on|share|hand over|present|offer|extract|collect|add|edit|fix|delete|move|restart|email|call|rename|replace|remove|repair|renew|enable|disable|activate|configure|charge|forward|sign|rewrite|rebook|
		switch|turn|open|close|lock|unlock|sync|sort|format|plan|design|invent|guess|contact|notify|reply|respond|push|commit|patch|alter|adjust|
		modify|approve|confirm|verify|check|test|validate|measure|register|record|log|set|reset|restore|migrate|move|copy`,
	// What a worker hands over.
	"output": `output|outputs|output file|output files|file|files|result|results|artefact|artefacts|artifact|artifacts|
		binary|answer|answers|finding|findings|report|reports|summary|summaries|translation|transcript|transcription|numbers|figures|
		number|figure|data|deliverable|deliverables|document|draft|list|table|chart|booking|bookings|reservation|price|prices|
		quote|quotes|estimate|date|dates|solution|proof|text|recommendation|conclusion|conclusions|comparison|analysis|
		aggregates|metrics|records|details|information|images|image|picture|sketch|model|build|export|statistics|totals|total|
		confirmation|ticket|tickets|appointment|schedule|plan|code|patch|fix|diagnosis|verdict|shortlist|options|content|
		calculation|valuation|forecast|content|response|resolution|outcome|progress|changes made|action|meeting|message|
		mail|email|emails|mails|invoice|invoices|entry|update|updates|verification|success|luck|plot|plots|graph|diagram|drawing|banner|label|labels|minutes|itinerary|map`,
	// What is asked for, as a subject without an article.
	"work": `work|task|tasks|login|compilation|installation|deployment|migration|translation|booking|payment|analysis|
		verification|transcription|delivery|upload|download|export|import|execution|processing|extraction|reconciliation|tests|
		files|results|messages|emails|mails|invoices|rows|records|changes|steps|step|items|bookings|reports|summary|report|nothing|request`,
	// Begins the name of a thing asked for.
	"the": `the|your|this|that|these|those|any|our|my|all|both|a|an|its|his|her|their`,
	// That something took place.
	"happen": `happen|take place|go through|go ahead|go out|occur|materialise|materialize|come about|complete|finish|
		run|start|succeed|get done|get made|get sent|get booked|get written|get started|get off the ground|get anywhere|work out|
		proceed|begin|execute|get far|make it`,
	// How a run ended that did not end well.
	"halted": `blocked|halted|aborted|stopped|skipped|abandoned|stalled|suspended|on hold|paused|stuck|terminated|interrupted|
		cut short|called off|incomplete|unsuccessful|unresolved|not completed|not complete|not done|not finished|not executed|
		not started|not possible|not performed|not successful|not carried out|not fulfilled|undone|unfinished|cancelled|canceled|
		no result|no output|timed out|rejected|declined|denied|refused|turned down`,
	// What a worker was at.
	"run": `execution|run|job|task|step|processing|pipeline|process|operation|workflow|request|assignment|work|script|command|
		query|attempt|agent|container|compilation|build|search|lookup|call|mission|order|subtask|sub task|ticket|action|fetch|
		extraction|session|upload|download|login`,
	// Who works, told of in the third person.
	"worker": `agent|assistant|bot|worker|tool|script|model|process|subagent|sub agent|job|run|runner|container|session|
		sandbox|interpreter|browser|search|query|crawler|scraper|service`,
	// What was tried.
	"tries": `attempt|attempts|try|tries|retry|retries|source|sources|request|requests|call|calls|query|queries|approach|
		approaches|page|pages|url|urls|link|links|mirror|mirrors|endpoint|endpoints|site|sites|website|websites|search|searches|
		door|time|server|servers|login|logins|method|methods|route|routes|api|apis|command|commands|upload|download|
		connection|connections|option|options|number|numbers|tool|tools|way|ways|spelling|of them|model|models|provider|providers`,
	// How it broke off.
	"broke": `failed|fails|fail|timed out|times out|errored|errors out|crashed|was blocked|were blocked|was rejected|were rejected|
		was refused|were refused|was denied|were denied|is offline|are offline|was offline|were offline|is down|are down|
		was down|were down|broke|came back empty|came up empty|came to nothing|ended in|ends in|was unsuccessful|were unsuccessful|returned nothing|
		returned no|returned an error|returned errors|returned 401|returned 403|returned 404|returned 429|returned 500|
		returned 502|returned 503|returned empty|gave nothing|gave an error|hit a|ran into|led nowhere|was unreachable|were unreachable|
		is unreachable|are unreachable|did not work|did not respond|did not answer|did not load|has failed|have failed|
		worked|succeeded|is behind|are behind|was behind|were behind|answered with|responded with|met with|unavailable|inaccessible|dead|got rejected|got blocked`,
	// Third parties of whom a report tells.
	"people": `operator|customer|client|board|owner|tenant|buyer|seller|court|judge|committee|council|voters|delegates|
		members|parliament|government|police|manufacturer|shareholders|patient|patients|landlord|bank|insurer|reviewer|
		reviewers|editor|staff|students|employees|citizens|majority|jury|authority|authorities|supplier|guests|visitors|users|customers|clients`,
	// Times that a report names.
	"when": `january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|
		wednesday|thursday|friday|saturday|sunday|mondays|sundays|yesterday|year|week|month|quarter|spring|summer|autumn|winter|
		night|then`,
	// Where a worker's tools are.
	"kit": `toolset|tools|tool|kit|tool set|tool list|toolbox|side|end|disposal|environment|sandbox|machine|list|arsenal|
		inventory|setup|configuration|functions|abilities|context|part|container|session|account|workspace|catalogue|
		repertoire|library|skill set|integrations|profile|index|reach|hands|view|instance|deployment`,
	// That something works, as a participle.
	"enabled": `supported|available|enabled|installed|possible|permitted|allowed|configured|connected|provisioned|present|
		accessible|reachable|exposed|provided|activated|wired up|set up|registered|licensed|included|implemented|offered|mounted|working`,
	// What goes into a worker.
	"input": `input|image input|audio input|video input|images|image|audio|video|browsing|web browsing|web search|web access|upload|uploads|
		file upload|file uploads|playback|attachment|attachments|the attachment|the file|the files|the document|your file|ocr|vision|speech|voice|
		internet access|network access|file access|code execution|execution|search|the spreadsheet|the image|the link|the pdf|
		the contract|the recording|the dataset|the data|the source|the brief|the list|the tool|this feature|this function|
		this tool|that tool|this language|that language|this format|that format|the feature|the language|the format|this operation|that operation`,
	// The worker's identity towards others.
	"account": `account|service account|token|key|api key|agent|assistant|worker|user|role|session|integration|plan|environment|
		sandbox|deployment|instance|tier|model|login|bot|licence|license|subscription|machine|container|profile|connection|build`,
	// That something was handed to the worker.
	"given": `attached|provided|shared|supplied|given|specified|stated|mentioned|uploaded|sent along|passed|passed on|
		passed along|sent over|enclosed|named|defined|described|sent with`,
	// What the worker was asked by.
	"brief": `brief|request|task|instructions|instruction|ticket|message|prompt|order|assignment|question|task description|
		description|input|query|payload|email|note|handover|briefing|context|spec|specification|attachment|file|excerpt`,
	// A fault whose absence is good news.
	"fault": `problem|problems|issue|issues|error|errors|bug|bugs|vulnerability|vulnerabilities|conflict|conflicts|
		duplicate|duplicates|discrepancy|discrepancies|evidence|mistake|mistakes|flaw|flaws|defect|defects|
		objection|objections|concern|concerns|reason|reasons|regression|regressions|leak|leaks|typo|typos|
		anomaly|anomalies|inconsistency|inconsistencies|violation|violations|fault|faults|risk|risks|
		contradiction|contradictions|sign|signs|trace|indication|difference|differences|complaint|complaints|
		overlap|overlaps|red flags|warning|warnings|failure|failures|gap|gaps|wrong|suspicious|unusual|
		missing|broken|cheaper|better|faster|shorter|earlier|lower|simpler|quicker|newer|later|nearer|larger|smaller|alternative|alternatives|below|under|closer|malicious|plagiarism|
		outliers|clash|clashes|link|correlation|proof|downside|downsides|fraud|malware|secrets|infringement`,
}
