package refusal

// frameLists are the word classes of the frames in the table of hints: broad,
// by stems where a stem says enough.
var frameLists = map[string]string{
	// The worker, in whatever case it speaks of itself.
	"self": `i|we|me|us|my|our|mine|ours|myself|this agent|this assistant|this worker|this bot|this model|this account|
		this session|the subagent|assistant`,
	// That something is not.
	"negated": `not|no|never|none|nothing|nobody|neither|nor|nowhere|zero|without|hardly|barely|lack*|only|unable|too`,
	// That something went wrong, is shut or is lacking.
	"fails": `fail*|crash*|error*|err|timeout*|timed out|times out|abort*|halt*|block*|denied|denies|deny|denial|refus*|
		reject*|declin*|unavailab*|non availability|unreach*|unrespon*|offline|missing|absent|lack*|expire*|invalid*|
		insufficien*|inadequate|forbid*|forbade|unauthor*|unauthent*|corrupt*|unread*|garbled|revoke*|locked|lockout|
		disabled|unsupport*|inaccess*|impossib*|infeasib*|unable|incapab*|exhaust*|exceed*|captcha*|paywall*|throttl*|
		blurr*|illegib*|withheld|guardrail*|skipp*|terminated|taken down|stuck|stall*|ban|unsuccess*|fruitless*|unresolved|unanswered|unfinish*|incomplete*|interrupt*|
		thwart*|stump*|defeat*|disconnect*|suspend*|banned|prohibit*|malform*|ambigu*|unclear|unspecified|guesswork|
		enoent|econnrefused|eacces|401|403|404|408|410|413|429|500|502|503|504|nxdomain|oom|exception|panic|segfault|
		sigkill|overload*|outage|off the table|off limits|out of bounds|read only|view only`,
	// The same of a thing that works or not.
	"broken": `dead|down|died|dies|hung|hangs|broke|broken|empty|blank|gone|shut|closed|silence|silent|noise|restricted|limited|
		gibberish|noise|garbage|keeps|kept|wants|asks|asking|demands|behind|private|
		protected|encrypted|insists|bounces|bounced|removed|discontinued|deprecated|retired|blows up|blew up|chokes|choked|hangs up|wipes|redirects|loops|spins`,
	// What a worker works with.
	"gear": `tool*|sandbox*|session*|token|tokens|credential*|permission*|privilege*|login*|logon|password*|api|apis|endpoint*|
		quota*|budget|allowance|limit|limits|network|vpn|docker|container|environment|env|runtime|connector*|
		integration*|plugin*|browser|scraper|crawler|access|connection*|connectivity|proxy|gateway|subagent|script|parser|
		client|account|key|scope*|licence|license|internet|shell|interpreter|memory|disk|function|functions|feature|features|vm|machine|computer|cluster|instance|bot|capability|capabilities|
		input|inputs|parameter*|argument*|variable*|information|info|data|details|material`,
	// Where it would get what it needs.
	"source": `site*|website*|webpage*|page|pages|portal*|server*|file|files|folder*|link|links|url|urls|document*|image*|photo*|
		picture*|recording*|audio|video|pdf*|csv*|spreadsheet*|sheet|archive*|database*|directory|mailbox|inbox|feed|
		host|service|upstream|calendar|repo|repository|bucket|dataset|attachment*|transcript|widget|form|system|backend|
		registry|query|queries|call|calls|response|address|phone|map|video|website|contact|number|line|tab|output`,
	// What it was to do.
	"errand": `task*|request*|job|brief|assignment|ticket|instruction*|question*|prompt|attempt*|deploy*|run|export|upload*|
		download*|parsing|booking*|reservation*|lookup*|search*|operation|execution|translation|migration|build|
		compilation|installation|step|compile|progress|subtask|objective|model|loop|worker|pipeline|process|agent`,
}
