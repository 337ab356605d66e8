package extension

import (
	"context"
	"errors"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/hook"
	"github.com/minicode-go/minicode/llm"
)

// Asker has the hooks answer before the person is asked, and tells them that
// the person is.
type Asker struct {
	Set   *Set
	Inner interface { // nil where there is nobody
		Ask(context.Context, event.Question) (event.Answer, error)
	}
	Messages func() []llm.Message // the newest last
}

// Ask puts the question.
func (a Asker) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	if call, ok := a.call(q.Call); ok && a.Set.Hooks.Any(hook.PermissionRequest) {
		if answer, ok := a.answered(ctx, call, q); ok {
			return answer, nil
		}
	}
	if a.Inner == nil {
		return event.Answer{}, errors.New("nobody is there, and no hook has an answer")
	}
	if a.Set.Hooks.Any(hook.Notification) {
		go a.Set.Hooks.Notify(context.WithoutCancel(ctx), "permission_prompt", "MiniCode", "MiniCode needs your permission: "+q.Title)
	}
	return a.Inner.Ask(ctx, q)
}

// call is the newest call with that id.
func (a Asker) call(id string) (llm.ToolCall, bool) {
	for _, m := range slices.Backward(a.Messages()) {
		for _, call := range m.Calls() {
			if call.ID == id {
				return call, true
			}
		}
	}
	return llm.ToolCall{}, false
}

// answered is the hooks' answer. A yes of theirs counts only where the person
// could say it for more than this once: what must be asked every time is.
func (a Asker) answered(ctx context.Context, call llm.ToolCall, q event.Question) (event.Answer, bool) {
	got, ok := a.Set.Hooks.Permission(ctx, call)
	switch {
	case !ok:
		return event.Answer{}, false
	case !got.Allow && got.Interrupt:
		return event.Answer{Choice: event.NoAndStop, Text: got.Message}, true
	case !got.Allow:
		return event.Answer{Choice: event.NoWithGuidance, Text: got.Message}, true
	}
	lasting := slices.ContainsFunc(q.Choices, func(o event.Option) bool { return o.Choice == event.ThisSession || o.Choice == event.ThisTurn })
	return event.Answer{Choice: event.Once, Args: got.Args}, lasting
}

// ChildHooks is the hooks as a sub-agent has them.
type ChildHooks struct{ *hook.Runner }

// Stop has the hooks for sub-agents look at its last answer.
func (h ChildHooks) Stop(ctx context.Context, last llm.Message) (string, error) {
	return h.SubagentStop(ctx, last)
}
