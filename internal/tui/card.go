package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/diffview"
	"github.com/minicode-go/minicode/internal/summary"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/llm"
)

// state is where a call stands.
type state int

const (
	running state = iota
	waiting       // for the person
	done
	failed
	denied
	interrupted
)

// card is one tool call.
type card struct {
	call, tool, title string
	effects           []event.Effect
	preview           event.Preview
	state             state
	reason            string // why it was denied
	result            llm.ToolResult

	joined         int     // how many later edits of the file it stands for, too
	added, removed int     // by all of them
	parts          []*card // these, where they are kept

	printed   bool      // its output is shown below it: a person wanted it
	output    string    // the newest of it, while it runs
	tailLines int       // of it that are shown; 0 for the usual
	begun     time.Time // when it was shown first
	inside    *inner    // of a sub-agent, while it runs
}

// finish takes the result.
func (c *card) finish(r llm.ToolResult) {
	c.result, c.output, c.inside = r, "", nil
	switch {
	case c.state == denied:
	case r.Error && summary.Interrupted(r):
		c.state = interrupted
	case r.Error:
		c.state = failed
	default:
		c.state = done
	}
	for _, w := range r.Meta.Wrote {
		c.added, c.removed = c.added+w.Added, c.removed+w.Removed
	}
}

// edited is the file that was changed, if that is all that was done.
func (c *card) edited() string {
	if c.state == done && c.preview.Kind == event.PreviewDiff && len(c.result.Meta.Wrote) == 1 {
		return c.result.Meta.Wrote[0].Path
	}
	return ""
}

// joins says whether the other edit is of the same file.
func (c *card) joins(other *card) bool {
	return c.edited() != "" && c.edited() == other.edited() && c.tool == other.tool
}

func (c *card) join(other *card) {
	c.joined++
	c.added, c.removed = c.added+other.added, c.removed+other.removed
}

const (
	diffLines    = 8 // of an edit that are shown below it
	reasonLines  = 3 // of why a call was not done
	indent       = "  "
	inBackground = " in the background" // at the end of titles
)

// finished is the lines of a card that does not change any more.
func (c *card) finished(l *look, width int) []string {
	mark, style, text := "●", l.Ok, summary.Of(c.result)
	switch c.state {
	case denied:
		mark, style, text = "⊘", l.Warn, c.reason
		if !strings.HasPrefix(text, "denied ") {
			text = "denied: " + text
		}
	case interrupted:
		text, _, _ = strings.Cut(summary.FirstLine(c.result.Parts.Text()), ". ") // the rest is for the model
		mark, style, text = "◌", l.Warn, "interrupted "+strings.TrimPrefix(text, "Interrupted ")
	case failed:
		mark, style = "✗", l.Error
	}
	switch {
	case c.state != done:
	case c.tool == "todo_write":
		text = "" // the list is below
	case strings.HasSuffix(c.title, inBackground):
		text = strings.TrimPrefix(text, strings.TrimSpace(inBackground)+" ") // the title says it
	}
	if c.joined > 0 {
		text = fmt.Sprintf("%d edits, +%d −%d", c.joined+1, c.added, c.removed)
	}
	lines := c.head(l, style.Paint(mark), text, style, width)
	return append(lines, c.details(l, width)...)
}

// head is the title, and behind or below it what came of it.
func (c *card) head(l *look, mark, text string, style theme.Style, width int) []string {
	title := clip(l.exact(summary.OneLine(c.title, 1000)), width-2)
	text = summary.OneLine(safe(text), 400)
	if c.state == done {
		style = l.Dim
	}
	if text == "" {
		return []string{mark + " " + title}
	}
	if w := 2 + ansi.StringWidth(title) + 2 + ansi.StringWidth(text); w <= width && c.state != failed {
		return []string{mark + " " + title + "  " + style.Paint(text)}
	}
	lines, most := paint(style, text, indent, indent, width), 1
	if c.state != done && c.state != running && c.state != waiting {
		most = reasonLines
	}
	if len(lines) > most {
		last := wrap(text, width-len(indent))[most-1]
		lines = append(lines[:most-1], indent+style.Paint(ansi.Truncate(last, width-len(indent)-1, "")+"…"))
	}
	return append([]string{mark + " " + title}, lines...)
}

// details is what is shown besides.
func (c *card) details(l *look, width int) []string {
	var text []string
	switch {
	case c.printed:
		return c.shortened(l, width)
	case c.state == failed:
		text = summary.Failure(c.result)
		if len(text) > 0 && strings.TrimSpace(text[0]) == summary.Of(c.result) {
			text = text[1:] // it is above
		}
	case c.state == done && c.tool == "todo_write":
		return c.todos(l, width)
	case c.edited() != "" && c.joined == 0:
		return c.diff(l, width, diffLines)
	}
	var lines []string
	for _, line := range text {
		lines = append(lines, indent+l.Dim.Paint(clip(safe(line), width-len(indent))))
	}
	return lines
}

// todos is the list that was written.
func (c *card) todos(l *look, width int) (lines []string) {
	for line := range strings.Lines(strings.TrimRight(c.preview.Text, "\n")) {
		sign, text, _ := strings.Cut(strings.TrimSpace(line), "] ")
		item := todo{text: text}
		switch sign {
		case "[x":
			item.status = "completed"
		case "[>":
			item.status = "in_progress"
		}
		lines = append(lines, indent+l.todo(item, width-len(indent)))
	}
	return lines
}

// diff is the first lines of the change.
func (c *card) diff(l *look, width, most int) []string {
	lines := diffview.Render(c.preview.Text, width-len(indent), l.Theme, diffview.Options{LineNumbers: true, MaxLines: most})
	for i, line := range lines {
		lines[i] = indent + line
	}
	return lines
}

const (
	usualTail = 3 // lines
	tailBytes = 8192
)

// add is some more output.
func (c *card) add(text string) {
	c.output += text
	if over := len(c.output) - tailBytes; over > 0 {
		c.output = c.output[over:]
	}
}

// tail is the last lines of the output.
func (c *card) tail() (lines []string) {
	most := cmp.Or(c.tailLines, usualTail)
	all := strings.Split(strings.TrimRight(c.output, "\r\n \t"), "\n")
	for _, line := range all[max(0, len(all)-2*most):] {
		line = strings.TrimRight(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		if strings.TrimSpace(line) != "" {
			lines = append(lines, safe(ansi.Strip(line)))
		}
	}
	return lines[max(0, len(lines)-most):]
}

// live is the lines of a card that is not finished.
func (c *card) live(l *look, spin string, now time.Time, width int) []string {
	mark, text := l.Accent.Paint(spin), ""
	if c.state == waiting {
		mark, text = l.Warn.Paint("◆"), "waits for you"
	} else if took := now.Sub(c.begun); took >= 2*time.Second {
		text = took.Round(time.Second).String()
	}
	lines := append(c.head(l, mark, c.inside.count(text), l.Dim, width), c.inside.lines(l, spin, width)...)
	for _, line := range c.tail() {
		lines = append(lines, indent+l.Dim.Paint(clip(line, width-len(indent))))
	}
	return lines
}
