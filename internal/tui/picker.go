package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/complete"
	"github.com/minicode-go/minicode/internal/compose"
	"github.com/minicode-go/minicode/internal/summary"
)

// entry is what can be picked.
type entry struct {
	text  string // what is searched
	aside string // shown before it
	value string
}

// picker lets the person choose from a list, on the whole screen.
type picker struct {
	title   string
	k       *look
	entries []entry
	loads   bool
	query   compose.Buffer
	shown   []int // of the entries, by the query
	at      int
	choose  func(entry) tea.Cmd
	other   func() tea.Cmd // what Tab does; nil for nothing
	tab     string         // in words
}

func (p *picker) set(entries []entry) {
	p.entries, p.loads = entries, false
	p.filter()
}

func (p *picker) filter() {
	texts := make([]string, len(p.entries))
	for i, e := range p.entries {
		texts[i] = e.text
	}
	p.shown, p.at = nil, 0
	for _, r := range complete.Match(p.query.Text(), texts) {
		p.shown = append(p.shown, r.Index)
	}
}

// Key filters, moves, or chooses.
func (p *picker) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	n := max(1, len(p.shown))
	switch text, name := textOf(k), nameOf(k); {
	case text != "":
		p.query.Insert(text)
		p.filter()
	case name == "backspace":
		p.query.Backspace()
		p.filter()
	case name == "ctrl+u", name == "ctrl+w":
		p.query.Clear()
		p.filter()
	case name == "up", name == "ctrl+p":
		p.at = (p.at + n - 1) % n
	case name == "down", name == "ctrl+n":
		p.at = (p.at + 1) % n
	case name == "pgup":
		p.at = max(0, p.at-10)
	case name == "pgdown":
		p.at = min(n-1, p.at+10)
	case name == "esc", name == "ctrl+c":
		return nil, true
	case name == "tab" && p.other != nil:
		return p.other(), false
	case name == "enter" && p.at < len(p.shown):
		return p.choose(p.entries[p.shown[p.at]]), true
	}
	return nil, false
}

// Render is the screen.
func (p *picker) Render(width, height int) (lines []string, row, col int) {
	k := p.k
	lines = append(lines, k.Border.Paint(ansi.Truncate("── "+p.title+" "+strings.Repeat("─", width), width, "")))
	rows, _, col := p.query.Layout(max(4, width-3))
	lines = append(lines, k.Accent.Paint(mark)+rows[0], "")
	room := max(1, height-len(lines)-1)
	first := max(0, min(p.at-room/2, len(p.shown)-room))
	for i := first; i < min(len(p.shown), first+room); i++ {
		e := p.entries[p.shown[i]]
		aside, text := e.aside, oneLine(e.text)
		if aside != "" {
			aside += "  "
		}
		text = clip(text, width-2-ansi.StringWidth(aside))
		if i == p.at {
			lines = append(lines, k.Accent.Paint("▸ ")+k.Selected.Paint(clip(aside+text, width-2)))
		} else {
			lines = append(lines, clip("  "+k.Dim.Paint(aside)+text, width))
		}
	}
	switch {
	case p.loads:
		lines = append(lines, k.Dim.Paint("  reading …"))
	case len(p.shown) == 0:
		lines = append(lines, k.Dim.Paint("  nothing is like that"))
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	foot := " type to search · Enter chooses · Esc closes"
	if p.tab != "" {
		foot += " · Tab " + p.tab
	}
	return append(lines[:height-1], k.Dim.Paint(clip(foot, width))), 1, min(width-1, 2+col)
}

// listed is sessions that were read.
type listed struct {
	picker  *picker
	entries []entry
	err     error
}

// pickSession shows the sessions, to go on with one.
func (m *model) pickSession() tea.Cmd {
	p := &picker{title: "Sessions", k: m.look, loads: true, tab: "all projects"}
	p.choose = func(e entry) tea.Cmd { return m.send("/resume " + e.value) }
	all := false
	p.other = func() tea.Cmd {
		all = !all
		p.tab = "all projects"
		if all {
			p.tab = "this project"
		}
		return m.list(p, all)
	}
	m.whole = p
	m.dirty = true
	return m.list(p, all)
}

func (m *model) list(p *picker, all bool) tea.Cmd {
	conv, now := m.conv, m.now()
	return func() tea.Msg {
		of := conv.Info().Cwd
		if all {
			of = ""
		}
		sessions, err := conv.Store().List(of)
		msg := listed{picker: p, err: err}
		for _, s := range sessions {
			if s.ID != conv.Info().Session {
				msg.entries = append(msg.entries, sessionEntry(s, now, all))
			}
		}
		return msg
	}
}

func sessionEntry(s app.SessionInfo, now time.Time, all bool) entry {
	text := s.Name()
	if all {
		text += "  " + s.Cwd
	}
	return entry{text: text, value: s.ID, aside: fmt.Sprintf("%9s  %9s", ago(now.Sub(s.Modified)), summary.Count(s.Turns, "turn"))}
}

// ago is how long something is past, in the biggest unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

func (m *model) listed(msg listed) {
	m.dirty = true
	if msg.err != nil {
		m.whole = nil
		m.problem("the sessions cannot be listed: " + msg.err.Error())
		return
	}
	msg.picker.set(msg.entries)
}
