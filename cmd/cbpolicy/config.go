package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
)

// loadConfig reads the configuration that is named, or the one in the working
// directory; without either it is the defaults.
func loadConfig(cmd *cobra.Command, path string) (*config.Config, error) {
	if path == "" {
		if _, err := os.Stat(config.FileName); errors.Is(err, fs.ErrNotExist) {
			return &config.Config{}, nil
		}
		path = config.FileName
	}
	name, data, err := read(cmd, path)
	if err != nil {
		return nil, err
	}
	c, findings := config.Parse(name, data)
	if c == nil {
		return nil, refuse(cmd, findings)
	}
	c.Resolve(path)
	return c, nil
}
