package compact

import (
	"context"
	"iter"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Stage is one way of making the view smaller. Edits must leave each call
// with its result, and must give the same edits for the same view.
type Stage interface {
	Name() string
	Edits(ctx context.Context, v event.View) ([]event.Edit, llm.Usage, error)
}

// Rule says from which share of the effective input window on a stage works. A
// stage that is for a request that the provider refused works then only.
type Rule struct {
	Above   float64
	Refused bool
	Stage   Stage
}

// Pipeline is the stages in order, cheapest first.
type Pipeline struct{ Rules []Rule }

// Compact runs the stages whose line the view is over, taking the view again
// after each. When forced or asked for by hand, lines do not count.
func (p Pipeline) Compact(ctx context.Context, view func() event.View, why event.Why) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for _, rule := range p.Rules {
			if ctx.Err() != nil {
				return
			}
			if rule.Refused != (why == event.Limit) {
				continue
			}
			v := view()
			if why == event.Threshold && v.Used.Share() < rule.Above {
				return
			}
			edits, usage, err := rule.Stage.Edits(ctx, v)
			if err != nil {
				notice := event.Notice{Level: event.WarnLevel, Text: "Context was not made smaller by " + rule.Stage.Name() + ": " + err.Error()}
				if !yield(notice, nil) {
					return
				}
				continue
			}
			if len(edits) == 0 {
				continue
			}
			if !yield(event.Compacting{Stage: rule.Stage.Name()}, nil) || !yield(edited(v, rule.Stage.Name(), why, edits, usage), nil) {
				return
			}
		}
	}
}

func edited(v event.View, stage string, why event.Why, edits []event.Edit, usage llm.Usage) event.Edited {
	before := llm.Estimate(v.Request)
	smaller := v.Request
	smaller.Messages = event.Apply(v.Request.Messages, edits)
	e := event.Edited{Stage: stage, Why: why, Edits: edits, Before: v.Used.Tokens}
	e.After = max(0, e.Before-(before-llm.Estimate(smaller)))
	if usage != (llm.Usage{}) {
		e.Usage = &usage
	}
	return e
}
