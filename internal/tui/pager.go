package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/compose"
	"github.com/minicode-go/minicode/internal/theme"
)

// pager shows lines on the whole screen, to be scrolled and searched.
type pager struct {
	title string
	lines func(width int) []string // made anew when the width changes
	k     *look

	width  int
	made   []string
	top    int
	page   int
	end    bool // stay at the end
	search *compose.Buffer
	query  string
	found  []int // the lines that have the query
	at     int   // which of them one is at
}

// set says how lines are made.
func (p *pager) set(lines func(width int) []string) { p.lines, p.width = lines, 0 }

// take takes lines for a width. What was to be seen stays, about.
func (p *pager) take(lines []string, width int) {
	at := float64(p.top) / float64(max(1, len(p.made)))
	p.made, p.width = lines, width
	p.top = int(at * float64(len(p.made)))
	p.find()
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
		p.next(1)
	case "shift+n":
		p.next(-1)
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
		p.find()
		p.at = max(0, slices.IndexFunc(p.found, func(line int) bool { return line >= p.top }))
		p.next(0)
	}
}

// find looks for the lines that have the query.
func (p *pager) find() {
	p.found = nil
	for i, line := range p.made {
		if p.query != "" && strings.Contains(strings.ToLower(ansi.Strip(line)), strings.ToLower(p.query)) {
			p.found = append(p.found, i)
		}
	}
	p.at = max(0, min(p.at, len(p.found)-1))
}

// next goes to the line of so many matches further on, round the end.
func (p *pager) next(by int) {
	n := len(p.found)
	if n == 0 {
		return
	}
	p.at = ((p.at+by)%n + n) % n
	if line := p.found[p.at]; line < p.top || line >= p.top+p.page {
		p.top = line - p.page/3
	}
}

// marked is a line with what matches in a style.
func marked(line, query string, style theme.Style) string {
	plain, query := ansi.Strip(line), strings.ToLower(query)
	lower := strings.ToLower(plain)
	if len(lower) != len(plain) {
		return style.Paint(plain) // there are letters whose other case is longer
	}
	var b strings.Builder
	done, cell := 0, 0
	for {
		at := strings.Index(lower[done:], query)
		if at < 0 || query == "" {
			break
		}
		from := cell + ansi.StringWidth(plain[done:done+at])
		b.WriteString(ansi.Cut(line, cell, from) + "\x1b[m")
		done += at + len(query)
		match := plain[done-len(query) : done]
		b.WriteString(style.Paint(match))
		cell = from + ansi.StringWidth(match)
	}
	return b.String() + ansi.Cut(line, cell, ansi.StringWidth(line)) + "\x1b[m"
}

// Render is the screen.
func (p *pager) Render(width, height int) (lines []string, row, col int) {
	if p.width != width && p.lines != nil {
		p.take(p.lines(width), width)
	}
	p.page = max(1, height-2)
	most := max(0, len(p.made)-p.page)
	if p.end {
		p.top = most
	}
	p.top = max(0, min(p.top, most))
	lines = append(lines, ruled(p.k, p.title, width))
	for i := p.top; i < min(len(p.made), p.top+p.page); i++ {
		line := p.made[i]
		if at, ok := slices.BinarySearch(p.found, i); ok {
			style := p.k.Selected
			if at == p.at {
				style = p.k.Selected.With("1;4")
			}
			line = marked(line, p.query, style)
		}
		lines = append(lines, line)
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	if p.search != nil {
		const lead = indent + "/"
		rows, _, col := p.search.Layout(max(4, width-1-len(lead)))
		return append(lines, p.k.Accent.Paint(lead)+rows[0]), height - 1, min(width-1, len(lead)+col)
	}
	return append(lines, p.foot(width)), -1, 0
}

func (p *pager) foot(width int) string {
	keys := []string{"↑ ↓ PgUp PgDn scroll", "/ search"}
	where := fmt.Sprintf("%d–%d of %d", min(len(p.made), p.top+1), min(len(p.made), p.top+p.page), len(p.made))
	switch {
	case p.query != "" && len(p.found) == 0:
		keys, where = []string{"/ search"}, clip("nothing is like "+strconv.Quote(p.query), max(1, width/2))
	case p.query != "":
		keys, where = []string{"n next", "N previous", "/ search"}, fmt.Sprintf("match %d of %d", p.at+1, len(p.found))
	}
	return foot(p.k, append(keys, "q closes"), where, width)
}

// showKeys shows what can be pressed.
func (m *model) showKeys() tea.Cmd {
	p := &pager{title: "Keys", k: m.look}
	p.set(m.keyLines)
	m.whole = p
	return nil
}

// keyLines is the keys, what they do, and where there is room what settings
// call it.
func (m *model) keyLines(width int) (lines []string) {
	k := m.look
	all := bindings()
	wide := 0
	for i, b := range all {
		var names []string
		for _, key := range m.keysOf(b) {
			names = append(names, keyName(key))
		}
		all[i].keys = strings.Join(names, ", ")
		wide = max(wide, ansi.StringWidth(all[i].keys))
	}
	for i, b := range all {
		if i == len(promptBindings()) {
			lines = append(lines, "", indent+k.Strong.Paint(clip("In the transcript", width-len(indent))))
		}
		help := b.help
		if help == "" {
			help = strings.ReplaceAll(string(b.action), "-", " ")
		}
		keys := k.Accent.Paint(b.keys) + strings.Repeat(" ", wide-ansi.StringWidth(b.keys))
		switch {
		case width < 2*wide+len(indent): // one below the other
			lines = append(lines, clip(indent+k.Accent.Paint(b.keys), width))
			lines = append(lines, paint(k.Text, help, tab, tab, width)...)
		case width < roomyKeys:
			lines = append(lines, paint(k.Text, help, indent+keys+indent, strings.Repeat(" ", wide+2*len(indent)), width)...)
		default:
			lines = append(lines, indent+keys+indent+pad(help, helpWidth)+indent+k.Dim.Paint(string(b.action)))
		}
	}
	note := "Other keys are set by terminal.keys in the settings, for example {\"terminal\": {\"keys\": {\"editor\": \"ctrl+e\"}}}."
	return append(append(lines, ""), paint(k.Dim, note, indent, indent, width)...)
}

const (
	roomyKeys = 110 // from which width on the list has the names of actions
	helpWidth = 50
)

// keyName is a key as it is written for people.
func keyName(key string) string {
	parts := strings.Split(key, "+")
	for i, part := range parts {
		switch part {
		case "up":
			part = "↑"
		case "down":
			part = "↓"
		case "left":
			part = "←"
		case "right":
			part = "→"
		case "pgup":
			part = "PgUp"
		case "pgdown":
			part = "PgDn"
		case "": // the key is a plus
		default:
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		parts[i] = part
	}
	return strings.Join(parts, "+")
}
