package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/complete"
)

// item is an entry of a menu.
type item struct {
	text string // that is put in
	help string
	args string // what must follow before it can be sent
}

// menu offers to complete the word before the cursor.
type menu struct {
	files    bool
	word     string // before the cursor, with its sign
	items    []item
	selected int
}

// follow opens, changes or closes the menu after the text.
func (c *composer) follow(m *model) tea.Cmd {
	word, sign := c.word()
	if sign == 0 || c.closed == c.buf.Text() {
		c.menu = nil
		return nil
	}
	c.closed = ""
	if sign == '@' {
		return c.files.find(m.ctx, word, false)
	}
	c.menu = &menu{word: word, items: commandsLike(m.conv, word[1:])}
	if len(c.menu.items) == 0 {
		c.menu = nil
	}
	return nil
}

// word is what is before the cursor and could be completed, with its first
// character: / at the beginning of everything, @ at the beginning of a word.
func (c *composer) word() (string, byte) {
	before := c.buf.Before()
	at := strings.LastIndexAny(before, " \t\uFFFC") + 1
	if at > 0 && strings.HasSuffix(before[:at], "\uFFFC") {
		at = len(before[:at])
	}
	line, _ := c.buf.Cursor()
	switch word := before[at:]; {
	case strings.HasPrefix(word, "/") && at == 0 && line == 0 && !strings.Contains(word[1:], "/"):
		return word, '/'
	case strings.HasPrefix(word, "@"):
		return word, '@'
	}
	return "", 0
}

// commandsLike is the commands that the query means, best first.
func commandsLike(conv *app.Conversation, query string) (items []item) {
	all := append(command.All(), command.Theirs(conv)...)
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	for _, r := range complete.Match(query, names) {
		c := all[r.Index]
		it := item{text: "/" + c.Name, help: c.Help}
		if c.Args != "" && !strings.HasPrefix(c.Args, "[") {
			it.args = c.Args
		}
		items = append(items, it)
	}
	return items
}

// found takes files that match, and asks for more.
func (m *model) found(msg found) tea.Cmd {
	c := &m.composer
	word, sign := c.word()
	if sign != '@' || word != msg.word || c.closed == c.buf.Text() && word != "@" {
		return nil
	}
	selected := 0
	if c.menu != nil && c.menu.word == word {
		selected = min(c.menu.selected, max(0, len(msg.items)-1))
	}
	c.menu = nil
	if len(msg.items) > 0 {
		c.menu = &menu{files: true, word: word, items: msg.items, selected: selected}
	}
	m.dirty = true
	if msg.more {
		return c.files.find(m.ctx, word, true)
	}
	return nil
}

// menuKey gives a key to what is open at the prompt.
func (c *composer) menuKey(m *model, k tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	if c.search != nil {
		return c.searchKey(m, k)
	}
	if c.menu == nil {
		return false, nil
	}
	n := len(c.menu.items)
	switch nameOf(k) {
	case "up", "ctrl+p":
		c.menu.selected = (c.menu.selected + n - 1) % n
	case "down", "ctrl+n":
		c.menu.selected = (c.menu.selected + 1) % n
	case "esc":
		c.menu, c.closed = nil, c.buf.Text()
	case "tab":
		c.take(" ")
	case "enter":
		it := c.menu.items[c.menu.selected]
		if c.menu.files || it.args != "" && it.text != c.menu.word {
			c.take(" ")
			return true, nil
		}
		c.take("")
		return true, m.enter()
	default:
		return false, nil
	}
	return true, nil
}

// take completes the word by the selected entry.
func (c *composer) take(after string) {
	it := c.menu.items[c.menu.selected]
	if strings.HasSuffix(it.text, "/") && c.menu.files {
		after = "" // a directory: what is in it comes next
	}
	c.buf.ReplaceBefore(len(c.menu.word), it.text+after)
	c.menu = nil
}

// tab completes, when nothing is offered already.
func (m *model) tab() tea.Cmd {
	m.composer.closed = ""
	return m.composer.follow(m)
}

// render is at most so many lines. Where there are more entries than that, the
// last line says which one is selected.
func (e *menu) render(k *look, width, most int) (lines []string) {
	longer := len(e.items) > most && most > 1
	if longer {
		most--
	}
	first := max(0, min(e.selected-most/2, len(e.items)-most))
	wide := 0
	for _, it := range e.items {
		wide = max(wide, ansi.StringWidth(it.text))
	}
	wide = min(wide, width/2)
	for i, it := range e.items[first:min(len(e.items), first+most)] {
		name, help := clip(safe(it.text), max(1, width-len(indent))), ""
		if it.help != "" {
			name = clip(safe(it.text), wide)
			help = strings.Repeat(" ", wide-ansi.StringWidth(name)+2) + clip(it.help, max(1, width-wide-4))
		}
		if first+i == e.selected {
			lines = append(lines, chosen(k, name+help, width))
		} else {
			lines = append(lines, clip(indent+k.Accent.Paint(name)+k.Dim.Paint(help), width))
		}
	}
	if longer {
		lines = append(lines, k.Dim.Paint(clip(fmt.Sprintf("%s%d of %d", indent, e.selected+1, len(e.items)), width)))
	}
	return lines
}
