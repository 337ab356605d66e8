package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	widestBatch = 8                      // reads side by side
	widestSpawn = 3                      // sub-agents side by side
	grace       = 350 * time.Millisecond // for running calls to stop by themselves
)

// call is one call on its way from the answer to its result.
type call struct {
	llm.ToolCall
	action    tool.Action
	advice    tool.Advice
	changed   string // who changed the arguments: "the user", "a hook"
	permitted bool
	settled   bool // result holds
	result    tool.Result
	raw       string // the result's text before it was cleaned
}

func (c *call) settle(r tool.Result) { c.result, c.settled = r, true }

// execute runs the calls of an answer, in order; neighbours that only read
// run side by side. Every call gets exactly one result, whatever happens.
func (t *turn) execute(ctx context.Context, a *answer) error {
	calls := make([]*call, 0, len(a.Calls()))
	for _, c := range a.Calls() {
		calls = append(calls, &call{ToolCall: c})
	}
	if len(calls) == 0 {
		return nil
	}
	var batch []*call
	flush := func() error {
		err := t.perform(ctx, batch)
		batch = nil
		return err
	}
	for _, c := range calls {
		t.prepare(ctx, a, c)
		if len(batch) > 0 && !sideBySide(batch[0], c) {
			if err := flush(); err != nil {
				return err
			}
		}
		if err := t.permit(ctx, a, c); err != nil {
			return err
		}
		batch = append(batch, c)
		if !sideBySide(c, c) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	t.account(a, calls)
	return nil
}

// account notes what the step did, for the answer table.
func (t *turn) account(a *answer, calls []*call) {
	results := make([]string, len(calls))
	var questions []string
	for i, c := range calls {
		results[i] = c.raw
		if c.permitted {
			t.tally.ranTool()
			t.ranAny = true
		}
		if c.result.Question != "" {
			questions = append(questions, c.result.Question)
		}
	}
	a.question = strings.Join(questions, "\n\n")
	if a.row == calling {
		t.tally.remember(a.Calls(), results)
	}
}

// sideBySide says whether two calls may run at the same time: both only read,
// or both only start sub-agents.
func sideBySide(a, b *call) bool {
	return only(a, event.Read) && only(b, event.Read) || only(a, event.Spawn) && only(b, event.Spawn)
}

func only(c *call, kind event.EffectKind) bool {
	return !slices.ContainsFunc(c.action.Effects, func(e event.Effect) bool {
		harmless := kind == event.Read && e.Kind == event.Exec && e.Class == event.ReadOnly
		return e.Kind != kind && !harmless
	})
}

// prepare has the hooks look at the call, finds its tool and has it checked.
func (t *turn) prepare(ctx context.Context, a *answer, c *call) {
	switch {
	case a.row == cutOff:
		c.settle(tool.ErrorResult(cutCallText))
	case ctx.Err() != nil:
		c.settle(tool.ErrorResult(leftOpen(ctx, false)))
	case a.stopped:
		c.settle(tool.ErrorResult(byThePerson + notBegun))
	case c.Malformed != "":
		c.settle(tool.ErrorResult(malformed + argsFault(c.Malformed).Error()))
	}
	if c.settled {
		return
	}
	found, ok := t.tools.Find(c.Name)
	if !ok {
		c.settle(tool.ErrorResult(t.tools.Unknown(c.Name)))
		return
	}
	if t.Hooks != nil {
		var advice tool.Advice
		err := guard(func() (err error) { advice, err = t.Hooks.Before(ctx, c.ToolCall); return err })
		if err != nil {
			advice = tool.Advice{Verdict: tool.Deny, Reason: err.Error()}
		}
		c.advice = advice
		if advice.Args != nil {
			c.Args, c.changed = advice.Args, "a hook"
		}
	}
	t.makeReady(ctx, found, c)
}

// makeReady prepares the call from its arguments as they are now.
func (t *turn) makeReady(ctx context.Context, found tool.Tool, c *call) {
	err := guard(func() (err error) {
		c.action, err = found.Prepare(ctx, c.Args)
		return err
	})
	if err != nil {
		c.settle(tool.ErrorResult(err.Error()))
	}
}

// permit has the gate decide, and records the decision.
func (t *turn) permit(ctx context.Context, a *answer, c *call) error {
	if c.settled {
		return nil
	}
	t.emit(event.Started{Call: c.ID, Tool: c.Name, Title: c.action.Title, Effects: c.action.Effects, Preview: c.action.Preview})
	decided, err := t.decide(ctx, c)
	if err != nil {
		return err
	}
	if !decided.Allow {
		if !c.settled {
			text := "Not allowed: " + decided.Reason
			if ctx.Err() != nil {
				text = leftOpen(ctx, false)
			}
			c.settle(tool.ErrorResult(text))
		}
		a.stopped = a.stopped || decided.Stop
		return nil
	}
	c.permitted = true
	return nil
}

// decide asks the gate until its answer holds for the action as it is:
// arguments that the person changed are prepared and, where their effects
// were not all approved, judged again.
func (t *turn) decide(ctx context.Context, c *call) (event.Decided, error) {
	for {
		var decided event.Decided
		err := guard(func() (err error) {
			decided, err = t.Gate.Check(ctx, c.ToolCall, c.action, c.advice, t.emit)
			return err
		})
		if err != nil && ctx.Err() != nil {
			return event.Decided{}, nil
		}
		if err != nil {
			decided = event.Decided{By: "error", Reason: err.Error()}
		}
		approved := c.action.Effects
		edited := decided.Allow && decided.Args != nil && !bytes.Equal(decided.Args, c.Args)
		if edited {
			c.Args, c.advice.Args, c.changed = decided.Args, nil, "the user"
			found, _ := t.tools.Find(c.Name)
			if t.makeReady(ctx, found, c); c.settled {
				decided.Allow, decided.Reason = false, "the changed arguments are not valid"
			}
		}
		if edited && !c.settled && !within(c.action.Effects, approved) {
			continue
		}
		decided.Call, decided.Tool, decided.Title = c.ID, c.Name, c.action.Title
		decided.Effects, decided.Preview = c.action.Effects, shorten(c.action.Preview)
		if c.changed != "" {
			decided.Args = c.Args
		}
		return decided, t.record(decided)
	}
}

func within(effects, approved []event.Effect) bool {
	return !slices.ContainsFunc(effects, func(e event.Effect) bool {
		return !slices.ContainsFunc(approved, func(a event.Effect) bool { return a.Kind == e.Kind && a.Target == e.Target })
	})
}

// shorten keeps the head and the tail of a preview that is recorded.
func shorten(p event.Preview) event.Preview {
	const most = 16_000
	if len(p.Text) > most {
		head, tail := p.Text[:most/2], p.Text[len(p.Text)-most/2+100:]
		p.Text = strings.ToValidUTF8(head, "") + fmt.Sprintf("\n... %d bytes left out ...\n", len(p.Text)-most+100) + strings.ToValidUTF8(tail, "")
	}
	return p
}

// perform runs the batch and records each result as soon as it and those
// before it are there.
func (t *turn) perform(ctx context.Context, batch []*call) error {
	type finished struct {
		c      *call
		result tool.Result
	}
	var (
		signals = make(chan event.Signal)
		results = make(chan finished)
		left    = make(chan struct{}) // closed when nobody listens any more
		slots   = make(chan struct{}, width(batch))
		running sync.WaitGroup
	)
	defer close(left)
	for _, c := range batch {
		if c.settled {
			continue
		}
		running.Add(1)
		go func() {
			defer running.Done()
			emit := func(s event.Signal) {
				switch of := s.(type) {
				case event.Output:
					of.Call = c.ID
					s = of
				case event.Nested:
					of.Call = c.ID
					s = of
				}
				select {
				case signals <- s:
				case <-left:
				}
			}
			slots <- struct{}{}
			r := t.runOne(ctx, c, emit)
			<-slots
			select {
			case results <- finished{c, r}:
			case <-left:
			}
		}()
	}
	stop, late, abandoned := ctx.Done(), (<-chan time.Time)(nil), false
	for next := 0; next < len(batch); {
		c := batch[next]
		if c.settled {
			next++
			if err := t.closeCall(ctx, c); err != nil {
				return err
			}
			continue
		}
		select {
		case s := <-signals:
			t.emit(s)
		case f := <-results:
			f.c.settle(f.result)
		case <-stop:
			stop, late = nil, time.After(grace)
		case <-late:
			abandoned = true
			for _, c := range batch {
				if !c.settled {
					c.settle(tool.ErrorResult(leftOpen(ctx, true)))
				}
			}
		}
	}
	if !abandoned {
		running.Wait()
	}
	return nil
}

func width(batch []*call) int {
	if len(batch) > 0 && len(batch[0].action.Effects) > 0 && only(batch[0], event.Spawn) {
		return widestSpawn
	}
	return widestBatch
}

// runOne runs one permitted call; whatever goes wrong becomes its result.
func (t *turn) runOne(ctx context.Context, c *call, emit tool.Emit) tool.Result {
	if ctx.Err() != nil {
		return tool.ErrorResult(leftOpen(ctx, true))
	}
	var result tool.Result
	err := guard(func() (err error) {
		result, err = c.action.Run(ctx, emit)
		return err
	})
	if err != nil {
		result = tool.ErrorResult(err.Error())
	}
	if ctx.Err() != nil && (err != nil || result.Error) {
		text := leftOpen(ctx, true)
		if partial := result.Parts.Text(); err == nil && partial != "" {
			text += "\n" + partial
		}
		result.Parts, result.Error = llm.Parts{llm.Text{Text: text}}, true
	}
	if t.Hooks != nil && ctx.Err() == nil {
		after := result
		if err := guard(func() (err error) { after, err = t.Hooks.After(ctx, c.ToolCall, result); return err }); err == nil {
			result = after
		}
	}
	return result
}

// closeCall tells what the person or a hook changed, and cleans up.
func (t *turn) closeCall(ctx context.Context, c *call) error {
	c.raw = c.result.Parts.Text()
	if c.changed != "" && c.permitted {
		what := c.action.Preview.Text
		if c.action.Preview.Kind != event.PreviewDiff {
			what = string(c.Args)
		}
		c.result.Parts = append(llm.Parts{llm.Text{Text: "Applied with changes by " + c.changed + ":\n" + what + "\n"}}, c.result.Parts...)
	}
	return t.cleanup(ctx, c)
}

// guard turns a panic into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool failed inside: %v", p)
		}
	}()
	return f()
}
