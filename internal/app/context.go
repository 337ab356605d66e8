package app

import (
	"context"
	"io"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/recall"
	"github.com/minicode-go/minicode/internal/session"
	"github.com/minicode-go/minicode/internal/stages"
	"github.com/minicode-go/minicode/llm"
)

// ErrTimeLimit says that the time limit of the run was reached.
var ErrTimeLimit = agent.ErrDeadline

// Context is how full the window is, and with what.
func (c *Conversation) Context() account.Overview {
	c.mu.Lock()
	instructions := c.instructions
	c.mu.Unlock()
	return c.meter.Overview(c.request(), c.current().Info(), []account.Section{{Name: "instruction files", Text: instructions}})
}

// Used is how full the window is.
func (c *Conversation) Used() llm.Count { return c.meter.Measure(c.request(), c.current().Info()) }

// request is what would be sent now.
func (c *Conversation) request() llm.Request {
	return llm.Request{System: c.systemText(), Tools: c.ToolSpecs(), Messages: c.currentLog().Messages()}
}

func (c *Conversation) systemText() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.system
}

// MakeRoom makes the conversation smaller by the stage of that name: snip,
// collapse or summarize, which minds the focus, and gives the fact. That there is nothing to do is
// an error of type [compact.Nothing]. It gives [ErrBusy] while a turn runs.
func (c *Conversation) MakeRoom(ctx context.Context, stage, focus string) (done event.Edited, err error) {
	if !c.busy.CompareAndSwap(false, true) {
		return done, ErrBusy
	}
	defer c.busy.Store(false)
	if c.o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.o.Timeout, ErrTimeLimit)
		defer cancel()
	}
	model := c.timed()
	view := func() event.View {
		req := c.request()
		return event.View{Request: req, Model: model, Used: c.meter.Measure(req, model.Info())}
	}
	for e, err := range c.table().ByHand(stage, focus).Compact(ctx, view, event.Manual) {
		if err != nil {
			return done, err
		}
		if fact, ok := e.(event.Edited); ok {
			if err := c.state(fact); err != nil {
				return done, err
			}
			done = fact
			c.madeRoom(c.log.Head().ID, fact)
		}
	}
	return done, context.Cause(ctx)
}

// Edits is what was done to the model's view, oldest first.
func (c *Conversation) Edits() []session.EditInfo { return c.currentLog().Edits() }

// Replaced is the messages that an edit, by its id, took out of the view.
func (c *Conversation) Replaced(id string) ([]llm.Message, error) { return c.currentLog().Replaced(id) }

// Export writes the whole conversation, with all that the model no longer
// sees: as markdown, html or json.
func (c *Conversation) Export(w io.Writer, format string) error {
	return c.currentLog().Export(w, format)
}

// Stated takes the facts that were stated outside of a turn and that no reader
// has seen.
func (c *Conversation) Stated() []event.Record { return c.out.Facts() }

// madeRoom takes notice of an edit. With a summary the instruction files are
// read anew; where notes on those of directories went, they are told again.
func (c *Conversation) madeRoom(id string, e event.Edited) {
	c.reminder.Edited = true
	c.bill.Add(e.Model, e.Usage)
	switch {
	case len(e.Edits) == 0:
		return
	case compact.Boundary(e):
		if !c.o.Bare {
			c.setSystem(c.reminder.Again())
		}
		return
	}
	gone, err := c.log.Replaced(id)
	if err != nil {
		return // the log tells of its own troubles
	}
	c.note(c.reminder.Lost(c.known(), gone, c.log.Stamps())...)
}

// table is the stages of compaction for the log.
func (c *Conversation) table() stages.Table {
	config := c.settings.Config
	return stages.Table{
		Settings: config.Context, Limits: config.Limits, Log: c.log, Meter: &c.meter, Told: &c.notices, Model: c.timed(),
		Summary: c.summaryModel, Keep: c.keep, Now: c.o.Now,
	}
}

// summaryModel is the model that the settings want summaries to be written by,
// nil for the one in use.
func (c *Conversation) summaryModel() llm.Model {
	name := c.settings.Config.Context.SummaryModel
	if name == "" {
		return nil
	}
	m, err := c.models.Model(name)
	if err != nil {
		return nil // it was told at the opening
	}
	return c.timing(m)
}

// keep is what the model is told again behind a summary.
func (c *Conversation) keep(v event.View) []llm.Message {
	return c.reminder.Keep(recall.Known{Messages: v.Request.Messages, Todos: c.log.Todos})
}
