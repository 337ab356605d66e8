package line

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/minicode-go/minicode/internal/visible"
)

// The styles, as the codes that begin them.
const (
	bold      = "1"
	dim       = "2"
	reverse   = "7"
	red       = "31"
	green     = "32"
	yellow    = "33"
	brightRed = "91"
	cyan      = "36"
)

// section is what stands on the screen last.
type section int

const (
	nothing section = iota
	answer          // the model's text
	tools           // states of calls, questions
	remarks         // what the program says
)

// screen writes lines. It is used from several goroutines.
type screen struct {
	color    bool
	terminal bool
	out      *output

	mu      sync.Mutex
	ends    int     // line ends that the output ends with: 0, 1, or 2 for a blank line
	last    section // what they follow
	gap     int     // line ends of the answer that are held back until more of it comes
	ticking chan struct{}
	turn    turnView
}

func newScreen(o Options) *screen {
	return &screen{out: newOutput(o.Out), color: o.Color, terminal: o.Terminal, ends: 2}
}

func (s *screen) style(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	end := "0"
	if code == reverse {
		end = "27" // it stands inside other styles
	}
	return "\x1b[" + code + "m" + text + "\x1b[" + end + "m"
}

// write puts text out as it is; the caller made it safe. mu is held.
func (s *screen) write(text string) {
	if text == "" {
		return
	}
	s.out.write(text)
	body := strings.TrimRight(text, "\n")
	ends := len(text) - len(body)
	if body == "" {
		ends += s.ends
	}
	s.ends = min(ends, 2)
}

// begin goes to the beginning of a line; an answer stands apart from calls and
// from the answer before it. mu is held.
func (s *screen) begin(what section) {
	if s.ticking != nil {
		close(s.ticking)
		s.ticking = nil
	}
	s.gap = 0
	if s.ends == 0 {
		s.write("\n")
	}
	if s.ends == 1 && what == answer && (s.last == tools || s.last == answer) {
		s.write("\n")
	}
	s.last = what
}

// line writes whole lines. mu is held.
func (s *screen) line(what section, text string) {
	s.begin(what)
	s.write(strings.TrimSuffix(text, "\n") + "\n")
}

func (s *screen) block(what section, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line(what, text)
}

// print shows what a command has said.
func (s *screen) print(text string) {
	if text != "" {
		s.block(remarks, visible.Safe(text))
	}
}

func (s *screen) problem(text string) { s.block(remarks, s.style(red, "! "+visible.Safe(text))) }
func (s *screen) remark(text string)  { s.block(remarks, s.style(dim, visible.Safe(text))) }

// indented puts the lines after the first under it.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// ask shows what is to be typed next, and leaves the cursor behind it. A
// prompt at rest stands apart.
func (s *screen) ask(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what := s.last
	s.begin(what)
	if prompt == restPrompt && s.ends == 1 {
		s.write("\n")
	}
	s.write(prompt)
}

// said shows a prompt that was not typed.
func (s *screen) said(text string) {
	s.ask(restPrompt)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(indented(visible.Safe(text)) + "\n")
	s.last = remarks
}

// restPrompt stands where the person can speak.
const restPrompt = "> "

// entered is told what the person has typed. A terminal has shown it.
func (s *screen) entered(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal {
		s.write(indented(visible.Safe(text)) + "\n")
	}
	s.ends, s.last = 1, remarks
}

// struck is told that the person pressed Ctrl+C, which a terminal shows.
func (s *screen) struck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = 0
}

// countdown shows the seconds to the next try; on a terminal they go down.
// mu is held.
func (s *screen) countdown(d time.Duration) {
	show := func(left time.Duration) string {
		return fmt.Sprintf("  trying again in %s", left.Round(time.Second))
	}
	if !s.terminal {
		s.line(remarks, show(max(d, time.Second)))
		return
	}
	const hint = " (Ctrl+C stops)  "
	s.begin(remarks)
	s.write(show(max(d, time.Second)) + hint)
	stop := make(chan struct{})
	s.ticking = stop
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for left := d - time.Second; left > 0; left -= time.Second {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			s.mu.Lock()
			if s.ticking == stop {
				s.write("\r" + show(left) + hint)
			}
			s.mu.Unlock()
		}
	}()
}

// close waits until all is written, but not for a terminal that takes nothing.
func (s *screen) close() {
	s.mu.Lock()
	s.begin(remarks)
	s.mu.Unlock()
	s.out.close(2 * time.Second)
}
