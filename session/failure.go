package session

// The classes of errors by which failures are told apart. Any other class
// counts as a failure of the tool.
const (
	ClassTool         = "ToolError"
	ClassNetwork      = "NetworkError" // 5xx and time-outs
	ClassRateLimit    = "RateLimitExceeded"
	ClassArguments    = "InvalidArguments"
	ClassFileNotFound = "FileNotFound"
	ClassCancelled    = "Cancelled" // by the caller: counts neither against a tool nor against a worker
)

// Classes returns the classes that are known by name.
func Classes() []string {
	return []string{ClassTool, ClassNetwork, ClassRateLimit, ClassArguments, ClassFileNotFound, ClassCancelled}
}

// countsAgainstTool reports whether a failure says something of the tool, and
// not of who called it.
func countsAgainstTool(class string) bool {
	switch class {
	case ClassArguments, ClassFileNotFound, ClassCancelled:
		return false
	}
	return true
}
