//go:build unix && !linux

package process

import (
	"fmt"
	"os"
)

// FindsAll says that members finds processes which left the group: here it
// does not.
const FindsAll = false

// Alive tells whether the group still has a process.
func (p *Process) Alive() bool { return p.grouped() }

// members is the process group as one number that kill takes. There is no
// way here to see the environment of others, and so to find who left it.
func (p *Process) members() []int {
	if p.grouped() {
		return []int{-p.PID}
	}
	return nil
}

// Owner is the beginning of all markers of this process.
func Owner() string { return fmt.Sprintf("%d-0-", os.Getpid()) }

// EndMarked has nothing to find here.
func EndMarked(string) int { return 0 }

// EndOrphans ends what was left by a MiniCode that was itself killed. Here it
// does nothing.
func EndOrphans() int { return 0 }
