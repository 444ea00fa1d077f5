package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Hash is the hash of a line; the zero Hash comes before the first.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String writes.
func ParseHash(text string) (h Hash, err error) {
	if len(text) != 2*len(h) {
		return h, fmt.Errorf("a hash has %d hexadecimal digits, not %d", 2*len(h), len(text))
	}
	if n, err := hex.Decode(h[:], []byte(text)); err != nil || n != len(h) || h.String() != text {
		return Hash{}, fmt.Errorf("%q is no hash in lower-case hexadecimal digits", text)
	}
	return h, nil
}

// Line is a line of the log.
type Line struct {
	Seq    uint64 // from 1
	Prev   Hash
	Hash   Hash
	Record []byte // JSON
}

// next is the line that follows a hash.
func next(seq uint64, prev Hash, record []byte) Line {
	return Line{Seq: seq, Prev: prev, Hash: hashOf(seq, prev, record), Record: record}
}

func hashOf(seq uint64, prev Hash, record []byte) Hash {
	h := sha256.New()
	fmt.Fprintf(h, "cbpolicy audit 1\n%d\n%s\n", seq, prev)
	h.Write(record)
	return Hash(h.Sum(nil))
}

// append writes the line, with its end.
func (l *Line) append(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, l.Seq, 10)
	b = append(b, `,"prev":"`...)
	b = hex.AppendEncode(b, l.Prev[:])
	b = append(b, `","hash":"`...)
	b = hex.AppendEncode(b, l.Hash[:])
	b = append(b, `","record":`...)
	b = append(b, l.Record...)
	return append(b, "}\n"...)
}

// parseLine reads a line, without its end. It is read by its places, and not
// as JSON in general: what would be written otherwise is no line.
func parseLine(raw []byte) (l Line, err error) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"seq":`))
	if !ok {
		return l, fmt.Errorf(`it does not begin with the number, "seq"`)
	}
	number, rest, ok := bytes.Cut(rest, []byte(`,"prev":"`))
	if !ok {
		return l, fmt.Errorf(`"prev" does not follow the number`)
	}
	if l.Seq, err = strconv.ParseUint(string(number), 10, 64); err != nil || l.Seq == 0 || strconv.FormatUint(l.Seq, 10) != string(number) {
		return l, fmt.Errorf("%q is no number of a line", number)
	}
	prev, rest, ok := bytes.Cut(rest, []byte(`","hash":"`))
	if !ok {
		return l, fmt.Errorf(`"hash" does not follow "prev"`)
	}
	if l.Prev, err = ParseHash(string(prev)); err != nil {
		return l, err
	}
	hash, rest, ok := bytes.Cut(rest, []byte(`","record":`))
	if !ok {
		return l, fmt.Errorf(`"record" does not follow "hash"`)
	}
	if l.Hash, err = ParseHash(string(hash)); err != nil {
		return l, err
	}
	if l.Record, ok = bytes.CutSuffix(rest, []byte("}")); !ok || len(l.Record) == 0 {
		return l, fmt.Errorf("it does not end with a record and a bracket")
	}
	if hashOf(l.Seq, l.Prev, l.Record) != l.Hash {
		return l, fmt.Errorf("the hash does not fit: the line was changed")
	}
	return l, nil
}
