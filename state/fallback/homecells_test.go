package fallback_test

import (
	"errors"
	"testing"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/state"
	"github.com/cbpolicy/cbpolicy/state/fallback"
)

// For cells of money only the home answers: while it is away nobody is shown a
// copy, none is written, and none is handed over when it is back.
func TestOnlyTheHomeAnswersForItsCells(t *testing.T) {
	const money = state.HomeCells + "s"
	for _, mode := range []dsl.OnStoreError{dsl.StoreDeny, dsl.StoreAllow, dsl.StoreLocal} {
		with(t, fallback.Options{OnError: mode}, func(e *env) {
			ctx := e.Context()
			write := func(version int64, text string) []state.Write {
				return []state.Write{{Key: money, Version: version, Value: []byte(text)}}
			}
			if err := e.Settle(ctx, &state.Settlement{Cells: write(0, "10")}); err != nil {
				e.Fatal(err)
			}
			e.way.is(broken)
			expect := []state.Expect{{Key: money, Cell: state.Cell{Version: 1, Value: []byte("10")}}}
			call := state.CallID{1}
			var v state.View
			for what, err := range map[string]error{
				"a look":                     e.Load(ctx, state.Query{Cells: []string{"other", money}}, &v),
				"a write":                    e.Settle(ctx, &state.Settlement{Cells: write(1, "20")}),
				"a write of a call's result": e.Settle(ctx, &state.Settlement{Call: call, Cells: write(1, "20")}),
				"what was seen":              e.Settle(ctx, &state.Settlement{Call: call, Expects: expect}),
			} {
				if !errors.Is(err, state.ErrAway) || !errors.Is(err, state.ErrUnavailable) || state.Refused(err) {
					e.Errorf("%v: %s: %v, want ErrAway", mode, what, err)
				}
			}
			var g state.Grant
			err := e.Claim(ctx, &state.Claim{Call: call, Cells: write(1, "20"), Expects: expect}, &g)
			if denies := mode == dsl.StoreDeny; denies != errors.Is(err, state.ErrDenied) || denies == g.Admitted || g.Away == nil || state.Refused(err) {
				e.Errorf("%v: a claim: %v, %+v", mode, err, g)
			}
			err = e.Claim(ctx, &state.Claim{HomeOnly: true}, &g)
			if !errors.Is(err, state.ErrDenied) || g.Admitted {
				e.Errorf("%v: a claim that only the home may decide: %v, %+v", mode, err, g)
			}
			e.returns()
			if is := e.cell(money); string(is.Value) != "10" || is.Version != 1 {
				e.Errorf("%v: %+v, want what the home had", mode, is)
			}
			g = state.Grant{}
			if err := e.Claim(ctx, &state.Claim{HomeOnly: true, Expects: expect}, &g); err != nil || !g.Admitted || g.Away != nil {
				e.Errorf("%v: once it is back: %v, %+v", mode, err, g)
			}
		})
	}
}

// Where another cell of a claim has moved on, those of money are as they were seen:
// nobody says anything else of them.
func TestAConflictSaysNothingOfTheHomesCells(t *testing.T) {
	with(t, fallback.Options{OnError: dsl.StoreLocal}, func(e *env) {
		e.way.is(broken)
		seen := state.Cell{Version: 3, Value: []byte("10")}
		c := state.Claim{Expects: []state.Expect{{Key: "breaker", Cell: state.Cell{Version: 7}}, {Key: state.HomeCells + "s", Cell: seen}}}
		var g state.Grant
		if err := e.Claim(e.Context(), &c, &g); !errors.Is(err, state.ErrConflict) || len(g.Expected) != 2 || g.Expected[1].Version != 3 || g.Away == nil {
			e.Errorf("%v, %+v", err, g)
		}
	})
}
