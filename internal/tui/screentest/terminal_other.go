//go:build !linux && !darwin

package screentest

import (
	"errors"
	"os"
	"os/exec"
)

// terminal cannot be opened here.
type terminal struct{ master *os.File }

func openTerminal(int, int) (*terminal, error) { return nil, errors.ErrUnsupported }

func (*terminal) start(*exec.Cmd) error { return errors.ErrUnsupported }
func (*terminal) resize(int, int) error { return errors.ErrUnsupported }
func (*terminal) changed() []string     { return nil }
func (*terminal) release()              {}
func (*terminal) hangUp()               {}
func (*terminal) kill(*os.Process)      {}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
