package compose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		rows       []string
		row, cell  int
	}{
		{"empty", "|", 10, []string{""}, 0, 0},
		{"words", "the quick brown fox|", 11, []string{"the quick ", "brown fox"}, 1, 9},
		{"a blank at the edge hangs", "the quick |brown", 10, []string{"the quick ", "brown"}, 1, 0},
		{"and may be the last", "the quick |", 10, []string{"the quick ", ""}, 1, 0},
		{"a full row leaves the cursor its cell", "123456789|", 10, []string{"123456789"}, 0, 9},
		{"a word too long", "1234567890123|", 10, []string{"123456789", "0123"}, 1, 4},
		{"between two rows the cursor is in the second", "123456789|0", 10, []string{"123456789", "0"}, 1, 0},
		{"ideographs", "a你好世界，很好|", 10, []string{"a你好世", "界，很好"}, 1, 8},
		{"no row begins with a comma", "你好世界，很|", 9, []string{"你好世", "界，很"}, 1, 6},
		{"tabs", "a\tb\t|c", 20, []string{"a   b   c"}, 0, 8},
		{"a tab at the edge", "12345678\t|x", 10, []string{"12345678 ", "x"}, 1, 0},
		{"lines", "a\n\nb|", 10, []string{"a", "", "b"}, 2, 1},
		{"escape sequences", "\x1b[31m\x1b]0;t\a\x7f|", 40, []string{"␛[31m␛]0;t␇␡"}, 0, 12},
		{"eight-bit controls", "\u009b2J\x9b|", 40, []string{"<U+009B>2J<9B>"}, 0, 14},
		{"what turns text round", "a\u202eb\u2066|", 40, []string{"a<U+202E>b<U+2066>"}, 0, 18},
		{"what has no width", "a\u200bb\ufeff|", 40, []string{"a<U+200B>b<U+FEFF>"}, 0, 18},
		{"hidden letters", "a\U000E0041\U000E0042|", 40, []string{"a<U+E0041><U+E0042>"}, 0, 19},
		{"a flag made of them", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F|", 40, []string{"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"}, 0, 2},
		{"data in selectors", "a\ufe0e\ufe01\U000E0101|", 40, []string{"a\ufe0e<U+FE01><U+E0101>"}, 0, 18},
		{"a family", "👩‍👩‍👧‍👦|x", 10, []string{"👩‍👩‍👧‍👦x"}, 0, 2},
		{"a mark without a letter", "\u0301|x", 10, []string{"◌\u0301x"}, 0, 1},
		{"a skin without a hand", "🏽|", 10, []string{"<U+1F3FD>"}, 0, 9},
		{"Persian", "می\u200cخواهم|", 20, []string{"می\u200cخواهم"}, 0, 7},
		{"Devanagari", "क्षि|", 20, []string{"क्षि"}, 0, 1},
		{"too narrow", "你好|", 1, []string{"你", "好"}, 1, 2},
		{"too narrow for a mark of what is hidden", "\u202ea|", 4, []string{"<U…", "a"}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := typed(c.text)
			rows, row, cell := b.Layout(c.width)
			if diff := cmp.Diff(c.rows, rows); diff != "" {
				t.Error(diff)
			}
			if row != c.row || cell != c.cell {
				t.Errorf("the cursor is at row %d, cell %d; want %d, %d", row, cell, c.row, c.cell)
			}
		})
	}
}

func TestLayoutOfPlaceholders(t *testing.T) {
	var b Buffer
	b.Insert("see ")
	b.Paste(strings.Repeat("你好\n", 500))
	b.Insert(", and")
	rows, row, cell := b.Layout(34)
	if diff := cmp.Diff([]string{"see [Pasted text #1: 500 lines], ", "and"}, rows); diff != "" || row != 1 || cell != 3 {
		t.Errorf("the cursor is at %d, %d; %s", row, cell, diff)
	}
	b.Left()
	rows, _, _ = b.Layout(16) // narrower than the placeholder, which stays one element
	if diff := cmp.Diff([]string{"see ", "[Pasted text #…", ", and"}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestRows(t *testing.T) {
	b := typed("abcdef\nx\n你好 the long| one")
	seen := func(want ...string) {
		t.Helper()
		for _, w := range want {
			up := b.Up(10)
			if got := fmt.Sprint(up, " ", at(b)); got != w {
				t.Errorf("%q, want %q", got, w)
			}
		}
	}
	// Rows: abcdef / x / 你好 the / long one; the goal stays at cell 4.
	seen("true abcdef\nx\n你好| the long one", "true abcdef\nx|\n你好 the long one", "true abcd|ef\nx\n你好 the long one", "false abcd|ef\nx\n你好 the long one")
	for range 3 {
		b.Down(10)
	}
	if got := at(b); got != "abcdef\nx\n你好 the long| one" {
		t.Errorf("down again: %q", got)
	}
	if b.Down(10) {
		t.Error("below the last row")
	}
	b.Left()
	b.Up(10) // a new goal, in the middle of 好
	if got := at(b); got != "abcdef\nx\n你|好 the long one" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		row, cell int
		want      string
	}{
		{0, 2, "ab|cdef\nx\n你好 the long one"},
		{2, 3, "abcdef\nx\n你|好 the long one"},
		{2, 50, "abcdef\nx\n你好 the| long one"}, // not into the next row
		{3, 50, "abcdef\nx\n你好 the long one|"},
		{9, 0, "abcdef\nx\n你好 the long one|"},
		{-1, -1, "|abcdef\nx\n你好 the long one"},
	} {
		b.Place(10, c.row, c.cell)
		if got := at(b); got != c.want {
			t.Errorf("placed at %d, %d: %q", c.row, c.cell, got)
		}
	}
}

// TestCost counts: a placeholder costs the same whatever its size, and a key
// lays out its own line only.
func TestCost(t *testing.T) {
	allocations := func(lines int) float64 {
		var b Buffer
		b.Insert("see ")
		b.Paste(strings.Repeat("0123456789abcde\n", lines))
		width := 40
		return testing.AllocsPerRun(100, func() {
			width = 81 - width // nothing is kept from the last time
			b.Layout(width)
			b.Insert("x")
			b.Backspace()
			b.Left()
			b.Right()
		})
	}
	if small, large := allocations(100), allocations(1<<16); large > small {
		t.Errorf("with a paste of 1 MB: %v allocations, with 1 kB: %v", large, small)
	}

	b := typed(strings.Repeat("a line of text\n", 5000) + "|")
	b.Layout(80)
	l := b.lines[100]
	was := &l.rows[0]
	b.Insert("x")
	b.Insert("\n")
	b.Layout(80)
	if l.width != 80 || &l.rows[0] != was {
		t.Error("a line was laid out again")
	}
}

func BenchmarkPaste(b *testing.B) {
	text := strings.Repeat("\tsome text, 你好, é\r\n", 1<<20/25)
	for b.Loop() {
		var buffer Buffer
		buffer.Paste(text)
		buffer.Layout(80)
		buffer.Text()
	}
}

func BenchmarkSet(b *testing.B) {
	text := strings.Repeat("\tsome text, 你好, é\r\n", 1<<20/25)
	for b.Loop() {
		var buffer Buffer
		buffer.Set(text)
		buffer.Layout(80)
	}
}

func BenchmarkKey(b *testing.B) {
	buffer := typed(strings.Repeat("a line of text\n", 2000) + "|")
	for b.Loop() {
		buffer.Insert("x")
		buffer.Layout(80)
		buffer.Backspace()
	}
}
