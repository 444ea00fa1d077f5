package review

import (
	"crypto/sha256"
	"slices"
)

// origin is where patterns were read from, or saved to last.
type origin struct {
	file    string            // "": nowhere
	content [sha256.Size]byte // of the file then; zero: there was none
	last    int               // the number of the latest id in it
	// whole: the file held these patterns and no others. Otherwise ids say under
	// which id it holds each of them.
	whole bool
	ids   map[string]string
}

// is reports whether the file is still the one that patterns are from, and
// held no others.
func (o *origin) is(path string, there *Patterns) bool {
	return o.whole && o.file == path && o.content == there.origin.content
}

// idOf is the id of a pattern in the file; "": it is not there.
func (o *origin) idOf(id string) string {
	if !o.whole {
		return o.ids[id]
	}
	if n, ok := numberOf(id); ok && n <= o.last {
		return id
	}
	return ""
}

// change is what came to a pattern since it was read or saved.
type change struct {
	seen     int
	symptoms Symptoms // the sums over what was seen
	replaced bool     // the remedy is another one, and its count began anew
	offered  int      // outcomes of the remedy
	helped   int
}

// changed returns the change of a pattern, to be added to.
func (p *Patterns) changed(k *Pattern) *change {
	if p.changes == nil {
		p.changes = map[string]*change{}
	}
	c := p.changes[k.ID]
	if c == nil {
		c = &change{}
		p.changes[k.ID] = c
	}
	return c
}

// saw adds a failure to a pattern that has been seen before.
func (c *change) saw(s Symptoms) {
	if c.seen == 0 {
		c.symptoms = s
	} else {
		c.symptoms.add(s)
	}
	c.seen++
}

// merge adds what came to other patterns since they were saved to the file,
// whose content p is, and returns the ids under which the file has them.
func (p *Patterns) merge(from *Patterns, path string) map[string]string {
	was, changes := from.origin, from.changes
	if was.file != path {
		was, changes = origin{}, from.everything()
	}
	ids := map[string]string{}
	own := map[string]bool{} // what was apart stays apart
	for _, k := range from.list {
		if id := was.idOf(k.ID); id != "" {
			ids[k.ID], own[id] = id, true
		}
	}
	for _, k := range from.list {
		if changes[k.ID] == nil {
			continue
		}
		c := *changes[k.ID]
		to := p.find(ids[k.ID])
		if to == nil {
			if to = p.alike(k, &c, own); to != nil {
				c.replaced = true // by a review of the same failure
			}
		}
		switch {
		case to != nil:
			to.take(k, &c)
		case c.seen == 0:
			continue // an outcome of what was dropped
		default:
			to = p.append(&Pattern{Symptoms: c.symptoms, Cause: k.Cause, Remedy: slices.Clone(k.Remedy), Specialist: k.Specialist,
				Seen: c.seen, Offered: c.offered, Helped: c.helped})
		}
		ids[k.ID], own[to.ID] = to.ID, true
	}
	return ids
}

// everything is the change that makes the patterns out of none.
func (p *Patterns) everything() map[string]*change {
	all := map[string]*change{}
	for _, k := range p.list {
		all[k.ID] = &change{k.Seen, k.Symptoms, true, k.Offered, k.Helped}
	}
	return all
}

// alike returns the pattern that a new one is a further failure of; nil: none.
func (p *Patterns) alike(k *Pattern, c *change, except map[string]bool) *Pattern {
	if c.seen == 0 {
		return nil
	}
	seen := Pattern{Symptoms: c.symptoms, Seen: c.seen}
	for _, m := range p.similar(seen.mean()) {
		if m.Similarity < MergeAt {
			return nil
		}
		if !except[m.ID] {
			if m.Specialist != k.Specialist {
				return nil
			}
			return p.find(m.ID)
		}
	}
	return nil
}

// take adds a change of the same pattern, or of one that looks alike, by the
// rules of Record and Outcome. Outcomes are those of one remedy.
func (k *Pattern) take(from *Pattern, c *change) {
	if k.Seen+c.seen <= maxCount && c.seen > 0 {
		k.Seen += c.seen
		k.Symptoms.add(c.symptoms)
	}
	if c.replaced && len(from.Remedy) > 0 && k.mayChange() {
		k.Cause, k.Remedy, k.Offered, k.Helped = from.Cause, slices.Clone(from.Remedy), 0, 0
	}
	if slices.Equal(k.Remedy, from.Remedy) && k.Offered+c.offered <= maxCount {
		k.Offered += c.offered
		k.Helped += c.helped
	}
}

// mayChange reports whether the remedy gives way to another one.
func (k *Pattern) mayChange() bool {
	return k.Offered == 0 || k.Offered >= minTried && 2*k.Helped < k.Offered
}
