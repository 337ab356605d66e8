package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
)

// action is what a key does at the prompt.
type action string

// binding is an action with the keys that it has unless settings say
// otherwise.
type binding struct {
	action action
	keys   string // separated by blanks
	help   string
	do     func(*model) tea.Cmd
}

// bindings is every action. The table prints the help, too.
func bindings() []binding { return append(promptBindings(), transcriptBindings()...) }

// transcriptBindings is what keys do in the transcript.
func transcriptBindings() []binding {
	to := func(action action, keys, help string, do func(*browser) tea.Cmd) binding {
		return binding{action, keys, help, func(m *model) tea.Cmd {
			if b, ok := m.whole.(*browser); ok {
				return do(b)
			}
			return nil
		}}
	}
	return []binding{
		to("transcript-up", "up k", "the passage before, or more of this one", func(b *browser) tea.Cmd { return b.step(-1) }),
		to("transcript-down", "down j", "the next passage, or more of this one", func(b *browser) tea.Cmd { return b.step(1) }),
		to("transcript-page-up", "pgup ctrl+b ctrl+u b", "a page up", func(b *browser) tea.Cmd { return b.scroll(-max(1, b.page-2)) }),
		to("transcript-page-down", "pgdown ctrl+f ctrl+d space", "a page down", func(b *browser) tea.Cmd { return b.scroll(max(1, b.page-2)) }),
		to("transcript-begin", "home g", "the beginning", (*browser).begin),
		to("transcript-end", "end shift+g", "the end", (*browser).last),
		to("transcript-unfold", "enter", "show all of the passage, or less", (*browser).unfold),
		to("transcript-unfold-all", "e", "show all of every passage, or less", (*browser).unfoldAll),
		to("transcript-copy", "y", "copy the passage", (*browser).copy),
		to("transcript-copy-all", "shift+y", "copy everything", (*browser).copyAll),
		to("transcript-search", "/ ctrl+r", "search", (*browser).ask),
		to("transcript-next", "n", "the next match, else the next passage", func(b *browser) tea.Cmd { return b.next(1) }),
		to("transcript-previous", "shift+n p", "the match before, else the passage before", func(b *browser) tea.Cmd { return b.next(-1) }),
		to("transcript-close", "q ctrl+o", "close the transcript, as does Esc", (*browser).close),
	}
}

// keysOf is the keys that an action has.
func (m *model) keysOf(b binding) []string {
	if own, ok := m.o.Keys[string(b.action)]; ok {
		return strings.Fields(own)
	}
	return strings.Fields(b.keys)
}

// promptBindings is what keys do at the prompt.
func promptBindings() []binding {
	edit := func(f func(c *composer, width int)) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd { f(&m.composer, m.composer.width(m.width())); return m.composer.changed(m) }
	}
	return []binding{
		{"send", "enter", "send; while the model works: queue", (*model).enter},
		{"newline", "shift+enter alt+enter ctrl+j", "begin a new line", edit(func(c *composer, _ int) { c.buf.Insert("\n") })},
		{"interrupt", "esc", "interrupt, or close; twice at rest: go back", (*model).escape},
		{"clear", "ctrl+c", "clear what is typed, interrupt, or leave", (*model).controlC},
		{"leave", "ctrl+d", "leave, when nothing is typed", (*model).controlD},
		{"mode", "shift+tab", "the next permission mode", (*model).nextMode},
		{"complete", "tab", "complete", (*model).tab},
		{"search", "ctrl+r", "search what was said before", (*model).searchHistory},
		{"image", "ctrl+v", "put in the image on the clipboard", (*model).pasteImage},
		{"editor", "ctrl+g", "write in $EDITOR", (*model).editPrompt},
		{"suspend", "ctrl+z", "suspend the program", (*model).suspend},
		{"transcript", "ctrl+o", "the whole conversation, with search", (*model).showTranscript},
		{"todos", "alt+t", "show or fold the todo list", (*model).foldTodos},
		{"keys", "f1", "this list, as does ? at an empty prompt", (*model).showKeys},
		{"redraw", "ctrl+l", "draw again", (*model).redraw},
		{"up", "up", "the row above, else what was said before", (*model).up},
		{"down", "down", "the row below, else what was said after", (*model).down},
		{"older", "ctrl+p", "what was said before", (*model).older},
		{"newer", "ctrl+n", "what was said after", (*model).newer},
		{"left", "left ctrl+b", "", edit(func(c *composer, _ int) { c.buf.Left() })},
		{"right", "right ctrl+f", "", edit(func(c *composer, _ int) { c.buf.Right() })},
		{"word-left", "alt+b ctrl+left alt+left", "", edit(func(c *composer, _ int) { c.buf.WordLeft() })},
		{"word-right", "alt+f ctrl+right alt+right", "", edit(func(c *composer, _ int) { c.buf.WordRight() })},
		{"home", "home ctrl+a", "", edit(func(c *composer, _ int) { c.buf.Home() })},
		{"end", "end ctrl+e", "", edit(func(c *composer, _ int) { c.buf.End() })},
		{"start", "ctrl+home", "", edit(func(c *composer, _ int) { c.buf.Start() })},
		{"finish", "ctrl+end", "", edit(func(c *composer, _ int) { c.buf.Finish() })},
		{"backspace", "backspace ctrl+h shift+backspace", "", edit(func(c *composer, _ int) { c.buf.Backspace() })},
		{"delete", "delete", "", edit(func(c *composer, _ int) { c.buf.Delete() })},
		{"delete-word", "ctrl+w", "", edit(func(c *composer, _ int) { c.buf.DeleteToBlank() })},
		{"delete-word-left", "alt+backspace ctrl+backspace", "", edit(func(c *composer, _ int) { c.buf.DeleteWordLeft() })},
		{"delete-word-right", "alt+d ctrl+delete alt+delete", "", edit(func(c *composer, _ int) { c.buf.DeleteWordRight() })},
		{"kill", "ctrl+k", "", edit(func(c *composer, _ int) { c.buf.KillToEnd() })},
		{"kill-start", "ctrl+u", "", edit(func(c *composer, _ int) { c.buf.KillToStart() })},
		{"yank", "ctrl+y", "put back what was deleted", edit(func(c *composer, _ int) { c.buf.Yank() })},
		{"yank-pop", "alt+y", "", edit(func(c *composer, _ int) { c.buf.YankPop() })},
		{"transpose", "ctrl+t", "", edit(func(c *composer, _ int) { c.buf.Transpose() })},
		{"undo", "ctrl+_ ctrl+/ ctrl+-", "undo", edit(func(c *composer, _ int) { c.buf.Undo() })},
		{"redo", "alt+_ alt+/ alt+-", "redo", edit(func(c *composer, _ int) { c.buf.Redo() })},
	}
}

// keymap finds what a key does.
type keymap map[string]func(*model) tea.Cmd

func newKeymap(settings map[string]string) keymap {
	k := keymap{}
	for _, b := range promptBindings() {
		keys := b.keys
		if own, ok := settings[string(b.action)]; ok {
			keys = own
		}
		for _, key := range strings.Fields(keys) {
			k[key] = b.do
		}
	}
	return k
}

// typed is the text that a key types, "" for one that types none.
func textOf(k tea.KeyPressMsg) string {
	if k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) != 0 {
		return ""
	}
	return k.Text
}

// name is the key's name in the table.
func nameOf(k tea.KeyPressMsg) string {
	k.Mod &^= tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock
	return strings.Replace(k.Keystroke(), "kpenter", "enter", 1)
}

// key routes a key to what is open.
func (m *model) key(k tea.KeyPressMsg) tea.Cmd {
	m.dirty = true
	m.typed = time.Now()
	if keys := m.parted(k); keys != nil {
		return tea.Batch(m.key(keys[0]), m.key(keys[1]))
	}
	if nameOf(k) != "esc" {
		m.back = time.Time{}
	}
	switch {
	case m.suspends(k):
		return m.suspend()
	case m.whole != nil:
		open := m.whole
		cmd, done := open.Key(k)
		if done && m.whole == open {
			m.whole = nil
		}
		return cmd
	case len(m.asked) > 0 && m.asked[0].shown:
		return m.answerKey(k)
	}
	return m.typeKey(k)
}

// typeKey gives a key to the prompt.
func (m *model) typeKey(k tea.KeyPressMsg) tea.Cmd {
	if m.composer.holds(k) {
		return nil
	}
	if taken, cmd := m.composer.menuKey(m, k); taken {
		return cmd
	}
	if text := textOf(k); text != "" {
		if text == "?" && m.composer.buf.Empty() {
			return m.showKeys()
		}
		m.composer.buf.Insert(text)
		return m.composer.changed(m)
	}
	if do := m.keys[nameOf(k)]; do != nil {
		return do(m)
	}
	return nil
}

// paste takes what was pasted; it is never taken for keys.
func (m *model) paste(text string) tea.Cmd {
	m.dirty = true
	m.typed = time.Now()
	if len(m.asked) > 0 && m.asked[0].shown {
		m.asked[0].paste(text)
		return nil
	}
	if m.whole != nil {
		if open, ok := m.whole.(interface{ Paste(text string) }); ok {
			open.Paste(text)
		}
		return nil
	}
	return m.typePaste(text)
}

// typePaste pastes into the prompt: text, or images.
func (m *model) typePaste(text string) tea.Cmd {
	if m.composer.holds(tea.PasteMsg{Content: text}) {
		return nil
	}
	if text == "" { // so do terminals paste what is no text
		return m.pasteImage()
	}
	if readings := m.imagesIn(text); readings != nil {
		return m.dropped(text, readings)
	}
	m.pasteText(text)
	return m.composer.changed(m)
}

func (m *model) pasteText(text string) {
	if m.composer.buf.Paste(text) > 0 {
		m.tell(m.look.Dim, "escape sequences were left out of what was pasted")
	}
}

// enter sends what is typed. With nothing typed it sends what is queued.
func (m *model) enter() tea.Cmd {
	if m.composer.continues() {
		return m.composer.changed(m)
	}
	p := m.composer.typed()
	if strings.TrimSpace(p.text) == "" {
		if len(m.conv.Queued()) > 0 && m.turn == nil && m.command == nil {
			m.submit("", prompt{})
		}
		return nil
	}
	if why := m.withheld(p); why != "" {
		m.problem(why)
		return nil
	}
	if err := m.composer.sent(p.kept()); err != nil && !m.forgetful {
		m.forgetful = true // said once
		m.problem("what you type is not remembered: " + err.Error())
	}
	return m.say(p)
}

// escape closes what is open, or interrupts. At rest it takes what is queued
// back.
func (m *model) escape() tea.Cmd {
	switch {
	case m.busy():
		m.interrupt()
	case len(m.conv.Queued()) > 0:
		m.unqueue()
	case m.composer.buf.Empty():
		return m.offerBack()
	}
	return nil
}

func (m *model) interrupt() {
	m.stop(&app.Interrupt{Signal: "SIGINT", Exit: exitInterrupt})
	for _, d := range m.asked {
		d.gone = true
	}
	m.asked = nil
	m.dirty = true
}

// again is for how long Ctrl+C counts as the first of two.
const again = 2 * time.Second

func (m *model) controlC() tea.Cmd {
	if !m.composer.buf.Empty() {
		m.composer.clear()
		return nil
	}
	return m.interruptOrLeave()
}

func (m *model) interruptOrLeave() tea.Cmd {
	now := time.Now()
	if now.Before(m.armed) {
		m.stop(&app.Interrupt{Signal: "SIGINT", Exit: exitInterrupt})
		return m.quit(exitInterrupt)
	}
	if m.busy() {
		m.interrupt()
	}
	m.armed = now.Add(again)
	m.dirty = true
	return tea.Tick(again, func(time.Time) tea.Msg { return disarm{} })
}

func (m *model) controlD() tea.Cmd {
	if !m.composer.buf.Empty() {
		m.composer.buf.Delete()
		return m.composer.changed(m)
	}
	m.stop(&app.Interrupt{Signal: "SIGINT", Exit: exitInterrupt})
	return m.quit(0)
}

// nextMode goes through the modes that are often changed.
func (m *model) nextMode() tea.Cmd {
	next := "default"
	switch m.status.info.Mode {
	case "default":
		next = "accept-edits"
	case "accept-edits":
		next = "plan"
	}
	if err := m.conv.SetMode(next); err != nil {
		m.problem(err.Error())
	}
	m.status.info.Mode = next
	return m.gauge()
}

// unqueue takes what was queued back to the prompt.
func (m *model) unqueue() {
	queued := m.conv.Queued()
	if err := m.conv.DropQueue(); err != nil {
		m.problem("the queue could not be removed from the disk: " + err.Error())
	}
	m.composer.restore(strings.Join(queued, "\n"))
	m.status.queued = nil
}

func (m *model) up() tea.Cmd {
	c := &m.composer
	switch {
	case c.buf.Up(c.width(m.width())):
	case c.buf.Empty() && len(m.conv.Queued()) > 0:
		m.unqueue()
	default:
		return m.older()
	}
	return nil
}

func (m *model) down() tea.Cmd {
	if c := &m.composer; !c.buf.Down(c.width(m.width())) {
		return m.newer()
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// suspends says whether the key suspends the program, which it does whatever is
// open.
func (m *model) suspends(k tea.KeyPressMsg) bool {
	keys := "ctrl+z"
	if own, ok := m.o.Keys["suspend"]; ok {
		keys = own
	}
	return slices.Contains(strings.Fields(keys), nameOf(k))
}

// suspend stops the program until the shell goes on with it.
func (m *model) suspend() tea.Cmd {
	if !suspendable() {
		m.problem("there is no shell here that could go on with a suspended program")
		return nil
	}
	open := m.whole
	m.restore()
	m.whole = open
	return tea.Suspend
}

func (m *model) redraw() tea.Cmd {
	m.screen.inline.stale = true
	return nil
}
