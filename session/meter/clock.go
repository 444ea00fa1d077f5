package meter

// clock measures the time since a start, without the pauses in it.
type clock struct {
	from   int64 // the start, moved on by the pauses that are over
	paused int64 // since when it stands still; 0: it runs
	still  bool
	held   bool // it stands still until it is released, whatever else is said
}

func (c *clock) start(at int64) { *c = clock{from: at} }

// hold stops the clock until it is released.
func (c *clock) hold(at int64) {
	c.pause(at)
	c.held = true
}

// release lets a clock that is held run again from where it stood.
func (c *clock) release(at int64) {
	if c.held {
		c.held = false
		c.resume(at)
	}
}

// pause stops the clock.
func (c *clock) pause(at int64) {
	if !c.still {
		c.still, c.paused = true, at
	}
}

// resume lets it run again from where it stood.
func (c *clock) resume(at int64) {
	if c.still && !c.held {
		c.still = false
		c.from += max(at-c.paused, 0)
	}
}

// cancel lets it run again as if it had never stood still.
func (c *clock) cancel() {
	if !c.held {
		c.still = false
	}
}

// elapsed is what the clock shows at a time, at least 0.
func (c *clock) elapsed(at int64) int64 {
	if c.still {
		at = min(at, c.paused)
	}
	return max(at-c.from, 0)
}
