package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
)

// The layout of bbolt's pages: a header of an id (8 bytes), flags, a count (2 each)
// and how many further pages it fills (4); on a branch page then, for each child,
// where its first key begins, from there, its length (4 each) and the child's id (8).
const (
	pageHeader  = 16
	pageElement = 16
	branchPage  = 1
	leafPage    = 2
)

// pages checks the way to the records before bbolt goes it. Its pages have no
// checksums, and it goes where they say: a branch that leads back to itself would
// end the program, as no recover helps against a stack that is used up, and one
// that is empty would hide all counts behind it. Of the leaves, where a fault hides
// or changes what is in them alone, no more is known than that there is one each.
type pages struct {
	file io.ReaderAt
	size int    // of a page
	end  uint64 // no page has this id, or a higher one
	met  []uint64
	page []byte // the one that was read last
}

// checked is the file that this process has checked, or written, last, and the
// transaction which that was: nothing but a new transaction changes a sound file.
type checked struct {
	file os.FileInfo
	id   int
}

// is reports whether a file is still the one that was checked.
func (c *checked) is(file os.FileInfo, id int) bool {
	return c.file != nil && c.id == id && os.SameFile(c.file, file)
}

// checkPages checks the branches of all trees of a transaction's file.
func checkPages(tx *bolt.Tx, file io.ReaderAt) error {
	size := tx.DB().Info().PageSize
	end := uint64(tx.Size()) / uint64(size)
	p := pages{file: file, size: size, end: end, met: make([]uint64, end/64+1), page: make([]byte, size)}
	if err := p.tree(uint64(tx.Cursor().Bucket().Root())); err != nil {
		return err
	}
	for _, name := range [][]byte{stateBucket, formatBucket} {
		if b := tx.Bucket(name); b != nil && b.Root() != 0 { // 0: it is in its leaf above
			if err := p.tree(uint64(b.Root())); err != nil {
				return err
			}
		}
	}
	return nil
}

// tree checks the pages from one on; those of the last level are not read.
func (p *pages) tree(id uint64) error {
	if err := p.meet(id); err != nil {
		return err
	}
	flags, page, err := p.read(id)
	if err != nil || flags == leafPage {
		return err
	}
	children, err := p.children(id, page)
	if err != nil {
		return err
	}
	// All leaves of a tree are on one level.
	if flags, _, err := p.header(children[0], p.page[:pageHeader]); err != nil || flags == leafPage {
		for _, child := range children {
			if err := p.meet(child); err != nil {
				return err
			}
		}
		return err
	}
	for _, child := range children {
		if err := p.tree(child); err != nil {
			return err
		}
	}
	return nil
}

// meet notes a page that something refers to, which nothing else may.
func (p *pages) meet(id uint64) error {
	if id < 2 || id >= p.end { // the first two are the roots of all
		return fmt.Errorf("%w: it refers to page %d of %d", ErrDamaged, id, p.end)
	}
	if p.met[id/64]&(1<<(id%64)) != 0 {
		return fmt.Errorf("%w: page %d is referred to twice", ErrDamaged, id)
	}
	p.met[id/64] |= 1 << (id % 64)
	return nil
}

// header reads what a page is, and how long, into the beginning of b.
func (p *pages) header(id uint64, b []byte) (flags, length int, err error) {
	if id >= p.end {
		return 0, 0, fmt.Errorf("%w: it refers to page %d of %d", ErrDamaged, id, p.end)
	}
	if _, err := p.file.ReadAt(b, int64(id)*int64(p.size)); err != nil {
		return 0, 0, err
	}
	flags = int(binary.NativeEndian.Uint16(b[8:]))
	more := uint64(binary.NativeEndian.Uint32(b[12:]))
	if own := binary.NativeEndian.Uint64(b); own != id || flags != branchPage && flags != leafPage || id+more >= p.end {
		return 0, 0, fmt.Errorf("%w: page %d says that it is page %d, of kind %d, and %d pages longer", ErrDamaged, id, own, flags, more)
	}
	return flags, int(more+1) * p.size, nil
}

// read reads a page, which is good until the next is read; of a leaf no more than
// begins it.
func (p *pages) read(id uint64) (flags int, page []byte, err error) {
	flags, length, err := p.header(id, p.page[:p.size])
	if err != nil || flags == leafPage || length == p.size {
		return flags, p.page[:p.size], err
	}
	if length > len(p.page) {
		p.page = make([]byte, length)
	}
	_, err = p.file.ReadAt(p.page[:length], int64(id)*int64(p.size))
	return flags, p.page[:length], err
}

// children are the pages below a branch page, of which there is one at least.
func (p *pages) children(id uint64, page []byte) ([]uint64, error) {
	count := int(binary.NativeEndian.Uint16(page[10:]))
	if count == 0 || pageHeader+count*pageElement > len(page) {
		return nil, fmt.Errorf("%w: page %d says that it leads to %d pages", ErrDamaged, id, count)
	}
	children := make([]uint64, count)
	var before []byte
	for i := range children {
		at := pageHeader + i*pageElement
		from := uint64(at) + uint64(binary.NativeEndian.Uint32(page[at:]))
		to := from + uint64(binary.NativeEndian.Uint32(page[at+4:]))
		if to > uint64(len(page)) {
			return nil, fmt.Errorf("%w: key %d of page %d is not in it", ErrDamaged, i, id)
		}
		if k := page[from:to]; i > 0 && bytes.Compare(before, k) >= 0 {
			return nil, fmt.Errorf("%w: the keys of page %d are not in their order", ErrDamaged, id)
		} else {
			before = k
		}
		children[i] = binary.NativeEndian.Uint64(page[at+8:])
	}
	return children, nil
}
