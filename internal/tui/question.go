package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/compose"
)

// settle is how long a question is shown, and no key pressed, before it can be
// answered: who was typing something else sees it first.
const settle = 300 * time.Millisecond

// dialog is a question on its way to the person.
type dialog struct {
	question event.Question
	reply    chan event.Answer

	shown    bool
	at       time.Time // when it was shown
	open     bool      // it can be answered
	gone     bool      // nobody waits for the answer
	guidance *compose.Buffer
	review   *review // of the diff; nil where there is none
	hint     string  // what came of the last key, in words
	top      int     // first line of the body that is shown
	page     int     // lines of the body that are shown
	lines    int     // of the body
}

// ask shows the question, unless another one is open.
func (m *model) ask(d *dialog) tea.Cmd {
	m.asked = append(m.asked, d)
	return m.showNext()
}

// showNext opens the next question.
func (m *model) showNext() tea.Cmd {
	m.dirty = true
	if len(m.asked) == 0 || m.asked[0].shown {
		return nil
	}
	d := m.asked[0]
	d.shown, d.at = true, time.Now()
	m.notify("approval needed: " + d.question.Title)
	return wake(d, settle)
}

func wake(d *dialog, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return opened{d} })
}

// opened lets the question be answered, when nobody was typing.
func (m *model) opened(d *dialog) tea.Cmd {
	if quiet := time.Since(m.typed); quiet < settle && !d.open {
		return wake(d, settle-quiet)
	}
	d.open = true
	m.dirty = true
	return nil
}

func (m *model) withdraw(d *dialog) tea.Cmd {
	m.asked = slices.DeleteFunc(m.asked, func(other *dialog) bool { return other == d })
	return m.showNext()
}

// answer gives the answer and opens the next question.
func (m *model) answer(d *dialog, a event.Answer) tea.Cmd {
	d.reply <- a
	m.asked = slices.DeleteFunc(m.asked, func(other *dialog) bool { return other == d })
	return m.showNext()
}

// choice is an answer with its key.
type choice struct {
	key    string
	option event.Option
}

func (d *dialog) choices() (all []choice) {
	for _, o := range d.question.Choices {
		all = append(all, choice{keyOf(o.Choice), o})
	}
	return all
}

// keyOf is the key of a choice.
func keyOf(c event.Choice) string {
	switch c {
	case event.Never:
		return "v"
	case event.NoAndStop:
		return "x"
	}
	return command.KeyOf(c)
}

// answerKey gives a key to the open question. Before it can be answered, what
// is typed goes where it was meant to go.
func (m *model) answerKey(k tea.KeyPressMsg) tea.Cmd {
	d := m.asked[0]
	name := nameOf(k)
	d.hint = ""
	switch {
	case name == "esc" && d.guidance != nil:
		d.guidance = nil
		return nil
	case name == "esc" && d.open, name == "ctrl+c":
		m.interrupt()
		return nil
	case d.scroll(name):
		return nil
	case !d.open:
		if text := textOf(k); text != "" {
			m.composer.buf.Insert(text)
		}
		return nil
	case d.guidance != nil:
		return m.guidanceKey(d, k)
	case k.IsRepeat:
		return nil
	}
	if cmd, taken := m.reviewKey(d, k); taken {
		return cmd
	}
	text := textOf(k)
	for _, c := range d.choices() {
		if text != "" && text == c.key {
			return m.choose(d, c.option.Choice)
		}
	}
	return nil
}

// choose answers with the choice, and with what the person made of the change.
func (m *model) choose(d *dialog, c event.Choice) tea.Cmd {
	a := event.Answer{Choice: c}
	switch c {
	case event.NoWithGuidance:
		d.guidance = &compose.Buffer{}
		return nil
	case event.No, event.Never, event.NoAndStop:
	default:
		if a.Content, d.hint = d.review.answer(); d.hint != "" {
			return nil
		}
	}
	return m.answer(d, a)
}

// guidanceKey edits the words for the model.
func (m *model) guidanceKey(d *dialog, k tea.KeyPressMsg) tea.Cmd {
	b := d.guidance
	switch text, name := textOf(k), nameOf(k); {
	case text != "":
		b.Insert(text)
	case name == "enter":
		if words := strings.TrimSpace(b.Text()); words != "" {
			return m.answer(d, event.Answer{Choice: event.NoWithGuidance, Text: words})
		}
		d.guidance = nil
	case name == "backspace":
		b.Backspace()
	case name == "ctrl+w":
		b.DeleteToBlank()
	case name == "ctrl+u":
		b.KillToStart()
	case name == "left":
		b.Left()
	case name == "right":
		b.Right()
	case name == "home", name == "ctrl+a":
		b.Home()
	case name == "end", name == "ctrl+e":
		b.End()
	}
	return nil
}

// paste goes into the words for the model, and never answers.
func (d *dialog) paste(text string) {
	if d.guidance != nil {
		d.guidance.Paste(text)
	}
}

// scroll moves through what is to be approved.
func (d *dialog) scroll(name string) bool {
	by := 0
	switch name {
	case "up":
		by = -1
	case "down":
		by = 1
	case "pgup":
		by = -max(1, d.page-1)
	case "pgdown":
		by = max(1, d.page-1)
	default:
		return false
	}
	d.top = max(0, min(d.top+by, d.lines-d.page))
	if d.review != nil {
		d.review.follow(d.top, d.page)
	}
	return true
}

// render is the dialog in at most so many rows: what is asked always stands
// at the top and the answers at the bottom; between them what would be done
// can be scrolled.
func (d *dialog) render(k *look, width, height int) (lines []string, row, col int) {
	q := d.question
	row = -1
	if height >= roomy {
		title := "─ Approval needed "
		lines = append(lines, k.Warn.Paint(clip(title+strings.Repeat("─", max(0, width-ansi.StringWidth(title))), width)))
	}
	head := paint(k.Strong, k.exact(q.Title), " ", " ", width)
	lines = append(lines, head[:min(len(head), max(1, height/4))]...)
	if q.Preview.Path != "" && height >= roomy {
		lines = append(lines, " "+k.Dim.Paint(clip(k.exact(q.Preview.Path), width-1)))
	}
	body, foot := d.parts(k, width, height-len(lines))
	room := max(1, height-len(lines)-len(foot))
	d.lines, d.page = len(body), min(len(body), room)
	if len(body) > room {
		d.page = max(1, room-1)
	}
	d.top = max(0, min(d.top, d.lines-d.page))
	lines = append(lines, body[d.top:d.top+d.page]...)
	if len(body) > d.page {
		where := fmt.Sprintf(" lines %d–%d of %d · ↑ ↓ PgUp PgDn", d.top+1, d.top+d.page, len(body))
		if ansi.StringWidth(where+" scroll") <= width {
			where += " scroll"
		}
		lines = append(lines, k.Dim.Paint(clip(where, width)))
	}
	if d.guidance != nil {
		rows, r, c := d.guidance.Layout(max(4, width-4))
		lines = append(lines, k.Dim.Paint(clip(" What should it do instead? Enter sends, Esc goes back.", width)))
		first := max(0, min(r-1, len(rows)-3))
		for i := first; i < min(len(rows), first+3); i++ {
			lines = append(lines, " "+k.Accent.Paint(mark)+rows[i])
		}
		return lines, len(lines) - min(len(rows), first+3) + r, c + 3
	}
	return append(lines, foot...), row, 0
}

// roomy is from how many rows on the dialog has its rule and the path.
const roomy = 7

// leastBody is how many lines of what would be done are shown at least.
const leastBody = 4

// parts is what is to be approved and the answers, in the fullest form that
// leaves both visible: what an answer would save is always told, in the part
// that scrolls if there is no room.
func (d *dialog) parts(k *look, width, height int) (body, foot []string) {
	body = slices.Clip(d.body(k, width))
	least := min(len(body), leastBody)
	if d.review != nil {
		least = min(len(body), max(leastBody, 3*height/5))
	}
	said := d.said(k, width)
	if tools := d.tools(k, full); len(tools) > 0 {
		said = append(said, flow(tools, width)...)
	}
	if foot = slices.Concat(said, d.answers(k, width)); len(body)+1+len(foot) <= height {
		return append(body, ""), foot
	}
	if foot = slices.Concat(said, d.close(k, width)); least+len(foot) <= height {
		return body, foot
	}
	body = append(append(body, ""), d.answers(k, width)...)
	if foot = slices.Concat(said, d.keys(k, width, nil)); least+len(foot) <= height {
		return body, foot
	}
	said = d.said(k, width)
	if foot = slices.Concat(said, d.keys(k, width, d.tools(k, words))); len(foot)+2 <= height {
		return body, foot
	}
	return body, slices.Concat(said[:min(1, len(said))], d.letters(k, width))
}

// form is how much is said of what keys do.
type form int

const (
	full    form = iota
	words        // one each
	letters      // the keys alone
)

// answers is the answers with all that they do, each on its own.
func (d *dialog) answers(k *look, width int) (lines []string) {
	for _, c := range d.choices() {
		lines = append(lines, d.option(k, c, width)...)
	}
	return append(lines, k.Dim.Paint(clip(" Esc interrupts the turn", width)))
}

// option is an answer with the rules that it grants or saves, exactly.
func (d *dialog) option(k *look, c choice, width int) (lines []string) {
	lead, rest := " "+d.keycap(k, c.key)+" ", "     "
	label := safe(c.option.Label)
	if len(c.option.Rules) == 0 {
		return paint(k.Text, label, lead, rest, width)
	}
	lines = paint(k.Text, label+":", lead, rest, width)
	for i, rule := range c.option.Rules {
		if i+1 < len(c.option.Rules) {
			rule += ","
		}
		rows := k.exactly(k.Text, rule, rest, rest, width)
		last, text := len(lines)-1, strings.TrimPrefix(rows[0], rest)
		if len(rows) > 1 || ansi.StringWidth(lines[last])+1+ansi.StringWidth(text) > width {
			lines = append(lines, rows...)
		} else {
			lines[last] += " " + text
		}
	}
	return lines
}

// close is the answers with those together that save nothing.
func (d *dialog) close(k *look, width int) []string {
	var words, lines []string
	for _, c := range d.choices() {
		if len(c.option.Rules) > 0 {
			lines = append(lines, d.option(k, c, width)...)
		} else {
			words = append(words, d.keycap(k, c.key)+" "+safe(c.option.Label))
		}
	}
	return append(append(flow(words, width), lines...), k.Dim.Paint(clip(" Esc interrupts the turn", width)))
}

// keys is the answers in a word each, behind other texts.
func (d *dialog) keys(k *look, width int, texts []string) []string {
	for _, c := range d.choices() {
		texts = append(texts, d.keycap(k, c.key)+" "+wordOf(c.option.Choice))
	}
	return flow(append(texts, k.Dim.Paint("Esc interrupts")), width)
}

// letters is the keys alone, for a window that has room for nothing else; what
// they do can be scrolled to.
func (d *dialog) letters(k *look, width int) []string {
	keys := d.tools(k, letters)
	for _, c := range d.choices() {
		keys = append(keys, d.keycap(k, c.key))
	}
	return flow(keys, width)
}

// keycap is a key as it is shown: dim as long as it does nothing.
func (d *dialog) keycap(k *look, key string) string {
	if !d.open {
		return k.Dim.Paint("[" + key + "]")
	}
	return k.Accent.Paint("[" + key + "]")
}

// flow puts texts behind each other into lines.
func flow(texts []string, width int) (lines []string) {
	line := ""
	for _, text := range texts {
		if line != "" && ansi.StringWidth(line)+3+ansi.StringWidth(text) > width {
			lines, line = append(lines, clip(line, max(1, width))), ""
		}
		if line != "" {
			line += "  "
		}
		line += " " + text
	}
	return append(lines, clip(line, max(1, width)))
}

// wordOf is a choice in a word.
func wordOf(c event.Choice) string {
	switch c {
	case event.Once:
		return "once"
	case event.ThisTurn:
		return "turn"
	case event.EditsThisTurn:
		return "edits"
	case event.ThisSession:
		return "session"
	case event.AlwaysProject:
		return "project"
	case event.AlwaysUser:
		return "user"
	case event.No:
		return "no"
	case event.NoWithGuidance:
		return "guide"
	case event.Never:
		return "never"
	}
	return "stop"
}
