//go:build unix

package audit

import (
	"errors"
	"fmt"
	"os"
)

// syncDir waits until the names of the files in a folder are on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
