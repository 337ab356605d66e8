package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// TestScreenDrawsFrames draws random frames on an emulated terminal and looks
// whether it shows what was asked for: finished lines once and in order, then
// the live region, and the cursor in its place.
func TestScreenDrawsFrames(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		width, height := 12+rng.IntN(30), 5+rng.IntN(10)
		emu := vt.NewEmulator(width, height)
		s := &screen{synced: seed%2 == 0}
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
			if _, err := emu.Write([]byte(s.draw(f))); err != nil {
				t.Fatal(err)
			}
			want := append(append([]string(nil), finished...), lines...)
			if full {
				want = lines
			}
			if got := shown(emu, height); !ends(want, got, height) {
				t.Fatalf("seed %d, step %d, %dx%d, full %v: the terminal shows\n%s\nwant the end of\n%s", seed, step, width, height, full,
					strings.Join(got, "\n"), strings.Join(want, "\n"))
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

// shown is the rows of the screen, without blanks at their ends.
func shown(emu *vt.Emulator, height int) []string {
	rows := strings.Split(ansi.Strip(emu.Render()), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " \r")
	}
	return rows[:min(height, len(rows))]
}

// ends says whether the rows are the end of the lines. There may be empty rows
// behind them, where the live region was larger before.
func ends(lines, rows []string, height int) bool {
	var plain []string
	for _, line := range lines {
		plain = append(plain, strings.TrimRight(ansi.Strip(line), " "))
	}
	got := append(append([]string(nil), rows...), make([]string, height-len(rows))...)
	for range height {
		want := plain[max(0, len(plain)-height):]
		want = append(append([]string(nil), want...), make([]string, height-len(want))...)
		if slices.Equal(want, got) {
			return true
		}
		plain = append(plain, "")
	}
	return false
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
