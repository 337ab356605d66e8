package session

import "github.com/minicode-go/minicode/event"

// Past is what the conversation tells of the earlier work of one stage of
// compaction.
type Past struct {
	Steps   int // answers of the assistant since it last edited the view; -1 when it never did
	Strikes int // how often in a row it failed by its own doing
	Row     int // how often it worked, not by hand, since the newest answer
}

// Past is what the conversation tells of the stage of that name. A success, a
// run by hand, however it ended, and a change of model clear the strikes.
func (l *Log) Past(stage string) Past {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.now.stages[stage]
	out := Past{Steps: -1, Strikes: p.strikes}
	if !ok {
		return out
	}
	if p.edited {
		out.Steps = l.now.answers - p.at
	}
	if p.rowAt == l.now.answers {
		out.Row = p.row
	}
	return out
}

// past is what is kept of a stage. Places are counted in answers of the
// assistant, so that an answer costs nothing here.
type past struct {
	edited     bool
	at         int // when it last edited
	strikes    int
	row, rowAt int
}

// run is what is kept of an edited record.
type run struct {
	Stage  string
	Edits  bool // there are any
	Failed bool
	Manual bool
}

func runOf(f event.Edited) run {
	return run{Stage: f.Stage, Edits: len(f.Edits) > 0, Failed: f.Error != "", Manual: f.Why == event.Manual}
}

// ran folds in one run of a stage.
func (s *state) ran(r run) {
	p := s.stages[r.Stage]
	if r.Edits {
		p.edited, p.at = true, s.answers
	}
	worked := r.Edits && !r.Failed
	switch {
	case worked || r.Manual:
		p.strikes = 0
	case r.Failed:
		p.strikes++
	}
	if worked && !r.Manual {
		if p.rowAt != s.answers {
			p.row, p.rowAt = 0, s.answers
		}
		p.row++
	}
	s.stages[r.Stage] = p
}

// pardon clears the strikes of all stages.
func (s *state) pardon() {
	for name, p := range s.stages {
		p.strikes = 0
		s.stages[name] = p
	}
}
