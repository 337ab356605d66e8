//go:build unix && !linux

package builtin

import (
	"fmt"
	"os"
)

// findsAll says that members finds processes which left the group: here it
// does not.
const findsAll = false

// alive tells whether the group still has a process.
func (p *process) alive() bool { return p.grouped() }

// members is the process group as one number that kill takes. There is no
// way here to see the environment of others, and so to find who left it.
func (p *process) members() []int {
	if p.grouped() {
		return []int{-p.pid}
	}
	return nil
}

// owner is the beginning of all markers of this process.
func owner() string { return fmt.Sprintf("%d-0-", os.Getpid()) }

func endMarked(string) int { return 0 }

// EndOrphans ends what was left by a MiniCode that was itself killed. Here it
// does nothing.
func EndOrphans() int { return 0 }
