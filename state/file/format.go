package file

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// version is the format that this program writes. A file of an earlier one is
// migrated when it is opened, in one transaction; one of a later is refused.
//
// Format 1 is one bucket of records, see kind, whose sequence number is the
// latest time; numbers are big-endian. Format 2 has cells that expire.
const version = 2

// layout is a format and the way to it.
type layout struct {
	version uint32
	// migrations[i] brings a file of format i+1 to format i+2.
	migrations []func(*bolt.Tx) error
}

var current = layout{version: version, migrations: []func(*bolt.Tx) error{expiringCells}}

var (
	formatBucket = []byte("cbpolicy") // holds the version of the format only
	formatKey    = []byte("format")
	stateBucket  = []byte("state")
)

// expiringCells puts before every cell that it never expires.
func expiringCells(tx *bolt.Tx) error {
	b := tx.Bucket(stateBucket)
	var cells [][2][]byte // a cursor must not move over what is written
	c := b.Cursor()
	for k, v := c.Seek([]byte{byte(kindCell)}); len(k) > 0 && k[0] == byte(kindCell); k, v = c.Next() {
		cells = append(cells, [2][]byte{bytes.Clone(k), append(appendInt64(nil, 0), v...)})
	}
	for _, r := range cells {
		if err := b.Put(r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}

// begin makes a new file one of the format.
func (l layout) begin(tx *bolt.Tx) error {
	if _, err := tx.CreateBucket(stateBucket); err != nil {
		return err
	}
	b, err := tx.CreateBucket(formatBucket)
	if err != nil {
		return err
	}
	return b.Put(formatKey, binary.BigEndian.AppendUint32(nil, l.version))
}

// found returns the format of a file.
func (l layout) found(tx *bolt.Tx) (uint32, error) {
	b := tx.Bucket(formatBucket)
	if b == nil {
		return 0, fmt.Errorf("%w: it is a bbolt database of another program", ErrFormat)
	}
	v := b.Get(formatKey)
	if len(v) != 4 {
		return 0, fmt.Errorf("%w: its format is %x, want 4 bytes", ErrDamaged, v)
	}
	n := binary.BigEndian.Uint32(v)
	switch {
	case n > l.version:
		return 0, fmt.Errorf("%w: it has format %d, and this program knows formats up to %d; use the program that wrote it or a later one", ErrFormat, n, l.version)
	case n == 0 || tx.Bucket(stateBucket) == nil:
		return 0, fmt.Errorf("%w: it has format %d and no state", ErrDamaged, n)
	}
	return n, nil
}

// migrate brings a file to this format and reports whether it had another.
func (l layout) migrate(tx *bolt.Tx) (bool, error) {
	n, err := l.found(tx)
	if err != nil || n == l.version {
		return false, err
	}
	for ; n < l.version; n++ {
		if err := l.migrations[n-1](tx); err != nil {
			return false, fmt.Errorf("from format %d to %d: %w", n, n+1, err)
		}
	}
	return true, tx.Bucket(formatBucket).Put(formatKey, binary.BigEndian.AppendUint32(nil, l.version))
}
