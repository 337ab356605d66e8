package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/compose"
)

// search looks for a prompt that was sent before.
type search struct {
	query   compose.Buffer
	results []string
	at      int
}

func (m *model) searchHistory() tea.Cmd {
	c := &m.composer
	c.menu, c.search = nil, &search{results: c.history.Search("")}
	return nil
}

// searchKey changes the query, goes through what was found, or takes it.
func (c *composer) searchKey(m *model, k tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	s := c.search
	switch text, name := textOf(k), nameOf(k); {
	case text != "":
		s.query.Insert(text)
		s.again(c)
	case name == "backspace":
		s.query.Backspace()
		s.again(c)
	case name == "ctrl+u", name == "ctrl+w":
		s.query.Clear()
		s.again(c)
	case name == "ctrl+r", name == "up", name == "ctrl+p":
		s.at = min(s.at+1, max(0, len(s.results)-1))
	case name == "ctrl+s", name == "down", name == "ctrl+n":
		s.at = max(0, s.at-1)
	case name == "esc", name == "ctrl+c", name == "ctrl+g":
		c.search = nil
	case name == "enter", name == "tab", name == "right":
		c.search = nil
		if s.at < len(s.results) {
			c.buf.Set(s.results[s.at])
			c.buf.Finish()
		}
	}
	return true, nil
}

func (s *search) again(c *composer) { s.results, s.at = c.history.Search(s.query.Text()), 0 }

// render is the line of the query, and the column of the cursor.
func (s *search) render(k *look, width int) (string, int) {
	lead := "search: "
	rows, _, col := s.query.Layout(max(4, width-len(lead)))
	return k.Accent.Paint(lead) + rows[0], min(width-1, len(lead)+col)
}

// searchLines is how many prompts are shown.
const searchLines = 6

// found is the prompts that match.
func (s *search) found(k *look, width int) (lines []string) {
	if len(s.results) == 0 {
		return []string{"  " + k.Dim.Paint("nothing was said like that")}
	}
	first := max(0, min(s.at-searchLines/2, len(s.results)-searchLines))
	for i := first; i < min(len(s.results), first+searchLines); i++ {
		if text := oneLine(s.results[i]); i == s.at {
			lines = append(lines, chosen(k, text, width))
		} else {
			lines = append(lines, indent+k.Dim.Paint(clip(text, width-len(indent))))
		}
	}
	return lines
}
