package tui

import (
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// notice is how the person is told that something waits while the terminal
// has no focus.
type notice int

const (
	silent notice = iota
	bell
	desktop // OSC 9
)

// noticeOf is what the setting means for this terminal.
func noticeOf(setting string, environ []string) notice {
	switch setting {
	case "off":
		return silent
	case "bell":
		return bell
	case "osc":
		return desktop
	}
	for _, pair := range environ {
		switch pair {
		case "TERM=xterm-kitty", "TERM=xterm-ghostty", "TERM_PROGRAM=iTerm.app", "TERM_PROGRAM=WezTerm", "TERM_PROGRAM=ghostty":
			return desktop
		}
	}
	return bell
}

// notify tells a person who looks elsewhere.
func (m *model) notify(text string) {
	if !m.blurred {
		return
	}
	switch m.notice {
	case bell:
		m.out.write("\a")
	case desktop:
		m.out.write(ansi.Notify("MiniCode: " + strings.ReplaceAll(safe(text), "\n", " ")))
	}
}

// The window's title is kept by the terminal and given back at the end.
const (
	keepTitle   = "\x1b[22;2t"
	giveBackOld = "\x1b[23;2t"
)

// title names the window after the workspace, and says when the person is
// waited for.
func (m *model) title() {
	title := filepath.Base(m.status.info.Cwd)
	if t := m.status.info.Title; t != "" {
		title = t
	}
	switch {
	case len(m.asked) > 0:
		title = "◆ " + title
	case m.busy():
		title = "● " + title
	}
	if title = oneLine(title); title != m.titled {
		m.titled = title
		m.out.write(ansi.SetWindowTitle(title))
	}
}
