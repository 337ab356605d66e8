package app

import (
	"io"

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

// ExportSession writes the whole session that ref names as markdown, html or
// json. The session may be in use.
func ExportSession(o Options, ref, format string, w io.Writer) error {
	c := &Conversation{o: o}
	if err := c.loadSettings(); err != nil {
		return err
	}
	c.store = c.newStore()
	info, err := c.store.Find(o.Cwd, ref)
	if err != nil {
		return err
	}
	return c.store.Export(info.Path, w, format)
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
	return permission.ExplainCommand(p, command, o.Cwd), nil
}

// SplitRules takes apart lists of rules, or of names, as flags hold them.
func SplitRules(lists []string) (rules []string) {
	for _, list := range lists {
		rules = append(rules, permission.Split(list)...)
	}
	return rules
}
