package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/compose"
	"github.com/minicode-go/minicode/internal/summary"
)

// browser shows the whole conversation on the whole screen, passage by passage:
// one is selected, to be copied or to be shown with all that belongs to it.
// Only what is looked at is laid out.
type browser struct {
	m        *model
	k        *look
	keys     keymap
	passages []*passage
	loads    bool

	at     int   // the selected passage
	top    place // what is shown first
	width  int
	page   int  // lines that are shown
	end    bool // stay at the end
	open   bool // all passages were unfolded
	search *compose.Buffer
	query  string
	hit    place  // where it was found last
	said   string // what was done
	done   bool
}

// place is a line of a passage. The blank line before a passage belongs to it.
type place struct{ passage, line int }

// mostViewed is how many records the transcript goes back.
const mostViewed = 4000

// gutter is the cells at the left that show what is selected.
const gutter = 2

// showTranscript shows the whole conversation. It is read away from the loop.
func (m *model) showTranscript() tea.Cmd {
	b := &browser{m: m, k: newLook(m.look.Theme), loads: true, end: true, keys: keymap{}}
	for _, a := range transcriptBindings() {
		for _, key := range m.keysOf(a) {
			b.keys[key] = a.do
		}
	}
	m.whole = b
	conv, directs, k := m.conv, m.directs, b.k
	return func() tea.Msg {
		all := readPassages(conv, k, directs)
		return result(func(*model) tea.Cmd {
			b.passages, b.loads, b.at = all, false, len(all)-1
			return nil
		})
	}
}

// Key does what is bound to the key.
func (b *browser) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	name := nameOf(k)
	switch do := b.keys[name]; {
	case b.loads:
		return nil, name == "esc" || name == "q" || name == "ctrl+c"
	case b.search != nil:
		b.searchKey(k)
	case name == "esc" || name == "ctrl+c":
		return nil, true
	case do != nil:
		b.end, b.said = false, ""
		return do(b.m), b.done
	}
	return nil, false
}

// close closes the transcript.
func (b *browser) close() tea.Cmd {
	b.done = true
	return nil
}

// searchKey edits what is searched for.
func (b *browser) searchKey(k tea.KeyPressMsg) {
	switch text, name := textOf(k), nameOf(k); {
	case text != "":
		b.search.Insert(text)
	case name == "esc", name == "ctrl+c":
		b.search = nil
	case name == "enter":
		b.query, b.search = b.search.Text(), nil
		b.find(place{b.at, 0}, 1)
	default:
		editLine(b.search, name)
	}
}

// Paste pastes into what is searched for.
func (b *browser) Paste(text string) {
	if b.search != nil {
		b.search.Insert(strings.Join(strings.Fields(text), " "))
	}
}

// find goes to the next line with the query from a place on, either way and
// round the end. A passage is unfolded where it is folded away.
func (b *browser) find(from place, by int) {
	if b.query == "" || len(b.passages) == 0 {
		return
	}
	n, query := len(b.passages), strings.ToLower(b.query)
	for i := range n + 1 {
		at := ((from.passage+i*by)%n + n) % n
		p := b.passages[at]
		if !strings.Contains(strings.ToLower(p.text()), query) {
			continue
		}
		if lineWith(p.laid(b.inner()), query, 0, 1) < 0 {
			p.unfold(true)
		}
		lines, first := p.laid(b.inner()), 0
		switch {
		case i == 0:
			first = from.line
		case by < 0:
			first = len(p.laid(b.inner())) - 1
		}
		if line := lineWith(lines, query, first, by); line >= 0 {
			b.at, b.hit = at, place{at, line}
			b.top = b.back(b.hit, b.page/3)
			return
		}
	}
	b.said = "nothing is like " + strconv.Quote(b.query)
}

// lineWith is the next line with the query, from one on; -1 if there is none.
func lineWith(lines []string, query string, from, by int) int {
	for i := from; i >= 0 && i < len(lines); i += by {
		if strings.Contains(strings.ToLower(ansi.Strip(lines[i])), query) {
			return i
		}
	}
	return -1
}

// inner is how wide passages are.
func (b *browser) inner() int { return max(4, b.width-gutter) }

// linesOf is a passage with the blank line before it.
func (b *browser) linesOf(i int) []string {
	lines := b.passages[i].laid(b.inner())
	return append(make([]string, b.lead(i), b.lead(i)+len(lines)), lines...)
}

// lead is how many blank lines stand before a passage.
func (b *browser) lead(i int) int {
	if i > 0 && b.passages[i].apart(b.passages[i-1]) {
		return 1
	}
	return 0
}

// back is the place so many lines before one, or the first.
func (b *browser) back(p place, n int) place {
	for p.line -= n; p.line < 0; {
		if p.passage == 0 {
			return place{}
		}
		p.passage--
		p.line += len(b.linesOf(p.passage))
	}
	return p
}

// ahead is the place so many lines after one, or the end.
func (b *browser) ahead(p place, n int) place {
	for p.line += n; p.passage < len(b.passages); p.passage++ {
		lines := len(b.linesOf(p.passage))
		if p.line < lines {
			return p
		}
		p.line -= lines
	}
	return place{len(b.passages), 0}
}

func (p place) before(q place) bool {
	return p.passage < q.passage || p.passage == q.passage && p.line < q.line
}

// scroll moves what is shown, and the selection where it would be left behind.
func (b *browser) scroll(by int) tea.Cmd {
	if by < 0 {
		b.top = b.back(b.top, -by)
	} else {
		b.top = b.least(b.ahead(b.top, by))
	}
	b.at = max(b.at, b.top.passage)
	last := b.ahead(b.top, b.page-1)
	if last.passage < len(b.passages) && last.line < b.lead(last.passage) {
		last.passage-- // nothing of it is shown
	}
	b.at = min(b.at, last.passage)
	if by < 0 && b.top == (place{}) {
		b.at = 0
	}
	b.at = min(b.at, len(b.passages)-1)
	return nil
}

// least is a place from which the page is full, where there is enough.
func (b *browser) least(p place) place {
	if most := b.back(place{len(b.passages), 0}, b.page); most.before(p) {
		return most
	}
	return p
}

// step selects the next passage, or shows more of one that is higher than the
// screen.
func (b *browser) step(by int) tea.Cmd {
	first := place{b.at, 0}
	end := b.ahead(first, len(b.linesOf(b.at)))
	switch bottom := b.ahead(b.top, b.page); {
	case by > 0 && bottom.before(end):
		b.top = b.ahead(b.top, 1)
	case by < 0 && first.before(b.top):
		b.top = b.back(b.top, 1)
	default:
		b.choose(b.at + by)
	}
	return nil
}

// choose selects a passage and brings it to the screen.
func (b *browser) choose(at int) tea.Cmd {
	b.at = max(0, min(at, len(b.passages)-1))
	first := place{b.at, 0}
	end := b.ahead(first, len(b.linesOf(b.at)))
	if b.ahead(b.top, b.page).before(end) {
		b.top = b.back(end, b.page)
	}
	if first.before(b.top) {
		b.top = first
	}
	return nil
}

// next goes to the next passage, or to the next that has the query.
func (b *browser) next(by int) tea.Cmd {
	if b.query == "" {
		return b.choose(b.at + by)
	}
	from := place{b.at, 0}
	switch {
	case b.hit.passage == b.at:
		from.line = b.hit.line + by
	case by < 0:
		from.line = -1
	}
	b.find(from, by)
	return nil
}

// last goes to the end.
func (b *browser) last() tea.Cmd {
	b.at, b.end = len(b.passages)-1, true
	return nil
}

func (b *browser) begin() tea.Cmd {
	b.at, b.top = 0, place{}
	return nil
}

func (b *browser) ask() tea.Cmd {
	b.search = &compose.Buffer{}
	return nil
}

// unfold shows all of the selected passage, or the usual.
func (b *browser) unfold() tea.Cmd {
	p := b.passages[b.at]
	p.unfold(!p.open)
	if b.top.passage == b.at {
		b.top.line = min(b.top.line, len(b.linesOf(b.at))-1)
	}
	return b.choose(b.at)
}

// unfoldAll shows all of every passage, or the usual.
func (b *browser) unfoldAll() tea.Cmd {
	b.open = !b.open
	for _, p := range b.passages {
		p.unfold(b.open)
	}
	b.top = place{b.at, 0}
	return b.choose(b.at)
}

// copy gives the selected passage to the terminal's clipboard.
func (b *browser) copy() tea.Cmd { return b.give(b.passages[b.at].text()) }

// copyAll gives everything to the terminal's clipboard.
func (b *browser) copyAll() tea.Cmd {
	var texts []string
	for _, p := range b.passages {
		text := strings.TrimSpace(p.text())
		if p.kind == said {
			text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
		}
		texts = append(texts, text)
	}
	return b.give(strings.Join(texts, "\n\n") + "\n")
}

func (b *browser) give(text string) tea.Cmd {
	b.m.out.write(ansi.SetSystemClipboard(text))
	b.said = "copied, if the terminal allows it: " + summary.Count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line")
	return nil
}

// Render is the screen.
func (b *browser) Render(width, height int) (lines []string, row, col int) {
	lines = append(lines, ruled(b.k, "Transcript", width))
	b.page = max(1, height-2)
	if b.width != width {
		b.width = width
		b.top.line = 0
	}
	if !b.loads {
		lines = append(lines, b.shown()...)
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	lines = lines[:max(1, height-1)]
	if b.search != nil {
		const lead = indent + "/"
		rows, _, col := b.search.Layout(max(4, width-1-len(lead)))
		return append(lines, b.k.Accent.Paint(lead)+rows[0]), height - 1, min(width-1, len(lead)+col)
	}
	return append(lines, b.foot(width)), -1, 0
}

// shown is the lines of the page.
func (b *browser) shown() (lines []string) {
	if b.end {
		b.top = place{len(b.passages), 0}
	}
	b.top = b.least(b.top)
	first := place{b.at, b.lead(b.at)}
	if end := b.ahead(place{b.at, 0}, len(b.linesOf(b.at))); !b.top.before(end) || !first.before(b.ahead(b.top, b.page)) {
		b.choose(b.at) // the size has changed, or a key came before it was known
		b.top = b.least(b.top)
	}
	for p := b.top; p.passage < len(b.passages) && len(lines) < b.page; p = (place{p.passage + 1, 0}) {
		all := b.linesOf(p.passage)
		for _, line := range all[min(p.line, len(all)):] {
			if b.query != "" && lineWith([]string{line}, strings.ToLower(b.query), 0, 1) == 0 {
				line = marked(line, b.query, b.k.Selected)
			}
			edge := strings.Repeat(" ", gutter)
			if p.passage == b.at && line != "" {
				edge = b.k.Accent.Paint("▌") + " "
			}
			lines = append(lines, strings.TrimRight(edge+line, " "))
		}
	}
	return lines[:min(len(lines), b.page)]
}

// foot is the keys and where one is.
func (b *browser) foot(width int) string {
	switch {
	case b.loads:
		return b.k.Dim.Paint(indent + "reading …")
	case b.said != "":
		return b.k.Text.Paint(clip(indent+oneLine(b.said), width))
	}
	first := map[action]string{}
	for _, a := range transcriptBindings() {
		if of := b.m.keysOf(a); len(of) > 0 {
			first[a.action] = shortKey(of[0])
		}
	}
	all := "all output"
	if b.open {
		all = "less output"
	}
	var keys []string
	add := func(words string, actions ...action) {
		var of []string
		for _, a := range actions {
			if first[a] != "" {
				of = append(of, first[a])
			}
		}
		if len(of) > 0 {
			keys = append(keys, strings.Join(append(of, words), " "))
		}
	}
	add("select", "transcript-up", "transcript-down")
	if b.query != "" {
		add("next match", "transcript-next")
	}
	add("unfolds", "transcript-unfold")
	add("copies", "transcript-copy")
	add("all", "transcript-copy-all")
	add("search", "transcript-search")
	add(all, "transcript-unfold-all")
	add("closes", "transcript-close")
	where := fmt.Sprintf("%d of %d", b.at+1, len(b.passages))
	return foot(b.k, keys, where, width)
}

// shortKey is a key as it is written where there is little room: a capital
// letter for one with Shift.
func shortKey(key string) string {
	if letter, ok := strings.CutPrefix(key, "shift+"); ok && len(letter) == 1 {
		return strings.ToUpper(letter)
	} else if len(key) == 1 {
		return key
	}
	return keyName(key)
}
