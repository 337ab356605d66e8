package diffview

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/theme"
)

var update = flag.Bool("update", false, "write the golden files anew")

// readable shows styles as ⟨1⟩ and their end as ⟨⟩.
func readable(lines []string) string {
	text := strings.Join(lines, "\n") + "\n"
	return regexp.MustCompile("\x1b\\[([0-9;]*)m").ReplaceAllString(text, "⟨$1⟩")
}

func TestRender(t *testing.T) {
	files, err := filepath.Glob("testdata/*.diff")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d diffs: %v", len(files), err)
	}
	named := theme.Dark()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(file, ".diff")
		var b strings.Builder
		for _, c := range []struct {
			title string
			width int
			theme theme.Theme
			o     Options
		}{
			{"80, dark, with numbers", 80, named, Options{LineNumbers: true}},
			{"40, plain, with numbers", 40, theme.Plain(), Options{LineNumbers: true}},
			{"40, plain, without numbers, cut, at most 6 lines", 40, theme.Plain(), Options{Cut: true, MaxLines: 6}},
		} {
			lines := Render(string(data), c.width, c.theme, c.o)
			fmt.Fprintf(&b, "== %s\n%s", c.title, readable(lines))
			sound(t, lines, c.width, c.o)
		}
		if *update {
			if err := os.WriteFile(name+".golden", []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// sound fails if lines could harm a terminal or are too many or too wide.
func sound(t testing.TB, lines []string, width int, o Options) {
	t.Helper()
	if o.MaxLines > 0 && len(lines) > o.MaxLines {
		t.Errorf("%d lines, over %d", len(lines), o.MaxLines)
	}
	styles := regexp.MustCompile("\x1b\\[[0-9;]*m")
	hidden := regexp.MustCompile("[\x00-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069\u200b]")
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > max(width, narrowest) {
			t.Errorf("%q is %d cells wide, over %d", line, w, width)
		}
		if open := strings.LastIndex(line, "\x1b["); open >= 0 && !strings.HasPrefix(line[open:], "\x1b[m") {
			t.Errorf("%q ends with a style", line)
		}
		if text := styles.ReplaceAllString(line, ""); hidden.MatchString(text) {
			t.Errorf("%q has something hidden", text)
		}
	}
}

func TestHidden(t *testing.T) {
	diff := "@@ -1,2 +1,2 @@\n-a\tb\r\n-x\n+\x1b[31m\u202eevil\u200b\xff\a\n+x\u0301\u00a0y 👩\u200d💻\n"
	got := strings.Join(Render(diff, 80, theme.Plain(), Options{}), "\n")
	want := "@@ -1,2 +1,2 @@\n- a   b␍\n- x\n+ <U+001B>[31m<U+202E>evil<U+200B><FF><U+0007>\n+ x\u0301<U+00A0>y 👩<U+200D>💻"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"return 5", "return 6", "return [5]|return [6]"},
		{"foo(a, b)", "foo(a, c, d)", "foo(a, [b])|foo(a, [c, d])"},
		{"please use the old thing", "please use the new one", "please use the [old thing]|please use the [new one]"},
		{"if a {", "\tif a {", "if a {|[\t]if a {"},
		{"completely different", "nothing like it", "completely different|nothing like it"},
		{"价格是五元", "价格是六元", "价格是[五]元|价格是[六]元"},
		{"cafe here", "cafe\u0301 here", "[cafe] here|[cafe\u0301] here"},
		{"👍 good", "👍🏽 good", "[👍] good|[👍🏽] good"},
		{"same", "same", "same|same"},
		{"a == b", "a != b", "a [=]= b|a [!]= b"},
	} {
		lines := []Line{{Kind: Removed, Text: c.old}, {Kind: Added, Text: c.new}}
		m := marker{budget: mostCompare}
		marks := m.mark(lines)
		var out []string
		for i, l := range lines {
			text := l.Text
			for _, p := range slices.Backward(marks[i]) {
				text = text[:p.start] + "[" + text[p.start:p.end] + "]" + text[p.end:]
			}
			out = append(out, text)
		}
		if got := strings.Join(out, "|"); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.old, c.new, got, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	var lines []Line
	for _, s := range []string{"-func a() int {", "-\treturn first + second", "+// a is new", "+func a() int64 {", "+\tlog()", "+\treturn first - second"} {
		kind := Added
		if s[0] == '-' {
			kind = Removed
		}
		lines = append(lines, Line{Kind: kind, Text: s[1:]})
	}
	m := marker{budget: mostCompare}
	want := map[int][]part{0: {{9, 12}}, 3: {{9, 14}}, 1: {{14, 15}}, 5: {{14, 15}}}
	if diff := cmp.Diff(want, m.mark(lines), cmp.AllowUnexported(part{})); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	m = marker{}
	if got := m.mark(lines)[0]; len(got) != 1 {
		t.Errorf("without a budget beginnings and ends are compared nevertheless: %v", got)
	}
}

const twoHunks = "--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ func f()\n a\n+b\n c\n d\n@@ -9 +10,0 @@\n-z\n\\ No newline at end of file\n"

func TestHunks(t *testing.T) {
	want := []Hunk{
		{
			Path: "x", Old: 1, OldLines: 3, New: 1, NewLines: 4, Section: "func f()", Complete: true, headed: true,
			Lines: []Line{{Context, 1, 1, "a", false}, {Added, 0, 2, "b", false}, {Context, 2, 3, "c", false}, {Context, 3, 4, "d", false}},
			Diff:  "@@ -1,3 +1,4 @@ func f()\n a\n+b\n c\n d\n",
		},
		{
			Path: "x", Old: 9, OldLines: 1, New: 10, NewLines: 0, Complete: true, headed: true,
			Lines: []Line{{Removed, 9, 0, "z", true}}, Diff: "@@ -9 +10,0 @@\n-z\n\\ No newline at end of file\n",
		},
	}
	if diff := cmp.Diff(want, Hunks(twoHunks), cmp.AllowUnexported(Hunk{})); diff != "" {
		t.Errorf("hunks (-want +got):\n%s", diff)
	}
	if a, r := Stat(twoHunks); a != 1 || r != 1 {
		t.Errorf("+%d -%d", a, r)
	}
}

func TestWithout(t *testing.T) {
	second := "--- a/x\n+++ b/x\n@@ -9 +9,0 @@\n-z\n\\ No newline at end of file\n"
	if got := Without(twoHunks, []int{0}); got != second {
		t.Errorf("without the first: %q", got)
	}
	if got := Without(twoHunks, []int{1, 7}); got != twoHunks[:strings.Index(twoHunks, "@@ -9")] {
		t.Errorf("without the second: %q", got)
	}
	if got := Without(twoHunks, nil); got != twoHunks {
		t.Errorf("without none: %q", got)
	}
	if got := Without(twoHunks, []int{1, 0}); got != "" {
		t.Errorf("without both: %q", got)
	}
	other := strings.ReplaceAll(second, "/x", "/y")
	if got := Without(twoHunks+other, []int{0, 1}); got != other {
		t.Errorf("without the first file: %q", got)
	}
}

func TestApplyRefuses(t *testing.T) {
	old := "a\nc\nd\n4\n5\n6\n7\n8\nz"
	if got, err := Apply(old, twoHunks); err != nil || got != "a\nb\nc\nd\n4\n5\n6\n7\n8\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, c := range []struct {
		old, diff string
		stale     bool
	}{
		{old + "\n", twoHunks, true},
		{"A\nc\nd\n", twoHunks, true},
		{"", twoHunks, true},
		{old, twoHunks[:len(twoHunks)/2], false},
		{old, twoHunks + twoHunks, false},
		{old, "+just a line", false},
		{"a\n", "@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", true},
	} {
		got, err := Apply(c.old, c.diff)
		if err == nil || errors.Is(err, ErrStale) != c.stale || got != "" {
			t.Errorf("Apply(%q, %q) = %q, %v", c.old, c.diff, got, err)
		}
	}
	if got, err := Apply("\xff\xfea\nb\n", "@@ -1,2 +1,3 @@\n \uFFFDa\n+new\n b\n"); err != nil || got != "\xff\xfea\nnew\nb\n" {
		t.Errorf("bytes that are no text: %q, %v", got, err)
	}
}

// TestSubsets: any choice of hunks gives what replacing just these places
// gives.
func TestSubsets(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "+", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "\\ No newline", " ", "x\r"}), 0, 60).Draw(t, "lines")
		out := strings.Join(lines, "\n")
		if len(lines) > 0 && rapid.Bool().Draw(t, "newline") {
			out += "\n"
		}
		return out
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		if n := rapid.IntRange(0, len(old)).Draw(t, "n"); rapid.Bool().Draw(t, "mostly the same") {
			n = max(n, strings.LastIndex(old[:n], "\n")+1)
			new = old[:n] + "changed\n" + old[n:]
		}
		diff := udiff.Unified("a/x", "b/x", old, new)
		hunks := Hunks(diff)
		if got, err := Apply(old, diff); err != nil || got != new {
			t.Fatalf("%q by %q is %q, want %q: %v", old, diff, got, new, err)
		}
		if got := Without(diff, nil); got != diff {
			t.Fatalf("%q became %q", diff, got)
		}
		var skipped []int
		for i := range hunks {
			if rapid.Bool().Draw(t, "skip") {
				skipped = append(skipped, i)
			}
		}
		lines := splitLines(old)
		for i, h := range slices.Backward(hunks) {
			if slices.Contains(skipped, i) {
				continue
			}
			start := h.Old - 1
			if h.OldLines == 0 {
				start++
			}
			var put []string
			for _, l := range h.Lines {
				if l.Kind != Removed {
					end := "\n"
					if l.NoNewline {
						end = ""
					}
					put = append(put, l.Text+end)
				}
			}
			lines = slices.Replace(lines, start, start+h.OldLines, put...)
		}
		kept := Without(diff, skipped)
		if got, err := Apply(old, kept); err != nil || got != strings.Join(lines, "") {
			t.Fatalf("%q without %v is %q, want %q: %v", diff, skipped, got, strings.Join(lines, ""), err)
		}
		for _, h := range Hunks(kept) { // the numbers fit each other
			for _, l := range h.Lines {
				if l.New > 0 && !strings.HasPrefix(lines[l.New-1], l.Text) {
					t.Fatalf("line %d of %q is %q, not %q", l.New, lines, lines[l.New-1], l.Text)
				}
			}
		}
	})
}

// TestAllIsShown: what is approved is everything, whatever the width.
func TestAllIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var diff strings.Builder
		lines := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abc (,) 漢é")), 0, 120, -1), 1, 8).Draw(t, "lines")
		fmt.Fprintf(&diff, "@@ -0,0 +1,%d @@\n", len(lines))
		for _, l := range lines {
			fmt.Fprintf(&diff, "+%s\n", l)
		}
		width := rapid.IntRange(8, 60).Draw(t, "width")
		var got strings.Builder
		for i, row := range Render(diff.String(), width, theme.Plain(), Options{})[1:] {
			if strings.HasPrefix(row, "+") && i > 0 {
				got.WriteString("\n")
			}
			got.WriteString(row[min(2, len(row)):])
		}
		want, shown := strings.ReplaceAll(strings.Join(lines, "\n"), " ", ""), strings.ReplaceAll(got.String(), " ", "")
		if want != shown {
			t.Fatalf("%q is shown as %q", want, shown)
		}
	})
}

func TestMaxLines(t *testing.T) {
	var diff strings.Builder
	diff.WriteString("@@ -0,0 +1,30 @@\n")
	for i := range 30 {
		fmt.Fprintf(&diff, "+line %d %s\n", i+1, strings.Repeat("x ", i))
	}
	for _, c := range []struct {
		width, most, lines int
		last               string
	}{
		{200, 0, 31, "+ line 30 " + strings.TrimSpace(strings.Repeat("x ", 29))},
		{200, 31, 31, "+ line 30 " + strings.TrimSpace(strings.Repeat("x ", 29))},
		{200, 30, 30, "… 2 more lines"},
		{200, 1, 1, "… 30 more lines"},
		{20, 10, 10, "… 23 more lines"}, // line 7 takes two rows
		{20, 9, 9, "… 24 more lines"},
	} {
		lines := Render(diff.String(), c.width, theme.Plain(), Options{MaxLines: c.most})
		if len(lines) != c.lines || lines[len(lines)-1] != c.last {
			t.Errorf("at most %d: %d lines, the last %q; want %d, %q\n%s", c.most, len(lines), lines[len(lines)-1], c.lines, c.last, strings.Join(lines, "\n"))
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add(twoHunks, 40, 0, true, false)
	f.Add("diff --git a/x b/y\nrename from x\nrename to y\nBinary files differ\n--- a\n+++ b\n@@ -1 +1 @@\n-\x1b[2J\t漢e\u0301\n+\u202e👩\u200d💻\xff\r\n... 1 bytes left out ...\n+x", 9, 5, true, true)
	f.Add("@@ -999999999999999999999 +1 @@\n@@ -1,1099511627776 +1 @@\n", 1, 1, false, false)
	f.Fuzz(func(t *testing.T, diff string, width, most int, numbers, cut bool) {
		width, most = width&255, most&63
		o := Options{LineNumbers: numbers, MaxLines: most, Cut: cut}
		for _, th := range []theme.Theme{theme.Dark(), theme.Plain()} {
			sound(t, Render(diff, width, th, o), width, o)
		}
		hunks := Hunks(diff)
		all := make([]int, len(hunks))
		for i := range all {
			all[i] = i
		}
		if got := Without(diff, all); got != "" {
			t.Errorf("without all: %q", got)
		}
		if got := Hunks(Without(diff, nil)); len(got) != len(hunks) {
			t.Errorf("%d hunks became %d", len(hunks), len(got))
		}
		Stat(diff)
		_, _ = Apply(diff, diff)
	})
}

func BenchmarkRender(b *testing.B) {
	var old, new strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&old, "\tif value%d := compute(%d, other); value%d > limit {\n", i, i, i)
		if i%3 == 0 {
			fmt.Fprintf(&new, "\tif result%d := compute(%d, another); value%d > limit {\n", i, i+1, i)
		} else {
			fmt.Fprintf(&new, "\tif value%d := compute(%d, other); value%d > limit {\n", i, i, i)
		}
	}
	diff := udiff.Unified("a/x", "b/x", old.String(), new.String())
	b.SetBytes(int64(len(diff)))
	for b.Loop() {
		Render(diff, 100, theme.Dark(), Options{LineNumbers: true})
	}
}
