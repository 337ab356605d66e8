package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/theme"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestGolden shows a rich document. Each line is followed by the styles in it,
// one character for each cell, if it has any.
func TestGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80, 120} {
		check(t, fmt.Sprintf("rich-%d.txt", width), layers(t, New(theme.Dark()).Lines(string(source), width), theme.Dark()))
	}
	check(t, "rich-plain-80.txt", strings.Join(New(theme.Plain()).Lines(string(source), 80), "\n")+"\n")
}

func check(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

// layers puts the styles of each line under its text: a letter for each cell.
func layers(t *testing.T, lines []string, th theme.Theme) string {
	t.Helper()
	letters := map[theme.Style]rune{
		th.Dim: 'd', th.Heading: 'h', th.Heading.With("4"): 'H', th.Strong: 's', th.Emphasis: 'e', th.Strong.With(th.Emphasis): 'b', th.Code: 'c', th.Link: 'l', th.Quote: 'q', th.Rule: 'r',
		th.Keyword: 'k', th.Literal: 't', th.Comment: '/', th.Function: 'f', th.Type: 'y', th.Ok: '+', th.Removed: '-', th.Dim.With("9"): 'x', th.Dim.With(th.Emphasis): 'i',
	}
	var b strings.Builder
	for _, line := range lines {
		var text, styles strings.Builder
		for _, s := range parts(t, line) {
			letter := ' '
			if s.style != "" {
				var ok bool
				if letter, ok = letters[s.style]; !ok {
					letter = '?'
					t.Logf("%q has no letter", s.style)
				}
			}
			text.WriteString(s.text)
			styles.WriteString(strings.Repeat(string(letter), width(s.text)))
		}
		b.WriteString(text.String() + "\n")
		if under := strings.TrimRight(styles.String(), " "); under != "" {
			b.WriteString(under + "\n")
		}
	}
	return b.String()
}

// parts takes a line apart and fails if it has any escape sequence but styles,
// one that is of no use, or a style at its end.
func parts(t failer, line string) (out []span) {
	t.Helper()
	now := theme.Style("")
	for at := 0; line != ""; at++ {
		text, after, more := strings.Cut(line, "\x1b[")
		if strings.Contains(text, "\x1b") || text == "" && at > 0 && more {
			t.Fatalf("not a styled line: %q", line)
		}
		if text != "" {
			out = append(out, span{text, now})
		}
		if !more {
			if now != "" {
				t.Fatalf("ends in style %q: %q", now, line)
			}
			break
		}
		style, rest, ok := strings.Cut(after, "m")
		if !ok || strings.Trim(style, "0123456789;") != "" {
			t.Fatalf("not a styled line: %q", line)
		}
		before := now
		switch {
		case style == "":
			now = ""
		case strings.HasPrefix(style, "0;"):
			now = theme.Style(style[2:])
		default:
			now = now.With(theme.Style(style))
		}
		if now == before {
			t.Fatalf("%q changes nothing: %q", style, line)
		}
		line = rest
	}
	return out
}
