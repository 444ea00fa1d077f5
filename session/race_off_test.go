//go:build !race

package session_test

// raceEnabled tells whether the race detector is on, which allocates by itself
// and has pools forget at random.
const raceEnabled = false
