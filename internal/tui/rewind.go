package tui

import (
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/compose"
)

// rewind lets the person go back to before something that they said.
type rewind struct {
	m       *model
	picker  *picker
	prompts map[string]app.Prompt
	records []event.Record // of the conversation, once they are read

	shown string // whose preview lines is
	width int
	lines []string
}

// mostTaken is how many records of what would be taken back are looked at.
const mostTaken = 200

// pickPrompt shows what the person said, the newest first.
func (m *model) pickPrompt() tea.Cmd {
	if m.busy() {
		m.problem("one can go back when nothing runs; Esc interrupts")
		return nil
	}
	p := &picker{title: "Go back to before", k: m.look, loads: true, verb: "goes back"}
	r := &rewind{m: m, picker: p, prompts: map[string]app.Prompt{}}
	p.choose = func(e entry) tea.Cmd { return m.goBack(r.prompts[e.value]) }
	p.detail = r.detail
	m.whole, m.dirty = p, true
	return r.read()
}

// read reads the conversation, away from the loop.
func (r *rewind) read() tea.Cmd {
	conv := r.m.conv
	return func() tea.Msg {
		prompts, now := conv.Prompts(), conv.Now()
		records, _, err := tail(conv, mostViewed)
		return result(func(m *model) tea.Cmd {
			var entries []entry
			for _, p := range slices.Backward(prompts) {
				r.prompts[p.Record] = p
				entries = append(entries, entry{text: p.Text, value: p.Record, aside: ago(now.Sub(p.Time))})
			}
			r.records = records
			r.picker.set(entries)
			switch {
			case err != nil:
				r.picker.fault = "the conversation cannot be read: " + err.Error()
			case len(entries) == 0 && m.whole == r.picker:
				m.whole = nil
				m.tell(m.look.Dim, "nothing has been said yet that could be taken back")
			}
			return nil
		})
	}
}

// detail is what was said from the selected prompt on, which would be taken
// back, as far as there is room.
func (r *rewind) detail(e entry, width, height int) []string {
	if r.shown != e.value || r.width != width {
		r.shown, r.width, r.lines = e.value, width, r.m.look.prompt(e.text, width)
		at := slices.IndexFunc(r.records, func(rec event.Record) bool { return rec.ID == e.value })
		if at >= 0 {
			r.lines = fold(newTranscript(newLook(r.m.look.Theme)), r.records[at:min(len(r.records), at+mostTaken)], width)
		}
	}
	if room := max(1, height); len(r.lines) > room {
		return append(slices.Clone(r.lines[:room-1]), r.m.look.Dim.Paint(clip("  …", width)))
	}
	return r.lines
}

// goBack takes back a prompt and what came after it, away from the loop.
func (m *model) goBack(p app.Prompt) tea.Cmd {
	conv := m.conv
	return func() tea.Msg {
		err := conv.Rewind(p.Record)
		return result(func(m *model) tea.Cmd { return m.wentBack(p, err) })
	}
}

// wentBack shows that the conversation goes on from before the prompt, which
// can be edited and sent again.
func (m *model) wentBack(p app.Prompt, err error) tea.Cmd {
	if err != nil {
		m.problem("it was not gone back: " + err.Error())
		return m.gauge()
	}
	m.conv.Stated() // it is told here
	m.transcript = newTranscript(m.look)
	m.transcript.last = answer
	text := compose.Wordless(p.Text)
	m.print(m.transcript.gap(remarks))
	told := "went back to before “" + clip(oneLine(p.Text), max(10, m.width()/2)) + "”; files are not changed"
	if text != p.Text {
		told += ", and its images are not put in again"
	}
	m.tell(m.look.Dim, told)
	m.warn()
	m.composer.restore(text)
	return m.gauge()
}

// backTime is for how long a second Esc counts.
const backTime = time.Second

// offerBack lets a second Esc open what was said, to go back.
func (m *model) offerBack() tea.Cmd {
	now := time.Now()
	if now.Before(m.back) {
		m.back = time.Time{}
		return m.pickPrompt()
	}
	m.back = now.Add(backTime)
	return tea.Tick(backTime, func(time.Time) tea.Msg { return disarm{} })
}

// parted is Esc and the key after it, where a terminal has sent both within a
// moment and they were read as that key with Alt, which does nothing. Terminals
// with the kitty protocol never send them so.
func (m *model) parted(k tea.KeyPressMsg) (keys []tea.KeyPressMsg) {
	if m.kitty || k.Mod&^tea.ModShift != tea.ModAlt || m.keys[nameOf(k)] != nil {
		return nil
	}
	esc := tea.KeyPressMsg{Code: tea.KeyEscape}
	text := string(k.Code)
	if k.Mod&tea.ModShift != 0 {
		text = strings.ToUpper(text)
	}
	switch {
	case k.Code == tea.KeyEscape:
		return []tea.KeyPressMsg{esc, esc}
	case !unicode.IsPrint(k.Code):
		return nil
	}
	return []tea.KeyPressMsg{esc, {Code: k.Code, Text: text, Mod: k.Mod & tea.ModShift}}
}
