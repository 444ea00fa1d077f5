package meter

// clock measures the time since a start, without the pauses in it.
type clock struct {
	from   int64 // the start, moved on by the pauses that are over
	paused int64 // since when it stands still; 0: it runs
	still  bool
}

func (c *clock) start(at int64) { *c = clock{from: at} }

// pause stops the clock.
func (c *clock) pause(at int64) {
	if !c.still {
		c.still, c.paused = true, at
	}
}

// resume lets it run again from where it stood.
func (c *clock) resume(at int64) {
	if c.still {
		c.still = false
		c.from += max(at-c.paused, 0)
	}
}

// cancel lets it run again as if it had never stood still.
func (c *clock) cancel() { c.still = false }

// elapsed is what the clock shows at a time, at least 0.
func (c *clock) elapsed(at int64) int64 {
	if c.still {
		at = min(at, c.paused)
	}
	return max(at-c.from, 0)
}
