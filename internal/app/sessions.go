package app

import (
	"errors"
	"fmt"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/inbox"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/session"
)

// openSession opens the session that the options name: a new one, the newest,
// a named one, or a fork of it.
func (c *Conversation) openSession() error {
	path, err := c.named()
	if err != nil {
		return err
	}
	if path == "" {
		return c.create()
	}
	if c.o.Fork || c.o.NotOnDisk {
		log, err := c.store.Fork(path, session.Options{Cwd: c.o.Cwd, ID: c.o.SessionID, Memory: c.o.NotOnDisk})
		if err != nil {
			return err
		}
		c.adopt(log, true)
		return nil
	}
	return c.reopen(path)
}

// named is the file of the session that is to be resumed, "" for a new one.
func (c *Conversation) named() (string, error) {
	switch {
	case c.o.Resume != "":
		info, err := c.store.Find(c.o.Cwd, c.o.Resume)
		return info.Path, err
	case c.o.Continue:
		info, ok, err := c.store.Latest(c.o.Cwd)
		if err == nil && !ok {
			err = errors.New("there is no session in this directory to continue; start without --continue")
		}
		return info.Path, err
	}
	return "", nil
}

func (c *Conversation) create() error {
	log, err := c.store.Create(session.Options{
		Cwd: c.o.Cwd, ID: c.o.SessionID, Memory: c.o.NotOnDisk,
		Opened: event.Opened{Format: event.Format, Model: c.settings.Config.Model, Mode: c.settings.Config.Mode},
	})
	if err != nil {
		return err
	}
	c.adopt(log, false)
	return nil
}

func (c *Conversation) reopen(path string) error {
	log, report, err := c.store.Open(path, c.o.Cwd)
	if err != nil {
		return err
	}
	c.adopt(log, true)
	if text := report.String(); text != "" {
		c.warn(text)
	}
	return nil
}

func (c *Conversation) adopt(log *session.Log, resumed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	log.OnTrouble = c.warn
	c.log, c.resumed, c.unshown, c.told = log, resumed, nil, nil
	c.inbox = inbox.New(log.Queue(), log.SetQueue)
	if !resumed {
		for r, err := range log.Records() {
			if err == nil {
				c.unshown = append(c.unshown, r)
			}
		}
	}
	if n := len(c.inbox.Queued()); n > 0 {
		c.trouble = append(c.trouble, fmt.Sprintf("%d queued messages of the last run were not sent; they go in with the next prompt.", n))
	}
}

// switchTo leaves the session for another one. What fails leaves the present
// one as it is.
func (c *Conversation) switchTo(open func() error) error {
	c.mu.Lock()
	if c.busy {
		c.mu.Unlock()
		return ErrBusy
	}
	before := c.log
	c.mu.Unlock()
	if err := open(); err != nil {
		return err
	}
	if err := before.Close(); err != nil {
		c.warn("the session that was left could not be closed: " + err.Error())
	}
	if err := c.chooseModelAndMode(); err != nil {
		return err
	}
	c.buildSystem()
	return nil
}

// Sessions lists the stored sessions, newest first: those of this directory's
// project, or all.
func (c *Conversation) Sessions(all bool) ([]session.Info, error) {
	if all {
		return c.store.List("")
	}
	return c.store.List(c.o.Cwd)
}

// chooseModelAndMode takes model and mode from the flags and settings, and
// for a resumed session from its log.
func (c *Conversation) chooseModelAndMode() error {
	flagged := map[string]bool{}
	for _, f := range c.o.Flags {
		flagged[f.Key] = true
	}
	name, mode := c.settings.Config.Model, c.settings.Config.Mode
	if m := c.log.Model(); c.resumed && m != "" && !flagged["model"] {
		name = m
	}
	if m := c.log.Mode(); c.resumed && m != "" && !flagged["mode"] {
		mode = m
	}
	parsed, err := permission.ParseMode(mode)
	if err != nil {
		return err
	}
	c.mode = parsed
	if parsed != permission.Default {
		c.inbox.Note(parsed.Note())
	}
	if c.o.Model != nil {
		c.model = c.o.Model
		return nil
	}
	c.model, err = c.models.Model(name)
	return err
}
