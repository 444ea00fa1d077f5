//go:build !unix

package process

import "os/exec"

// group does nothing: the system has no process groups to be killed as one.
func group(*exec.Cmd) {}

// Kill kills a started process. What that process has started itself goes on.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Terminate kills: the system has no way to ask.
func Terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }
