package fallback_test

import (
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// BenchmarkClaim is what the store costs beside its home: one that answers,
// with and without a rule that would be counted locally, and one that is away.
func BenchmarkClaim(b *testing.B) {
	for _, bb := range []struct {
		name string
		mode dsl.OnStoreError
		away bool
	}{{"deny", dsl.StoreDeny, false}, {"local", dsl.StoreLocal, false}, {"away", dsl.StoreLocal, true}} {
		b.Run(bb.name, func(b *testing.B) {
			way := &home{Store: memory.New(memory.Options{})}
			s, err := fallback.New(way, memory.New(memory.Options{}), fallback.Options{OnError: bb.mode, MaxKept: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if bb.away {
				way.is(broken)
			}
			says, readers := dsl.StoreDefault, registry.ModesOf(bb.mode)
			if bb.away {
				says = dsl.StoreAllow // which needs no room in what is kept
				readers = registry.ModesOf(says)
			}
			c, g := calls("c", 9_999, says), state.Grant{}
			c.Needs[0].Windows = []registry.Window{{Span: time.Millisecond, Limit: 9_999, Refuses: true, Modes: c.Needs[0].Windows[0].Modes, Readers: readers}}
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Claim(b.Context(), &c, &g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
