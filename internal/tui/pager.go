package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/compose"
)

// pager shows lines on the whole screen, to be scrolled and searched.
type pager struct {
	title string
	lines func(width int) []string // made anew when the width changes
	more  func() tea.Cmd           // what e does; nil for nothing
	k     *look

	width  int
	made   []string
	top    int
	page   int
	end    bool // stay at the end
	search *compose.Buffer
	query  string
	loads  bool // lines are not there yet
}

// set takes the lines.
func (p *pager) set(lines func(width int) []string) {
	p.lines, p.width, p.loads = lines, 0, false
}

// Key scrolls, searches, or closes.
func (p *pager) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.search != nil {
		p.searchKey(k)
		return nil, false
	}
	name := nameOf(k)
	p.end = false
	switch name {
	case "q", "esc", "ctrl+c", "ctrl+o":
		return nil, true
	case "up", "k":
		p.top--
	case "down", "j":
		p.top++
	case "pgup", "b", "ctrl+b", "ctrl+u":
		p.top -= max(1, p.page-2)
	case "pgdown", "space", "ctrl+f", "ctrl+d":
		p.top += max(1, p.page-2)
	case "home", "g":
		p.top = 0
	case "end", "shift+g":
		p.end = true
	case "/", "ctrl+r":
		p.search = &compose.Buffer{}
	case "n":
		p.next(p.top+1, 1)
	case "shift+n":
		p.next(p.top-1, -1)
	case "e":
		if p.more != nil {
			return p.more(), false
		}
	}
	return nil, false
}

func (p *pager) searchKey(k tea.KeyPressMsg) {
	switch text, name := textOf(k), nameOf(k); {
	case text != "":
		p.search.Insert(text)
	case name == "backspace":
		p.search.Backspace()
	case name == "ctrl+u":
		p.search.Clear()
	case name == "esc", name == "ctrl+c":
		p.search = nil
	case name == "enter":
		p.query, p.search = p.search.Text(), nil
		p.end = false
		p.next(p.top, 1)
	}
}

// next goes to the next line that has the query, from a line on, either way
// and round the end.
func (p *pager) next(from, by int) {
	if p.query == "" {
		return
	}
	n := len(p.made)
	for i := range n {
		at := ((from+i*by)%n + n) % n
		if p.has(p.made[at]) {
			p.top = at
			return
		}
	}
}

func (p *pager) has(line string) bool {
	return p.query != "" && strings.Contains(strings.ToLower(ansi.Strip(line)), strings.ToLower(p.query))
}

// Render is the screen.
func (p *pager) Render(width, height int) (lines []string, row, col int) {
	if p.width != width && !p.loads {
		at := float64(p.top) / float64(max(1, len(p.made)))
		p.made, p.width = p.lines(width), width
		p.top = int(at * float64(len(p.made)))
	}
	p.page = max(1, height-2)
	most := max(0, len(p.made)-p.page)
	if p.end {
		p.top = most
	}
	p.top = max(0, min(p.top, most))
	lines = append(lines, p.k.Border.Paint(ansi.Truncate("── "+p.title+" "+strings.Repeat("─", width), width, "")))
	for i := p.top; i < min(len(p.made), p.top+p.page); i++ {
		line := p.made[i]
		if p.has(line) {
			line = p.k.Selected.Paint(ansi.Strip(line))
		}
		lines = append(lines, line)
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	if p.search != nil {
		rows, _, col := p.search.Layout(max(4, width-2))
		return append(lines, p.k.Accent.Paint("/")+rows[0]), height - 1, min(width-1, 1+col)
	}
	return append(lines, p.foot(width)), -1, 0
}

func (p *pager) foot(width int) string {
	if p.loads {
		return p.k.Dim.Paint(" reading …")
	}
	where := fmt.Sprintf("%d–%d of %d", min(len(p.made), p.top+1), min(len(p.made), p.top+p.page), len(p.made))
	keys := " ↑ ↓ PgUp PgDn scroll · / search · "
	if p.more != nil {
		keys += "e all output · "
	}
	return p.k.Dim.Paint(clip(keys+"q closes · "+where, width))
}

// mostViewed is how many records the transcript goes back.
const mostViewed = 4000

// viewed is the transcript, read and laid out.
type viewed struct {
	pager  *pager
	lines  []string
	width  int
	expand bool
}

// showTranscript shows the whole conversation.
func (m *model) showTranscript() tea.Cmd {
	p := &pager{title: "Transcript", k: m.look, loads: true, end: true}
	expand := false
	p.more = func() tea.Cmd {
		expand = !expand
		return m.view(p, expand)
	}
	m.whole = p
	return m.view(p, expand)
}

// view reads the conversation and lays it out, away from the loop.
func (m *model) view(p *pager, expand bool) tea.Cmd {
	conv, width, t := m.conv, m.screen.width, m.look.Theme
	return func() tea.Msg {
		return viewed{pager: p, lines: layOut(conv, newLook(t), width, expand), width: width, expand: expand}
	}
}

// viewed shows what was read. A change of the width lays it out anew.
func (m *model) viewed(msg viewed) {
	msg.pager.set(func(width int) []string {
		if width == msg.width {
			return msg.lines
		}
		return layOut(m.conv, m.look, width, msg.expand)
	})
	m.dirty = true
}

// showKeys shows what can be pressed.
func (m *model) showKeys() tea.Cmd {
	k := m.look
	var lines []string
	for _, b := range bindings() {
		keys := b.keys
		if own, ok := m.o.Keys[string(b.action)]; ok {
			keys = own
		}
		help := b.help
		if help == "" {
			help = strings.ReplaceAll(string(b.action), "-", " ")
		}
		lines = append(lines, " "+k.Accent.Paint(fmt.Sprintf("%-34s", strings.ReplaceAll(keys, " ", ", ")))+" "+help)
	}
	lines = append(lines, "", " "+k.Dim.Paint("Keys are changed in the settings, under terminal.keys, by the names of the actions."))
	p := &pager{title: "Keys", k: k}
	p.set(func(width int) []string {
		out := make([]string, len(lines))
		for i, line := range lines {
			out[i] = clip(line, width)
		}
		return out
	})
	m.whole = p
	return nil
}
