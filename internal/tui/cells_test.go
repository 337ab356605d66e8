//go:build linux || darwin

package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// scripts is text in which characters take more than a byte, a cell or a code
// point, or none.
func scripts() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"a", "b c", " ", "\n", "\t", "漢", "字", "，", "한", "ひ", "カ", "ｶ", "é", "e\u0301", "\u0301", "o\u0302\u0323", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "🇩", "❤\ufe0f", "1\ufe0f\u20e3", "😀",
		"مرحبا", "شَ", "שלום", "שָׁ", "क्षि", "ก็", "می\u200cخواهم", "…", "│", "𝒳", "\u00a0",
	})
}

// before is what a line has in its first cells.
func before(line string, cells int) string {
	text := ""
	for line != "" {
		cluster, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		if cells -= width; cells < 0 {
			break
		}
		text += cluster
		line = line[len(cluster):]
	}
	return text
}

// The cell of the cursor is where the next character goes, in all scripts and
// at all widths, and what is on the screen is what the prompt has, however it
// came there.
func TestPromptCells(t *testing.T) {
	conv, now := conversation(t, 0)
	rapid.Check(t, func(r *rapid.T) {
		cols, rows := rapid.IntRange(10, 60).Draw(r, "columns"), rapid.IntRange(10, 30).Draw(r, "rows")
		s := newStill(t, cols, rows, conv, now)
		term := screentest.NewTerminal(t, cols, rows)
		buf, width := &s.m.composer.buf, s.m.composer.width(cols)
		keys := map[string]func(){
			"left": func() { buf.Left() }, "right": func() { buf.Right() }, "word left": func() { buf.WordLeft() }, "home": func() { buf.Home() }, "end": func() { buf.End() },
			"backspace": func() { buf.Backspace() }, "delete": func() { buf.Delete() }, "delete word": func() { buf.DeleteWordLeft() }, "undo": func() { buf.Undo() },
			"up": func() { buf.Up(width) }, "down": func() { buf.Down(width) }, "clear": func() { buf.Clear() },
		}
		s.m.screen.inline = region{}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			if rapid.Bool().Draw(r, "types") {
				buf.Insert(scripts().Draw(r, "typed"))
			} else {
				keys[rapid.SampledFrom([]string{"left", "right", "word left", "home", "end", "backspace", "delete", "delete word", "undo", "up", "down", "clear"}).Draw(r, "key")]()
			}
			f := s.m.frame()
			lines, row, col := f.lines, f.row, f.col
			term.Write(s.m.screen.draw(f))
			x, y, visible := term.Cursor()
			if x != col || !visible {
				r.Fatalf("the cursor is at column %d, visible %v, not %d", x, visible, col)
			}
			shown := term.Rows()
			for i, line := range lines {
				if got, want := shown[y-row+i], strings.TrimRight(ansi.Strip(line), " "); got != want {
					r.Fatalf("row %d is %q, not %q", i, got, want)
				}
			}
			text, begins := term.Before(x, y)
			if want := before(ansi.Strip(lines[row]), col); strings.TrimRight(text, " ") != strings.TrimRight(want, " ") || !begins && x < cols {
				r.Fatalf("%q is before the cursor, not %q; a character begins there: %v", text, want, begins)
			}
		}
		buf.Clear()
	})
}
