package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/duration"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// Away is what is done while the state cannot be reached. The zero Away is
// the defaults.
type Away struct {
	// OnError is for steps and rules that do not say; StoreDefault: deny.
	OnError dsl.OnStoreError
	// Timeout is the longest that the state may take to answer; 0: what its
	// address says, else 50 ms.
	Timeout time.Duration
	// Fleet is how many processes share the state; 0: nobody says, which is an
	// error where OnError is StoreLocal and the state [Shared].
	Fleet int
}

// MaxFleet is the largest fleet.
const MaxFleet = 1_000_000

// Shared reports whether an address of a state is that of a server, which any
// number of processes may share.
func Shared(state string) bool {
	kind, _, _ := strings.Cut(state, ":")
	return slices.Contains([]string{"redis", "rediss", "unix"}, kind)
}

// needFleet reports local counting without the part of each process: with the
// whole limit each, a fleet would admit as many times the limit as it is large.
func (r *reader) needFleet() {
	c := r.config
	if _, said := c.said["fleet"]; c.Away.OnError == dsl.StoreLocal && Shared(c.State) && !said {
		r.Report(document.SyntaxID, c.said["on_store_error"], "local, with a state that is shared, needs fleet", "write fleet: and how many processes share the state; each then admits its part of a limit")
	}
}

func (r *reader) onStoreError(n *document.Node) {
	r.mark("on_store_error", n)
	if err := r.config.Away.OnError.UnmarshalText([]byte(n.Text)); err != nil || !n.Scalar() {
		r.wrong(n, "on_store_error", "write deny, allow or local")
	}
}

func (r *reader) storeTimeout(n *document.Node) {
	r.mark("store_timeout", n)
	if n.Kind == jsonv.Number { // which are seconds elsewhere, and meant to be milliseconds here
		r.wrong(n, "store_timeout", "write a time with its unit, such as 50ms or 1s")
		return
	}
	r.config.Away.Timeout = r.duration(n, "store_timeout")
}

func (r *reader) fleet(n *document.Node) {
	r.mark("fleet", n)
	r.config.Away.Fleet = r.count(n, "fleet", 1)
	if r.config.Away.Fleet > MaxFleet {
		r.wrong(n, "fleet", "write a whole number of at most 1000000")
	}
}

func (s *Settings) away() []Setting {
	onError, _ := s.Away.OnError.MarshalText() // never fails
	timeout := "the address's, or 50ms"
	if s.Away.Timeout > 0 {
		timeout = duration.Format(s.Away.Timeout)
	}
	return []Setting{
		{"on_store_error", string(onError), s.origin("on_store_error")},
		{"store_timeout", timeout, s.origin("store_timeout")},
		{"fleet", strconv.Itoa(max(s.Away.Fleet, 1)), s.origin("fleet")},
	}
}
