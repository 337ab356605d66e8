//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory that the process had, in bytes.
func peak(p *os.ProcessState) int64 {
	r, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(r.Maxrss) //nolint:unconvert // it has another type on some systems
	}
	return int64(r.Maxrss) * 1024 //nolint:unconvert // it has another type on some systems
}
