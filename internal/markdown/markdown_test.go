package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/internal/theme"
)

func plain(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = ansi.Strip(line)
	}
	return out
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		width  int
		want   string
	}{
		"nothing":             {"", 40, ""},
		"only blanks":         {" \n\n  \n", 40, ""},
		"paragraphs":          {"one\ntwo\n\n\n\nthree", 40, "one two\n\nthree"},
		"wrapped":             {"one two three four", 10, "one two\nthree four"},
		"a word too long":     {"a 0123456789012345678901234567890", 20, "a 012345678901234567\n8901234567890"},
		"no place to begin":   {"0123456789 01234567890123456789 x", 12, "0123456789\n012345678901\n23456789 x"},
		"hard breaks":         {"one  \ntwo\\\nthree<br>four", 40, "one\ntwo\nthree\nfour"},
		"Chinese lines":       {"我们\n走", 40, "我们走"},
		"Chinese punctuation": {"一二三四五。六", 10, "一二三四\n五。六"},
		"list after sentence": {"These:\n- a\n- b\n\nThen", 40, "These:\n• a\n• b\n\nThen"},
		"loose list":          {"- a\n\n  b\n- c", 40, "• a\n\n  b\n\n• c"},
		"code in a list":      {"1. a\n   ```\n   b\n   ```\n2. c", 40, "1. a\n     b\n2. c"},
		"brackets":            {"3) a\n4) b", 40, "3) a\n4) b"},
		"empty items":         {"-\n- a\n-", 40, "•\n• a\n•"},
		"list in list":        {"- - a\n  - b", 40, "• ◦ a\n  ◦ b"},
		"list of code":        {"- ```\n  a\n  ```", 40, "•   a"},
		"headings":            {"a\n# b\nc\n## d\n### e", 40, "a\n\nb\nc\n\nd\n\ne"},
		"empty heading":       {"a\n\n#\n\nb", 40, "a\n\nb"},
		"ends in nothing":     {"a\n\n#", 40, "a"},
		"empty code":          {"```\n\n```", 40, ""},
		"blank lines in code": {"```\n\n\na\n\n\tb\n\n```", 40, "  a\n\n      b"},
		"open code":           {"```go\na", 40, "  a"},
		"code too wide":       {"```\n0123456789\n```", 10, "  01234567\n  89"},
		"quote":               {"> a\nb\n>\n> - c", 40, "│ a b\n│\n│ • c"},
		"empty quote":         {">", 40, "│"},
		"tasks":               {"1. [x] a\n2. [ ] b\n3. [ ]", 40, "1. ☑ a\n2. ☐ b\n3. [ ]"},
		"links":               {"[a](b) [c](c) [](d) <e@f.gh> [i j](<k l>)", 80, "a (b) c d e@f.gh i j (k l)"},
		"references":          {"[a][x]\n\n[x]: y\n\n[b][x] [c]", 40, "[a][x]\n\n[x]: y\n\nb (y) [c]"},
		"entities":            {"&lt;a&gt; \\&amp; &#x41; &nope; a&b", 40, "<a> &amp; A &nope; a&b"},
		"tildes":              {"~~a~~ ~5 b~ ~~~c~~~", 40, "a ~5 b~ ~~~c~~~"},
		"html":                {"<p>a</p>\n\nb <i>c</i>", 40, "<p>a</p>\n\nb <i>c</i>"},
		"controls":            {"a\x1b[31mb\x07 &#27;c `\x9b` \u202ed", 40, "a[31mb c � d"},
		"controls in code":    {"```\n\x1b]0;x\x07\n```", 40, "  ]0;x"},
		"line endings":        {"a\r\nb\r\r\nc\rd", 40, "a b\n\nc d"},
		"not UTF-8":           {"a\xff b\xe4\xb8", 40, "a� b��"},
		"table":               {"a|b\n-|-:\n1|22\n333|4|5\n", 40, "a   │   b\n────┼────\n1   │  22\n333 │ 4|5"},
		"table after text":    {"text\n|a|\n|-|\n|b|", 40, "text\n\na\n─\nb"},
		"table with breaks":   {"|a|b|\n|-|-|\n|1<br>2|3|", 40, "a │ b\n──┼──\n1 │ 3\n2 │"},
		"table head only":     {"|a|b|\n|-|-|", 40, "a │ b\n──┼──"},
		"table too wide":      {"|aaaa|bbbb|cccc|\n|-|-|-|\n|1|2|3|\n|4||6|", 14, "aaaa: 1\nbbbb: 2\ncccc: 3\n\naaaa: 4\nbbbb:\ncccc: 6"},
		"escaped bars":        {"|a|\n|-|\n|`b\\|c` \\| d|", 40, "a\n───────\nb|c | d"},
		"table without head":  {"| | |\n|-|-|\n|a|b|\n|||\n|c|d|", 40, "a │ b\nc │ d"},
		"no table":            {"a | b\n- | c", 40, "a | b\n• | c"},
	} {
		got := strings.Join(plain(New(theme.Dark()).Lines(c.source, c.width)), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %q\n%s", name, c.source, diff)
		}
	}
}

// TestPlainKeepsMarks: without styles, nothing that the source says is lost.
func TestPlainKeepsMarks(t *testing.T) {
	got := New(theme.Plain()).Lines("## a\n\n**b** *c* ~~d~~ `e`", 40)
	if diff := cmp.Diff([]string{"## a", "**b** *c* ~~d~~ `e`"}, got); diff != "" {
		t.Error(diff)
	}
}

// failer is a test, plain or random.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// hold checks what is promised of every line.
func hold(t failer, lines []string, cells int) {
	t.Helper()
	for i, line := range lines {
		if got := ansi.StringWidth(line); got > cells {
			t.Errorf("line %d has %d cells, over %d: %q", i, got, cells, line)
		}
		text := ansi.Strip(line)
		if strings.HasSuffix(text, " ") {
			t.Errorf("line %d ends in blanks: %q", i, line)
		}
		for _, s := range parts(t, line) {
			if strings.IndexFunc(s.text, unicode.IsControl) >= 0 {
				t.Errorf("line %d has control characters: %q", i, line)
			}
		}
		if text == "" && (i == 0 || i == len(lines)-1) {
			t.Errorf("line %d of %d is empty", i, len(lines))
		}
	}
}

// streamed renders source as it arrives in pieces, and what Open gives before
// the end.
func streamed(t failer, r *Renderer, source string, cells int, next func(left int) int, look bool) (all, open []string) {
	t.Helper()
	s := r.Stream()
	for source != "" {
		n := next(len(source))
		s.Add(source[:n])
		source = source[n:]
		all = append(all, s.Settled(cells)...)
		if look {
			open = s.Open(cells)
			hold(t, trimmed(open), cells)
		}
	}
	return append(all, s.End(cells)...), open
}

// trimmed is lines without the blank line that parts them from those before.
func trimmed(lines []string) []string {
	if len(lines) > 0 && lines[0] == "" {
		return lines[1:]
	}
	return lines
}

func same(t failer, source string, cells int, next func(left int) int, look bool) {
	t.Helper()
	r := New(theme.Dark())
	whole := r.Lines(source, cells)
	hold(t, whole, cells)
	got, _ := streamed(t, r, source, cells, next, look)
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("in pieces: %q\n%s", source, diff)
	}
}

// TestStreamIsTheWhole puts blocks together at random and cuts them at random.
func TestStreamIsTheWhole(t *testing.T) {
	rich, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		t.Fatal(err)
	}
	bits := strings.SplitAfter(string(rich), "\n")
	bits = append(bits, "\n", "\n", "    ", "- ", "1. ", "> ", "```\n", "~~~~\n", "===\n", "---\n", "\t", "# ", "[a]: b\n", "[a]", "'t\n", "<!--\n", "-->\n", "| a |\n", "|---|\n", "\r", "\r\n", "🇩🇪", "é", "\\", "***\n")
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 1, 25).Draw(rt, "bits"), "")
		most := rapid.SampledFrom([]int{1, 3, 20, 200}).Draw(rt, "most")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		same(rt, source, rapid.IntRange(10, 90).Draw(rt, "width"), func(left int) int { return min(left, 1+random.IntN(most)) }, most > 1)
	})
}

// TestSettledComesEarly: a block is given out when the next one has begun.
func TestSettledComesEarly(t *testing.T) {
	s := New(theme.Dark()).Stream()
	for _, step := range []struct{ add, settled, open string }{
		{"# A", "", "A"},
		{"\n", "", "A"},
		{"one", "", "A|one"},
		{" two\n", "A", "one two"},
		{"three\n\n", "", "one two three"},
		{"- a\n", "one two three", "|• a"},
		{"- b\n\n```go\n", "|• a|• b", ""},
		{"func", "", "|  func"},
		{"\n```\n", "", "|  func"},
		{"x\n\x1b", "|  func", "|x"},
	} {
		s.Add(step.add)
		if got := strings.Join(plain(s.Settled(40)), "|"); got != step.settled {
			t.Errorf("after %q, settled %q, want %q", step.add, got, step.settled)
		}
		if got := strings.Join(plain(s.Open(40)), "|"); got != step.open {
			t.Errorf("after %q, open %q, want %q", step.add, got, step.open)
		}
	}
}

// TestStreamParsesLittle: what a piece costs depends on the block that it
// belongs to, not on the answer. Parsing all for each of the 2,500 pieces would be
// parsing it 1,250 times.
func TestStreamParsesLittle(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		times  int
	}{
		"rich":          {document(t, 50_000), 30},
		"code":          {"```go\n" + strings.Repeat("x := 1\n", 7_000), 80},
		"one paragraph": {strings.Repeat("words and words\n", 3_000), 200},
	} {
		r := New(theme.Plain())
		s := r.Stream()
		for at := 0; at < len(c.source); at += 20 {
			s.Add(c.source[at:min(at+20, len(c.source))])
			s.Settled(80)
			s.Open(80)
		}
		if times := r.parsed / len(c.source); times > c.times {
			t.Errorf("%s: parsed %d times, over %d", name, times, c.times)
		} else {
			t.Logf("%s: parsed %d times", name, times)
		}
	}
}

// TestOpenShowsLongCode: long code that is being written is shown entirely,
// with the width that is asked for.
func TestOpenShowsLongCode(t *testing.T) {
	s := New(theme.Dark()).Stream()
	s.Add("```go\n")
	line := "x := f(\"a string that is long\", 12345)\n\n"
	for i := range 600 {
		s.Add(line)
		if i%150 != 149 {
			continue
		}
		for _, cells := range []int{80, 20} {
			want := New(theme.Plain()).Lines("```go\n"+strings.Repeat(line, i+1), cells)
			if diff := cmp.Diff(want, plain(s.Open(cells))); diff != "" {
				t.Fatalf("after %d lines:\n%s", i+1, diff)
			}
		}
	}
}

// TestGrammars: whatever the grammars do, they may only colour.
func TestGrammars(t *testing.T) {
	files, err := grammars.ReadDir("lexers")
	if err != nil {
		t.Fatal(err)
	}
	r := New(theme.Dark())
	coloured := 0
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".xml")
		language := map[string]string{"bash_session": "console", "cpp": "c++", "csharp": "cs", "docker": "dockerfile", "react": "tsx"}[name]
		if language == "" {
			language = name
		}
		if grammar(language) != name {
			t.Errorf("%s is %q, not %s", language, grammar(language), name)
		}
		if r.code.lexer(name) == nil {
			t.Errorf("%s cannot be read", name)
		}
		code := "if (x == 12) { return \"text\"; } # comment\n<a href='b'>\n// class Foo: import bar\n+a\n$ ls -l\nSELECT 1 FROM t;\nkey: true\n"
		lines := r.Lines("```"+language+"\n"+code+"```", 80)
		want := New(theme.Plain()).Lines("```\n"+code+"```", 80)
		if diff := cmp.Diff(want, plain(lines)); diff != "" {
			t.Errorf("%s changes the code:\n%s", name, diff)
		}
		if strings.Contains(strings.Join(lines, ""), "\x1b[") {
			coloured++
		}
	}
	if coloured != len(files) {
		t.Errorf("%d of %d grammars colour", coloured, len(files))
	}
}

// TestHostile is what makes parsers slow or deep.
func TestHostile(t *testing.T) {
	const n = 10_000
	for name, source := range map[string]string{
		"quotes":      strings.Repeat(">", n),
		"quotes too":  strings.Repeat("> ", n) + "a",
		"lists":       strings.Repeat("- ", n) + "a",
		"indents":     deep(120),
		"brackets":    strings.Repeat("[", n),
		"links":       strings.Repeat("[a](", n/8),
		"stars":       strings.Repeat("*a **b ", n/7),
		"nested":      strings.Repeat("**a *b ", 2000) + strings.Repeat("c* d** ", 2000),
		"backticks":   strings.Repeat("`a ``b ", n/7),
		"tildes":      strings.Repeat("~~a ", n/4),
		"html":        strings.Repeat("<a b=\"", n/6),
		"columns":     strings.Repeat("|a", n/4) + "|\n" + strings.Repeat("|-", n/4) + "|\n" + strings.Repeat("|b\n", n/4),
		"definitions": strings.Repeat("[a]: b\n\n", n/10),
		"one line":    strings.Repeat("a", n),
		"wide":        strings.Repeat("中", n/3),
		"joiners":     strings.Repeat("👩\u200d", n/7),
		"marks":       "a" + strings.Repeat("\u0301", n/2),
		"entities":    strings.Repeat("&#65;", n/5),
		"go code":     "```go\n" + strings.Repeat("/*`\"'(", n/6),
		"bash code":   "```bash\n" + strings.Repeat("$((`<<a ", n/8),
		"number":      "999999999. a\n1. b",
	} {
		t.Run(name, func(t *testing.T) {
			r := New(theme.Dark())
			for _, cells := range []int{10, 80} {
				lines := r.Lines(source, cells)
				hold(t, lines, cells)
				if len(lines) == 0 {
					t.Error("nothing is shown")
				}
			}
			got, _ := streamed(t, r, source, 80, func(left int) int { return min(left, 5000) }, true)
			if diff := cmp.Diff(r.Lines(source, 80), got); diff != "" {
				t.Error("differs in pieces")
			}
		})
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func FuzzLines(f *testing.F) {
	rich, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(rich), uint8(40), uint8(7))
	f.Add("|a|b|\n|-|-|\n|1|2|\n\n- a\n  > b\n\n```go\nx", uint8(10), uint8(1))
	f.Fuzz(func(t *testing.T, source string, cells, piece uint8) {
		if len(source) > 4000 {
			return
		}
		same(t, source, max(10, int(cells)), func(left int) int { return min(left, 1+int(piece)) }, piece > 3)
	})
}

// document is about n bytes of the rich document.
func document(b testing.TB, n int) string {
	rich, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		b.Fatal(err)
	}
	var all strings.Builder
	for i := 0; all.Len() < n; i++ {
		// No two blocks of code are the same, as in life.
		all.WriteString(strings.NewReplacer("generate", fmt.Sprint("generate", i), "make build", fmt.Sprint("make build", i)).Replace(string(rich)))
	}
	return all.String()[:n]
}

func BenchmarkLines(b *testing.B) {
	source := document(b, 100_000)
	for name, fresh := range map[string]bool{"first": true, "again": false} {
		b.Run(name, func(b *testing.B) {
			r := New(theme.Dark())
			r.Lines(source[:5000], 100)
			b.ReportAllocs()
			for b.Loop() {
				if fresh {
					r.code.cache = nil
				}
				r.Lines(source, 100)
			}
		})
	}
}

func BenchmarkProse(b *testing.B) {
	source := strings.Repeat("Some *plain* prose with `code` and words, of which there are many.\nAnd [links](https://example.com).\n\n", 1000)
	r := New(theme.Dark())
	b.ReportAllocs()
	for b.Loop() {
		r.Lines(source[:100_000], 100)
	}
}

func BenchmarkStream(b *testing.B) {
	sources := map[string]string{
		"rich":  document(b, 200_000),
		"code":  "```go\n" + strings.Repeat("	if err := f(\"a\", 1); err != nil { // why\n", 5000)[:200_000],
		"prose": strings.Repeat("one long paragraph without any end\n", 6000)[:200_000],
	}
	for name, source := range sources {
		b.Run(name, func(b *testing.B) {
			r := New(theme.Dark())
			for b.Loop() {
				s := r.Stream()
				for at := 0; at < len(source); at += 20 {
					s.Add(source[at:min(at+20, len(source))])
					s.Settled(100)
					s.Open(100)
				}
				s.End(100)
			}
		})
	}
}
