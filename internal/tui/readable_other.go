//go:build !unix

package tui

import (
	"os"
	"time"
)

// readable is not known on this system.
func readable(*os.File, time.Duration) bool { return false }
