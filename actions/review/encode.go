package review

import (
	"encoding/json"
	"fmt"
)

// encode returns the case as JSON of at most a number of bytes: texts are cut
// shorter, then the older half of the calls left out, until it fits.
func (c *Case) encode(most int) ([]byte, error) {
	calls := min(max(len(c.Calls), len(c.Plan)), MaxCalls)
	for text := MaxText; ; {
		data, err := json.Marshal(c.within(calls, text))
		switch {
		case err != nil:
			return nil, fmt.Errorf("the case is not JSON: %w", err) // a time before year 0
		case len(data) <= most:
			return data, nil
		case text > MaxText/16:
			text /= 2
		case calls > 1:
			calls /= 2
		default:
			return nil, fmt.Errorf("the case has %d bytes at its shortest; at most %d are sent", len(data), most)
		}
	}
}
