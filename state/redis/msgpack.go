package redis

import (
	"encoding/binary"
	"math"
)

// packer writes a request in MessagePack, as far as the scripts need it:
// arrays, integers up to 2^53 and texts of any bytes.
type packer struct{ b []byte }

func (p *packer) array(n int) { p.head(n, 0x90, 16, 0xdc, 0xdd) }

func (p *packer) text(s string) {
	p.textHead(len(s))
	p.b = append(p.b, s...)
}

func (p *packer) bytes(s []byte) {
	p.textHead(len(s))
	p.b = append(p.b, s...)
}

func (p *packer) textHead(n int) {
	if n >= 32 && n <= math.MaxUint8 {
		p.b = append(p.b, 0xd9, byte(n))
		return
	}
	p.head(n, 0xa0, 32, 0xda, 0xdb)
}

// head writes a length: in the first byte if it is less than small, or after it.
func (p *packer) head(n int, first byte, small int, in16, in32 byte) {
	switch {
	case n < small:
		p.b = append(p.b, first|byte(n))
	case n <= math.MaxUint16:
		p.b = binary.BigEndian.AppendUint16(append(p.b, in16), uint16(n))
	default:
		p.b = binary.BigEndian.AppendUint32(append(p.b, in32), uint32(n))
	}
}

func (p *packer) int(v int64) {
	if v >= 0 && v < 0x80 {
		p.b = append(p.b, byte(v))
		return
	}
	p.b = binary.BigEndian.AppendUint64(append(p.b, 0xd3), uint64(v))
}

func (p *packer) bool(v bool) {
	if v {
		p.int(1)
	} else {
		p.int(0)
	}
}

func (p *packer) texts(list []string) {
	p.array(len(list))
	for _, s := range list {
		p.text(s)
	}
}
