package app

import (
	"github.com/minicode-go/minicode/internal/extension"
	"github.com/minicode-go/minicode/internal/hook"
	"github.com/minicode-go/minicode/llm"
)

// plug puts together what plugs in. Nothing of it is started.
func (c *Conversation) plug() {
	c.ext = extension.Open(extension.Input{
		Settings: c.settings, Root: c.rules.Policy().Root, Cwd: c.o.Cwd, Home: c.o.Home, Environ: c.o.Environ, Version: c.o.Version,
		Now: c.o.Now, Bare: c.o.Bare, Tell: c.warn,
		Session: func() hook.Session {
			i := c.Info()
			return hook.Session{ID: i.Session, Path: i.Path, Cwd: i.Cwd, Root: i.Root, Mode: i.Mode, Effort: c.Effort()}
		},
	})
	c.warn(c.ext.Notice())
	c.spawn = c.spawner()
	if c.o.Asker != nil || c.ext.Hooks.Any(hook.PermissionRequest) {
		c.gate.Asker = extension.Asker{Set: c.ext, Inner: c.o.Asker, Messages: func() []llm.Message { return c.currentLog().Messages() }}
	}
}

// ChooseSkill lets the model load a skill in the next turn that only the person
// may choose.
func (c *Conversation) ChooseSkill(name string) { c.talk.Choose(name) }

// Extensions is what plugs into this conversation.
func (c *Conversation) Extensions() *extension.Set { return c.ext }
