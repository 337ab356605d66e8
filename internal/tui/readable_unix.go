//go:build unix

package tui

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable says whether something can be read within a time.
func readable(f *os.File, within time.Duration) bool {
	until := time.Now().Add(within)
	for {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(max(0, time.Until(until).Milliseconds())))
		if errors.Is(err, unix.EINTR) && time.Now().Before(until) {
			continue
		}
		return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
	}
}
