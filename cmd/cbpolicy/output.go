package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// output is a file that is opened before the run, so that one that cannot be
// written is told of in time, and written after it. What it held stays until
// then. A nil output is none.
type output struct {
	file *os.File
	made bool // it was not there before
}

func newOutput(path string) (*output, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	}
	if err != nil {
		return nil, err
	}
	return &output{f, made}, nil
}

// write writes what f returns, and closes the file. Of one that could not be
// written to its end nothing is left.
func (o *output) write(f func() ([]byte, error)) error {
	if o == nil {
		return nil
	}
	data, err := f()
	if err != nil {
		return fmt.Errorf("write %s: %w", o.file.Name(), firstError(err, o.discard()))
	}
	info, err := o.file.Stat()
	regular := err == nil && info.Mode().IsRegular()
	if regular { // a pipe has nothing to cut off, and is not removed
		err = o.file.Truncate(0)
	}
	if err == nil {
		_, err = o.file.Write(data)
	}
	if err = firstError(err, o.file.Close()); err == nil {
		return nil
	}
	if regular {
		os.Remove(o.file.Name())
	}
	return fmt.Errorf("write %s: %w", o.file.Name(), err)
}

// discard closes the file without writing to it. One that was not there before
// is not there afterwards.
func (o *output) discard() error {
	if o == nil {
		return nil
	}
	err := o.file.Close()
	if o.made {
		err = firstError(err, os.Remove(o.file.Name()))
	}
	return err
}
