package tui

import (
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// terminal is the real one, in raw mode. Whatever is switched on in it is
// switched off again by restore.
type terminal struct {
	in, out *os.File
	before  *term.State // nil while the terminal is as it was found
}

// begin is what switches on what is needed: pastes in brackets, keys that can
// be told apart, and no line that breaks by itself. The questions are answered by
// terminals that know them.
const (
	begin   = keepTitle + ansi.ResetModeAutoWrap + ansi.SetModeFocusEvent + ansi.SetModeBracketedPaste + "\x1b[>1u" + ansi.SetModifyOtherKeys2
	inquire = ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore + ansi.RequestKittyKeyboard
	restore = giveBackOld + ansi.ResetModeFocusEvent + ansi.ResetModifyOtherKeys + "\x1b[<1u" + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore + ansi.SetModeAutoWrap + "\x1b[m" + ansi.SetModeTextCursorEnable
)

// raw takes the terminal: it no longer echoes, edits lines or makes signals of
// keys.
func (t *terminal) raw() error {
	if t.before != nil {
		return nil
	}
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err == nil {
		t.before = before
	}
	return err
}

// cooked gives the terminal back as it was found.
func (t *terminal) cooked() {
	if t.before != nil {
		_ = term.Restore(int(t.in.Fd()), t.before) // there is nobody left to tell
		t.before = nil
	}
}

// size is the terminal's, in cells. One that does not say is taken for the
// smallest there is.
func (t *terminal) size() (width, height int) {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// pushes says whether the terminal is known to move a row into the scrollback
// for each line that it breaks, however empty the screen is.
func pushes(environ []string) bool {
	return slices.ContainsFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, "TMUX=") })
}

// reflows says whether the terminal is known to break lines anew when it gets
// narrower.
func reflows(environ []string) bool {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "WT_SESSION", "ALACRITTY_WINDOW_ID", "ALACRITTY_SOCKET", "GHOSTTY_RESOURCES_DIR", "KONSOLE_VERSION":
			return true
		case "TERM_PROGRAM":
			return value == "iTerm.app" || value == "vscode" || value == "Apple_Terminal" || value == "WezTerm" || value == "ghostty" || value == "rio"
		}
	}
	return false
}
