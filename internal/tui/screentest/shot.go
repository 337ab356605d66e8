package screentest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/minicode-go/minicode/internal/picture"
)

// Shot is the terminal at one moment.
type Shot struct {
	t          testing.TB
	cols, rows int
	lines      []uv.Line // the rows that are looked at
	above      int       // how many of them are above the screen
	before     []uv.Line // the scrollback
	x, y       int       // the cursor's cell
	modes      Modes
	light      bool
}

// Shot is what is on the screen now.
func (s *Screen) Shot() *Shot {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.display.shot()
	h.t = s.t
	return h
}

func (d *display) shot() *Shot {
	at := d.emu.CursorPosition()
	var before []uv.Line
	for _, line := range d.scrollback {
		before = append(before, whole(line, d.emu.Width()))
	}
	return &Shot{
		cols: d.emu.Width(), rows: d.emu.Height(), lines: d.rows(), before: before,
		x: at.X, y: at.Y, modes: d.state(), light: d.background == Light,
	}
}

// whole is a line with the cells at its end that the emulator does not keep in
// its scrollback.
func whole(line uv.Line, cols int) uv.Line {
	line = slices.Clone(line)
	if n := len(line); n > 0 && line[n-1].Width > 1 {
		line = append(line, uv.Cell{})
	}
	for len(line) < cols {
		line = append(line, uv.EmptyCell)
	}
	return line
}

// All is the shot with the scrollback before the screen.
func (h *Shot) All() *Shot {
	all := *h
	all.lines, all.above = slices.Concat(h.before, h.lines), len(h.before)
	return &all
}

// Settled is the shot with what was written last at the bottom of the screen,
// or as far up as there is nothing to go above it. A program whose region at
// the bottom was larger for a moment leaves empty rows below it, or does not:
// the machine's pace decides.
func (h *Shot) Settled() *Shot {
	settled := *h
	if h.modes.AltScreen {
		return &settled
	}
	all := slices.Concat(h.before, h.lines)
	end := len(all)
	for end > h.rows && blank(all[end-1]) {
		end--
	}
	start := max(0, end-h.rows)
	settled.lines, settled.y = slices.Clone(all[start:end]), h.y+len(h.before)-start
	settled.before = all[:start]
	return &settled
}

// From is the rows from the first one that matches up to, and without, the
// last one that matches the other expression.
func (h *Shot) From(first, last string) *Shot {
	part := *h
	begin, end := regexp.MustCompile(first), regexp.MustCompile(last)
	from, to := -1, -1
	for i, line := range h.lines {
		text := rowText(line)
		if from < 0 && begin.MatchString(text) {
			from = i
		}
		if from >= 0 && end.MatchString(text) {
			to = i
		}
	}
	if to < 0 {
		h.t.Helper()
		h.t.Fatalf("there are no rows from %q to %q in\n%s", first, last, h)
	}
	part.lines, part.above, part.x, part.y = h.lines[from:to], 0, -1, -1
	return &part
}

// Replace puts other text, of narrow characters, into the cells of what matches
// in a row. If it takes fewer cells, what stands behind it moves to the left.
func (h *Shot) Replace(pattern, text string) *Shot {
	replaced := *h
	replaced.lines = nil
	re := regexp.MustCompile(pattern)
	for _, line := range h.lines {
		var content strings.Builder
		var cells []int // of each byte of the content
		for x, c := range line {
			content.WriteString(c.Content)
			for range len(c.Content) {
				cells = append(cells, x)
			}
		}
		cells = append(cells, len(line))
		var made uv.Line
		done := 0
		for _, m := range re.FindAllStringIndex(content.String(), -1) {
			from, to := cells[m[0]], cells[m[1]]
			made = append(made, line[done:from]...)
			for _, r := range text {
				c := line[from]
				c.Content, c.Width = string(r), 1
				made = append(made, c)
			}
			done = to
		}
		made = append(made, line[done:]...)
		for len(made) < len(line) {
			made = append(made, uv.EmptyCell)
		}
		replaced.lines = append(replaced.lines, made)
	}
	return &replaced
}

// Text is the rows without the blanks at their ends.
func (h *Shot) Text() string { return strings.Join(texts(h.lines), "\n") }

// String is the shot with its styles, in the form of the golden files: the text
// of the rows, which letter stands for the style of each cell, and what the
// letters mean.
func (h *Shot) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d, cursor ", h.cols, h.rows)
	if h.modes.CursorHidden || h.y < 0 {
		b.WriteString("hidden") // where is nobody's concern
	} else {
		fmt.Fprintf(&b, "%d,%d", h.x, h.y)
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{h.modes.AltScreen, "alternate screen"}, {h.modes.Mouse, "mouse"}} {
		if f.on {
			b.WriteString(", " + f.name)
		}
	}
	b.WriteString("\n")
	last := len(h.lines)
	for last > h.above && blank(h.lines[last-1]) {
		last--
	}
	for i, row := range h.lines[:last] {
		fmt.Fprintf(&b, "%4d|%s\n", i-h.above, rowText(row))
	}
	if last < len(h.lines) {
		b.WriteString("    |\n")
	}
	l := legend{letters: map[string]rune{}}
	var layer strings.Builder
	for i, row := range h.lines {
		l.row(&layer, i-h.above, row)
	}
	if layer.Len() > 0 {
		fmt.Fprintf(&b, "styles\n%s", layer.String())
		for _, style := range l.order {
			fmt.Fprintf(&b, "%c: %s\n", l.letters[style], style)
		}
	}
	return b.String()
}

// Golden compares the shot with testdata/screens/<name>.txt. With -update the
// file is written anew.
func (h *Shot) Golden(name string) {
	h.t.Helper()
	compare(h.t.Errorf, name, h.String(), nil)
}

// SVG is a picture of the shot, in a window with a title.
func (h *Shot) SVG(title string) string {
	p := picture.Screen{Rows: h.lines, CursorX: h.x, CursorY: h.y + h.above, Title: title, Light: h.light}
	if h.modes.CursorHidden {
		p.CursorX = -1
	}
	return p.SVG()
}

// Picture writes the picture to a file in the directory that the flag -pictures
// names, if the package under test declares it and it was given.
func (h *Shot) Picture(name string) {
	h.t.Helper()
	f := flag.Lookup("pictures")
	if f == nil || f.Value.String() == "" {
		return
	}
	dir := f.Value.String()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		h.t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".svg"), []byte(h.SVG(name)), 0o644); err != nil {
		h.t.Error(err)
	}
}
