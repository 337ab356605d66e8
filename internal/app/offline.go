package app

import (
	"context"
	"slices"

	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/demo"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/session"
)

// What is answered without a model.

// LoadSettings reads the settings as a conversation would.
func LoadSettings(o Options) (config.Loaded, error) {
	c := &Conversation{o: o}
	err := c.loadSettings()
	return c.settings, err
}

// SessionInfo is one stored session, for a list.
type SessionInfo = session.Info

// ListSessions lists the stored sessions, newest first.
func ListSessions(o Options, all bool) ([]SessionInfo, error) {
	c := &Conversation{o: o}
	if err := c.loadSettings(); err != nil {
		return nil, err
	}
	c.store = c.newStore()
	return c.Sessions(all)
}

// DeleteSession deletes the session that ref names and returns its id.
func DeleteSession(o Options, ref string) (string, error) {
	c := &Conversation{o: o}
	if err := c.loadSettings(); err != nil {
		return "", err
	}
	c.store = c.newStore()
	info, err := c.store.Find(o.Cwd, ref)
	if err != nil {
		return "", err
	}
	return info.ID, c.store.Delete(info.Path)
}

// Explanation is what a shell command would be met with.
type Explanation = permission.Explanation

// Explain judges a command without running it.
func Explain(o Options, command string) (Explanation, error) {
	c := &Conversation{o: o}
	if err := c.loadSettings(); err != nil {
		return Explanation{}, err
	}
	mode, err := permission.ParseMode(c.settings.Config.Mode)
	if err != nil {
		return Explanation{}, err
	}
	p := c.o.policy
	p.Mode = mode
	a := analyser(func() permission.Policy { return p })(command, o.Cwd)
	x := permission.Explain(p, command, a.Effects(), a.Writes, nil)
	// Rules see a part with the assignments that change what it does; a
	// reader is shown the command itself.
	for i, part := range a.Parts {
		x.Parts[i].Command = part.Text
	}
	if !a.Failed {
		x.Parse, x.Parts = "ok", x.Parts[:len(a.Parts)]
	}
	return x, nil
}

// OpenDemo makes the scratch project under parent and opens a conversation
// with the offline model in it.
func OpenDemo(ctx context.Context, o Options, parent string) (conv *Conversation, dir, prompt string, err error) {
	dir, err = demo.Project(parent)
	if err != nil {
		return nil, "", "", err
	}
	o.Cwd, o.Model, o.Bare = dir, demo.Model{}, true
	o.Flags = append(o.Flags,
		config.Flag{Name: "demo", Key: "mode", Value: "accept-edits"},
		config.Flag{Name: "demo", Key: "permissions.allow", Value: []string{"run_command(go test:*)"}})
	conv, err = Open(ctx, o)
	return conv, dir, demo.Prompt, err
}

// DemoWorked says whether the last command that ran succeeded.
func (c *Conversation) DemoWorked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range slices.Backward(c.log.Messages()) {
		if r, ok := m.Result(); ok {
			return !r.Error
		}
	}
	return false
}

// SplitRules takes apart lists of rules, or of names, as flags hold them.
func SplitRules(lists []string) (rules []string) {
	for _, list := range lists {
		rules = append(rules, permission.Split(list)...)
	}
	return rules
}
