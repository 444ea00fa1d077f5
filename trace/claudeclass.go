package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/session"
)

// refused begins the result of a call that the user did not allow.
const refused = "The user doesn't want to"

// The ways in which a refusal and a call that makes no sense are told.
var (
	refusals = []string{refused, "This command requires approval", interrupted}
	granted  = []string{"you haven't granted it yet", "requires approval", " was blocked. For security"}
)

// claudeClass returns the class of an error. A call that nobody allowed has
// not failed, and one that the program did not take has wrong arguments.
func claudeClass(text string) string {
	for _, r := range refusals {
		if strings.HasPrefix(text, r) {
			return session.ClassCancelled
		}
	}
	for _, g := range granted {
		if strings.Contains(text, g) {
			return session.ClassCancelled
		}
	}
	if strings.HasPrefix(text, "<tool_use_error>") {
		return session.ClassArguments
	}
	return classOf(text)
}
