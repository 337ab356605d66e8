package session

import (
	"errors"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// edit carries out an edited fact on a view, which is not changed. An edit of
// a summary leaves nothing before what it puts in. From the first place on
// that an edit was carried out at, the messages are marked: what a provider
// counted there, it counted of another view. A newer mark takes the place of an
// older one. So a boundary, which marks all that it leaves, hides what was
// edited before it, and whoever folds from the boundary on sees the same.
func edit(view []llm.Message, f event.Edited) []llm.Message {
	mark := staleness(f.Stage)
	b := boundary(f)
	if b < 0 {
		return replaceAll(view, f.Edits, mark)
	}
	view = replaceAll(view, f.Edits[:b], mark)
	if to := position(view, f.Edits[b].To); to >= 0 {
		view = replaceRun(view, 0, to, f.Edits[b].With, mark)
	}
	return replaceAll(view, f.Edits[b+1:], mark)
}

// staleness is what [llm.Message.Stale] says after a stage has worked.
func staleness(stage string) string {
	switch stage {
	case "snip":
		return "snipped"
	case "clear":
		return "cleared"
	case "collapse":
		return "collapsed"
	case summarize:
		return "compacted"
	case "":
		return "edited"
	}
	return stage
}

func replaceAll(view []llm.Message, edits []event.Edit, mark string) []llm.Message {
	if len(edits) > 2 {
		if out, ok := sweep(view, edits, mark); ok {
			return out
		}
	}
	for _, e := range edits {
		from, to := position(view, e.From), position(view, e.To)
		if from >= 0 && to >= from {
			view = replaceRun(view, from, to, e.With, mark)
		}
	}
	return view
}

// replaceRun puts messages in the place of those from one place to another,
// inclusive.
func replaceRun(view []llm.Message, from, to int, with []llm.Message, mark string) []llm.Message {
	out := make([]llm.Message, 0, from+len(with)+len(view)-to-1)
	out = append(append(append(out, view[:from]...), with...), view[to+1:]...)
	markStale(out[from:], mark)
	return out
}

func markStale(messages []llm.Message, mark string) {
	for i := range messages {
		messages[i].Stale = mark
	}
}

func position(view []llm.Message, id string) int {
	for i := range view {
		if view[i].ID == id {
			return i
		}
	}
	return -1
}

// sweep does what replaceAll does, in one pass, for edits that stand in the
// order of the view and do not touch each other. It is false for all others.
func sweep(view []llm.Message, edits []event.Edit, mark string) ([]llm.Message, bool) {
	ends := make(map[string]int, 2*len(edits))
	for _, e := range edits {
		ends[e.From], ends[e.To] = -1, -1
	}
	for i := range view {
		if at, ok := ends[view[i].ID]; ok && at < 0 {
			ends[view[i].ID] = i
		}
	}
	out := make([]llm.Message, 0, len(view))
	next := 0
	for _, e := range edits {
		from, to := ends[e.From], ends[e.To]
		if from < next || to < from {
			return nil, false
		}
		for _, m := range e.With {
			if _, ok := ends[m.ID]; ok && m.ID != e.From && m.ID != e.To {
				return nil, false
			}
		}
		out = append(append(out, view[next:from]...), e.With...)
		next = to + 1
	}
	out = append(out, view[next:]...)
	markStale(out[ends[edits[0].From]:], mark)
	return out, true
}

// outline is a view without the bodies: messages that were recorded are
// stubs, of which only id and mark are set.
type outline struct {
	view []llm.Message
	at   map[string]int32 // where the records of the messages are
}

// fold is the view at the end of a chain. Bodies are read only of the
// messages that are still in it.
func (l *Log) fold(chain []int32) []llm.Message {
	o := l.outline(chain)
	view, _ := l.fill(o, o.view)
	return view
}

// outline begins at the newest boundary of the chain, if it can.
func (l *Log) outline(chain []int32) outline {
	for pos := len(chain) - 1; pos >= 0; pos-- {
		to, ok := l.x.bounds[chain[pos]]
		if !ok {
			continue
		}
		if from := l.x.place(chain[:pos], to); from >= 0 {
			if o, exact := l.outlineFrom(chain, from, nil); exact {
				return o
			}
		}
		break
	}
	o, _ := l.outlineFrom(chain, 0, nil)
	return o
}

// outlineFrom folds a chain from one place on. What comes before is wanted
// only if an edit reaches back there: then exact is false. see, if there is
// one, is told of each edited fact and of the view before it.
func (l *Log) outlineFrom(chain []int32, from int, see func(r event.Record, f event.Edited, view []llm.Message)) (o outline, exact bool) {
	o.at = map[string]int32{}
	for _, i := range chain[from:] {
		switch n := &l.x.nodes[i]; n.form {
		case message:
			o.at[n.id] = i
			o.view = append(o.view, llm.Message{ID: n.id})
		case edited:
			r, err := l.decode(i)
			f, ok := r.Event.(event.Edited)
			if err != nil || !ok {
				continue
			}
			if from > 0 && reachesBack(o.view, f) {
				return o, false
			}
			if see != nil {
				see(r, f, o.view)
			}
			o.view = edit(o.view, f)
		}
	}
	return o, true
}

// fill is some messages of an outline with their bodies. Those whose records
// cannot be read are left out; the error tells of a disk that cannot be read.
func (l *Log) fill(o outline, stubs []llm.Message) (filled []llm.Message, err error) {
	for _, m := range stubs {
		if i, ok := o.at[m.ID]; ok && m.Kind == "" {
			r, bad := l.decode(i)
			said, ok := r.MessageOf()
			if errors.Is(bad, errUnread) && err == nil {
				err = bad
			}
			if bad != nil || !ok {
				continue
			}
			said.Stale = m.Stale
			m = said
		}
		filled = append(filled, l.present(m))
	}
	return filled, err
}

// reachesBack says whether an edit begins before the view and ends in it.
func reachesBack(view []llm.Message, f event.Edited) bool {
	b := boundary(f)
	for i, e := range f.Edits {
		if i != b && position(view, e.From) < 0 && position(view, e.To) >= 0 {
			return true
		}
	}
	return false
}
