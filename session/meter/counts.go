package meter

// counts counts by name, for a bounded number of names. Those that come when
// there is no room left share one count, so that nobody escapes by a new name.
type counts struct {
	of   map[string]int64
	rest int64
}

func (c *counts) get(name string) int64 {
	if n, known := c.of[name]; known || len(c.of) < MaxNames {
		return n
	}
	return c.rest
}

func (c *counts) add(name string) {
	if c.of == nil {
		c.of = map[string]int64{}
	}
	if _, known := c.of[name]; !known && len(c.of) >= MaxNames {
		c.rest++
		return
	}
	c.of[name]++
}

// clear forgets a name.
func (c *counts) clear(name string) { delete(c.of, name) }
