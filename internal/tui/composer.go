package tui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/complete"
	"github.com/minicode-go/minicode/internal/compose"
)

// composer is where the person types.
type composer struct {
	buf     compose.Buffer
	history *compose.History
	menu    *menu   // open below, or nil
	search  *search // in the history, or nil
	closed  string  // the text that the menu was closed at by Esc
	paths   bool    // the menu completes the path before the cursor
	files   *files
	reading *reading // an image on its way into the text, or nil
}

const (
	mark      = "❯ "
	shellMark = "! "
)

func (c *composer) open(conv *app.Conversation, walk complete.Walk) {
	i := conv.Info()
	path := ""
	if i.Path != "" {
		path = filepath.Join(filepath.Dir(i.Path), "prompts.jsonl")
	}
	c.history = compose.OpenHistory(path)
	c.files = newFiles(i.Cwd, walk)
}

// width is how many cells the text has.
func (c *composer) width(width int) int { return max(4, width-2) }

// render is the prompt with what belongs to it, and where the cursor is.
func (c *composer) render(m *model, width, height int) (lines []string, row, col int) {
	k := m.look
	shell := c.search == nil && isShell(c.buf.Head())
	lines = append(lines, c.rule(k, shell, width))
	if c.search != nil {
		line, col := c.search.render(k, width)
		lines = append(lines, line)
		return append(lines, c.search.found(k, width)...), 1, col
	}
	rows, row, col := c.buf.Layout(c.width(width))
	most := max(1, min(len(rows), height-1, max(3, height/2)))
	first := max(0, min(row-most/2, len(rows)-most))
	for i := first; i < first+most; i++ {
		lead := "  "
		switch {
		case i == 0 && shell:
			lead = k.Warn.Paint(shellMark)
			var hidden bool
			if rows[0], hidden = strings.CutPrefix(rows[0], "!"); hidden && row == 0 {
				col = max(-1, col-1) // the mark stands for it
			}
		case i == 0:
			lead = k.Accent.Paint(mark)
		}
		lines = append(lines, lead+rows[i])
	}
	if c.buf.Empty() && m.placeholder() != "" {
		lines[1] += k.Dim.Paint(clip(m.placeholder(), width-3))
	}
	row, col = row-first+1, col+2
	if c.menu != nil {
		lines = append(lines, c.menu.render(k, width, max(1, min(8, height-len(lines))))...)
	}
	return lines, row, col
}

// rule is the line above what is typed: it says where that goes.
func (c *composer) rule(k *look, shell bool, width int) string {
	const title = "── shell: the model is told "
	switch {
	case !shell:
		return k.Border.Paint(strings.Repeat("─", width))
	case width < len(title):
		return k.Warn.Paint(strings.Repeat("─", width))
	}
	return k.Warn.Paint(title + strings.Repeat("─", width-ansi.StringWidth(title)))
}

// changed is called after what is typed was changed: the menu follows.
func (c *composer) changed(m *model) tea.Cmd {
	if strings.HasSuffix(c.buf.Before(), " ") {
		c.paths = false
	}
	return c.follow(m)
}

// sent takes the text off and keeps it for later.
func (c *composer) sent(text string) error {
	c.clear()
	return c.history.Add(text)
}

func (c *composer) clear() {
	c.buf.Clear()
	c.menu, c.search, c.closed, c.paths = nil, nil, "", false
}

// restore puts text back that was not sent, before what is typed.
func (c *composer) restore(text string) {
	if text == "" {
		return
	}
	var b compose.Buffer
	b.Insert(text)
	c.buf.Prepend(b.Draft())
	c.menu = nil
}

// continues makes a line end of a backslash at the end, as shells do.
func (c *composer) continues() bool {
	if !strings.HasSuffix(c.buf.Before(), `\`) {
		return false
	}
	c.buf.Backspace()
	c.buf.Insert("\n")
	return true
}

// placeholder says what can be typed where nothing is.
func (m *model) placeholder() string {
	if m.busy() {
		return ""
	}
	if p, ok := m.conv.Pending(); ok {
		switch {
		case p.Plan:
			return "the number of an option, or what the plan should do differently"
		case len(p.Options) > 0:
			return "the number of an option, or another answer"
		}
		return "your answer"
	}
	return ""
}

func (m *model) older() tea.Cmd {
	if m.composer.history.Up(&m.composer.buf) {
		m.composer.menu = nil
	}
	return nil
}

func (m *model) newer() tea.Cmd {
	if m.composer.history.Down(&m.composer.buf) {
		m.composer.menu = nil
	}
	return nil
}
