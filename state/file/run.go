package file

// mark says that a run is in its counter.
type mark struct {
	// joined: another call of the run was admitted after the one that entered
	// it, so that the run stays counted if that one is released.
	joined bool
	until  int64 // when it is forgotten
}

// marked returns the record of a run in a counter, and whether there is one.
func (t *txn) marked(rec []byte) (mark, bool) {
	v := t.get(rec)
	if v == nil {
		return mark{}, false
	}
	f := t.fields(rec, v)
	m := mark{joined: f.byte() != 0, until: f.int64()}
	f.end()
	return m, m.until > t.latest
}

// putMark writes or renews the record of a run.
func (t *txn) putMark(rec []byte, joined bool) {
	v := make([]byte, 1, 9)
	if joined {
		v[0] = 1
	}
	t.add(rec, appendInt64(v, t.keepUntil()))
}

// keepUntil is when something is forgotten that is asked for now. It is twice
// the time promised, so that it need not be renewed whenever it is asked for.
func (t *txn) keepUntil() int64 { return add(add(t.latest, t.store.forget), t.store.forget) }

// aging reports whether something would be forgotten too soon unless renewed now.
func (t *txn) aging(until int64) bool { return until < add(t.latest, t.store.forget) }
