package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/complete"
	"github.com/minicode-go/minicode/internal/compose"
)

// entry is what can be picked.
type entry struct {
	text  string // what is searched
	aside string // shown behind it, as a column
	value string
	path  string // of a session's file
	size  int64  // of it, in bytes
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
	verb    string         // what Enter does, if it is not that it chooses
	free    bool           // what is typed can be chosen, where nothing is like it
	more    []string       // what other keys do, in words

	act    func(key string, e entry) tea.Cmd                 // other keys, for the selected entry; nil for none
	moved  func(e entry) tea.Cmd                             // another entry is selected; nil for nothing
	detail func(e entry, width, height int) (lines []string) // shown below the list; nil for nothing
	asks   *asks                                             // before something is done; nil for nothing
	fault  string                                            // why something was not done
}

// asks is a question at the foot of a picker: for a text, or for a yes.
type asks struct {
	label string
	buf   *compose.Buffer // nil for a yes
	done  func(text string) tea.Cmd
}

// key takes a key of the answer and says whether the question is over.
func (a *asks) key(k tea.KeyPressMsg) (cmd tea.Cmd, over bool) {
	text, name := textOf(k), nameOf(k)
	switch {
	case name == "esc", name == "ctrl+c":
		return nil, true
	case a.buf == nil && text == "y":
		return a.done(""), true
	case a.buf == nil:
		return nil, true
	case text != "":
		a.buf.Insert(text)
	case name == "backspace":
		a.buf.Backspace()
	case name == "ctrl+u":
		a.buf.Clear()
	case name == "left":
		a.buf.Left()
	case name == "right":
		a.buf.Right()
	case name == "enter":
		return a.done(a.buf.Text()), true
	}
	return nil, false
}

// selected is the entry that the next key is for.
func (p *picker) selected() (e entry, ok bool) {
	if p.at < len(p.shown) {
		return p.entries[p.shown[p.at]], true
	}
	return entry{}, false
}

// look shows what belongs to the selected entry.
func (p *picker) look() tea.Cmd {
	if e, ok := p.selected(); ok && p.moved != nil {
		return p.moved(e)
	}
	return nil
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
	p.fault = ""
	if p.asks != nil {
		cmd, over := p.asks.key(k)
		if over {
			p.asks = nil
		}
		return cmd, false
	}
	n := max(1, len(p.shown))
	e, ok := p.selected()
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
	case name == "enter" && ok:
		return p.choose(e), true
	case name == "enter" && p.free && !p.query.Empty():
		return p.choose(entry{value: p.query.Text()}), true
	case ok && p.act != nil:
		if cmd := p.act(name, e); cmd != nil || p.asks != nil {
			return cmd, false
		}
	}
	return p.look(), false
}

// Render is the screen.
func (p *picker) Render(width, height int) (lines []string, row, col int) {
	k := p.k
	lines = append(lines, ruled(k, p.title, width))
	rows, _, col := p.query.Layout(max(4, width-3))
	if p.query.Empty() {
		rows[0] = k.Dim.Paint("type to search")
	}
	lines = append(lines, k.Accent.Paint(mark)+rows[0], "")
	room := max(1, height-len(lines)-1)
	var detail []string
	if e, ok := p.selected(); ok && p.detail != nil && height >= roomyPicker {
		room = max(3, min(len(p.shown), room/3))
		detail = p.detail(e, width, height-len(lines)-room-3)
	}
	lines = append(lines, p.list(width, room)...)
	if detail != nil {
		lines = append(append(lines, "", k.Border.Paint(strings.Repeat("─", width))), detail...)
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	lines = lines[:height-1]
	if p.asks != nil && p.asks.buf != nil {
		label := indent + p.asks.label + " "
		rows, _, at := p.asks.buf.Layout(max(4, width-ansi.StringWidth(label)))
		return append(lines, k.Accent.Paint(label)+rows[0]), height - 1, min(width-1, ansi.StringWidth(label)+at)
	}
	return append(lines, p.foot(width)), 1, min(width-1, 2+col)
}

// roomyPicker is from how many rows on there is room for more than the list.
const roomyPicker = 14

// leastText is how many cells of an entry are shown at least: what stands
// behind it is left out before.
const leastText = 24

func (p *picker) list(width, room int) (lines []string) {
	k := p.k
	col, aside := 0, 0
	for _, i := range p.shown {
		col, aside = max(col, ansi.StringWidth(oneLine(p.entries[i].text))), max(aside, ansi.StringWidth(p.entries[i].aside))
	}
	if most := width - 4 - aside; aside > 0 && col > most {
		if col = most; col < leastText {
			col, aside = width-2, 0
		}
	}
	first := max(0, min(p.at-room/2, len(p.shown)-room))
	for i := first; i < min(len(p.shown), first+room); i++ {
		e := p.entries[p.shown[i]]
		text, behind := clip(oneLine(e.text), max(1, min(col, width-2))), ""
		if aside > 0 {
			behind = strings.Repeat(" ", max(0, col-ansi.StringWidth(text))+2) + e.aside
		}
		if i == p.at {
			lines = append(lines, chosen(k, text+behind, width))
		} else {
			lines = append(lines, clip(indent+text+k.Dim.Paint(strings.TrimRight(behind, " ")), width))
		}
	}
	switch {
	case p.loads:
		lines = append(lines, k.Dim.Paint("  reading …"))
	case len(p.shown) == 0 && p.free && !p.query.Empty():
		lines = append(lines, k.Dim.Paint("  nothing is like that; Enter takes it as it is"))
	case len(p.shown) == 0:
		lines = append(lines, k.Dim.Paint("  nothing is like that"))
	}
	return lines
}

// foot says what can be pressed, or what is asked.
func (p *picker) foot(width int) string {
	switch {
	case p.fault != "":
		return p.k.Error.Paint(clip(indent+oneLine(p.fault), width))
	case p.asks != nil:
		return p.k.Warn.Paint(clip(indent+p.asks.label, width))
	}
	verb := p.verb
	if verb == "" {
		verb = "chooses"
	}
	keys := append([]string{"Enter " + verb}, p.more...)
	if p.tab != "" {
		keys = append(keys, "Tab "+p.tab)
	}
	where := ""
	if len(p.shown) > 0 {
		where = fmt.Sprintf("%d of %d", p.at+1, len(p.shown))
	}
	return foot(p.k, append(keys, "Esc closes"), where, width)
}

// Paste pastes into what is searched for, or into what is asked.
func (p *picker) Paste(text string) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case p.asks == nil:
		p.query.Insert(text)
		p.filter()
	case p.asks.buf != nil:
		p.asks.buf.Insert(text)
	}
}
