package compact

import (
	"context"
	"slices"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Clear takes the content out of old results that the same call would give
// again. It does so for all of them at once, so that the provider's cache is
// lost once and not with every request.
type Clear struct{ Meter *account.Meter }

// cleared is what stays of a result.
const cleared = "[Output cleared for context space]"

const (
	clearRecent = 3    // the newest results that could be cleared are kept
	clearRounds = 2    // the newest answers with results are kept whole
	clearShare  = 0.05 // of the effective input must come free to be worth it
)

// Name is the stage's name in the log.
func (Clear) Name() string { return "clear" }

// Edits replaces each result that may be cleared and is larger than what
// would stay of it.
func (c Clear) Edits(_ context.Context, v event.View, _ func(event.Signal)) (Work, error) {
	size := sizesOf(c.Meter, v)
	var edits []event.Edit
	for _, m := range clearable(v.Request.Messages) {
		short := emptied(m)
		if size.of(m) <= size.of(short) {
			continue
		}
		edits = append(edits, event.Edit{From: m.ID, To: m.ID, With: []llm.Message{short}})
	}
	switch {
	case len(edits) == 0:
		return Work{}, Nothing("no older result is left that could be had again")
	case v.Why == event.Threshold && float64(saving(size, v, edits)) < clearShare*float64(v.Used.Window):
		return Work{}, Nothing("the older results that could be had again take too little room")
	}
	return Work{Edits: edits}, nil
}

// clearable gives the results that may be cleared, oldest first. Two answers
// with results come after each, so the model has seen it.
func clearable(messages []llm.Message) []llm.Message {
	var out []llm.Message
	recent, answers := 0, 0 // that were passed
	for _, r := range slices.Backward(rounds(messages)) {
		for _, m := range slices.Backward(r.of(messages)) {
			result, ok := m.Result()
			if !ok || !result.Meta.Again || result.Parts.Text() == cleared {
				continue
			}
			if recent++; recent > clearRecent && answers >= clearRounds {
				out = append(out, m)
			}
		}
		if messages[r.from].Role == llm.Assistant && r.to > r.from+1 {
			answers++
		}
	}
	slices.Reverse(out)
	return out
}

// emptied is the result without its content.
func emptied(m llm.Message) llm.Message {
	r, _ := m.Result()
	r.Parts = llm.Parts{llm.Text{Text: cleared}}
	m.ID, m.Parts = "", llm.Parts{r}
	return m
}
