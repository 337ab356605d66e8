//go:build unix

package config

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens the lock file, which must not be a link to another one.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

// tryLock takes the lock of an open file if nobody holds it; it goes when the
// file is closed, also by a crash. An error means that there are no locks.
func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, err
		}
	}
}
