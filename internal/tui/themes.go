package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/theme"
)

// themeOf is the theme to begin with, and whether the terminal is to be asked
// for its background.
func themeOf(o Options) (t theme.Theme, auto bool) {
	env := func(name string) (value string) {
		for _, pair := range o.Environ {
			if v, ok := strings.CutPrefix(pair, name+"="); ok {
				value = v
			}
		}
		return value
	}
	if env("NO_COLOR") != "" {
		return theme.Plain(), false
	}
	if t, ok := theme.Named(o.Theme); ok && o.Theme != "" {
		return t, false
	}
	if term := env("TERM"); env("COLORTERM") == "" && !strings.Contains(term, "256") && slices.Contains([]string{"xterm", "vt100", "vt220", "linux", "screen", "ansi", "cygwin", "rxvt"}, term) {
		return theme.Sixteen(), false
	}
	return theme.Dark(), true
}

// background takes the terminal's background.
func (m *model) background(msg tea.BackgroundColorMsg) {
	if m.wantsTheme && !msg.IsDark() {
		m.setTheme(theme.Light())
	}
}

// setTheme changes the looks of what is drawn from now on.
func (m *model) setTheme(t theme.Theme) {
	*m.look = *newLook(t)
	m.dirty = true
}
