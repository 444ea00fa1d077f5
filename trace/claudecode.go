package trace

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/session"
	"github.com/cbpolicy/cbpolicy/session/meter"
)

// Claude Code writes a file a session, and one a sub-agent, in JSON Lines.
// The lines are not always in the order of time, one message is spread over
// several of them, each with the usage so far, and much of what stands there
// as the user's was put there by the program.

func isClaudeCode(o *outline) bool {
	if o.hasAny("startTime", "projectHash", "messages") && !o.has("uuid") {
		return false // a session of Gemini CLI
	}
	return o.has("sessionId", "type") || o.has("type=summary", "leafUuid") || o.has("type=file-history-snapshot", "messageId")
}

func readClaudeCode(in *input) {
	in.session(func(lines []doc) (*Run, error) { return claudeCodeRun(lines, in) })
}

// claudeLine is a line and its time.
type claudeLine struct {
	field
	line int
	at   int64
}

// claudeSession is a session that is being read.
type claudeSession struct {
	*builder
	limits Limits
	seen   map[string]bool   // the uuids of lines that were read
	chains map[string]string // by uuid of a line of a sub-agent: its task
	tasks  map[string]int64  // those that were started: when each was at work last
	last   []string          // in the order in which they were started
	turnOf map[string]int    // by id of a message, whose lines are one turn
}

func claudeCodeRun(docs []doc, in *input) (*Run, error) {
	r := &Run{Format: ClaudeCode}
	lines := make([]claudeLine, 0, len(docs))
	at := int64(0)
	for _, d := range docs {
		f := record(d.Value)
		t := f.in("timestamp").instant()
		if err := f.err(); err != nil {
			return nil, placed(in.source, d.line, 0, err)
		}
		at = cmp.Or(t, at)
		lines = append(lines, claudeLine{f, d.line, at})
	}
	slices.SortStableFunc(lines, func(x, y claudeLine) int { return cmp.Compare(x.at, y.at) })
	s := claudeSession{builder: newBuilder(r), limits: in.limits, seen: map[string]bool{}, chains: map[string]string{}, tasks: map[string]int64{}, turnOf: map[string]int{}}
	s.asks = true
	main := false
	for _, f := range lines {
		r.ID = cmp.Or(r.ID, f.in("sessionId").text())
		s.at(f.at)
		if uuid := f.in("uuid").text(); uuid != "" {
			if s.seen[uuid] {
				continue // a session that is resumed may repeat what was before
			}
			s.seen[uuid] = true
		}
		side := s.enter(f.field)
		switch f.in("type").text() {
		case "user":
			s.fromUser(f.field, side)
			main = main || !side
		case "assistant":
			s.fromModel(f.field)
			main = main || !side
		}
		if _, started := s.tasks[s.task]; started {
			s.tasks[s.task] = f.at
		}
		if err := f.err(); err != nil {
			return nil, placed(in.source, f.line, 0, err)
		}
	}
	for _, task := range slices.Backward(s.last) {
		s.at(s.tasks[task]).endTask(task)
	}
	if r.ID == "" {
		return nil, &FieldError{Path: "sessionId", Want: "a text on one of the lines", Got: "nothing"}
	}
	if !main && len(s.last) == 1 {
		r.ID = s.last[0] // the file is one of a sub-agent
	}
	return s.finish(), nil
}

// stopped adds that the user stopped the agent. Nothing tells since when he was
// away: no clock runs from the last thing that happened before.
func (s *claudeSession) stopped() {
	now := s.now
	if n := len(s.events); n > 0 {
		s.now = s.events[n-1].At
		s.asked()
	}
	s.now = now
	s.asked()
}

// enter makes a line's task the current one, and reports whether it is that
// of a sub-agent. Older files name no agent: there a task is a chain of lines,
// each of which names the one before it.
func (s *claudeSession) enter(f field) (side bool) {
	s.task = ""
	if !f.in("isSidechain").yes() {
		return false
	}
	uuid := f.in("uuid").text()
	s.task = cmp.Or(f.in("agentId").text(), s.chains[f.in("parentUuid").text()], uuid)
	if uuid != "" {
		s.chains[uuid] = s.task
	}
	return true
}

// fromUser adds a line that stands there as the user's: results of calls, and
// texts.
func (s *claudeSession) fromUser(f field, side bool) {
	var texts []string
	content := f.at("message", "content")
	if content.Kind() == jsonv.List {
		for _, part := range content.objects() {
			if strings.HasSuffix(part.in("type").text(), "tool_result") {
				s.toolResult(part)
				continue
			}
			texts = append(texts, part.part())
		}
	} else {
		texts = append(texts, content.text())
	}
	origin := f.at("origin", "kind").text()
	switch {
	case side:
		s.start(strings.Join(texts, "\n"))
	case f.in("isMeta").yes(), f.in("isCompactSummary").yes(), f.in("isVisibleInTranscriptOnly").yes():
	case origin != "" && origin != "human":
	default:
		for _, text := range texts {
			if strings.HasPrefix(strings.TrimSpace(text), interrupted) {
				s.stopped()
			}
			s.user(typed(text))
		}
	}
}

// start opens the task of a sub-agent with its first text.
func (s *claudeSession) start(prompt string) {
	if _, known := s.tasks[s.task]; known || s.task == "" {
		return
	}
	s.tasks[s.task] = s.now
	s.last = append(s.last, s.task)
	s.startTask(s.task, "", prompt)
}

// interrupted begins what the program writes when its user stops the agent,
// who then waits for him.
const interrupted = "[Request interrupted by user"

// The tags that the program puts around what it, and not the user, wrote; and
// those around what the user typed as a command.
var (
	programTags = []string{
		"<command-name>", "<command-message>", "<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
		"<bash-stdout>", "<bash-stderr>", "<ide_opened_file>", "<ide_selection>", "<ide_diagnostics>", "<system-reminder>",
		"<task-notification>", "<teammate-message", "<user-prompt-submit-hook>", interrupted,
	}
	typedTags = []string{"command-args", "bash-input"}
)

// typed returns what the user wrote of a text that stands there as the user's.
func typed(text string) string {
	trimmed := strings.TrimSpace(text)
	var own []string
	for _, tag := range typedTags {
		if _, rest, ok := strings.Cut(trimmed, "<"+tag+">"); ok && strings.HasPrefix(trimmed, "<") {
			inside, _, _ := strings.Cut(rest, "</"+tag+">")
			own = append(own, inside)
		}
	}
	if len(own) > 0 {
		return strings.Join(own, "\n")
	}
	for _, tag := range programTags {
		if strings.HasPrefix(trimmed, tag) {
			return ""
		}
	}
	return text
}

// fromModel adds a line of the model.
func (s *claudeSession) fromModel(f field) {
	m := f.in("message").object()
	if s.task != "" {
		s.start("")
	}
	model := m.in("model").text()
	if s.run.Model == "" && !strings.HasPrefix(model, "<") {
		s.run.Model = model
	}
	message := cmp.Or(m.in("id").text(), f.in("requestId").text())
	s.enterTurn(message)
	content := m.in("content")
	failed := f.in("isApiErrorMessage").yes()
	if !failed {
		s.said(content.words())
	}
	if s.task == "" { // only the last of the errors ended the session
		s.run.Labels.Error = ""
		if failed {
			s.run.Labels.Error = cmp.Or(content.words(), "the model could not be reached")
		}
	}
	u := m.in("usage").object()
	s.spent(session.Event{MessageID: message, Model: model, Tokens: claudeTokens(u)})
	for _, part := range content.parts() {
		switch kind := part.in("type").text(); {
		case strings.HasSuffix(kind, "tool_use"):
			s.toolUse(part)
		case strings.HasSuffix(kind, "tool_result"):
			s.toolResult(part)
		}
	}
}

// claudeTokens reads usage as Anthropic's API reports it: what was written to
// caches, and apart from it how much of that to those that last an hour. Where
// the two disagree, the greater counts.
func claudeTokens(u field) meter.Tokens {
	hour := u.at("cache_creation", "ephemeral_1h_input_tokens").count()
	return meter.Tokens{
		Input: u.in("input_tokens").count(), Output: u.in("output_tokens").count(),
		CacheRead: u.in("cache_read_input_tokens").count(), CacheWrite: max(u.in("cache_creation_input_tokens").count(), hour), CacheWrite1h: hour,
	}
}

// enterTurn makes the turn of a message the current one.
func (s *claudeSession) enterTurn(message string) {
	turn, known := s.turnOf[message]
	if !known || message == "" {
		turn = len(s.turnOf) + 1
		s.turnOf[cmp.Or(message, "#"+strconv.Itoa(turn))] = turn
	}
	s.turn = turn
}

// toolUse adds a call, or what is given to a sub-agent.
func (s *claudeSession) toolUse(part field) {
	id, name, input := part.in("id").text(), part.in("name").text(), part.in("input")
	s.checkArguments(name, input, s.limits)
	if (name == "Task" || name == "Agent") && !input.in("prompt").none() {
		s.delegate(id, name, cmp.Or(input.in("subagent_type").text(), "general-purpose"), input.args(s.limits))
		return
	}
	s.call(id, name, input.args(s.limits))
}

func (s *claudeSession) toolResult(part field) {
	content := part.in("content")
	var failure *session.Failure
	if part.in("is_error").yes() {
		text := content.words()
		failure = &session.Failure{Class: claudeClass(text), Message: text}
	}
	s.result(part.in("tool_use_id").text(), "", content.output(), failure)
	if failure != nil && (strings.HasPrefix(failure.Message, refused) || strings.HasPrefix(failure.Message, interrupted)) {
		s.asked() // the agent stops there, until the user says how to go on
	}
}
