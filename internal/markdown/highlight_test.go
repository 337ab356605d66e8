package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/internal/theme"
)

// first is the style of the first character of each line of code.
func first(t *testing.T, th theme.Theme, language, code string) string {
	t.Helper()
	letters := map[theme.Style]string{"": ".", th.Comment: "/", th.Literal: "t", th.Keyword: "k", th.Function: "f", th.Type: "y", th.Number: "n", th.Added: "+", th.Removed: "-", th.Dim: "d", th.Strong: "s"}
	var out strings.Builder
	for _, line := range New(th).Lines("```"+language+"\n"+code+"\n```", 80) {
		style := theme.Style("")
		for _, s := range parts(t, line) {
			if strings.TrimSpace(s.text) != "" {
				style = s.style
				break
			}
		}
		letter, ok := letters[style]
		if !ok {
			t.Errorf("%s: %q has an unknown style", language, line)
		}
		out.WriteString(letter)
	}
	return out.String()
}

// TestConstructsGoOnOverLines: each line is highlighted by itself, but what was
// begun before it is not forgotten.
func TestConstructsGoOnOverLines(t *testing.T) {
	for _, c := range []struct{ language, code, want string }{
		{"go", "func f() {\n/* a\nfunc b\n*/ func c() {\nreturn", "k///k"},
		{"go", "return a /* b */\n`a\nfunc b` + c\nfunc", "kttk"},
		{"go", "'`'\nfunc\n// /*\nfunc\n\"/*\"\nfunc", "tk/ktk"},
		{"c", "/* a\nint b\n*/\nint", "///y"},
		{"java", "/** a\n * b\n */\nreturn", "///k"},
		{"js", "`a\nreturn ${b}\nc`\nreturn", "tttk"},
		{"python", "def f():\n    \"\"\"a\n    return\n    \"\"\"\n    return", "ktttk"},
		{"rust", "/* a /* b */\nreturn\n*/ return", "///"},
		{"bash", "cat <<EOF\nif $a\n EOF\nif true", ".ttk"},
		{"bash", "echo 'a\nif b'\nif c; then echo don\\'t\nfi", "ftkk"},
		{"bash", "echo $((1 << 2))\nif", "fk"},
		{"php", "<?php\n$a = <<<'SQL'\nreturn\nSQL;\nreturn", "..ttk"},
		{"lua", "--[[ a\nreturn\n]]\nreturn", "///k"},
		{"yaml", "a: |\n  b: c\n  d\ne: >-\n  f\ng: h", "fttftf"},
		{"yaml", "- run: |\n    b: c\n- run: d", ".t."},
		{"html", "<script>\nreturn 1;\n</script>\n<b>", ".k.."},
		{"sql", "/* a\nSELECT\n*/\nSELECT", "///k"},
		{"toml", "a = \"\"\"\nb = 1\n\"\"\"\nc = 1", ".tt."},
		{"powershell", "<# a\nreturn\n#>\nreturn", "///k"},
		{"diff", "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n-b\n+c\n--- d\n-- a/x\n+++ /dev/null", "ddssd.-+--s"},
		{"nothing", "if /* a\nb", ".."},
		{"", "if", "."},
	} {
		if got := first(t, theme.Dark(), c.language, c.code); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.language, c.code, got, c.want)
		}
	}
}

// TestHighlightingIsBounded: very long lines and very long code are shown, but
// plain.
func TestHighlightingIsBounded(t *testing.T) {
	th := theme.Dark()
	long := "\"" + strings.Repeat("a", longestLine) + "\"\n\"b\"\n"
	if diff := cmp.Diff("."+strings.Repeat(".", longestLine/78)+"t", first(t, th, "go", long)); diff != "" {
		t.Error(diff)
	}
	many := strings.Repeat("return 1 // and no more\n", highlighted/23+100)
	styles := first(t, th, "go", many)
	if n := strings.IndexByte(styles, '.'); n != highlighted/23 || strings.Trim(styles[n:], ".") != "" {
		t.Errorf("highlighted %d of %d lines, then %q", n, len(styles), styles[max(0, n):])
	}
}
