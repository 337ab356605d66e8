package app

import (
	"errors"
	"fmt"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/inbox"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/prompt"
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
		if err := c.chooseModelAndMode(nil); err != nil {
			return err
		}
		return c.create()
	}
	if c.o.Fork {
		return c.copyOf(path)
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

// create begins a session with the model and mode that are in force.
func (c *Conversation) create() error {
	log, err := c.store.Create(session.Options{
		Cwd: c.o.Cwd, ID: c.o.SessionID, Memory: c.o.NotOnDisk,
		Opened: event.Opened{Format: event.Format, Model: c.current().Info().ID(), Mode: string(c.mode)},
	})
	if err != nil {
		return err
	}
	c.adopt(log, false)
	c.beside.Take()
	return nil
}

// copyOf goes on in a copy of the session.
func (c *Conversation) copyOf(path string) error {
	log, err := c.store.Fork(path, session.Options{Cwd: c.o.Cwd, ID: c.o.SessionID, Memory: c.o.NotOnDisk})
	if err != nil {
		return err
	}
	return c.goOn(log)
}

// reopen goes on in the session itself, unless nothing may be written.
func (c *Conversation) reopen(path string) error {
	if c.o.NotOnDisk {
		return c.copyOf(path)
	}
	log, report, err := c.store.Open(path, c.o.Cwd)
	if err != nil {
		return err
	}
	if err := c.goOn(log); err != nil {
		return err
	}
	c.beside.Take()
	c.out.Reset(report.Stated...)
	c.warn(report.String())
	return nil
}

// goOn takes a session up where it was left, with its model and mode.
func (c *Conversation) goOn(log *session.Log) error {
	if err := c.chooseModelAndMode(log); err != nil {
		return errors.Join(err, log.Close())
	}
	c.adopt(log, true)
	return nil
}

func (c *Conversation) adopt(log *session.Log, resumed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	log.OnTrouble = c.warn
	c.log, c.resumed, c.windowTold = log, resumed, resumed
	c.out.Reset()
	c.reminder.Place, c.reminder.Edited, c.reminder.Elsewhere = prompt.State{}, resumed, resumed
	c.talk.Adopt(log.Messages(), resumed)
	c.inbox = inbox.New(log.Queue(), log.SetQueue)
	if !resumed {
		for r, err := range log.Records() {
			if err == nil {
				c.out.State(r)
			}
		}
	}
}

// switchTo leaves the session for another one. What fails leaves the present
// one as it is.
func (c *Conversation) switchTo(open func() error) error {
	if !c.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer c.busy.Store(false)
	before := c.log
	if err := open(); err != nil {
		return err
	}
	if err := before.Close(); err != nil {
		c.warn("the session that was left could not be closed: " + err.Error())
	}
	c.buildSystem()
	return nil
}

// New leaves the session for a new one, with the model and mode in force. It
// gives [ErrBusy] while a turn runs, as [Conversation.Resume] and
// [Conversation.Fork] do; whatever fails leaves the present session as it is.
func (c *Conversation) New() error { return c.switchTo(c.create) }

// Resume leaves the session for the one that ref names: its id, the beginning
// of it, or its title. It returns the session that was found; nothing is done
// when that is the present one.
func (c *Conversation) Resume(ref string) (SessionInfo, error) {
	found, err := c.store.Find(c.o.Cwd, ref)
	if err != nil || found.ID == c.Info().Session {
		return found, err
	}
	return found, c.switchTo(func() error { return c.reopen(found.Path) })
}

// Fork leaves the session for a copy of it. Its error says so when there is
// nothing to copy yet.
func (c *Conversation) Fork() error {
	path := c.Info().Path
	if path == "" || c.log.Turn() == 0 {
		return errors.New("there is no file to copy: nothing has been said yet, or the conversation is kept in memory only")
	}
	return c.switchTo(func() error { return c.copyOf(path) })
}

// Store is the stored sessions, of all projects.
func (c *Conversation) Store() *session.Store { return c.store }

// prune removes old sessions, where the settings want it, and says so.
func (c *Conversation) prune() {
	days := c.settings.Config.Sessions.KeepDays
	if days == 0 {
		return
	}
	removed, err := c.store.Prune(c.o.Now().AddDate(0, 0, -days))
	if err != nil {
		c.warn("old sessions could not all be removed: " + err.Error())
	}
	for _, info := range removed {
		c.warn(fmt.Sprintf("removed the session %s, which is older than %d days (sessions.keepDays)", info, days))
	}
}

// chooseModelAndMode takes model and mode from the flags and settings, and
// for a session that goes on from its log.
func (c *Conversation) chooseModelAndMode(log *session.Log) error {
	name, mode := c.settings.Config.Model, c.settings.Config.Mode
	flagged := func(key string) bool {
		return slices.ContainsFunc(c.o.Flags, func(f config.Flag) bool { return f.Key == key })
	}
	if log != nil && log.Model() != "" && !flagged("model") {
		name = log.Model()
	}
	if log != nil && log.Mode() != "" && !flagged("mode") {
		mode = log.Mode()
	}
	parsed, err := permission.ParseMode(mode)
	if err != nil {
		return err
	}
	model := c.o.Model
	if model == nil {
		if model, err = c.models.Model(name); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mode, c.model = parsed, model
	return nil
}
