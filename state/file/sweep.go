package file

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// sweepSteps is how many records of a kind a write looks at.
const sweepSteps = 16

// mortal are the kinds of records that become useless by themselves.
var mortal = [...]kind{kindCounter, kindRun, kindCall, kindApproval, kindLease, kindSettled, kindCell}

// sweep drops some of what is no longer needed: no index tells what that is, as
// it would cost every write more than it saves. A write that adds records of a
// kind looks at some of the same kind, every write at some of one more; where
// they begin to look is anywhere, so that in time all are looked at.
func (t *txn) sweep() {
	// Keys go on with hashes, so that the hash of what no two writes share is a
	// fair place to begin at.
	anywhere := hashOf(strconv.Itoa(t.bucket.Tx().ID()))
	for i, k := range mortal {
		if t.added[k] || i == int(anywhere[0])%len(mortal) {
			t.sweepKind(k, key(k, anywhere))
		}
	}
}

// sweepKind looks at records of a kind, from a key on and round.
func (t *txn) sweepKind(k kind, begin []byte) {
	var gone, seen [][]byte
	steps := 0
	look := func(rec, v []byte) bool {
		if steps++; t.isUseless(k, rec, v) {
			gone = append(gone, bytes.Clone(rec))
		} else if k == kindApproval {
			seen = append(seen, bytes.Clone(rec))
		}
		return steps < sweepSteps
	}
	c := t.bucket.Cursor()
	rec, v := c.Seek(begin)
	for ; len(rec) > 0 && rec[0] == byte(k) && look(rec, v); rec, v = c.Next() {
	}
	if steps < sweepSteps { // past the end: the rest from the beginning
		for rec, v = c.Seek(key(k)); len(rec) > 0 && bytes.Compare(rec, begin) < 0 && look(rec, v); rec, v = c.Next() {
		}
	}
	for _, rec := range gone {
		if k == kindCounter {
			t.counter(keyOfRecord(rec)).drop()
		} else {
			t.delete(rec)
		}
	}
	for _, rec := range seen {
		t.startWaiting(rec)
	}
}

// isUseless reports whether nobody will miss a record.
func (t *txn) isUseless(k kind, rec, v []byte) bool {
	switch k {
	case kindCounter:
		c := t.counter(keyOfRecord(rec))
		return c != nil && c.useless(t.latest)
	case kindRun:
		m, in := t.marked(rec)
		return !in && m.until <= t.latest
	case kindCall:
		c := t.call(rec)
		return c != nil && add(c.admitted, t.store.forget) <= t.latest
	case kindApproval:
		a, known := t.parseApproval(rec, v)
		return known && (!a.held(t.latest) || a.until > 0 && a.until <= t.latest)
	case kindLease, kindSettled, kindCell: // all begin with the time of their end
		if len(v) < 8 {
			return false
		}
		until := int64(binary.BigEndian.Uint64(v))
		return until <= t.latest && (until > 0 || k != kindCell) // a cell's may be never
	}
	return false
}
