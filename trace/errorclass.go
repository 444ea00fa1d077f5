package trace

import (
	"strings"

	"github.com/cbpolicy/cbpolicy/session"
)

// classes maps the names of exceptions to the classes that rules tell apart.
// Other names stay as they are: an unknown class counts as a failure of the
// tool.
var classes = map[string]string{
	"FileNotFoundError":    session.ClassFileNotFound,
	"ValidationError":      session.ClassArguments,
	"InputValidationError": session.ClassArguments,
	"TimeoutError":         session.ClassNetwork,
	"ConnectionError":      session.ClassNetwork,
	"RateLimitError":       session.ClassRateLimit,
	"CancelledError":       session.ClassCancelled,
	"KeyboardInterrupt":    session.ClassCancelled,
}

// classOf returns the class of an error by its message: the exception that it
// begins with, or the HTTP status that it ends with.
func classOf(message string) string {
	name, _, ok := strings.Cut(message, ":")
	if name = name[strings.LastIndexByte(name, '.')+1:]; ok && isException(name) {
		if class := classes[name]; class != "" {
			return class
		}
		return name
	}
	if _, status, ok := strings.Cut(message, "status code "); ok && len(status) >= 3 {
		switch {
		case strings.HasPrefix(status, "429"):
			return session.ClassRateLimit
		case status[0] == '5':
			return session.ClassNetwork
		}
	}
	return session.ClassTool
}

// isException reports whether a word is the name of an exception, such as
// ValueError.
func isException(name string) bool {
	for _, c := range []byte(name) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return classes[name] != "" || len(name) > len("Error") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception"))
}
