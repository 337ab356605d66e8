package tui

import (
	"fmt"
	"strings"
	"unicode"

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

// sign is what a word is completed as.
type sign int

const (
	noWord    sign = iota
	atFile         // a file that is named to the model, with @
	pathAlone      // a path for a command
	shellPath      // one that a shell reads
	slash          // a command
)

// word is what is before the cursor and could be completed.
type word struct {
	text string // with its first character
	sign sign
}

// of is how a path is put in the place of the word.
func (w word) of(path string) string {
	switch {
	case w.sign == atFile:
		return "@" + path
	case w.sign == shellPath && strings.ContainsFunc(path, special):
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// special says whether a shell could take the character for something else.
func special(r rune) bool {
	return r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-+@,:=%", r)
}

// follow opens, changes or closes the menu after the text.
func (c *composer) follow(m *model) tea.Cmd {
	w := c.word()
	if w.sign == noWord || c.closed == c.buf.Text() {
		c.menu = nil
		return nil
	}
	c.closed = ""
	if w.sign != slash {
		return c.files.find(m.ctx, w, false)
	}
	c.menu = &menu{word: w.text, items: commandsLike(m.conv, w.text[1:])}
	if len(c.menu.items) == 0 {
		c.menu = nil
	}
	return nil
}

// word is the word before the cursor: a command at the beginning of
// everything, a file with @ at the beginning of a word, or a path where a
// command takes one and Tab was pressed.
func (c *composer) word() word {
	before := c.buf.Before()
	at := strings.LastIndexAny(before, " \t\uFFFC") + 1
	if at > 0 && strings.HasSuffix(before[:at], "\uFFFC") {
		at = len(before[:at])
	}
	line, _ := c.buf.Cursor()
	text := before[at:]
	switch {
	case strings.HasPrefix(text, "@"):
		return word{text, atFile}
	case c.paths && isShell(c.buf.Head()):
		return word{strings.TrimPrefix(text, "!"), shellPath}
	case c.paths && wantsPath(c.buf.Head()) && at > 0:
		return word{text, pathAlone}
	case strings.HasPrefix(text, "/") && at == 0 && line == 0 && !strings.Contains(text[1:], "/"):
		return word{text, slash}
	}
	return word{}
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
	w := c.word()
	if w != msg.word || w.sign == noWord || c.closed == c.buf.Text() && w.text != "@" {
		return nil
	}
	selected := 0
	if c.menu != nil && c.menu.word == w.text {
		selected = min(c.menu.selected, max(0, len(msg.items)-1))
	}
	c.menu = nil
	if len(msg.items) > 0 {
		c.menu = &menu{files: true, word: w.text, items: msg.items, selected: selected}
	}
	m.dirty = true
	if msg.more {
		return c.files.find(m.ctx, w, true)
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
	} else {
		c.paths = false
	}
	c.buf.ReplaceBefore(len(c.menu.word), it.text+after)
	c.menu = nil
}

// tab completes, when nothing is offered already.
func (m *model) tab() tea.Cmd {
	c := &m.composer
	c.closed, c.paths = "", wantsPath(c.buf.Head())
	return c.follow(m)
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
