package redis

import (
	"context"

	"github.com/cbpolicy/cbpolicy/state"
)

// Tries returns what sends one and the same claim, as the first try or as one
// that may have come before, and returns the script's reply; and what undoes it.
func (s *Store) Tries(c *state.Claim) (try func(ctx context.Context, again bool) (any, error), undo func(context.Context) error) {
	p := s.packClaim(c)
	try = func(ctx context.Context, again bool) (any, error) {
		sent := invocation{script: p.script, keys: p.keys, arg: append([]byte(nil), p.b...)}
		if again {
			sent.arg.([]byte)[againAt] = 1
		}
		cmd, err := s.run(ctx, &sent)
		if err != nil {
			return nil, err
		}
		return cmd.Val(), nil
	}
	return try, func(ctx context.Context) error { return s.undo(ctx, s.packUndo(c, p.b[nameAt:requestAt])) }
}
