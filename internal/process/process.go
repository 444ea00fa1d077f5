package process

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// drain is how long output may go on after the process has ended or was
// killed, for what it left behind may hold its pipes open.
const drain = 2 * time.Second

// Command prepares a process in a group of its own. When the context ends, the
// whole group is killed. Words are the program and its arguments; env is the
// environment, nil the program's own. The error says that there is no such
// program.
func Command(ctx context.Context, words, env []string) (*exec.Cmd, error) {
	path, err := Find(words)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, words[1:]...)
	cmd.Args[0] = words[0]
	cmd.Env = env
	cmd.WaitDelay = drain
	cmd.Cancel = func() error { return Kill(cmd) }
	group(cmd)
	return cmd, nil
}

// Find returns the path of the program that words name.
func Find(words []string) (string, error) {
	if len(words) == 0 || words[0] == "" {
		return "", fmt.Errorf("the command names no program")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return "", fmt.Errorf("there is no program %q to run: %w", words[0], err)
	}
	return path, nil
}
