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
	answers            int             // of the assistant
	stages             map[string]past // by name
}

// refold folds the state over the whole chain.
func (l *Log) refold() {
	l.now = state{stamps: map[string]llm.FileRead{}, stages: map[string]past{}}
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
		if f.Model != "" {
			s.pardon()
		}
	case event.Decided:
		s.grants = append(s.grants, *f.Grant)
	}
	switch n.form {
	case message:
		s.open = s.open || n.said == llm.Prompt || int(n.turn) > s.turn
		s.stamp(l.x.files[i])
		if n.answer {
			s.answers++
		}
	case edited:
		s.ran(l.x.runs[i])
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
	from := l.x.place(l.chain[:pos], to)
	if from < 0 {
		return // it replaced up to a message of an earlier edit; better to read again than to trust too much
	}
	for _, i := range l.chain[from+1 : pos] {
		l.now.stamp(l.x.files[i])
	}
}
