package file_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/file"
	"github.com/cbpolicy/cbpolicy/state/statetest"
)

func TestConformance(t *testing.T) {
	statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
		s, err := file.Open(filepath.Join(t.TempDir(), "state.db"), file.Options{Now: clock.Now, NoSync: testing.Short()})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

var ctx = context.Background()
