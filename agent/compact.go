package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// compact lets the compactor make the view smaller; what it did is recorded
// before it goes on.
func (t *turn) compact(ctx context.Context, why event.Why) error {
	if t.Compact == nil {
		return ctx.Err()
	}
	for e, err := range t.Compact.Compact(ctx, t.view, why) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case event.Fact:
			if err := t.record(e); err != nil {
				return err
			}
		case event.Signal:
			t.emit(e)
		}
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
	return event.View{Request: req, Model: t.Model, Used: llm.Measure(req.Messages, req, t.Model.Info())}
}

// biggest names what takes the most room in a request, for a person who must
// make it smaller.
func biggest(req llm.Request) string {
	type share struct {
		what   string
		tokens int
	}
	shares := []share{
		{"the system prompt with its instruction files", llm.Estimate(llm.Request{System: req.System})},
		{"the tools' descriptions", llm.Estimate(llm.Request{Tools: req.Tools})},
	}
	for _, m := range req.Messages {
		what := "a " + string(m.Kind) + " message"
		if r, ok := m.Result(); ok {
			what = "a result of " + r.Name
		}
		shares = append(shares, share{what, llm.Estimate(llm.Request{Messages: []llm.Message{m}})})
	}
	slices.SortStableFunc(shares, func(a, b share) int { return b.tokens - a.tokens })
	var out []string
	for _, s := range shares[:min(3, len(shares))] {
		out = append(out, fmt.Sprintf("%s (about %d tokens)", s.what, s.tokens))
	}
	return strings.Join(out, ", ")
}
