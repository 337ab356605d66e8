package line

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// screen writes lines. It is used from several goroutines.
type screen struct {
	color    bool
	terminal bool

	mu     sync.Mutex
	w      io.Writer
	column bool // the cursor is not at the beginning of a line
	titles map[string]string
	thinks bool // a line says that the model thinks
	ticker chan struct{}
}

func newScreen(o Options) *screen {
	return &screen{w: o.Out, color: o.Color, terminal: o.Terminal, titles: map[string]string{}}
}

func (s *screen) style(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) bold(t string) string { return s.style("1", t) }
func (s *screen) dim(t string) string  { return s.style("2", t) }

// write puts text out as it is; the caller made it safe. mu is held.
func (s *screen) write(text string) {
	if text == "" {
		return
	}
	_, _ = io.WriteString(s.w, text) // a terminal that is gone ends the program by its signal
	s.column = !strings.HasSuffix(text, "\n")
}

// fresh begins a new line where one is not begun. mu is held.
func (s *screen) fresh() {
	if s.ticker != nil {
		close(s.ticker)
		s.ticker = nil
	}
	if s.column {
		s.write("\n")
	}
}

func (s *screen) raw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh()
	s.write(text)
}

func (s *screen) print(text string) {
	if text == "" {
		return
	}
	s.raw(safe(text) + "\n")
}

func (s *screen) problem(text string) { s.raw(s.style("31", "! "+safe(text)) + "\n") }

func (s *screen) greet(conv *app.Conversation) {
	i := conv.Info()
	s.print(fmt.Sprintf("MiniCode · %s · %s mode · %s", i.Model, i.Mode, i.Cwd))
	for _, w := range conv.Warnings() {
		s.problem(w)
	}
	if i.Resumed {
		s.print(fmt.Sprintf("Resumed session %s %s", i.Session, i.Title))
		if last := conv.LastAnswer(); last != "" {
			s.print(last)
		}
	}
}

// ready shows the prompt, and what waits to be answered.
func (s *screen) ready(conv *app.Conversation) {
	if p, ok := conv.Pending(); ok && p.Plan {
		var b strings.Builder
		for n, o := range p.Options {
			fmt.Fprintf(&b, "  %d. %s\n", n+1, o)
		}
		s.raw(b.String() + "  or say what the plan should do differently\n")
	}
	s.raw("> ")
}

// show writes one event.
func (s *screen) show(rec event.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := rec.Event.(type) {
	case event.TextDelta:
		s.endThinking()
		s.write(safe(e.Text))
	case event.ThinkingDelta:
		if !s.thinks {
			s.fresh()
			s.write(s.dim("thinking …"))
			s.thinks = true
		}
	case event.Started:
		s.titles[e.Call] = e.Title
		s.line(s.style("36", "● ") + safe(e.Title))
	case event.Decided:
		if !e.Allow {
			s.line(s.style("33", "  denied: ") + safe(e.Reason))
		}
	case event.Message:
		s.message(e.Message)
	case event.Retrying:
		s.countdown(e)
	case event.Notice:
		s.line(s.style("33", "! ") + safe(e.Text))
	case event.Edited:
		s.line(s.dim(fmt.Sprintf("context: %s, %d to %d tokens", e.Stage, e.Before, e.After)))
	case event.Ended:
		s.ended(e)
	}
}

func (s *screen) endThinking() {
	if s.thinks {
		s.thinks = false
		s.write("\n")
	}
}

// line writes a whole line of its own. mu is held.
func (s *screen) line(text string) {
	s.endThinking()
	s.fresh()
	s.write(text + "\n")
}

func (s *screen) message(m llm.Message) {
	s.endThinking()
	if r, ok := m.Result(); ok {
		s.result(r)
		return
	}
	if m.Role == llm.Assistant {
		s.fresh()
		if m.Kind == llm.Questioned || m.Usage == nil && m.Stop == "" {
			s.write(safe(m.Text()) + "\n")
		}
	}
}

// result is the state line of a finished call.
func (s *screen) result(r llm.ToolResult) {
	text := firstLine(r.Parts.Text())
	if len(r.Meta.Wrote) > 0 && r.Meta.Wrote[0].SHA256 != "" {
		var parts []string
		for _, w := range r.Meta.Wrote {
			parts = append(parts, fmt.Sprintf("+%d −%d", w.Added, w.Removed))
		}
		text = strings.Join(parts, ", ")
	}
	if r.Meta.Exit != nil {
		text = fmt.Sprintf("exit %d", *r.Meta.Exit)
	}
	if r.Error {
		s.line(s.style("31", "  error: ") + safe(text))
		return
	}
	s.line(s.style("32", "  ok: ") + safe(text))
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > 120 {
				return string(r[:119]) + "…"
			}
			return line
		}
	}
	return ""
}

// countdown tells of a retry; on a terminal the seconds go down. mu is held.
func (s *screen) countdown(e event.Retrying) {
	s.endThinking()
	s.fresh()
	text := fmt.Sprintf("attempt %d of %d failed: %s; again in ", e.Attempt, e.Of, safe(e.Error))
	if !s.terminal {
		s.write(text + e.After.Round(time.Millisecond).String() + "\n")
		return
	}
	s.write(text + e.After.Round(time.Second).String() + " (Ctrl+C stops)")
	stop := make(chan struct{})
	s.ticker = stop
	until := time.Now().Add(e.After)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			s.mu.Lock()
			if s.ticker == stop {
				s.write("\r" + text + max(0, time.Until(until)).Round(time.Second).String() + " (Ctrl+C stops)   ")
			}
			s.mu.Unlock()
		}
	}()
}

func (s *screen) ended(e event.Ended) {
	s.fresh()
	switch e.Reason {
	case event.Done, event.AwaitUser:
	default:
		text := "turn ended: " + strings.ReplaceAll(string(e.Reason), "_", " ")
		if e.Error != "" {
			text += ": " + safe(e.Error)
		}
		s.line(s.style("33", text))
	}
	s.write(s.dim(fmt.Sprintf("%d tokens in, %d out", e.Usage.Input+e.Usage.CacheRead+e.Usage.CacheWrite, e.Usage.Output)) + "\n")
}

// diff colours a unified diff.
func (s *screen) diff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = visible(strings.TrimRight(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = s.style("32", line)
		case strings.HasPrefix(line, "-"):
			line = s.style("31", line)
		case strings.HasPrefix(line, "@"):
			line = s.dim(line)
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// safe takes out what a terminal would act on.
func safe(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !hidden(r) {
			return r
		}
		return -1
	}, text)
}

// visible writes hidden characters so that they can be seen: nothing that is
// approved may be other than it looks.
func visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<%02X>", text[i])
		case r == '\t':
			b.WriteRune(r)
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// hidden is control characters, text direction marks and other characters
// without a shape.
func hidden(r rune) bool {
	if r == 0x200D || r >= 0xFE00 && r <= 0xFE0F { // joiners and variants belong to emoji
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 || r >= 0xE0000 && r <= 0xE0FFF
}
