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

// safe is text without anything that a terminal would act on. Tabs go to the
// next stop.
func safe(text string) string {
	text = visible.Safe(text)
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		col := 0
		for i, piece := range strings.Split(line, "\t") {
			if i > 0 {
				blanks := len(tab) - col%len(tab)
				b.WriteString(tab[:blanks])
				col += blanks
			}
			b.WriteString(piece)
			col += ansi.StringWidth(piece)
		}
	}
	return b.String()
}

// exact is text in one line in which everything that cannot be seen is
// written out.
func (l *look) exact(text string) string {
	return visible.Mark(text, visible.All, l.mark)
}

func (l *look) mark(mark string) string { return l.Critical.Paint(mark) }

// wrap breaks text into lines of at most so many cells: at blanks, beside wide
// characters, and elsewhere only where there is neither: behind a slash, or
// anywhere. Flags stay whole.
func wrap(text string, width int) (lines []string) {
	width = max(1, width)
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, broken(line, width)...)
	}
	return lines
}

// broken is one line, broken.
func broken(line string, width int) (lines []string) {
	if ansi.StringWidth(line) <= width {
		return []string{line}
	}
	start, w := 0, 0           // of the line that is filled
	end, next, rest := 0, 0, 0 // where it could be broken: what is before, where the next one begins, and its width so far
	soft, after := 0, 0        // behind the last slash, and the width since then
	blank, wide, text := false, false, false
	escaped := false // there was an escape sequence among the blanks: it belongs to what follows
	state := byte(0)
	for i := 0; i < len(line); {
		seq, cells, n, newState := ansi.DecodeSequence(line[i:], state, nil)
		state = newState
		switch {
		case cells == 0:
			escaped = blank
		case seq == " ":
			if text && !blank {
				end = i
			}
			if text && !escaped {
				next, rest = i+n, -cells
			}
			blank = true
		default:
			if (cells > 1 || wide) && text && !blank && !strings.Contains("、。，．！？：；）」』】》", seq) {
				end, next, rest = i, i, 0
			}
			for w+cells > width && w > 0 {
				switch {
				case end > start:
				case soft > start:
					end, next, rest = soft, soft, after
				default:
					end, next, rest = i, i, 0
				}
				lines = append(lines, line[start:end])
				start, w, end = next, rest, next
			}
			blank, wide, text, escaped = false, cells > 1, true, false
		}
		w, rest, after = w+cells, rest+cells, after+cells
		i += n
		if seq == "/" {
			soft, after = i, 0
		}
	}
	return append(lines, line[start:])
}

// paint breaks text into lines in a style, the first one behind first and the
// others behind rest, which are equally wide. What has a style of its own in
// the text keeps it.
func paint(style theme.Style, text, first, rest string, width int) []string {
	lines := wrap(text, width-ansi.StringWidth(first))
	for i, line := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		lines[i] = lead + styled(style, strings.TrimRight(line, " "))
	}
	return lines
}

// styled is text in a style, also behind what has one of its own in it.
func styled(style theme.Style, text string) string {
	const reset = "\x1b[m"
	if style == "" || !strings.Contains(text, reset) {
		return style.Paint(text)
	}
	return style.Paint(strings.ReplaceAll(text, reset, reset+"\x1b["+string(style)+"m"))
}

// leastColumn is how wide the last column of a table must be to be kept as one.
const leastColumn = 24

// table breaks plain text into lines whose last column, behind two blanks or
// more, stays a column. Where there is no room for that, it stands below.
func table(style theme.Style, text string, width int) (lines []string) {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	stacked := map[int]bool{} // columns without room
	for _, line := range all {
		if _, col := lastColumn(line); ansi.StringWidth(line) > width && width-col < leastColumn {
			stacked[col] = true
		}
	}
	for _, line := range all {
		at, col := lastColumn(line)
		switch first := strings.TrimRight(line[:at], " "); {
		case stacked[col] && first != "":
			lines = append(lines, paint(style, first, "", "", width)...)
			lines = append(lines, paint(style, line[at:], tab, tab, width)...)
		case ansi.StringWidth(line) <= width:
			lines = append(lines, style.Paint(strings.TrimRight(line, " ")))
		case stacked[col]:
			lines = append(lines, paint(style, line[at:], "", "", width)...)
		default:
			lines = append(lines, paint(style, line[at:], style.Paint(line[:at]), strings.Repeat(" ", col), width)...)
		}
	}
	return lines
}

// lastColumn is where the last column of a line begins, in bytes and in cells.
func lastColumn(line string) (at, col int) {
	at = len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.LastIndex(strings.TrimRight(line, " "), "  "); gap > at {
		at = gap + 2
	}
	return at, ansi.StringWidth(line[:at])
}

// clip cuts a line that is wider than width.
func clip(line string, width int) string {
	if len(line) <= width {
		return line
	}
	return ansi.Truncate(line, max(1, width), "…")
}

// ruled is a rule with a title in it.
func ruled(k *look, title string, width int) string {
	const lead = "── "
	title = clip(title, max(1, width-len(tab)))
	rest := max(0, width-ansi.StringWidth(lead+title)-1)
	return k.Border.Paint(lead) + k.Strong.Paint(title) + k.Border.Paint(clip(" "+strings.Repeat("─", rest), rest+1))
}

// chosen is the selected entry of a list, over the whole width.
func chosen(k *look, text string, width int) string {
	text = clip(text, max(1, width-2))
	return k.Accent.Paint("▸ ") + k.Selected.Paint(text+strings.Repeat(" ", max(0, width-2-ansi.StringWidth(text))))
}

// foot is the last line of what fills the screen: what can be pressed, and at
// the right where one is. The last key, which closes, is never left out.
func foot(k *look, keys []string, where string, width int) string {
	for {
		text := "  " + strings.Join(keys, " · ")
		w := ansi.StringWidth(text)
		switch {
		case w+2+ansi.StringWidth(where)+1 <= width:
			return k.Dim.Paint(text + strings.Repeat(" ", width-1-w-ansi.StringWidth(where)) + where)
		case w <= width || len(keys) < 2:
			return k.Dim.Paint(clip(text, width))
		}
		keys = append(keys[:len(keys)-2:len(keys)-2], keys[len(keys)-1])
	}
}
