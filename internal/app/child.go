package app

import (
	"context"
	"io"

	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/internal/subagent"
	"github.com/minicode-go/minicode/tool"
)

// spawner is the tool that starts sub-agents.
func (c *Conversation) spawner() tool.Tool {
	return subagent.Tool(subagent.Options{
		Kinds: func() []subagent.Kind { return c.ext.Kinds(permission.OwnName) },
		Make:  subagent.Maker(c.parent, &c.spent), OwnName: permission.OwnName,
		Background: func(ctx context.Context, shown string, do func(context.Context, io.Writer) int) string {
			return c.tasks.Go(ctx, shown, c.log.Dir(), c.space.Limits, do).ID
		},
	})
}

// parent is what sub-agents get of this conversation.
func (c *Conversation) parent() subagent.Parent {
	c.mu.Lock()
	mode := c.mode
	c.mu.Unlock()
	return subagent.Parent{
		Log: c.log, Store: *c.store, Cwd: c.o.Cwd, System: c.systemText(), Table: c.table(), Mode: mode, Policy: c.policy, Grants: c.Grants,
		Hooks: extension.ChildHooks{Runner: c.ext.Hooks}, Effort: c.Effort(), Steps: c.maxSteps(), Warn: c.warn,
		Model: c.models.Model,
		Tools: func(child *session.Log) []tool.Tool {
			space := *c.space
			space.SessionDir, space.Stamps = child.Dir, child.Stamps
			return c.toolsOf(space)
		},
	}
}
