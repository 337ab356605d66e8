package line

import (
	"fmt"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/summary"
	"github.com/minicode-go/minicode/internal/visible"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// turnView is what is known of the turn that is shown.
type turnView struct {
	now   func() time.Time // nil in a replay
	cost  func(llm.Usage) (dollars float64, known bool)
	used  func() llm.Count // how full the window is
	typed string           // the prompt that stands on the screen already

	calls    map[string]*callView
	adjacent string // the call whose line stands last: what follows needs no name
	streamed bool   // some of the answer's text is shown
	answered bool   // an answer is whole
	thinking bool   // a line says that the model thinks
	reason   event.Reason

	doing  string    // what the model does
	since  time.Time // of the last thing shown
	beats  int       // lines since then that said that it goes on
	asking bool      // a question is open
}

// callView is what is known of one call.
type callView struct {
	tool, title string
	preview     event.Preview
	denied      bool
	running     bool
	output      string // the newest line of it
	begun       time.Time
}

// show writes what is to be seen of one event. It waits for a slow terminal.
func (s *screen) show(rec event.Record) {
	s.out.keepUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := rec.Event.(type) {
	case event.Output:
		if c := s.turn.calls[e.Call]; c != nil {
			c.output = summary.LastLine(e.Text, c.output)
		}
		return
	case event.CallDelta:
		if e.Name != "" {
			s.turn.doing = "the model writes a call of " + e.Name
		}
		return
	case event.Compacting:
		s.turn.doing = "making room in the context (" + e.Stage + ")"
		return
	case event.ThinkingDelta:
		s.turn.doing = "the model thinks"
		if s.turn.thinking {
			return
		}
		s.turn.thinking = true
		what := remarks
		if s.last == tools {
			what = tools
		}
		s.line(what, s.style(dim, "thinking …"))
	default:
		s.event(e)
	}
	s.alive()
}

// event writes an event that is always seen. mu is held.
func (s *screen) event(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		s.text(e.Text)
	case event.Started:
		s.started(e)
	case event.Decided:
		s.decided(e)
	case event.Message:
		s.message(e.Message)
	case event.Retrying:
		s.retrying(e)
	case event.Notice:
		s.line(remarks, s.style(yellow, "! "+visible.Safe(e.Text)))
	case event.Edited:
		s.edited(e)
	case event.Ended:
		s.ended(e)
	}
}

// text writes some more of the answer. Line ends at its beginning and its end
// are left out.
func (s *screen) text(more string) {
	more = visible.Safe(more)
	if !s.turn.streamed {
		if more = strings.TrimLeft(more, "\r\n"); more == "" {
			return
		}
		s.turn.streamed, s.turn.adjacent, s.turn.doing = true, "", "the model writes"
		s.begin(answer)
	}
	body := strings.TrimRight(more, "\n")
	held := len(more) - len(body)
	if body != "" {
		if s.last != answer { // something else was said in between
			s.begin(answer)
			body = strings.TrimLeft(body, "\n")
		}
		s.write(strings.Repeat("\n", s.gap) + body)
		s.gap = 0
	}
	s.gap += held
}

// wordless is calls that are not shown: the question that they put is.
func wordless(tool string) bool { return tool == "ask_user" || tool == "propose_plan" }

func (s *screen) started(e event.Started) {
	s.turn.calls[e.Call] = &callView{tool: e.Tool, title: e.Title, preview: e.Preview}
	if !wordless(e.Tool) {
		s.line(tools, s.style(cyan, "● ")+s.visible(summary.OneLine(e.Title, 240), visible.All))
		s.turn.adjacent = e.Call
	}
}

func (s *screen) decided(e event.Decided) {
	c := s.turn.calls[e.Call]
	if c == nil { // in a replay
		s.started(event.Started{Call: e.Call, Tool: e.Tool, Title: e.Title, Preview: e.Preview})
		c = s.turn.calls[e.Call]
	}
	c.running, c.denied = e.Allow, !e.Allow
	if s.turn.now != nil {
		c.begun = s.turn.now()
	}
	if c.denied {
		s.state(e.Call, yellow, "denied", e.Reason)
	}
}

// state writes a state of a call, with its name where another one's would be
// thought of.
func (s *screen) state(call, color, word, text string) {
	name := ""
	if s.turn.adjacent != call {
		if c := s.turn.calls[call]; c != nil {
			name = summary.OneLine(visible.Safe(c.title), 80) + ": "
		}
	}
	s.line(tools, s.style(color, "  "+word+": ")+name+summary.OneLine(visible.Safe(text), 400))
}

func (s *screen) message(m llm.Message) {
	if r, ok := m.Result(); ok {
		s.result(r)
		return
	}
	switch {
	case m.Kind == llm.Prompt && m.Text() == s.turn.typed && s.turn.typed != "":
		s.turn.typed = ""
	case m.Kind == llm.Prompt:
		s.line(remarks, "> "+indented(visible.Safe(m.Text())))
	case m.Role != llm.Assistant:
		return
	case !s.turn.streamed:
		s.text(m.Text())
	}
	s.turn.answered = s.turn.answered || m.Usage != nil
	s.turn.thinking, s.turn.doing = false, "waiting for the model"
	if m.Kind == llm.Progress && (m.Stop == llm.StopLength || m.Stop == llm.StopPause) {
		return // the next answer is the rest of this one
	}
	if s.ends == 0 {
		s.write("\n")
	}
	s.turn.streamed, s.gap = false, 0
}

// result is the state line of a finished call.
func (s *screen) result(r llm.ToolResult) {
	c := s.turn.calls[r.Call]
	if c == nil { // it could not be prepared
		s.line(tools, s.style(cyan, "● ")+visible.Safe(r.Name))
		c = &callView{tool: r.Name, title: r.Name}
		s.turn.calls[r.Call], s.turn.adjacent = c, r.Call
	}
	c.running = false
	s.turn.doing = "waiting for the model"
	switch {
	case c.denied || wordless(c.tool) && !r.Error:
	case r.Error && summary.Interrupted(r):
		s.state(r.Call, yellow, "interrupted", strings.TrimPrefix(summary.FirstLine(r.Parts.Text()), "Interrupted "))
	case r.Error:
		s.state(r.Call, red, "error", summary.Of(r))
		s.details(summary.Failure(r))
	default:
		s.state(r.Call, green, "ok", summary.Of(r))
		if c.tool == "todo_write" {
			s.details(strings.Split(strings.TrimRight(c.preview.Text, "\n"), "\n"))
		}
	}
	s.turn.adjacent = ""
}

// details stand under a state line.
func (s *screen) details(lines []string) {
	for _, line := range lines {
		s.line(tools, s.style(dim, "    "+summary.OneLine(visible.Safe(line), 400)))
	}
}

func (s *screen) retrying(e event.Retrying) {
	if s.turn.streamed {
		s.line(remarks, s.style(yellow, "! the answer broke off; what stands above does not count"))
	}
	s.turn.streamed, s.turn.thinking, s.turn.doing = false, false, "waiting for the model"
	s.line(remarks, s.style(yellow, fmt.Sprintf("! attempt %d of %d failed: %s", e.Attempt, e.Of, visible.Safe(e.Error))))
	s.countdown(e.After)
}

func (s *screen) edited(e event.Edited) {
	switch {
	case e.Error != "" && s.turn.now == nil: // in a turn, a notice tells it
		s.line(remarks, s.style(yellow, "! the context could not be made smaller ("+visible.Safe(e.Stage)+"): "+visible.Safe(e.Error)))
	case e.Before > 0 && e.After < e.Before:
		s.line(remarks, s.style(dim, fmt.Sprintf("context: %s, from %s to %s tokens", visible.Safe(e.Stage), count(e.Before), count(e.After))))
	}
}

func (s *screen) ended(e event.Ended) {
	s.turn.reason = e.Reason
	switch e.Reason {
	case event.Done, event.AwaitUser:
	default:
		text := "The turn ended: " + strings.ReplaceAll(string(e.Reason), "_", " ")
		if e.Error != "" {
			text += ": " + visible.Safe(e.Error)
		}
		s.line(remarks, s.style(yellow, text))
	}
	if s.turn.cost == nil {
		return
	}
	var parts []string
	if s.turn.used != nil && (s.turn.answered || e.Usage != (llm.Usage{})) {
		used := s.turn.used()
		parts = append(parts, s.style(levelStyle(account.LevelOf(used.Share())), account.Badge(used)))
	}
	if e.Usage != (llm.Usage{}) { // some servers count nothing
		parts = append(parts, s.style(dim, s.spent(e.Usage)))
	}
	if len(parts) > 0 {
		s.line(remarks, strings.Join(parts, "  "))
	}
}

// spent is what a turn took, in words.
func (s *screen) spent(u llm.Usage) string {
	cached := ""
	if u.CacheRead > 0 {
		cached = ", " + count(u.CacheRead) + " of them from the cache"
	}
	text := fmt.Sprintf("%s tokens in%s; %s out", count(u.Input+u.CacheRead+u.CacheWrite), cached, count(u.Output))
	if dollars, known := s.turn.cost(u); known && dollars > 0 {
		text += fmt.Sprintf("; $%.4f", dollars)
	}
	return text
}

// levelStyle is the colour of a level.
func levelStyle(l account.Level) string {
	switch l {
	case account.Warning:
		return yellow
	case account.Critical:
		return red
	case account.Blocked:
		return brightRed
	}
	return green
}

// count writes a number of tokens so that it can be read at a glance.
func count(n int) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

// alive notes that something was shown. mu is held.
func (s *screen) alive() {
	if s.turn.now != nil {
		s.turn.since, s.turn.beats = s.turn.now(), 0
	}
}

// hold says whether a question is open: then it is the person who is waited
// for.
func (s *screen) hold(asking bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn.asking = asking
	s.alive()
}

// beginCommand makes ready for the signals of a command, of which nothing is
// shown but that it goes on: what came of it is its result.
func (s *screen) beginCommand(now func() time.Time) {
	s.beginTurn("", now, nil, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn.doing = "waiting for the command"
}

// signal takes a signal of a command.
func (s *screen) signal(e event.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case event.Started:
		s.turn.calls[e.Call] = &callView{tool: e.Tool, title: e.Title, running: true, begun: s.turn.now()}
	case event.Output:
		if c := s.turn.calls[e.Call]; c != nil {
			c.output = summary.LastLine(e.Text, c.output)
		}
	case event.Finished:
		delete(s.turn.calls, e.Call)
	}
}

// beginTurn forgets the calls of the turn before. typed is the prompt that
// stands on the screen already.
func (s *screen) beginTurn(typed string, now func() time.Time, cost func(llm.Usage) (float64, bool), used func() llm.Count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = turnView{now: now, cost: cost, used: used, typed: typed, calls: map[string]*callView{}, doing: "waiting for the model"}
	s.alive()
}

// reason is how the turn ended, "" if it did not.
func (s *screen) reason() event.Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn.reason
}

// pulse says from time to time that a turn goes on, until stop is closed.
func (s *screen) pulse(stop <-chan struct{}) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.beat()
		}
	}
}

// beat says what goes on, the later the more seldom.
func (s *screen) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn.now == nil || s.turn.asking || s.ticking != nil || s.turn.reason != "" {
		return
	}
	now, began := s.turn.now(), s.turn.since
	text, first := s.turn.doing, 10*time.Second
	if c := s.turn.oldest(); c != nil {
		text, first, began = summary.OneLine(visible.Safe(c.title), 80), 2*time.Second, c.begun
		if c.output != "" {
			text += ": " + summary.OneLine(visible.Safe(c.output), 120)
		}
	}
	if now.Sub(s.turn.since) < nextBeat(first, s.turn.beats) {
		return
	}
	s.turn.beats++
	s.line(s.last, s.style(dim, fmt.Sprintf("  … %s, %s", now.Sub(began).Round(time.Second), text)))
}

// oldest is the running call that was begun first, nil if none runs.
func (t *turnView) oldest() *callView {
	var found *callView
	for _, c := range t.calls {
		if c.running && (found == nil || c.begun.Before(found.begun)) {
			found = c
		}
	}
	return found
}

// nextBeat is after how much silence the beat with the number n is due.
func nextBeat(first time.Duration, n int) time.Duration {
	due, step := first, first
	for range n {
		step = min(2*step, time.Minute)
		due += step
	}
	return due
}
