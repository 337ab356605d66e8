package compact

import (
	"context"
	"iter"
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
	messages, size := v.Request.Messages, sizesOf(c.Meter, v)
	least := 0.0 // tokens that must come free
	if v.Why == event.Threshold {
		least = clearShare * float64(v.Used.Window)
	}
	stub, all := size.of(emptied(llm.Message{})), rounds(messages)
	found, most := 0, 0.0 // most tokens that can come free, sizes being rounded
	for i := range clearable(all, messages) {
		if n := size.at(messages, i); n > stub {
			found, most = found+1, most+float64(n-stub)+1+size.ratio
		}
	}
	if found == 0 {
		return Work{}, Nothing("no older result is left that could be had again")
	}
	const little = Nothing("the older results that could be had again take too little room")
	if most < least {
		return Work{}, little // as before most requests
	}
	edits := make([]event.Edit, 0, found)
	for i := range clearable(all, messages) {
		if m := messages[i]; size.of(m) > stub {
			edits = append(edits, event.Edit{From: m.ID, To: m.ID, With: []llm.Message{emptied(m)}})
		}
	}
	slices.Reverse(edits)
	if float64(saving(size, v, edits)) < least {
		return Work{}, little
	}
	return Work{Edits: edits}, nil
}

// clearable gives the places of the results that may be cleared, newest first.
// Two answers with results come after each, so the model has seen it.
func clearable(all []round, messages []llm.Message) iter.Seq[int] {
	return func(yield func(int) bool) {
		recent, answers := 0, 0 // that were passed
		for _, r := range slices.Backward(all) {
			for i := r.to - 1; i >= r.from; i-- {
				result, ok := messages[i].Result()
				if !ok || !result.Meta.Again || result.Parts.Text() == cleared {
					continue
				}
				if recent++; recent > clearRecent && answers >= clearRounds && !yield(i) {
					return
				}
			}
			if messages[r.from].Role == llm.Assistant && r.to > r.from+1 {
				answers++
			}
		}
	}
}

// emptied is the result without its content.
func emptied(m llm.Message) llm.Message {
	r, _ := m.Result()
	r.Parts = llm.Parts{llm.Text{Text: cleared}}
	m.ID, m.Parts = "", llm.Parts{r}
	return m
}
