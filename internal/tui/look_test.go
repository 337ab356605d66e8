package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/theme"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"one  two   ", 6, []string{"one", "two   "}},
		{"  one two", 6, []string{"  one", "two"}},
		{"go test -race ./...", 9, []string{"go test", "-race", "./..."}},
		{"a/long/path/name x", 8, []string{"a/long/", "path/", "name x"}},
		{"in a/long/path/name", 8, []string{"in", "a/long/", "path/", "name"}},
		{"a/averylongname", 8, []string{"a/", "averylon", "gname"}},
		{"为什么测试失败", 6, []string{"为什么", "测试失", "败"}},
		{"为什么,测试", 6, []string{"为什么", ",测试"}},
		{"为什么。测试", 6, []string{"为什", "么。测", "试"}},
		{"see 为什么", 8, []string{"see 为什", "么"}},
		{"one\ntwo", 80, []string{"one", "two"}},
		{"\x1b[31mone\x1b[m two", 4, []string{"\x1b[31mone\x1b[m", "two"}},
		{"👨‍👩‍👧👨‍👩‍👧", 3, []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.text, c.width)); diff != "" {
			t.Errorf("%q in %d (-want +got):\n%s", c.text, c.width, diff)
		}
	}
}

// Nothing but blanks is lost, and no line is too wide, but for a character
// that is.
func TestWrapKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{" ", " ", "a", "word", "-race", "a/path", "漢字", "。", "e\u0301", "👨‍👩‍👧", "\x1b[1m", "\x1b[m"})).Draw(t, "words")
		text, width := strings.Join(words, ""), rapid.IntRange(2, 12).Draw(t, "width")
		lines := wrap(text, width)
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(strings.TrimRight(ansi.Strip(line), " ")); w > width {
				t.Errorf("%q is %d wide, over %d", line, w, width)
			}
		}
	})
}

func TestSafeTabs(t *testing.T) {
	if got, want := safe("9\tx\n10\tx\n漢\t\tx\na\x1b[2J"), "9   x\n10  x\n漢      x\na[2J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A style goes on behind text that has its own.
func TestPaintGoesOn(t *testing.T) {
	got := paint(theme.Style("2"), "a \x1b[1mb\x1b[m c", "> ", "  ", 80)
	if want := []string{"> \x1b[2ma \x1b[1mb\x1b[m\x1b[2m c\x1b[m"}; !cmp.Equal(want, got) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTable(t *testing.T) {
	text := "name   what it is for, in some words that take room\n  deep a line without columns that is long enough\n\n"
	for width, want := range map[int][]string{
		60: {"name   what it is for, in some words that take room", "  deep a line without columns that is long enough"},
		40: {"name   what it is for, in some words", "       that take room", "  deep a line without columns that is", "  long enough"},
		20: {"name", "    what it is for,", "    in some words", "    that take room", "deep a line without", "columns that is long", "enough"},
	} {
		if diff := cmp.Diff(want, table("", text, width)); diff != "" {
			t.Errorf("%d (-want +got):\n%s", width, diff)
		}
	}
}

// The key that closes stays, wherever there is room for one.
func TestFoot(t *testing.T) {
	k := newLook(theme.Plain())
	keys := []string{"Enter opens", "x ends it", "Esc closes"}
	for width, want := range map[int]string{
		60: "  Enter opens · x ends it · Esc closes              1 of 20",
		40: "  Enter opens · x ends it · Esc closes",
		36: "  Enter opens · Esc closes  1 of 20",
		30: "  Enter opens · Esc closes",
		20: "  Esc closes",
		9:  "  Esc cl…",
	} {
		if got := foot(k, keys, "1 of 20", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestMarked(t *testing.T) {
	for _, c := range []struct{ line, query, want string }{
		{"Read split.go", "SPLIT", "Read <split>.go"},
		{"split split", "split", "<split> <split>"},
		{"漢字 split 漢", "split", "漢字 <split> 漢"},
		{"\x1b[31mRead sp\x1b[1mlit.go\x1b[m", "split", "Read <split>.go"},
		{"Read", "", "Read"},
	} {
		got := marked(c.line, c.query, "7")
		plain := ansi.Strip(strings.ReplaceAll(strings.ReplaceAll(got, theme.Style("7").Paint("split"), "<split>"), theme.Style("7").Paint("Split"), "<Split>"))
		if plain != c.want {
			t.Errorf("%q in %q: %q", c.query, c.line, got)
		}
	}
	if got := marked("\x1b[31mone split two\x1b[m", "split", "7"); !strings.Contains(got, "\x1b[31m two") {
		t.Errorf("the colour does not go on: %q", got)
	}
}
