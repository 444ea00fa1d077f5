package trim

import "fmt"

// The defaults, in messages and tokens. They suit models with a context of
// 128,000 tokens: a history of 100,000, answer included, is where such a
// session counts as high on context (context_high), and leaves room for
// estimates that are too low. Fifty messages are some twenty turns with calls;
// trimming to forty instead of fifty keeps it from happening on every turn,
// which would give up the model's cache each time.
const (
	DefaultMaxMessages      = 50
	DefaultKeepMessages     = 40
	DefaultMaxTokens        = 100_000
	DefaultCompletionTokens = 16_000
	DefaultSystemTokens     = 12_000
)

// Options say how long a history may be. A field that is 0 has its default;
// the zero value is all defaults.
type Options struct {
	// MaxMessages is how many messages there may be, system messages not
	// counted; with more, the history is trimmed. Default 50.
	MaxMessages int
	// KeepMessages is to how many of the last messages it is trimmed then.
	// Default 40, or MaxMessages if that is less.
	KeepMessages int
	// MaxTokens is how many tokens the history, the system prompt, the tools
	// and the answer may have together. Default 100,000.
	MaxTokens int64
	// CompletionTokens of them are for the answer. Default 16,000.
	CompletionTokens int64
	// SystemTokens of them are for the system prompt and the descriptions of
	// tools. A system prompt that has more takes more. Default 12,000.
	SystemTokens int64
}

// OptionsError says which option is wrong.
type OptionsError struct {
	Option string // its name, such as MaxMessages
	Why    string
}

// Error names the option and what is wrong with it.
func (e *OptionsError) Error() string { return fmt.Sprintf("trim: %s %s", e.Option, e.Why) }

// Resolved returns the options with their defaults. The error is an
// *OptionsError: a value below 0, more messages to keep than there may be, or
// no tokens left for messages.
func (o Options) Resolved() (Options, error) {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"MaxMessages", int64(o.MaxMessages)}, {"KeepMessages", int64(o.KeepMessages)}, {"MaxTokens", o.MaxTokens},
		{"CompletionTokens", o.CompletionTokens}, {"SystemTokens", o.SystemTokens},
	} {
		if f.value < 0 {
			return Options{}, &OptionsError{f.name, fmt.Sprintf("is %d: want a number above 0, or 0 for the default", f.value)}
		}
	}
	orDefault(&o.MaxMessages, DefaultMaxMessages)
	orDefault(&o.KeepMessages, min(DefaultKeepMessages, o.MaxMessages))
	orDefault(&o.MaxTokens, DefaultMaxTokens)
	orDefault(&o.CompletionTokens, DefaultCompletionTokens)
	orDefault(&o.SystemTokens, DefaultSystemTokens)
	if o.KeepMessages > o.MaxMessages {
		return Options{}, &OptionsError{"KeepMessages", fmt.Sprintf("is %d, which is more than MaxMessages, %d", o.KeepMessages, o.MaxMessages)}
	}
	if o.CompletionTokens >= o.MaxTokens || o.SystemTokens >= o.MaxTokens-o.CompletionTokens {
		return Options{}, &OptionsError{"MaxTokens", fmt.Sprintf("is %d, of which %d for the answer and %d for system and tools leave none for messages",
			o.MaxTokens, o.CompletionTokens, o.SystemTokens)}
	}
	return o, nil
}

func orDefault[T int | int64](value *T, def T) {
	if *value == 0 {
		*value = def
	}
}
