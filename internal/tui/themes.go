package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/theme"
)

// themeOf is the theme to begin with, and whether the terminal is to be asked
// for its background.
func themeOf(o Options, conv *app.Conversation) (t theme.Theme, auto bool, err error) {
	env := func(name string) (value string) {
		for _, pair := range o.Environ {
			if v, ok := strings.CutPrefix(pair, name+"="); ok {
				value = v
			}
		}
		return value
	}
	if env("NO_COLOR") != "" {
		return theme.Plain(), false, nil
	}
	if o.Theme != "" && o.Theme != "auto" {
		t, err := command.ThemeNamed(o.Theme, conv.Settings().Dirs)
		return t, false, err
	}
	if term := env("TERM"); env("COLORTERM") == "" && !strings.Contains(term, "256") && slices.Contains([]string{"xterm", "vt100", "vt220", "linux", "screen", "ansi", "cygwin", "rxvt"}, term) {
		return theme.Sixteen(), false, nil
	}
	return theme.Dark(), true, nil
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
