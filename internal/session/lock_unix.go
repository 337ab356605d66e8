//go:build unix

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL):
			return errNoLocks
		}
		return err
	}
}

// alive says whether a process runs; when in doubt it does.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
