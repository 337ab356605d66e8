package app

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"github.com/minicode-go/minicode/agent"
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/internal/compact"
	"github.com/minicode-go/minicode/internal/recall"
	"github.com/minicode-go/minicode/internal/session"
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
	rules := slices.DeleteFunc(c.stages(focus), func(r compact.Rule) bool { return r.Stage.Name() != stage })
	model := c.timed()
	view := func() event.View {
		req := c.request()
		return event.View{Request: req, Model: model, Used: c.meter.Measure(req, model.Info())}
	}
	for e, err := range (compact.Pipeline{Rules: rules, Meter: &c.meter}).Compact(ctx, view, event.Manual) {
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
func (c *Conversation) Stated() []event.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.unshown
	c.unshown = nil
	return out
}

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

// pipeline is the stages that work by themselves: not those whose threshold is
// 0, and without automatic compaction only what concerns single results and
// refused requests.
func (c *Conversation) pipeline() compact.Pipeline {
	auto := c.settings.Config.Context.Auto
	rules := slices.DeleteFunc(c.stages(""), func(r compact.Rule) bool {
		return !r.Refused && r.Stage.Name() != "offload" && (!auto || r.Above == 0)
	})
	return compact.Pipeline{Rules: rules, Meter: &c.meter, Told: &c.notices, Off: !auto}
}

// stages is the table of compaction, cheapest first.
func (c *Conversation) stages(focus string) []compact.Rule {
	s := c.settings.Config.Context
	offload := c.offload(c.timed())
	digest := compact.Digest{Model: c.summaryModel, Fallback: true, Instructions: s.SummaryInstructions, Again: agent.Retry{Tries: 5, Now: c.o.Now}.After, Meter: &c.meter}
	history := func(stage string) compact.Past { return compact.Past(c.log.Past(stage)) }
	return []compact.Rule{
		{Stage: offload},
		{Above: s.ClearAt, Stage: compact.Clear{Meter: &c.meter}},
		{Above: s.SnipAt, Stage: compact.Snip{Meter: &c.meter, History: history}},
		{Above: s.CollapseAt, Stage: compact.Collapse{Meter: &c.meter, History: history, Digest: digest}},
		{Above: s.SummarizeAt, Stage: compact.Summarize{
			Meter: &c.meter, History: history, Digest: digest, Keep: c.keep, Offload: &offload, TailTokens: max(1, s.TailTokens), Focus: focus,
		}},
		{Above: s.RefuseAt, Stage: compact.Refuse{Above: s.RefuseAt}},
		{Refused: true, Stage: compact.Images{}},
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

func (c *Conversation) offload(model llm.Model) compact.Offload {
	return compact.Offload{
		Dir: func() string {
			if dir := c.log.Dir(); dir != "" {
				return filepath.Join(dir, "results")
			}
			return ""
		},
		ResultLimit: func() int { return c.resultLimit(model.Info()) },
		BatchLimit: func() int {
			return min(c.settings.Config.Limits.BatchChars, compact.BatchLimit(model.Info().EffectiveInput()))
		},
	}
}

// resultLimit is how many characters one result may have.
func (c *Conversation) resultLimit(info llm.Info) int {
	return min(c.settings.Config.Limits.ResultChars, compact.ResultLimit(info.EffectiveInput()))
}

// keep is what the model is told again behind a summary.
func (c *Conversation) keep(v event.View) []llm.Message {
	return c.reminder.Keep(recall.Known{Messages: v.Request.Messages, Todos: c.log.Todos})
}
