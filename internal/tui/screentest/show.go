package screentest

import (
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Text is what is on the screen: its rows without the blanks at their ends,
// and without the empty rows at its end.
func (s *Screen) Text() string {
	return strings.TrimRight(strings.Join(s.Rows(), "\n"), "\n")
}

// Rows is the text of each row of the screen, without the blanks at its end.
func (s *Screen) Rows() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return texts(s.display.rows())
}

// Scrollback is the text of the lines that have left the top of the main
// screen, the oldest first.
func (s *Screen) Scrollback() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return texts(s.display.scrollback)
}

// Styled is the screen with its styles, in the form of the golden files.
func (s *Screen) Styled() string {
	return s.Shot().String()
}

// StyledAll is like Styled, with the scrollback before the screen.
func (s *Screen) StyledAll() string {
	return s.Shot().All().String()
}

// StyleAt is the style of one cell in words, as in the golden files; empty for
// plain text.
func (s *Screen) StyleAt(x, y int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.display.emu.CellAt(x, y)
	if c == nil {
		return ""
	}
	return describe(c)
}

// Find is the cell at which a text begins on the screen, the lowest one if
// there are several. The text must be in one row.
func (s *Screen) Find(text string) (x, y int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.display.rows()
	for y := len(rows) - 1; y >= 0; y-- {
		row := rowText(rows[y])
		if at := strings.Index(row, text); at >= 0 {
			for x, c := range rows[y] {
				if at < len(c.Content) && c.Width > 0 {
					return x, y, true
				}
				at -= len(c.Content)
			}
		}
	}
	return 0, 0, false
}

// Golden compares the screen with testdata/screens/<name>.txt, in the form of
// Styled. What differs from run to run can be replaced first. With -update the
// file is written anew, with -pictures a picture is drawn (see Shot.Picture).
func (s *Screen) Golden(name string, replace ...func(string) string) {
	s.t.Helper()
	shot := s.Shot()
	shot.Picture(name)
	compare(s.t.Errorf, name, shot.String(), replace)
}

// GoldenAll is Golden with the scrollback before the screen.
func (s *Screen) GoldenAll(name string, replace ...func(string) string) {
	s.t.Helper()
	compare(s.t.Errorf, name, s.StyledAll(), replace)
}

func compare(fail func(string, ...any), name, got string, replace []func(string) string) {
	for _, r := range replace {
		got = r(got)
	}
	path := filepath.Join("testdata", "screens", name+".txt")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fail("%v", err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			fail("%v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		fail("%v (go test -update writes it); the screen:\n%s", err, got)
		return
	}
	if d := difference(string(want), got); d != "" {
		fail("the screen is not as in %s (- file, + screen):\n%s", path, d)
	}
}

// difference compares by lines. Screens have the same rows at the same place.
func difference(want, got string) string {
	want = strings.ReplaceAll(want, "\r\n", "\n") // as git has it on some systems
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(g):
			fmt.Fprintf(&b, "-%s\n", w[i])
		case i >= len(w):
			fmt.Fprintf(&b, "+%s\n", g[i])
		case w[i] != g[i]:
			fmt.Fprintf(&b, "-%s\n+%s\n", w[i], g[i])
		}
	}
	return b.String()
}

// report is for a test that failed.
func (s *Screen) report() string {
	text := s.StyledAll()
	const most = 200
	if lines := strings.Split(text, "\n"); len(lines) > most {
		text = fmt.Sprintf("(%d lines left out)\n%s", len(lines)-most, strings.Join(lines[len(lines)-most:], "\n"))
	}
	return text
}

func (d *display) rows() []uv.Line {
	rows := make([]uv.Line, d.emu.Height())
	for y := range rows {
		rows[y] = make(uv.Line, d.emu.Width())
		for x := range rows[y] {
			if c := d.emu.CellAt(x, y); c != nil {
				rows[y][x] = *c
			}
		}
	}
	return rows
}

func texts(rows []uv.Line) []string {
	out := make([]string, len(rows))
	for y, row := range rows {
		out[y] = rowText(row)
	}
	return out
}

func rowText(row uv.Line) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteString(c.Content)
	}
	return strings.TrimRight(b.String(), " ")
}

func blank(row uv.Line) bool { return rowText(row) == "" }

// legend gives each style a letter, in the order in which they come.
type legend struct {
	letters map[string]rune
	order   []string
}

func (l *legend) row(b *strings.Builder, y int, row uv.Line) {
	var line strings.Builder
	letter := ' '
	for _, c := range row {
		if c.Width > 0 || c.Content != "" { // else the second half of a wide one
			letter = l.letter(describe(&c))
		}
		line.WriteRune(letter)
	}
	if text := strings.TrimRight(line.String(), " "); text != "" {
		fmt.Fprintf(b, "%4d|%s\n", y, text)
	}
}

func (l *legend) letter(style string) rune {
	if style == "" {
		return ' '
	}
	if r, ok := l.letters[style]; ok {
		return r
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := rune(0x4e00 + len(l.order)) // far more than anybody can tell apart
	if len(l.order) < len(letters) {
		r = rune(letters[len(l.order)])
	}
	l.letters[style] = r
	l.order = append(l.order, style)
	return r
}

// describe is a cell's style in words. A blank shows no colour of the text.
func describe(c *uv.Cell) string {
	var words []string
	s := c.Style
	isBlank := strings.TrimSpace(c.Content) == ""
	for i, name := range []string{"bold", "dim", "italic", "blink", "rapid blink", "reverse", "hidden", "struck"} {
		bit := uint8(1) << i
		if s.Attrs&bit == 0 || isBlank && bit != uv.AttrReverse && bit != uv.AttrStrikethrough {
			continue
		}
		words = append(words, name)
	}
	if s.Underline != ansi.UnderlineNone {
		words = append(words, [...]string{"", "underlined", "doubly underlined", "curly underlined", "dotted underlined", "dashed underlined"}[min(int(s.Underline), 5)])
	}
	if s.Fg != nil && (!isBlank || s.Attrs&uv.AttrReverse != 0 || s.Underline != ansi.UnderlineNone) {
		words = append(words, colour(s.Fg))
	}
	if s.Bg != nil {
		words = append(words, "on "+colour(s.Bg))
	}
	if c.Link.URL != "" {
		words = append(words, "link "+c.Link.URL)
	}
	return strings.Join(words, " ")
}

func colour(c color.Color) string {
	switch c := c.(type) {
	case ansi.BasicColor:
		name := [...]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}[c%8]
		if c >= 8 {
			return "bright " + name
		}
		return name
	case ansi.IndexedColor:
		return fmt.Sprint(uint8(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
