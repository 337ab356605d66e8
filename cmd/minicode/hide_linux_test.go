package main

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMemoryIsHidden checks that the program cannot be looked into by what it
// starts.
func TestMemoryIsHidden(t *testing.T) {
	before, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(before), 0, 0, 0) })
	if exit := run([]string{"version"}, os.Stdin, io.Discard, io.Discard); exit != 0 {
		t.Fatal(exit)
	}
	if now, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || now != 0 {
		t.Errorf("dumpable is %d (%v)", now, err)
	}
}
