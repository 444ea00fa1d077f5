package meter

// Tokens are what one message of a model took.
type Tokens struct {
	Input, Output         int64 // Input without what is below
	CacheRead, CacheWrite int64
	// CacheWrite1h is how many of CacheWrite were written to a cache that lasts
	// an hour, which costs more. More of them than of CacheWrite stand for as many.
	CacheWrite1h int64
}

// report is what is known of one message.
type report struct {
	tokens Tokens
	cost   int64 // nano-dollars
}

// Greatest takes the greater of each field.
func (t Tokens) Greatest(u Tokens) Tokens {
	return Tokens{
		Input: max(t.Input, u.Input), Output: max(t.Output, u.Output),
		CacheRead: max(t.CacheRead, u.CacheRead), CacheWrite: max(t.CacheWrite, u.CacheWrite),
		CacheWrite1h: max(t.CacheWrite1h, u.CacheWrite1h),
	}
}

// CacheWrites are the tokens that were written to caches that last five
// minutes, or for as long as is usual, and to those that last an hour.
func (t Tokens) CacheWrites() (usual, hour int64) {
	hour = max(t.CacheWrite1h, 0)
	return max(t.CacheWrite, hour) - hour, hour
}

// context is how much the model had before it once the message was written.
func (t Tokens) context() int64 {
	return addTo(addTo(t.Input, t.Output), addTo(t.CacheRead, max(t.CacheWrite, t.CacheWrite1h)))
}

// maxMessages is of how many messages of a task the usage is remembered, in
// case it is reported again.
const maxMessages = 1024

// bytesPerToken is the estimate where no usage is reported: English text and
// code come to about four bytes a token.
const bytesPerToken = 4

// EstimateTokens estimates the tokens of a text by its bytes: a quarter of
// them, rounded up. It is the same for every model and on every machine. Prose,
// code and Chinese come near it; hex and base64 may take three times as many.
func EstimateTokens(bytes int64) int64 {
	bytes = max(bytes, 0)
	return bytes/bytesPerToken + min(bytes%bytesPerToken, 1)
}

// usage adds up reports of usage.
type usage struct {
	input, output int64
	context       int64 // of the latest report
	unreported    int64 // bytes of messages since
	byMessage     map[string]report
	order         []string
}

// Reported is what was reported of a message before; nothing, if it has no id.
func (k *Task) Reported(message string) Tokens {
	if message == "" {
		return Tokens{}
	}
	return k.usage.byMessage[message].tokens
}

// Usage notes a report of what a message took, and what it cost in
// nano-dollars. One of a message that was reported before replaces it, field by
// field, where it is greater.
func (k *Task) Usage(message string, t Tokens, cost, at int64) {
	k.touchUsage(at)
	t, cost = t.Greatest(Tokens{}), max(cost, 0)
	u := &k.usage
	var was report
	if message != "" {
		was = u.byMessage[message]
		t, cost = t.Greatest(was.tokens), max(cost, was.cost)
		u.remember(message, report{t, cost})
	}
	u.input = addTo(u.input, t.Input-was.tokens.Input)
	u.output = addTo(u.output, t.Output-was.tokens.Output)
	u.context, u.unreported = t.context(), 0
	k.spendNano(cost - was.cost)
	k.pass()
}

// pass gives back what is reserved for money that is reported apart from its
// call, as some of it has been: it would count twice.
func (k *Task) pass() {
	for i := range k.flights {
		if f := &k.flights[i]; f.passing {
			k.settle(f, &Result{})
		}
	}
}

func (u *usage) remember(message string, r report) {
	if u.byMessage == nil {
		u.byMessage = map[string]report{}
	}
	if _, known := u.byMessage[message]; !known {
		if len(u.order) == maxMessages {
			delete(u.byMessage, u.order[0])
			u.order = append(u.order[:0], u.order[1:]...)
		}
		u.order = append(u.order, message)
	}
	u.byMessage[message] = r
}

// ContextTokens is how many tokens the model has before it, as far as it is
// reported, and an estimate of what came since.
func (k *Task) ContextTokens() int64 { return k.usage.contextTokens() }

// contextTokens is the latest report, and an estimate of what came since.
func (u *usage) contextTokens() int64 {
	return addTo(u.context, EstimateTokens(u.unreported))
}
