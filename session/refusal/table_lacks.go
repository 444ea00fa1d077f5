package refusal

// lacks: a limitation told of the worker's kit, account or brief rather than
// of the worker itself.
var lacks = []string{
	// "no endpoint for that in my toolset", "not among the tools I was given"
	"(no|nothing) ... (in|on|among|within|from|at) (my|our) <kit>",
	"(not|never) [<adv>] (among|part of|in|one of|on|listed in|listed among) (the|my|our) [list of|set of|available|current|given] (tools|tool|toolset|functions|abilities|endpoints|capabilities|skills|tool list|tools list|things i|repertoire|integrations|connectors|kit)",
	"(is|are|was|were) not [<adv>] <enabled> (here|in this|by this|on this|from here|for this|to this|at my|on my|in my|in the sandbox|with what|with the)",
	"~ <input> [<adv>] (is|are|was|were) [<adv>] (unsupported|unavailable|disabled|switched off|turned off)",
	"~ <input> [<adv>] (is|are|was|were) not [<adv>] <enabled>",
	"~ <input> not [<adv>] <enabled> [here|yet] $",
	"(disabled|blocked|restricted|switched off|not allowed|unavailable|unsupported|off limits) (for|in|by|on|within|to) (me|us|this agent|this assistant|this worker|this account|this environment|this sandbox|this deployment|this session|my account|administrator|the administrator|your administrator|admin|this service account)",
	"(not|never) <enabled> (for|in|to) (me|us|this agent|this account)",
	"~ (no|there is no|there was no|there are no|without a|without any) ... (on|in|inside|from|for|to|at) this (agent|machine|sandbox|environment|container|host|session|runtime|box|instance|account|workspace|deployment|worker|end|side|channel)",
	// "this account lacks", "which I don't have"
	"~ this <account> [<adv>] (lacks|lacked|can not|could not|may not|is not|was not|has not been|only has|only allows|never|does not|did not|has been suspended|is limited|is restricted)",
	"~ this <account> [<adv>] (has no|had no|does not have|did not have|holds no) ... <means>",
	"~ this <account> [<adv>] has ... only $",
	"(which|that|but) [<adv>] (this|my|our|the) <account> [<adv>] (lacks|lack|does not|do not|is not|has no|has not|did not)",
	"which [<adv>] <i> [<adv>] (lack|can not|could not|do not|have not|am not|was not|did not|have no|had no|are not|were not)",
	"(language|format|skill|domain|area|topic|script|subject) <i> [<adv>] (can not|do not|am not|am unable|was not|am not able) [<adv>] (read|speak|support|understand|cover|know|allowed|permitted|handle|able|trained|familiar|open|parse)",
	"(unknown|invisible|inaccessible|opaque|off limits|closed|unavailable|view only|read only|a blind spot|a mystery|out of reach|out of bounds|uncharted|hidden|blocked|unreadable|illegible|unintelligible) (to|for|from) (me|us|this agent|this assistant|this account)",
	"(outside|out of|beyond) what (i|we|my|our|this) ",
	"~ (there is|there was) no (way|means|possibility|path|route|chance|telling|knowing|seeing|checking|getting|doing) ",
	"not [<adv>] (possible|feasible|doable|workable|achievable) (with|from|in|without|on|under|given|through|via|using) [<adv>|just|only] (the|this|here|what|any|my|our|these|those|current|that|an|a|access|only)",
	"^ (no|missing|insufficient|lacking|invalid|expired|wrong) ... (credentials|creds|permission|permissions|access|rights|key|token|scope|licence|license|privileges|clearance|password|sudo) $",
	"(credentials|creds|permissions|permission|token|api key|key|password|licence|license|access|login|scope) (is|are|was|were) [<adv>] (missing|expired|invalid|revoked|not set|not configured|not provided|denied|refused|wrong|absent|insufficient|rejected)",
	"~ it (is|was) not in a position to",
	// "would not let me in"
	"(not|never|neither|none|nor|no) ... (let|allow|permit|give|gave|grant|show|tell|admit|lets|allows|grants|gives|shows|allowed|granted|admitted) (me|us)",
	"(kept|keeps|locked|shut|left|leaves|threw|throws|turned|turns) (me|us) (out|from|waiting|with nothing|without|empty|with no|away)",
	"(is|are) (something|one thing|a thing|an area|a format|a language|a topic|a subject) [that|which] <i> [<adv>] (can not|do not|am not|could not|will not|have no)",
	"~ (this|it|that) can only be <done> (by|on|in|manually|with|through|at|via|from)",
	// "I'd need the key before I can start", "without it I can't"
	"~ <i> [<adv>] [would|will|do|also] [<adv>|first] (need|require|have to have|must have|have to see|have to know|have to read|have to be given) ... (first|to proceed|to continue|to start|to begin|to do this|to do that|to do it|to go on|in order to|to complete|to go any further|otherwise)",
	"~ <i> [<adv>] [would|will|do|also] [<adv>|first] (need|require|have to have|must have|have to see|have to know|have to read|have to be given) ... before <i>",
	"^ before <i> can ",
	"^ (once|as soon as|when|after|until) ... ... <i> (can|will|could|shall) [<adv>|try|happily|gladly]",
	"^ (before|until) ... <i> (can not|will not|need|would need|must have|have to have|require)",
	"^ without ... <i> (can not|could not|am unable|am not able|have no|will not|would not|do not|would be|would only be)",
	"~ without (it|them|this|that|one|those|these) ",
	"^ (need|needs|requires|require|missing) [more|your|the|a|an|some|further|additional] ... (before|first|to proceed|to continue|to start|in order to)",
	"~ <i> (can|will|could|shall) [only] [<adv>|happily|gladly] (start|begin|proceed|continue|resume|do it|do this|retry|try again|go ahead|finish|complete|pick this up|carry on) [it|this|that|again] (once|when|as soon as|after|if|only when|only if|only after)",
	"(happy|glad|ready|able) to (start|begin|proceed|continue|resume|retry|try again|have another go|pick this up|finish) [it|this|that|again] (once|when|as soon as|after|if)",
	"~ <i> (am|was|were|remain) [<adv>] (waiting|blocked|stuck|held up|stalled|pending) (for|on|by|until|at|because)",
	// "nothing was attached", "the brief does not say"
	"~ <input> [<adv>|you mention|you mentioned|you refer to|you named] (was|were|is|are|has been|have been) (never|not) [<adv>|been] <given>",
	"~ (the|no|any|your|that) ... (was|were|is|are|has been|have been) (never|not) [<adv>|been] <given> $",
	"~ (no|nothing) ... (was|were|is|has been|have been) [<adv>] <given>",
	"(did not|does not|never) (come|came) (through|along|with)",
	"<brief> (does not|did not|do not|fails to|never) [<adv>|even|actually] (contain|say|specify|state|include|mention|name|tell|give|identify|define|list|describe|indicate|says|said|mentions|contained)",
	"<brief> (is|are|was|were) [<adv>|too|very|far too] (ambiguous|unclear|contradictory|vague|incomplete|inconsistent|not clear|empty|blank|garbled|cut off|truncated|underspecified)",
	"(missing|absent|left out|omitted) (from|in) (the|your|my|this) ... <brief>",
	"~ <i> (was|were|have been|had been) (not|never) [<adv>|been] (told|sent|shown|handed|given|provided|supplied|issued|granted|assigned)",
	"~ <i> (was|were) supposed to ",
	// "may not be disclosed to agents"
	"(may not|must not|can not|is not to|are not to|is not allowed to|are not allowed to) be (disclosed|shared|revealed|released|given out|processed|provided|handled|shown|passed|exported) (to|by|with|through|via) (automated|me|us|agents|an agent|bots|assistants|ai)",
}

// declines: the worker will not.
var declines = []string{
	"~ <i> [<adv>] [must|will|shall|would|may|can|do|am going to|have|had|am|would rather|should|have decided to|have to] [<adv>] (pass|passed|passing) on (this|it|that|the)",
	"~ <i> [<adv>] (am going to have to|will have to|would have to|am obliged to|am required to|shall have to|am bound to|am afraid i must|am compelled to|am forced to|have no choice but to|ought to|had better) [<adv>] (decline|pass|refuse|say no|stop|leave|step back|sit|turn|bow out|withdraw|abort|give|reject|opt|abstain|return|hand)",
	"~ <i> [<adv>] (prefer|choose|chose|decided|have decided|elected|opted|have chosen|would prefer|have opted) not to",
	"~ <i> [<adv>] am [<adv>] not [<adv>] (going to|prepared to|willing to|inclined to|about to|happy to|ready to|comfortable|at ease) [<adv>] (do|write|send|help|make|create|generate|produce|provide|share|give|run|delete|touch|continue|answer|assist|build|draft|sign|pretend|invent|guess|with|doing|giving|writing|sharing|making|providing|proceed|be)",
	"~ <i> [<adv>] (will|would|shall) not be (writing|sending|providing|making|creating|generating|producing|sharing|running|giving|drafting|answering|able to|proceeding|continuing|building|deleting|executing|contacting|posting|publishing|preparing)",
	"~ <i> [<adv>] (will|would|shall) not [<adv>] (provide|share|give|disclose|reveal|send|make|run|delete|draft|build|touch|assist with|pretend|invent|guess|impersonate|post|publish|be party)",
	"(turn|turning|turned) (this|it|that|the request|the task|this request) down",
	"(turn|turning|turned) (down|away) (this|your|the) (request|task|job|assignment|one)",
	// Idioms of giving up.
	"in good (conscience|faith)",
	"(hands are|hands were) tied",
	"would be [<adv>|pure|mere] (lying|inappropriate|irresponsible|unethical|dishonest|misleading|guessing|guesswork|speculation|speculating|inventing|fabricating|unprofessional|remiss|making it up|making things up)",
	"~ <i> [<adv>] (do not|would not|will not|am not|would rather not|prefer not) [<adv>] [want to|like to|going to|willing to|about to|to] [<adv>] (make|guess|invent|fabricate|speculate|mislead|gamble|make up|making|guessing|inventing|fabricating|compiling|compile|passing|pass it|hand out|publish)",
	"(throw|threw|throwing|thrown) in the towel",
	"(call|called|calling) it (quits|a day)",
	"would [<adv>] rather (wait|ask|hold off|stop|leave it|check|not) ",
	"(sit|sitting|sat) this [one] out",
	"(draw|drawing|drew) the line ",
	"(chose|decided|prefer|choose|opted|elected) not to",
	"(is|are|was) not (my|our) (subject|topic|thing|trade|beat|call|turf|subject area)",
	"(wrong|not the right|not the correct) (agent|assistant|desk|place|department|worker|bot|team|address|queue)",
	"~ <i> (refuse|decline|object) to ",
	"(is|are|it is|that is) not (something|anything|one|a service|a task|a topic|a thing|work) [that|which] (i|we|this agent|this assistant) ",
	"~ [the|this|your|that] (request|task|command|call|operation|login|submission|action|order) ... (was|were|has been|have been|is|got) [<adv>] (rejected|declined|denied|refused|blocked|turned down|not accepted|disallowed)",
	"(rejected|refused|denied|declined|blocked) (the|my|our|every|each|this|all|any) ... (request|command|call|login|token|key|credentials|attempt|connection|upload|password|submission|attempts)",
}
