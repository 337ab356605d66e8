package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// TestScreenDrawsFrames draws random frames on an emulated terminal and looks
// whether it has what was asked for: finished lines once and in order, on the
// screen or in the scrollback, then the live region, and the cursor in its place.
func TestScreenDrawsFrames(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		width, height := 12+rng.IntN(30), 5+rng.IntN(10)
		term := screentest.NewTerminal(t, width, height)
		s := &screen{synced: seed%2 == 0, pushes: seed%5 == 0}
		s.resize(width, height)
		var finished, lines []string
		n := 0
		for step := range 30 {
			f := frame{row: -1}
			for range rng.IntN(4) * rng.IntN(4) {
				n++
				f.above = append(f.above, randomLine(rng, width, n))
			}
			if rng.IntN(3) == 0 && len(lines) > 1 && len(f.above) == 0 { // some of it is finished
				at := 1 + rng.IntN(len(lines)-1)
				f.above, lines = append(f.above, lines[:at]...), lines[at:]
			}
			lines = vary(rng, lines, width, height)
			if rng.IntN(3) == 0 && len(lines) > 1 && len(lines) < height { // it grows above the end
				lines = slices.Insert(lines, rng.IntN(len(lines)), randomLine(rng, width, rng.IntN(1000)))
			}
			f.lines = append([]string(nil), lines...)
			if rng.IntN(4) > 0 {
				f.row, f.col = rng.IntN(len(f.lines)), rng.IntN(width)
			}
			full := rng.IntN(6) == 0
			if full {
				f.above, f.full = nil, true
			}
			finished = append(finished, f.above...)
			term.Write(s.draw(f))
			got, want := append(term.Scrollback(), term.Rows()...), slices.Concat(finished, lines)
			if full {
				got, want = term.Rows(), lines
			}
			if got, want := plainText(got), plainText(want); got != want {
				t.Fatalf("seed %d, step %d, %dx%d, full %v: the terminal has\n%s\nwant\n%s", seed, step, width, height, full, got, want)
			}
			if x, y, visible := term.Cursor(); visible != (f.row >= 0) || visible && (x != f.col || plainText(term.Rows()[y:y+1]) != plainText(lines[f.row:f.row+1])) {
				t.Fatalf("seed %d, step %d: the cursor is at %d,%d, visible %v, not at column %d of %q", seed, step, x, y, visible, f.col, lines[f.row])
			}
			if again := s.draw(frame{lines: f.lines, row: f.row, col: f.col, full: full}); again != "" {
				t.Fatalf("seed %d, step %d: the same frame again sends %q", seed, step, again)
			}
		}
	}
}

// randomLine is a line that is told from all others by its number.
func randomLine(rng *rand.Rand, width, n int) string {
	words := []string{"word", "漢字", "é", "👩‍👩‍👧", "x", "\x1b[31mred\x1b[m", "\x1b[1mbold"}
	line := fmt.Sprint(n)
	for range rng.IntN(6) {
		line += " " + words[rng.IntN(len(words))]
	}
	return ansi.Truncate(line, width, "") + "\x1b[m"
}

// vary changes some of the lines, and how many there are.
func vary(rng *rand.Rand, lines []string, width, height int) []string {
	lines = append([]string(nil), lines...)
	for len(lines) < 1+rng.IntN(height) {
		lines = append(lines, randomLine(rng, width, rng.IntN(1000)))
	}
	lines = lines[:1+rng.IntN(len(lines))]
	for range rng.IntN(3) {
		i := rng.IntN(len(lines))
		switch rng.IntN(3) {
		case 0:
			lines[i] = randomLine(rng, width, rng.IntN(1000))
		case 1: // more of the same, as an answer that comes
			lines[i] = ansi.Truncate(strings.TrimSuffix(lines[i], "\x1b[m")+" more", width, "") + "\x1b[m"
		case 2:
			lines[i] = ""
		}
	}
	return lines
}

// plainText is lines without styles, blanks at their ends, and blank lines at
// the end of all: the live region may have been larger before.
func plainText(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// What a frame sends does not grow with what was printed before.
func TestScreenSendsWhatChanged(t *testing.T) {
	s := &screen{synced: true}
	s.resize(80, 24)
	lines := []string{"one", strings.Repeat("a", 60), "three"}
	s.draw(frame{lines: lines, row: 2, col: 0})
	lines = []string{"one", strings.Repeat("a", 60) + " more", "three"}
	if out := s.draw(frame{lines: lines, row: 2, col: 0}); len(out) > 60 || !strings.Contains(out, " more") || strings.Contains(out, "aaa") {
		t.Errorf("%d bytes: %q", len(out), out)
	}
}

// A line more above the prompt, and an answer that is finished, do not write
// anew what is there.
func TestScreenKeepsWhatMoves(t *testing.T) {
	s := &screen{synced: true}
	s.resize(80, 24)
	open := []string{strings.Repeat("a", 70), strings.Repeat("b", 70)}
	prompt := []string{"", strings.Repeat("─", 80), "> what is typed", "the status line, which is long"}
	s.draw(frame{lines: slices.Concat(open, prompt), row: 4, col: 2})
	open = append(open, strings.Repeat("c", 70))
	if out := s.draw(frame{lines: slices.Concat(open, prompt), row: 5, col: 2}); len(out) > 150 || strings.Contains(out, "─") || !strings.Contains(out, "ccc") {
		t.Errorf("a line more: %d bytes: %q", len(out), out)
	}
	if out := s.draw(frame{above: open, lines: prompt, row: 2, col: 2}); out != "" {
		t.Errorf("finished: %q", out)
	}
}
