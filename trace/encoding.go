package trace

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// EncodingError says that a file is not in UTF-8.
type EncodingError struct {
	Encoding string // such as UTF-16
	// Format is that of a recording that begins so; "": it is of none.
	Format string
}

// Error says how the file is encoded, and how it would have to be.
func (e *EncodingError) Error() string {
	return "the file is in " + e.Encoding + ": want UTF-8"
}

// checkEncoding refuses what begins like a text in UTF-16: with its mark, or
// with a bracket of which the other half is zero.
func checkEncoding(prefix []byte) error {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(prefix, []byte("\xff\xfe")), bytes.HasPrefix(prefix, []byte("{\x00")), bytes.HasPrefix(prefix, []byte("[\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(prefix, []byte("\xfe\xff")), bytes.HasPrefix(prefix, []byte("\x00{")), bytes.HasPrefix(prefix, []byte("\x00[")):
		order = binary.BigEndian
	default:
		return nil
	}
	units := make([]uint16, len(prefix)/2)
	for i := range units {
		units[i] = order.Uint16(prefix[2*i:])
	}
	_, f, _ := detectIn([]byte(string(utf16.Decode(units))))
	return &EncodingError{Encoding: "UTF-16", Format: f.name}
}
