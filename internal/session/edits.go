package session

import (
	"fmt"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// EditInfo is what one edited record did to the view.
type EditInfo struct {
	ID       string // the record's
	Stage    string
	Why      event.Why
	Time     time.Time
	Turn     int
	Before   int // tokens in use
	After    int // tokens in use, estimated
	Messages int // how many it took out of the view or replaced
}

// Edits is what the stages of compaction did in this conversation, newest
// last. Runs that failed and edited nothing are left out.
func (l *Log) Edits() []EditInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.edits(l.chain)
}

func (l *Log) edits(chain []int32) (out []EditInfo) {
	_, _ = l.outlineFrom(chain, 0, func(r event.Record, f event.Edited, view []llm.Message) {
		if len(f.Edits) > 0 {
			out = append(out, EditInfo{
				ID: r.ID, Stage: f.Stage, Why: f.Why, Time: r.Time, Turn: r.Turn, Before: f.Before, After: f.After, Messages: len(taken(view, f)),
			})
		}
	})
	return out
}

// Replaced is the messages that an edited record, by its id, took out of the
// view or replaced, as the view had them just before. Records of branches that
// were left count as well.
func (l *Log) Replaced(id string) ([]llm.Message, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.x.find(id)
	if !ok || l.x.nodes[i].form != edited {
		return nil, fmt.Errorf("session %s has no record %q of an edit", l.id, id)
	}
	r, err := l.decode(i)
	if err != nil {
		return nil, fmt.Errorf("session %s: the edit %s cannot be read: %w", l.id, id, err)
	}
	f, ok := r.Event.(event.Edited)
	if !ok {
		return nil, fmt.Errorf("session %s has no record %q of an edit", l.id, id)
	}
	o := l.outline(l.x.chain(l.x.nodes[i].parent))
	var stubs []llm.Message
	for _, at := range taken(o.view, f) {
		stubs = append(stubs, o.view[at])
	}
	messages, err := l.fill(o, stubs)
	if err != nil {
		return nil, fmt.Errorf("session %s: what edit %s replaced cannot be read: %w", l.id, id, err)
	}
	return messages, nil
}

// taken is the places in the view of the messages that an edited fact takes
// out of it or replaces, in order. It carries the fact out on messages that
// hold nothing but their id and, as their estimate, their place.
func taken(view []llm.Message, f event.Edited) (places []int) {
	bare := make([]llm.Message, len(view))
	for i := range view {
		bare[i] = llm.Message{ID: view[i].ID, Estimate: i + 1}
	}
	edits := make([]event.Edit, len(f.Edits))
	for i, e := range f.Edits {
		edits[i] = event.Edit{From: e.From, To: e.To}
		for _, m := range e.With {
			edits[i].With = append(edits[i].With, llm.Message{ID: m.ID, Kind: m.Kind})
		}
	}
	f.Edits = edits
	left := make([]bool, len(view)+1)
	for _, m := range edit(bare, f) {
		left[m.Estimate] = true
	}
	for i := range view {
		if !left[i+1] {
			places = append(places, i)
		}
	}
	return places
}
