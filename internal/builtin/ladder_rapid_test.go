package builtin

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLadderWritesTheFilesStyle: an edit whose texts differ from the file in
// what the ladder overlooks does to the file what the exact edit would do.
func TestLadderWritesTheFilesStyle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"alpha", "beta(x)", "“said”", "it’s", "a — b", "caf\u00e9", "e\u0301te\u0301", "x  y", "10\u00a0km", "{", "}", "値＝１"})
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		line := rapid.Custom(func(t *rapid.T) string {
			depth := rapid.IntRange(0, 3).Draw(t, "depth")
			words := rapid.SliceOfN(word, 0, 3).Draw(t, "words")
			if len(words) == 0 {
				return ""
			}
			trail := rapid.SampledFrom([]string{"", "", " ", "\t "}).Draw(t, "trail")
			return strings.Repeat("\t", depth) + strings.Join(words, " ") + trail
		})
		lines := rapid.SliceOfN(line, 1, 12).Draw(t, "lines")
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
		changed := append([]string{}, lines[from:to]...)
		at := rapid.IntRange(0, len(changed)-1).Draw(t, "at")
		changed[at] = strings.TrimRight(changed[at], " \t") + "; NEW"
		if strings.Contains("\n"+strings.Join(lines[from:to], "\n"), "\n\t") && rapid.Bool().Draw(t, "more") { // else nothing says how wide a tab is
			changed = append(changed, "\t\tanother(1)")
		}
		width := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "width")
		asModel := func(lines []string) string {
			out := make([]string, len(lines))
			for i, l := range lines {
				body := strings.TrimLeft(l, "\t")
				out[i] = strings.Repeat(" ", width*(len(l)-len(body))) + strings.TrimRight(body, " \t")
			}
			return strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "—", "-", "\u00a0", " ", "e\u0301", "\u00e9", "＝", "=", "１", "1").Replace(strings.Join(out, "\n"))
		}
		search, replace := asModel(lines[from:to]), asModel(changed)
		text := strings.Join(lines, eol) + eol
		start := len(strings.Join(append(lines[:from:from], ""), eol))
		made, err := replaceIn(content{raw: []byte(text)}, []replacement{{Search: search, Replace: replace}})
		if err != nil {
			return // more than one place, or nothing but blanks
		}
		if e := made.edits[0]; e.start < start || e.end > start+len(strings.Join(lines[from:to], eol)) {
			return // a step before finds it somewhere else
		}
		want := append(append(append([]string{}, lines[:from]...), changed...), lines[to:]...)
		got := string(made.data)
		// Blanks that the model cannot see may stay at the changed line's end.
		clean := func(s string) string {
			out := strings.Split(s, eol)
			out[from+at] = strings.TrimRight(out[from+at], " \t")
			if from+at+1 < len(out) { // and at that of the last line, before a new one
				out[to-1] = strings.TrimRight(out[to-1], " \t")
				if to < len(out) {
					out[to] = strings.TrimRight(out[to], " \t")
				}
			}
			return strings.Join(out, eol)
		}
		if g, w := clean(got), clean(strings.Join(want, eol)+eol); g != w {
			t.Fatalf("search  %q\nreplace %q\nbefore %q\ngot    %q\nwant   %q", search, replace, text, g, w)
		}
	})
}
