//go:build race

package registry_test

// raceEnabled tells that the race detector is on, which allocates by itself.
const raceEnabled = true
