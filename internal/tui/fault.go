package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// crashed is a fault in something that ran beside the event loop.
type crashed struct{ what string }

// fault is what is told of a panic.
func fault(r any) string { return fmt.Sprintf("%v\n%s", r, debug.Stack()) }

// guarded makes a message of a panic in a command, and in those that it is made
// of: Bubble Tea would write over the screen and leave.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashed{fault(r)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = guarded(batch[i])
			}
		}
		return msg
	}
}
