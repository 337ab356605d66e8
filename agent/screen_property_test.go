package agent_test

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// screen is a transcript as a front end keeps it. It believes every signal,
// so what a signal says and no fact confirms stays to be seen.
type screen struct {
	lines  []string
	cards  map[string]*card
	order  []string
	live   string // text of the answer that streams
	left   bool   // the reader missed the rest of it
	faults []string
	seen   screenCounts
}

// screenCounts is how much there was to see.
type screenCounts struct{ streamed, partial, cards, running int }

type card struct {
	call, title, output, result string
	preview                     event.Preview
	effects                     string
	decided, allowed            bool
	settled, failed             bool
}

func newScreen() *screen { return &screen{cards: map[string]*card{}} }

// screenOf folds records, with or without their signals.
func screenOf(records []event.Record, signals bool) *screen {
	s := newScreen()
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.Fact:
			s.fact(e)
		case event.Signal:
			if signals {
				s.signal(e)
			}
		}
	}
	return s
}

func (s *screen) card(call string) *card {
	c := s.cards[call]
	if c == nil {
		c = &card{call: "a call of which nobody knows"}
		s.cards[call] = c
		s.order = append(s.order, call)
	}
	return c
}

func (s *screen) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

func (s *screen) signal(e event.Signal) {
	switch e := e.(type) {
	case event.TextDelta:
		s.live += e.Text
	case event.Retrying:
		s.live = ""
	case event.Started:
		c := s.card(e.Call)
		c.title, c.preview, c.effects = e.Title, e.Preview, fmt.Sprint(e.Effects)
		s.seen.running++
	case event.Output:
		s.card(e.Call).output += e.Text
	case event.Notice:
		s.left = s.left || e.Text == readerLeft
	case event.Finished:
		c := s.card(e.Call)
		if !c.settled {
			s.fault("call %s is said to be finished and has no result", e.Call)
		}
		c.failed = e.Error
	}
}

func (s *screen) fact(f event.Fact) {
	switch f := f.(type) {
	case event.Message:
		s.message(f.Message)
	case event.Decided:
		c := s.card(f.Call)
		if effects := fmt.Sprint(f.Effects); c.title != "" && f.Args == nil && (c.title != f.Title || c.preview != f.Preview || c.effects != effects) {
			s.fault("call %s was to be %q, %v %s and was decided as %q, %v %s", f.Call, c.title, c.preview, c.effects, f.Title, f.Preview, effects)
		}
		c.title, c.preview, c.effects, c.decided, c.allowed = f.Title, f.Preview, fmt.Sprint(f.Effects), true, f.Allow
	case event.Edited:
		s.lines = append(s.lines, "edited: "+f.Stage)
	case event.Ended:
		if strings.TrimSpace(s.live) != "" {
			s.lines = append(s.lines, "never recorded: "+s.live)
		}
		s.live, s.left = "", false
		s.lines = append(s.lines, "ended: "+string(f.Reason))
	}
}

func (s *screen) message(m llm.Message) {
	if r, ok := m.Result(); ok {
		c := s.card(r.Call)
		if c.settled {
			s.fault("call %s has a second result", r.Call)
		}
		c.settled, c.failed, c.result, c.output = true, r.Error, r.Parts.Text(), ""
		if !c.decided { // a card that was never decided has no head on replay
			c.title, c.preview, c.effects = "", event.Preview{}, ""
		}
		return
	}
	if m.Role == llm.Assistant {
		if s.live != "" && m.Model != "" {
			s.seen.streamed++
			whole := bare(s.live) == bare(m.Text())
			more := s.left || m.Stop == llm.StopRefusal // the words of a refusal need not stream
			if !whole && !(more && strings.HasPrefix(bare(m.Text()), bare(s.live))) {
				s.fault("streamed %q, recorded %q", s.live, m.Text())
			}
		}
		if m.Stop == llm.StopInterrupted {
			s.seen.partial++
		}
		s.live, s.left = "", false
	}
	s.lines = append(s.lines, string(m.Kind)+": "+m.Text())
	for _, c := range m.Calls() {
		s.card(c.ID).call = c.Name + string(c.Args) + c.Malformed
		s.seen.cards++
	}
}

// bare is the text without blanks: those around markers may differ.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// String is the whole transcript.
func (s *screen) String() string {
	var b strings.Builder
	for _, l := range s.lines {
		fmt.Fprintln(&b, l)
	}
	for _, id := range s.order {
		fmt.Fprintf(&b, "%s %+v\n", id, *s.cards[id])
	}
	if s.live != "" {
		fmt.Fprintln(&b, "still streaming:", s.live)
	}
	return b.String()
}
