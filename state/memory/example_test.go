package memory_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cbpolicy/cbpolicy/registry"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/memory"
)

// A store counts and takes in one step: of three claims on a window of two,
// the third is refused and takes nothing.
func ExampleNew() {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	store := memory.New(memory.Options{Now: func() int64 { return now.UnixNano() }})
	claim := &state.Claim{Needs: []registry.Need{{
		Counter: registry.CounterID{Spec: "chain calls email.send", Subject: "newsletter"},
		Windows: []registry.Window{{Span: time.Hour, Limit: 2, Refuses: true}},
		Front:   []int{0},
	}}}
	var grant state.Grant
	for range 3 {
		if err := store.Claim(context.Background(), claim, &grant); err != nil {
			panic(err)
		}
		fmt.Println(grant.Admitted)
	}
	free := grant.Count(registry.WindowRef{}).Free
	fmt.Println("room at", time.Unix(0, free).UTC().Format(time.TimeOnly))
	// Output:
	// true
	// true
	// false
	// room at 10:00:00
}
