package session

import (
	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// state is what is folded over the chain, besides the view.
type state struct {
	opened             event.Opened
	title, mode, model string
	turn               int
	open               bool // a turn runs
	grants             []event.Grant
	stamps             map[string]llm.FileRead
}

// refold folds the state over the whole chain.
func (l *Log) refold() {
	l.now = state{stamps: map[string]llm.FileRead{}}
	for pos, i := range l.chain {
		l.step(pos, i)
	}
}

// step folds in the record at one place of the chain.
func (l *Log) step(pos int, i int32) {
	n, s := &l.x.nodes[i], &l.now
	switch f := l.x.facts[i].(type) {
	case event.Opened:
		s.opened = f
		s.set(f.Title, f.Mode, f.Model)
	case event.Changed:
		s.set(f.Title, f.Mode, f.Model)
	case event.Decided:
		s.grants = append(s.grants, *f.Grant)
	}
	switch n.form {
	case message:
		s.open = s.open || n.said == llm.Prompt || int(n.turn) > s.turn
		s.stamp(l.x.files[i])
	case edited:
		if to, ok := l.x.bounds[i]; ok {
			l.restamp(pos, to)
		}
	case ended:
		s.open = false
		kept := s.grants[:0:0]
		for _, g := range s.grants {
			if g.Scope != event.ForTurn {
				kept = append(kept, g)
			}
		}
		s.grants = kept
	}
	s.turn = max(s.turn, int(n.turn))
}

func (s *state) set(title, mode, model string) {
	for _, f := range []struct {
		to   *string
		from string
	}{{&s.title, title}, {&s.mode, mode}, {&s.model, model}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
}

// stamp takes in what a result says of files.
func (s *state) stamp(meta llm.Meta) {
	for _, r := range meta.Read {
		if old, ok := s.stamps[r.Path]; ok && old.SHA256 == r.SHA256 {
			r.Whole = r.Whole || old.Whole
		}
		s.stamps[r.Path] = r
	}
	for _, w := range meta.Wrote {
		if w.SHA256 == "" {
			delete(s.stamps, w.Path)
			continue
		}
		s.stamps[w.Path] = llm.FileRead{Path: w.Path, SHA256: w.SHA256, Whole: true}
	}
}

// restamp begins the stamps again after a boundary: the model has only the
// results that came after the last message which the boundary replaced.
func (l *Log) restamp(pos int, to string) {
	l.now.stamps = map[string]llm.FileRead{}
	from := l.place(to, pos)
	if from < 0 {
		return // it replaced up to a message of an earlier edit; better to read again than to trust too much
	}
	for _, i := range l.chain[from+1 : pos] {
		l.now.stamp(l.x.files[i])
	}
}

// place is where on the chain, before pos, the message of that id is; -1
// when it is not there.
func (l *Log) place(id string, pos int) int {
	for p := pos - 1; p >= 0; p-- {
		if n := &l.x.nodes[l.chain[p]]; n.id == id && n.form == message {
			return p
		}
	}
	return -1
}

// edit carries out an edited fact on a view, which is not changed. An edit of
// a summary leaves nothing before what it puts in.
func edit(view []llm.Message, f event.Edited) []llm.Message {
	if b := boundary(f); b >= 0 {
		view = edit(view, event.Edited{Edits: f.Edits[:b]})
		if to := position(view, f.Edits[b].To); to >= 0 {
			with := f.Edits[b].With
			view = append(with[:len(with):len(with)], view[to+1:]...)
		}
		return edit(view, event.Edited{Edits: f.Edits[b+1:]})
	}
	if len(f.Edits) > 2 {
		if out, ok := sweep(view, f.Edits); ok {
			return out
		}
	}
	return event.Apply(view, f.Edits)
}

func position(view []llm.Message, id string) int {
	for i := range view {
		if view[i].ID == id {
			return i
		}
	}
	return -1
}

// sweep does what [event.Apply] does, in one pass, for edits that stand in
// the order of the view and do not touch each other. It is false for all
// others.
func sweep(view []llm.Message, edits []event.Edit) ([]llm.Message, bool) {
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
	return append(out, view[next:]...), true
}

// fold is the view of the whole chain. Bodies are read only of the messages
// that are still in it.
func (l *Log) fold() []llm.Message {
	for pos := len(l.chain) - 1; pos >= 0; pos-- {
		to, ok := l.x.bounds[l.chain[pos]]
		if !ok {
			continue
		}
		if from := l.place(to, pos); from >= 0 {
			if view, exact := l.foldFrom(from); exact {
				return view
			}
		}
		break
	}
	view, _ := l.foldFrom(0)
	return view
}

// foldFrom folds the chain from one place on. What comes before is wanted
// only if an edit reaches back there: then exact is false. Messages are
// stubs, of which only the id is set, until all edits are done.
func (l *Log) foldFrom(from int) (view []llm.Message, exact bool) {
	at := map[string]int32{}
	for _, i := range l.chain[from:] {
		switch n := &l.x.nodes[i]; n.form {
		case message:
			at[n.id] = i
			view = append(view, llm.Message{ID: n.id})
		case edited:
			r, err := l.decode(i)
			f, ok := r.Event.(event.Edited)
			if err != nil || !ok {
				continue
			}
			if from > 0 && reachesBack(view, f) {
				return nil, false
			}
			view = edit(view, f)
		}
	}
	kept := view[:0:0]
	for _, m := range view {
		if i, ok := at[m.ID]; ok && m.Kind == "" {
			r, err := l.decode(i)
			said, ok := r.MessageOf()
			if err != nil || !ok {
				continue
			}
			m = said
		}
		kept = append(kept, l.present(m))
	}
	return kept, true
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
