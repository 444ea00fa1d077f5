package review

// Match is a failure pattern that looks like a case, and what was done about it.
type Match struct {
	ID         string     `json:"id"`         // of the pattern, for Patterns.Outcome
	Similarity float64    `json:"similarity"` // 0 to 1, to four decimals
	Cause      string     `json:"cause"`
	Remedy     []string   `json:"remedy"`
	Specialist Specialist `json:"specialist"`
	Seen       int        `json:"seen"`    // how many failures made the pattern
	Offered    int        `json:"offered"` // how often its remedy was tried
	Helped     int        `json:"helped"`  // and the next attempt went well
}
