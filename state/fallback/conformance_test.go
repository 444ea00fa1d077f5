package fallback_test

import (
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

// With a home that answers it is that home, whatever is to be done about one
// that does not.
func TestConformance(t *testing.T) {
	for _, mode := range []dsl.OnStoreError{dsl.StoreDeny, dsl.StoreAllow, dsl.StoreLocal} {
		t.Run(mode.String(), func(t *testing.T) {
			statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
				s, err := fallback.New(memory.New(memory.Options{Now: clock.Now}), memory.New(memory.Options{Now: clock.Now}), fallback.Options{OnError: mode, Fleet: 3, Timeout: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				return s
			})
		})
	}
}
