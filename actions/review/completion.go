package review

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// completionNested is how deep a completion may be nested; what endpoints add
// to it is deeper than guidance.
const completionNested = 50

// contentOf returns what the model said in a chat completion.
func contentOf(answer []byte) (string, error) {
	none := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("the answer is no chat completion: "+format, args...)
	}
	completion, err := jsonv.Parse(answer, jsonv.Limits{Depth: completionNested, ReplaceSurrogates: true})
	if err != nil {
		return none("%w", err)
	}
	if completion.Kind() != jsonv.Object {
		return none("it is %s, not an object with choices", completion.Kind())
	}
	choices, _ := completion.Member("choices")
	switch {
	case choices.Kind() == jsonv.Null || choices.Kind() == jsonv.List && choices.Len() == 0:
		return none("it has no choices")
	case choices.Kind() != jsonv.List:
		return none("choices is %s, not a list", choices.Kind())
	case choices.Elem(0).Kind() != jsonv.Object:
		return none("choices[0] is %s, not an object", choices.Elem(0).Kind())
	}
	if reason, _ := choices.Elem(0).Member("finish_reason"); reason.Kind() == jsonv.String && reason.Text() == "length" {
		return "", errors.New("the model's answer was cut off at its token limit")
	}
	message, _ := choices.Elem(0).Member("message")
	if message.Kind() != jsonv.Object {
		return none("choices[0].message is %s, not an object", message.Kind())
	}
	content, _ := message.Member("content")
	switch {
	case content.Kind() == jsonv.Null || content.Kind() == jsonv.String && strings.TrimSpace(content.Text()) == "":
		return "", errors.New("the model said nothing (no message content)")
	case content.Kind() != jsonv.String:
		return none("choices[0].message.content is %s, not a text", content.Kind())
	}
	return content.Text(), nil
}

// unfence takes JSON out of a code fence if that is all there is. Anything
// around it stays, and is no JSON.
func unfence(content string) string {
	text := strings.TrimSpace(content)
	open, rest, found := strings.Cut(text, "\n")
	open = strings.TrimSpace(open)
	if !found || open != "```" && !strings.EqualFold(open, "```json") {
		return text
	}
	inner, found := strings.CutSuffix(rest, "```")
	if !found {
		return text
	}
	return inner
}
