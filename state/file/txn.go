package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// kind is the first byte of a record's key.
type kind byte

// The kinds of records and what follows in their keys. Names are hashed, so
// that keys are short, whatever the names are, and spread evenly.
const (
	kindCounter     kind = 'c' // subject, spec
	kindChunk       kind = 'd' // subject, spec, number
	kindRun         kind = 'r' // subject, spec, run
	kindCall        kind = 'k' // call
	kindApproval    kind = 'p' // session, digest
	kindLease       kind = 'l' // key
	kindAccount     kind = 'a' // account
	kindReservation kind = 'i' // account, id
	kindSettled     kind = 's' // account, id
	kindCell        kind = 'v' // key
)

// hash names something: half of a SHA-256, which nobody can make two names share.
type hash [16]byte

func hashOf(name string) hash {
	sum := sha256.Sum256([]byte(name))
	return hash(sum[:16])
}

// key returns the key of a record.
func key(k kind, parts ...hash) []byte {
	b := make([]byte, 1, 1+len(parts)*len(hash{})+8)
	b[0] = byte(k)
	for i := range parts {
		b = append(b, parts[i][:]...)
	}
	return b
}

// txn is a transaction on the records. An error of the file itself is kept
// until the end, where it undoes everything: operations need not look for it.
type txn struct {
	store    *Store
	bucket   *bolt.Bucket
	latest   int64 // the time of the latest request that any process wrote
	timed    bool  // a request of this transaction told the time
	dirty    bool
	err      error
	counters map[counterKey]*counter
	added    map[kind]bool // kinds that got new records
}

func (s *Store) begin(tx *bolt.Tx) *txn {
	b := tx.Bucket(stateBucket)
	return &txn{store: s, bucket: b, latest: int64(b.Sequence()), counters: map[counterKey]*counter{}, added: map[kind]bool{}}
}

// enter makes now the time of the transaction, or a later one that it has seen.
func (t *txn) enter(now int64) int64 {
	t.latest, t.timed = max(t.latest, now), true
	return t.latest
}

// get returns a record, nil if there is none. It is shared: it must not be
// written to, nor kept beyond the next put or delete.
func (t *txn) get(key []byte) []byte { return t.bucket.Get(key) }

// put writes a record. Its key and value must not be written to any more.
func (t *txn) put(key, value []byte) {
	t.dirty = true
	if err := t.bucket.Put(key, value); err != nil {
		t.fail(err)
	}
}

// add writes a record that may be new.
func (t *txn) add(key, value []byte) {
	t.added[kind(key[0])] = true
	t.put(key, value)
}

// delete removes a record that may be there.
func (t *txn) delete(key []byte) {
	if t.bucket.Get(key) == nil {
		return
	}
	t.dirty = true
	if err := t.bucket.Delete(key); err != nil {
		t.fail(err)
	}
}

// each calls f for every record whose key has a prefix, until f returns false.
// f must not write.
func (t *txn) each(prefix []byte, f func(key, value []byte) bool) {
	c := t.bucket.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && f(k, v); k, v = c.Next() {
	}
}

// deleteAll removes every record whose key has a prefix.
func (t *txn) deleteAll(prefix []byte) {
	var keys [][]byte
	t.each(prefix, func(key, _ []byte) bool {
		keys = append(keys, bytes.Clone(key))
		return true
	})
	for _, k := range keys {
		t.delete(k)
	}
}

func (t *txn) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// fields returns a reader of a record's value, which must be one of a kind.
func (t *txn) fields(key, value []byte) *fields { return &fields{t: t, key: key, rest: value} }

// finish writes what was kept back, and sweeps.
func (t *txn) finish() {
	for _, c := range t.counters {
		c.save(t)
	}
	if !t.dirty || t.err != nil {
		return
	}
	if t.timed {
		t.sweep() // by a time that may be long ago more would be kept, or forgotten soon after
	}
	if err := t.bucket.SetSequence(uint64(t.latest)); err != nil {
		t.fail(err)
	}
}

// fields reads the value of a record, field by field. What is too short or too
// long fails the transaction.
type fields struct {
	t    *txn
	key  []byte
	rest []byte
}

func (f *fields) bytes(n int) []byte {
	if n < 0 || len(f.rest) < n {
		f.damaged()
		return make([]byte, min(max(n, 0), 8))
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) int64() int64 { return int64(binary.BigEndian.Uint64(f.bytes(8))) }
func (f *fields) byte() byte   { return f.bytes(1)[0] }
func (f *fields) text() string { return string(f.bytes(f.len(1))) }

func (f *fields) hash() (h hash) {
	copy(h[:], f.bytes(len(h)))
	return h
}

// len reads the number of elements that follow, of at least size bytes each.
func (f *fields) len(size int) int {
	n := int(binary.BigEndian.Uint32(f.bytes(4)))
	if n > len(f.rest)/size {
		f.damaged()
		return 0
	}
	return n
}

// end checks that nothing is left over.
func (f *fields) end() {
	if len(f.rest) > 0 {
		f.damaged()
	}
}

func (f *fields) damaged() {
	f.rest = nil
	f.t.fail(fmt.Errorf("%w: record %x is malformed", ErrDamaged, f.key))
}

func appendInt64(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

func appendLen(b []byte, n int) []byte { return binary.BigEndian.AppendUint32(b, uint32(n)) }

func appendText(b []byte, s string) []byte { return append(appendLen(b, len(s)), s...) }
