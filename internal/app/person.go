package app

import (
	"context"
	"encoding/json"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/direct"
	"github.com/minicode-go/minicode/internal/inbox"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/internal/prompt"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/llm"
)

// Direct runs one call of a tool for the person, without the model: nothing of
// it goes into the conversation, but for the decision, which is recorded. It is
// judged as in the mode full-access: see [direct.Caller]. Show, which may be
// nil, gets the signals of the call. It gives [ErrBusy] while a turn runs.
//
// What it leaves in the background is the person's: the model is not told of
// its end, unless a text of [Conversation.Note] names it.
func (c *Conversation) Direct(ctx context.Context, name string, args json.RawMessage, show func(event.Signal)) (llm.ToolResult, error) {
	if !c.busy.CompareAndSwap(false, true) {
		return llm.ToolResult{}, ErrBusy
	}
	defer c.busy.Store(false)
	caller := direct.Caller{
		Tools: c.everyTool(), Policy: c.policy(), Grants: c.Grants(), Asker: c.gate.Asker, Clean: c.table().Offload().Clean,
		Record: func(d event.Decided) error { return c.state(d) },
	}
	before := len(c.tasks.List())
	result, err := caller.Call(ctx, llm.ToolCall{ID: c.o.NewID(), Name: name, Args: args}, show)
	for _, t := range c.tasks.List()[before:] {
		c.beside.Hide(t.ID)
	}
	return result, err
}

// Note tells the model something with the next prompt of this conversation, or
// of a copy of it.
func (c *Conversation) Note(text string) { c.beside.Note(text) }

// Prompt is something that the person said.
type Prompt = session.Said

// Prompts is what the person said in this conversation, oldest first, without
// what was taken back.
func (c *Conversation) Prompts() []Prompt { return c.currentLog().Said() }

// Rewind takes back a prompt, by its record, with all that came after it. The
// conversation goes on from before it, in the model and mode of then; files are
// not changed. It gives [ErrBusy] while a turn runs; an error leaves all as it
// was, but where the disk failed.
func (c *Conversation) Rewind(record string) error {
	if !c.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer c.busy.Store(false)
	model, mode := c.log.Model(), c.log.Mode()
	stated, err := c.log.Unsay(record)
	if len(stated) == 0 {
		return err
	}
	c.reminder.Place, c.reminder.Edited, c.reminder.Elsewhere = prompt.State{}, true, true
	c.talk.Return(c.log.Messages())
	c.out.State(stated...)
	c.mu.Lock()
	c.inbox = inbox.New(c.inbox.Queued(), c.log.SetQueue)
	c.mu.Unlock()
	c.fallBack(model, mode)
	return err
}

// fallBack takes the model and the mode that the log tells of, where they are
// not those that it told of before.
func (c *Conversation) fallBack(model, mode string) {
	if now := c.log.Model(); now != model {
		if m, err := c.models.Model(now); err != nil {
			c.warn("the model stays as it is: " + err.Error())
		} else {
			c.useModel(m)
		}
	}
	if now, err := permission.ParseMode(c.log.Mode()); err == nil && string(now) != mode {
		c.mu.Lock()
		c.mode = now
		c.mu.Unlock()
	}
}
