package refusal

// givesUp: the task as a whole is refused, impossible or failed.
var givesUp = []string{
	// "I can't help with that", "we were not able to complete the order"
	"~ <i> [<adv>] <cannot> [<adv>] [to] [be of] <task>",
	"~ <i> [<adv>] <cannot> and will not",
	// "I am currently unable to assist"
	"~ <i> [<adv>] <am> [<adv>] (unable|not able|powerless) [to] [<adv>] <task>",
	// "Unable to complete", "Could not do it"
	"^ <unable> [<adv>] <task>",
	"^ (can not|could not|unable to) (do|help) (this|that|it|you|here)",
	// "I must decline", "we respectfully refuse"
	"~ <i> [<adv>] [must|will|have to|had to|need to|would|am going to|would rather|am obliged to] [<adv>] (decline|refuse|declined|refused to|pass on this|abstain|reject this|am declining|am refusing|give up|gave up|am giving up|have given up|bow out|opt out|withdraw|respectfully decline|have to say no|say no|have to decline|have to pass)",
	"^ (declining|refusing|request denied|request declined|request refused|request rejected)",
	// "I won't be able to", "I won't write that"
	"~ <i> [<adv>] (will|would|shall) not [<adv>] (help|assist|do|write|generate|produce|create|participate|comply|engage|carry|execute|perform|continue|proceed|take part|be doing|be helping|be going|be participating|be taking|be completing|be completed|answer|work on)",
	// "That's beyond my capabilities", "outside of our remit", "not my department"
	"(beyond|outside|outside of|out of|exceeds|exceed|above|not within|not in|not part of|not under|not) [the] [scope of|limits of|bounds of|range of] (my|our) ... <remit>",
	"(beyond|outside|outside of|falls outside|exceeds) [the] [scope of|limits of|bounds of|range of|area of] [what] (what i|what we|this agent|this assistant|my)",
	"(beyond|outside|outside of|out of) [the] scope for (me|us)",
	"(beyond|above) (me|us|my pay) $",
	"(over|above) (my|our) (head|heads|pay grade)",
	"not among (my|our) ... <remit>",
	// "not something I can do", "not a task I'm able to take"
	"(not|is not) (something|anything|a thing|a task|a job|a request|one|a question|an area|a topic|work) [that|which] <i> [<adv>] (can|could|am|are|do|have|would|feel|know|was|will|handle|cover|support|handles|covers|supports|does|has)",
	"nothing [that] (i|we) can do",
	"~ <i> [<adv>] have no (means|way|ability|capability|possibility) (of|to)",
	// "not supported by my tools", "not possible for me", "not available to us"
	"not [<adv>] (supported|covered|enabled|exposed|possible|feasible|permitted|allowed|accessible|provided|available|visible|doable|granted) (by|in|within|among|for|with|to|under|through) (my|our|me|us|this agent|this assistant)",
	"(impossible|infeasible|inaccessible|unavailable|off limits) (for|to) (me|us) ",
	"(no|there is no) (way|means|possibility|option) (for me|for us|that i can|i can|that we can|we can)",
	// "My instructions don't allow me", "my tools are limited to"
	"~ my ... <mine> ... <bar>",
	"~ our (licence|license|account|subscription|plan|key|token|tools|toolset|permissions|access|credentials|sandbox|instructions|guidelines) ... <bar>",
	"not [<adv>] (possible|doable|feasible) (with|using|through) ... (i have|we have|i was given|i am given|available to me|at my disposal|given to me)",
	"(none|no one) of (my|our) <mine> (can|could|allow|allows|support|supports|let|lets|work|works|worked|cover|covers|is able|are able)",
	// "The task cannot be completed", "this could not be done"
	"~ [the|this|your|that] (task|this|that|assignment) [<adv>] (can not|could not|can no longer|was not|has not been|will not) [<adv>] [be] (completed|fulfilled|done|carried out|processed|performed|accomplished|finished|satisfied|executed|achieved|solved|handled)",
	"~ [the|this|your|that] (request|job|order|query|action|operation|instruction) (you gave|you asked for|as given|as stated|requested) ... (can not|could not)",
	"[the|this|your] (task|request|assignment) (is|was|seems|appears) [<adv>] (impossible|infeasible|not possible|not feasible|not doable|unsupported|not supported|out of scope|a failure|unachievable)",
	"^ [the|this|your] (task|request|assignment|operation|job|attempt|run|mission) [has|is|was] (failed|aborted|unsuccessful|abandoned|rejected|declined|refused|not completed|not done)",
	"~ <i> [<adv>] [have|had] (failed|failed at|failed in) (this|that|the task|the assignment|at this|at the task)",
	// Blunt ones.
	"^ (not possible|impossible|no can do|no luck|not supported|unsupported|permission denied|access denied|not authorized|not authorised|no access|no result|no results|nothing found|no answer|no success|failed|not feasible|out of scope|not my job|not allowed) $",
	"^ (giving up|aborting|abandoning|stopping here|i quit|i pass)",
	"^ (access|permission|authorization|authentication) (denied|refused|failed|rejected|required)",
	"^ (unsupported|unsupported request|not implemented|operation not permitted)",
	// "Result: none"
	"<outcome> (none|nothing|nil|missing|blank|not available|n a|unavailable|not produced|empty|zero) $",
	// "Error: connection refused", a stack trace: what a program said for the worker.
	"^ (error|exception|fatal|panic|*error|*exception) $",
	// What a shell prints for a program that ended so.
	"^ (killed|terminated|aborted|segmentation fault|core dumped|broken pipe|out of memory|connection reset|connection refused|no such file or directory|command not found|bus error|illegal instruction) [by peer|core dumped] $",
	"^ traceback most recent call last",
	// "Nothing was done", "I have nothing to report"
	"(have|has|with|got) nothing [useful|usable|new|concrete|further] to (report|show|return|deliver|hand over|present|give you|submit|offer)",
	"^ nothing (was|has been|could be) (done|achieved|delivered|produced|booked|sent|saved|written|completed|accomplished|submitted|ordered|paid)",
	"~ [<i>] [have] made (no|zero|little) (progress|headway)",
	"^ no [usable] (result|results|output|answer|deliverable) (was|were|could be|can be|is|are) (produced|obtained|made|found|extracted|delivered|returned|given|generated|created|reached)",
	"~ <i> [<adv>] have to (stop|give up|leave it|abandon|abort|quit) ",
	"~ <i> [<adv>] am [<adv>] (stopping|aborting|abandoning|quitting)",
	// "I'm not the right agent for this"
	"~ <i> [<adv>] <am> not [<adv>] (the right|the best|the correct|the appropriate|the one|a good fit|a suitable|the person|the proper) ",
	"not (my|our) (job|area|department|role|task|responsibility|field|specialty|forte|line|strength|domain)",
	"[is|am|are] (against|prohibited by|not in line with|violates|contrary to) (my|our) ... (guidelines|policy|policies|rules|instructions|guardrails|principles|programming)",
}

// cannot: one limitation of the worker.
var cannot = []string{
	// "I can't", "we could not", "I was not able to"
	"~ <i> [<adv>] <cannot>",
	"~ <i> [<adv>] (can|could) [<adv>] not",
	"~ <i> [<adv>] <am> [<adv>] (unable|incapable|powerless|unqualified|unauthorized|unauthorised|forbidden|prohibited|prevented|barred|restricted|limited to|blocked|locked out|stuck|ill equipped|unequipped|at a loss|out of options|banned|lacking|missing|unfamiliar|clueless|only able|only allowed|only permitted|only designed|only trained|only configured|only authorized)",
	"~ <i> [<adv>] <am> not [<adv>] (able|allowed|permitted|authorized|authorised|equipped|qualified|capable|trained|designed|configured|programmed|licensed|licenced|cleared|entitled|set up|in a position|familiar|certified|built|meant|supposed|comfortable|willing|going to be able|privy|connected|wired|given|granted|provided|the|aware|logged in|going to|prepared to|in the position)",
	"~ <i> (have|has|had) not [<adv>] been (able|given|granted|told|provided|authorized|authorised|equipped|configured|trained|successful|connected|set up)",
	// "I don't have access", "I have no permission", "I lack the tools"
	"~ <i> [<adv>] (do|does|did) not [<adv>] (have|possess|hold|own|get|see) ... <means>",
	"~ <i> [<adv>] (have|has|had|got|have got|hold|possess|see) (no|zero|neither) ... <means>",
	"~ <i> [<adv>] (lack|lacks|lacked|am lacking|am missing|miss)",
	"~ with no ... <means>",
	"~ (there is|there are) no ... <means> ... (me|us|my disposal)",
	"~ <i> [<adv>] (can|could) neither",
	"~ <i> [<adv>] never (managed|got|succeeded|found|reached|received)",
	"~ <i> (have|has|had) not [got|gotten] [any|the|enough|sufficient] <means>",
	"^ (do not|did not|does not) have ... <means>",
	"~ <i> have yet to",
	"~ <i> would (rather|prefer) not",
	"^ (no|missing|insufficient|lacking) [the] [necessary|required|such|suitable] (access|permission|permissions|tool|tools|credentials|rights|privileges|authority)",
	// "I don't know how", "I don't support that"
	"~ <i> [<adv>] (do|does) not [<adv>] (support|handle|cover|deal|offer|provide|do|know how|know the|know what|know that|know where|know who|understand how|see how|see a way|see any way|feel comfortable|work on|work with|accept|perform|process|speak|take on|think i can|think we can|believe i can|believe we can|think this is possible|think it is possible)",
	"~ <i> [<adv>] (do|does) not know [this|it] $",
	"~ <i> [<adv>] did not (manage|succeed|get anywhere|find anything|find any|get any|receive any|receive the|make it|get a|get the|get through|obtain)",
	"~ <i> [<adv>] (have|has|had) [<adv>] (not managed|not succeeded|not found any|not found anything|no success|no luck)",
	"~ <i> [<adv>] [have] (failed|keep failing|kept failing|was failing)",
	"~ <i> found (nothing|no) ",
	"~ <i> [<adv>] (can|could|may|am able to) only (answer|help|assist|handle|respond|deal|work|support|process|talk|discuss|speak|read|advise)",
	"~ <i> only (handle|cover|deal|answer|support|know|speak|do|work|process|manage|take|accept|have access|have read|have permission|have the ability|have tools|help|assist|serve)",
	"~ <i> [<adv>] [have] (struggled|was stuck|got stuck|was blocked|was prevented|was denied|was refused|was locked out|got locked out|was rate limited|ran into a wall|hit a wall|hit a dead end|came up empty|drew a blank|came back empty|came up short)",
	"~ <i> am [<adv>] out of (ideas|options|luck)",
	"^ no [usable|relevant|matching|further|such|reliable|public] (results|result|matches|match|information|data|records|hits) [were|was|could be] (found|available|returned)",
	"~ (my|our) ... (came up empty|drew a blank|came back empty|turned up nothing|led nowhere|went nowhere|found nothing|yielded nothing|returned nothing|failed|was unsuccessful|were unsuccessful)",
	"~ [<i>] (came up empty|drew a blank|came back empty|came up short)",
	"~ <i> ... and [therefore|so|thus|then|as a result] [<adv>] (can not|could not|unable to|was unable|was not able|am not able|am unable|failed)",
	"~ <i> would (need|require|have to have) ... (access|permission|permissions|credentials|tool|tools|rights|privileges) ... (do|complete|proceed|help|which)",
	"~ <i> (doubt|do not think|do not believe) [that] (i|we) (can|could|am|are)",
	// The answerer is left out, or it is a rule of its own.
	"^ <unable>",
	"^ (tried|attempted) ... and (failed|could not|can not)",
	"<i> am [just|only|merely] (an ai|a language model|an assistant|a bot|an agent) ... (can not|could not|unable to|not able to|do not have)",
	"^ as (an ai|a language model|a large language model) ... (can not|do not|am not|am unable)",
	"[is|are] not [<adv>] (something|one) (i|we)",
	"(is|are|was) not [<adv>] (accessible|available|visible|readable|reachable|shared|open) (to|from|for|on|with|in) (me|us|my|here|this)",
	"~ (it|that|this) can not be (done|fulfilled|processed|completed|carried out)",
	"~ (it|that|this) (is|was) [<adv>] not [<adv>] (possible|feasible|doable|supported|allowed|permitted) $",
	"~ (the|your|this) (request|job|action|operation|query) (can not|could not) be (completed|fulfilled|done|carried out|processed|performed|executed|handled)",
}
