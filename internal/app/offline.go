package app

import (
	"github.com/minicode-go/minicode/internal/config"
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

// Root is the root of the project that the working directory lies in.
func Root(o Options) string { return session.ProjectOf(o.Cwd) }

// SessionInfo is one stored session, for a list.
type SessionInfo = session.Info

// Stored is the stored sessions, of all projects.
func Stored(o Options) (*session.Store, error) {
	c := &Conversation{o: o}
	if err := c.loadSettings(); err != nil {
		return nil, err
	}
	return c.newStore(), nil
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
	p := c.rules.Policy()
	p.Mode = mode
	return permission.ExplainCommand(p, command, o.Cwd), nil
}
