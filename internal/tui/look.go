package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/markdown"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/internal/visible"
)

// look is what all that is drawn looks like.
type look struct {
	theme.Theme
	md *markdown.Renderer
}

func newLook(t theme.Theme) *look { return &look{Theme: t, md: markdown.New(t)} }

// tab is what a tab is shown as, where columns do not matter.
const tab = "    "

// safe is text without anything that a terminal would act on.
func safe(text string) string {
	return strings.ReplaceAll(visible.Safe(text), "\t", tab)
}

// exact is text in one line in which everything that cannot be seen is
// written out.
func (l *look) exact(text string) string {
	return visible.Mark(text, visible.All, l.mark)
}

func (l *look) mark(mark string) string { return l.Critical.Paint(mark) }

// wrap breaks text into lines of at most so many cells.
func wrap(text string, width int) []string {
	return strings.Split(ansi.Wrap(text, max(1, width), ""), "\n")
}

// paint breaks plain text into lines in a style, the first one behind first
// and the others behind rest, which are equally wide.
func paint(style theme.Style, text, first, rest string, width int) []string {
	lines := wrap(text, width-ansi.StringWidth(first))
	for i, line := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		lines[i] = lead + style.Paint(strings.TrimRight(line, " "))
	}
	return lines
}

// clip cuts a line that is wider than width.
func clip(line string, width int) string {
	if len(line) <= width {
		return line
	}
	return ansi.Truncate(line, max(1, width), "…")
}
