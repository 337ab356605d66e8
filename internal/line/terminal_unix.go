//go:build linux || darwin

package line

import (
	"sync"

	"golang.org/x/sys/unix"
)

// terminal is the terminal that is read from, in the mode it was found in: it
// edits lines itself and hands them over when they are whole.
type terminal struct {
	fd int
	mu sync.Mutex
}

// handOver makes the terminal give what was typed so far of a line that is
// not whole. It does so when it stops editing lines, for a moment.
func (t *terminal) handOver() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	was, err := unix.IoctlGetTermios(t.fd, getTermios)
	if err != nil || was.Lflag&unix.ICANON == 0 {
		return
	}
	now := *was
	now.Lflag &^= unix.ICANON
	if unix.IoctlSetTermios(t.fd, setTermios, &now) == nil {
		_ = unix.IoctlSetTermios(t.fd, setTermios, was) // it was possible a moment ago
	}
}

// gone says that there is no terminal any more.
func (t *terminal) gone() bool {
	if t == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(t.fd, getTermios)
	return err != nil
}
