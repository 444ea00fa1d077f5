package refusal

import "strings"

// The words of a status.
var (
	failedStatus = map[string]bool{"error": true, "failed": true, "failure": true, "fail": true, "refused": true, "refuse": true, "abstain": true,
		"denied": true, "unable": true, "unsupported": true, "timeout": true, "timed_out": true,
		"cancelled": true, "canceled": true, "aborted": true, "not_supported": true, "forbidden": true,
		"unauthorized": true, "declined": true, "impossible": true, "unavailable": true, "blocked": true, "rejected": true, "halted": true,
		"skipped": true, "unresolved": true, "unsuccessful": true, "not_completed": true, "not_complete": true,
		"not_done": true, "not_possible": true, "no_result": true, "no_results": true, "crashed": true, "terminated": true,
		"not_started": true, "not_executed": true, "abandoned": true, "needs_input": true, "access_denied": true, "not_found": true, "unresolvable": true, "no_data": true,
		"insufficient_data": true, "quota_exceeded": true, "rate_limited": true, "invalid": true, "ko": true,
		"nack": true, "unfulfilled": true, "undelivered": true, "not_delivered": true, "content_filter": true, "not_generated": true, "withdrawn": true}
	openStatus = map[string]bool{"incomplete": true, "pending": true, "in_progress": true, "running": true,
		"started": true, "queued": true, "working": true, "processing": true, "waiting": true}
	backStatus = map[string]bool{"handed_back": true, "handoff": true, "returned": true, "transferred": true,
		"escalated": true, "escalate": true, "handover": true, "transfer": true, "reassign": true, "delegate": true,
		"hand_back": true, "hand_off": true, "route": true, "reroute": true, "escalation": true, "reassigned": true, "rerouted": true, "handed_over": true, "handed_off": true,
		"returned_to_sender": true}
	// backAction are besides them what a worker may decide to do, or who is next.
	backAction = map[string]bool{"ask_user": true, "ask": true, "clarify": true, "clarification": true, "question": true,
		"human_agent": true, "human": true, "human_operator": true, "supervisor": true}
)

// statusWord returns a text as a word of a status is written: "Not done" is
// "not_done".
func statusWord(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}
