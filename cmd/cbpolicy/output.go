package main

import (
	"fmt"
	"os"
)

// output is a file that is made before the run and written after it. A nil
// output is none.
type output struct{ file *os.File }

func newOutput(path string) (*output, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &output{f}, nil
}

// write writes what f returns, and closes the file.
func (o *output) write(f func() ([]byte, error)) error {
	if o == nil {
		return nil
	}
	data, err := f()
	if err == nil {
		_, err = o.file.Write(data)
	}
	if err := firstError(err, o.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", o.file.Name(), err)
	}
	return nil
}

func (o *output) close() error {
	if o == nil {
		return nil
	}
	return o.file.Close()
}
