package meter_test

import (
	"math"
	"testing"

	"github.com/cbpolicy/cbpolicy/session/meter"
)

func TestEstimateTokens(t *testing.T) {
	for bytes, want := range map[int64]int64{-1: 0, 0: 0, 1: 1, 4: 1, 5: 2, 40: 10, math.MaxInt64: 1 << 61} {
		if got := meter.EstimateTokens(bytes); got != want {
			t.Errorf("%d bytes: %d tokens, want %d", bytes, got, want)
		}
	}
}
