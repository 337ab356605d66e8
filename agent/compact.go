package agent

import (
	"context"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// compact lets the compactor make the view smaller; what it did is recorded
// before it goes on. The turn's deadline bounds it.
func (t *turn) compact(ctx context.Context, why event.Why) error {
	if t.Compact == nil {
		return ctx.Err()
	}
	parent := ctx
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	for e, err := range t.Compact.Compact(ctx, t.view, why) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case event.Fact:
			if edited, ok := e.(event.Edited); ok && edited.Usage != nil {
				t.usage = t.usage.Add(*edited.Usage)
			}
			if err := t.record(e); err != nil {
				return err
			}
		case event.Signal:
			t.emit(e)
		}
	}
	if parent.Err() == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return ctx.Err()
}

// request is what would be sent now.
func (t *turn) request() llm.Request {
	req := llm.Request{Messages: t.Log.Messages(), Effort: t.Effort}
	if t.System != nil {
		req.System = t.System()
	}
	for _, tool := range t.tools {
		req.Tools = append(req.Tools, tool.Spec())
	}
	return req
}

// view is what would be sent now, measured.
func (t *turn) view() event.View {
	req := t.request()
	return event.View{Request: req, Model: t.Model, Used: t.meter.Measure(req, t.Model.Info())}
}

// tooLong is the end of a turn whose request was refused twice for its size.
func (t *turn) tooLong() error {
	if t.Compact == nil {
		return llm.ErrContextTooLong
	}
	return t.Compact.TooLong(t.view())
}
