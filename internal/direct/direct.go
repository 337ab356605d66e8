package direct

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/permission"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// ErrRefused is wrapped by the error of a call that was not allowed.
var ErrRefused = errors.New("not allowed")

// Caller runs calls of the person's.
type Caller struct {
	Tools  tool.Set
	Policy permission.Policy // its mode does not count
	Grants []event.Grant     // in force
	Asker  permission.Asker  // nil where nobody is there to answer
	Record func(event.Decided) error
	Clean  func(context.Context, tool.Outcome) tool.Outcome // makes a result fit; nil leaves it as it is
}

// Call runs one call. Show, which may be nil, is told of it as a front end is
// of a call of the model's: started, output, finished; never by two goroutines
// at once. A result that is an error says how the tool failed. An error says
// that the call was not run, as it is wrong or was refused, or that it was
// interrupted: then it is ctx's cause, and the result is what there was.
func (c Caller) Call(ctx context.Context, call llm.ToolCall, show func(event.Signal)) (result llm.ToolResult, err error) {
	found, ok := c.Tools.Find(call.Name)
	if !ok {
		return result, errors.New(c.Tools.Unknown(call.Name))
	}
	emit, over := speaker(call.ID, show)
	defer over()
	r := running{Caller: c, tool: found, call: call, emit: emit}
	if err := r.permit(ctx); err != nil {
		return result, err
	}
	out, err := guarded(func() (tool.Result, error) { return r.action.Run(ctx, emit) })
	if err != nil {
		out = tool.ErrorResult(err.Error())
	}
	outcome := tool.Outcome{Call: r.call, Result: out}
	if c.Clean != nil {
		outcome = c.Clean(context.WithoutCancel(ctx), outcome)
	}
	emit(event.Finished{Call: call.ID, Error: out.Error})
	result, _ = outcome.Message().Result()
	return result, context.Cause(ctx)
}

// speaker passes signals on, one at a time and until over is called.
func speaker(id string, show func(event.Signal)) (emit tool.Emit, over func()) {
	var mu sync.Mutex
	closed := show == nil
	emit = func(s event.Signal) {
		mu.Lock()
		defer mu.Unlock()
		if o, ok := s.(event.Output); ok {
			o.Call = id
			s = o
		}
		if !closed {
			show(s)
		}
	}
	return emit, func() {
		mu.Lock()
		defer mu.Unlock()
		closed = true
	}
}

// running is one call on its way.
type running struct {
	Caller
	tool   tool.Tool
	call   llm.ToolCall
	action tool.Action
	emit   tool.Emit
}

// permit prepares the call and has it judged, again where the person changed
// it, and records what was decided.
func (r *running) permit(ctx context.Context) error {
	for first := true; ; first = false {
		var err error
		if r.action, err = guarded(func() (tool.Action, error) { return r.tool.Prepare(ctx, r.call.Args) }); err != nil {
			return err
		}
		if first {
			r.emit(event.Started{Call: r.call.ID, Tool: r.call.Name, Title: r.action.Title, Effects: r.action.Effects, Preview: r.action.Preview})
		}
		decided, err := r.gate().Check(ctx, r.call, r.action, tool.Advice{}, r.emit)
		if err != nil {
			return context.Cause(ctx)
		}
		if changed := decided.Args; decided.Allow && changed != nil && !bytes.Equal(changed, r.call.Args) {
			r.call.Args = changed
			continue
		}
		if !first {
			decided.Args = r.call.Args
		}
		if decided.Allow && decided.By != byUser {
			decided.By, decided.Reason = byUser, "the user typed it"
		}
		if err := r.Record(decided); err != nil {
			return fmt.Errorf("cannot record what was decided: %w", err)
		}
		if !decided.Allow {
			r.emit(event.Finished{Call: r.call.ID, Error: true})
			return fmt.Errorf("%w: %s", ErrRefused, decided.Reason)
		}
		return nil
	}
}

const byUser = "user"

func (r *running) gate() *permission.Gate {
	p := r.Policy
	p.Mode = permission.FullAccess
	g := &permission.Gate{Policy: func() permission.Policy { return p }, Grants: func() []event.Grant { return r.Grants }}
	if r.Asker != nil {
		g.Asker = onceOnly{r.Asker}
	}
	return g
}

// onceOnly offers yes and no: what the person types themselves needs no rule.
type onceOnly struct{ permission.Asker }

func (o onceOnly) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	q.Choices = slices.DeleteFunc(slices.Clone(q.Choices), func(o event.Option) bool { return o.Choice != event.Once && o.Choice != event.No })
	a, err := o.Asker.Ask(ctx, q)
	if a.Choice != event.Once {
		a = event.Answer{Choice: event.No}
	}
	return a, err
}

// guarded turns a panic into an error.
func guarded[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool failed inside: %v", p)
		}
	}()
	return f()
}
