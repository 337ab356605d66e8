//go:build unix

package tui

import "golang.org/x/sys/unix"

// suspendable says whether there is a shell that can go on with the program:
// it gives each job a process group of its own.
func suspendable() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != unix.Getpgrp()
}
