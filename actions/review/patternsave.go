package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
)

const (
	saveWait = 10 * time.Second // for another process that saves
	maxLinks = 40               // from one link to the next
)

// WriteTo writes the patterns in the format of the file.
func (p *Patterns) WriteTo(w io.Writer) (int64, error) {
	p.mu.Lock()
	data, err := p.encode()
	p.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(data)
	return int64(n), err
}

func (p *Patterns) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fileHead{fileVersion, len(p.list), p.last}); err != nil {
		return nil, err
	}
	for _, k := range p.list {
		if err := e.Encode(k); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// Save adds to a file what came to the patterns since they were read from it
// or saved to it; to any other file it adds all of them. What other programs
// have saved meanwhile stays, and is not taken over into these patterns: where
// the system can lock folders, of programs that save to one file each waits for
// the one before, 10 seconds at most. The file is readable by its owner alone. It
// is written beside and put in the place of the old one, so that whoever reads
// it, also after a crash, finds one of both whole. Nothing is written over a file
// that is damaged, a *FileError.
func (p *Patterns) Save(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ofPatterns(p.save(path))
}

func (p *Patterns) save(path string) error {
	target, err := linked(path)
	if err != nil {
		return err
	}
	// The file itself is another one after each save.
	dir, err := os.Open(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := filelock.Take(dir, true, time.Now().Add(saveWait)); err != nil {
		return fmt.Errorf("lock the folder of %s: %w", path, err)
	}
	there, err := load(target)
	if err != nil {
		return err
	}
	all, next := p, origin{file: path, last: p.last, whole: true}
	if !p.origin.is(path, there) {
		all, next = there, origin{file: path, ids: there.merge(p, path)}
	}
	data, err := all.encode()
	if err != nil {
		return err
	}
	if err := replace(target, data); err != nil {
		return err
	}
	next.content = sha256.Sum256(data)
	p.origin, p.changes = next, nil
	return nil
}

// linked is where a path leads, though nothing be there: a link stays one.
func linked(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// By way of a link, the folder above is not the one that is written.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// replace puts a file in the place of another, whole.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close() // an error of closing a second time says nothing new
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
