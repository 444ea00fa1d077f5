package memory_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

func TestConformance(t *testing.T) {
	statetest.Run(t, func(_ *testing.T, clock *statetest.Clock) state.Store {
		return memory.New(memory.Options{Now: clock.Now})
	})
}

// On its own clock the home must do the same for claims that bring their time.
func TestConformanceOwnClock(t *testing.T) {
	statetest.Run(t, func(*testing.T, *statetest.Clock) state.Store { return memory.New(memory.Options{}) })
}
