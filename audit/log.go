package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cbpolicy/cbpolicy/internal/filelock"
	"github.com/cbpolicy/cbpolicy/internal/link"
	"github.com/cbpolicy/cbpolicy/session"
)

// DefaultRotate is how large a file grows before a new one is begun, in bytes.
const DefaultRotate = 100 << 20

// Options set a log up. The zero Options are the defaults.
type Options struct {
	Mask Mask
	// Unmatched is told, when the log is closed, of every pointer of the mask
	// that has named nothing in the records of this log; nil: nobody is.
	Unmatched func(pointer string)
	// Rotate is how large a file grows before it is put aside; 0:
	// DefaultRotate. A file that is put aside is called after its first line:
	// audit.jsonl becomes audit.from-1.jsonl, then audit.from-80001.jsonl.
	Rotate int64
	// Keep is how many files that were put aside are kept, the newest; 0: all.
	// What is then left begins in the middle of the chain.
	Keep int
	// Sync waits for every line to be on the disk, and for the name of a new file.
	Sync bool
	// Wait is how long to wait for other writers; 0: DefaultWait. A record
	// whose turn has not come by then is not appended: see ErrBusy.
	Wait time.Duration
}

// Log appends records to a file. It is safe for any number of goroutines, and
// of processes.
type Log struct {
	path string
	opts Options

	mu   sync.Mutex
	file *os.File
	// What was read of the file's end, while its size is still the same.
	size  int64
	first uint64
	last  Line // and what the file, or the one before it, must still hold
	mark  mark // where, in this file
	buf   bytes.Buffer
	// Which pointers of the mask have named something; nil: nothing was masked.
	matched []bool
	err     error // the first
	lost    int   // records of Record that are not there
}

// Open opens a log, which need not be there yet. Where the path is a link the
// log is what it leads to. A file that is no log is [ErrNoLog].
func Open(path string, o Options) (*Log, error) {
	if o.Rotate <= 0 {
		o.Rotate = DefaultRotate
	}
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	l := &Log{path: link.Target(path), opts: o, size: -1}
	if err := l.open(); err != nil {
		return nil, err
	}
	if err := l.isOne(); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// isOne refuses a file that does not begin as a log. How a log begins stays as
// it is, so that nobody has to be waited for.
func (l *Log) isOne() error {
	info, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	head, err := readHead(l.file)
	if err == nil && !isLog(head) {
		err = fmt.Errorf("%w: %s", ErrNoLog, l.path)
	}
	return err
}

func (l *Log) open() (err error) {
	l.size, l.mark = -1, mark{}
	if l.file, err = os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Record appends a record, as Append does, and has Err remember what goes wrong.
// It belongs in session.Options.Record.
func (l *Log) Record(r *session.Record) error {
	err := l.Append(r)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.remember(err)
		l.lost++
	}
	return err
}

// remember keeps the first error: a log that fails, fails at every decision.
func (l *Log) remember(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Err returns the first thing that went wrong, with the number of records that
// Record could not append; nil: nothing did.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed()
}

func (l *Log) failed() error {
	if l.lost > 1 {
		return fmt.Errorf("%w; %d records could not be appended", l.err, l.lost)
	}
	return l.err
}

// Close ends the log. The error is that of Err, or of the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, matched := range l.matched {
		if !matched && l.opts.Unmatched != nil && !optional(l.opts.Mask.pointers[i]) {
			l.opts.Unmatched(pointerText(l.opts.Mask.pointers[i]))
		}
	}
	return errors.Join(l.failed(), l.file.Close())
}

// Append appends a record, and reports whether it is there.
func (l *Log) Append(r *session.Record) error {
	until := time.Now().Add(l.opts.Wait) // the wait for another goroutine counts, too
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Reset()
	enc := json.NewEncoder(&l.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if l.matched == nil {
		l.matched = make([]bool, len(l.opts.Mask.pointers))
	}
	record, err := l.opts.Mask.apply(bytes.TrimSuffix(l.buf.Bytes(), []byte("\n")), l.matched)
	if err != nil {
		return err
	}
	return l.locked(until, func() (bool, error) { return l.append(record) })
}

// locked does something while no other process may write, and does it again
// where it says so. A file that is put aside, by this process or another, is
// opened anew first.
func (l *Log) locked(until time.Time, do func() (again bool, err error)) error {
	for {
		if err := filelock.Take(l.file, true, until); err != nil {
			return fmt.Errorf("audit: lock %s: %w", l.path, err)
		}
		here, err := isAt(l.file, l.path)
		again := !here
		switch {
		case err != nil:
		case here:
			again, err = do()
		default:
			err = l.moved()
		}
		if unlocked := filelock.Release(l.file); err == nil {
			err = unlocked
		}
		if err != nil || !again {
			return err
		}
		if err := l.file.Close(); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
		if err := l.open(); err != nil {
			return err
		}
	}
}

// append appends a record, or puts a full file aside, after which it is to be
// tried again on the new one.
func (l *Log) append(record []byte) (again bool, err error) {
	if err := l.catchUp(); err != nil {
		return false, err
	}
	line := next(l.last.Seq+1, l.last.Hash, record)
	raw := line.append(nil)
	if len(raw) > MaxLine {
		return false, fmt.Errorf("audit: the record would make a line of %d bytes, and one has at most %d", len(raw), MaxLine)
	}
	if l.size > 0 && l.size+int64(len(raw)) > l.opts.Rotate {
		if err := os.Rename(l.path, aside(l.path, l.first)); err != nil {
			return false, fmt.Errorf("audit: %w", err)
		}
		// A record is worth more than room: it is written all the same.
		if err := l.prune(); err != nil {
			l.remember(err)
		}
		return true, nil
	}
	n, err := l.file.Write(raw)
	if err != nil {
		// Half a line is taken back, so that the next one is not lost behind it.
		err = fmt.Errorf("audit: %w", err)
		if back := l.file.Truncate(l.size); back != nil {
			err = fmt.Errorf("%w, and what there is of the line stays: %w", err, back)
		}
		l.size = -1 // the end is read again
		return false, err
	}
	begun := l.size == 0
	if begun {
		l.first = line.Seq
	}
	l.mark = mark{l.size, headOf(&line), l.size + int64(n)}
	l.size, l.last = l.mark.end, Line{Seq: line.Seq, Hash: line.Hash}
	return false, l.sync(begun)
}

// sync waits until what was written is on the disk, if that is wanted.
func (l *Log) sync(begun bool) error {
	if !l.opts.Sync {
		return nil
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if begun { // the names of this file, and of one that was put aside for it
		return syncDir(filepath.Dir(l.path))
	}
	return nil
}

// optional reports whether a pointer names a part that not every record has, or
// something inside of one.
func optional(pointer []string) bool {
	return slices.Contains([]string{"chain", "run", "step", "call_id", "plan", "tally", "refused", "policy_notes"}, pointer[0]) ||
		len(pointer) > 1 && pointer[0] == "verdict" && pointer[1] == "notes"
}
