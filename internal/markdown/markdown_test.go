package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
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
		"code in a list":      {"1. a\n   ```\n   b\n   ```\n2. c", 40, "1. a\n\n     b\n\n2. c"},
		"list becomes loose":  {"- a\n- b\n\n- c\n- d", 40, "• a\n• b\n\n• c\n\n• d"},
		"loose within":        {"- a\n  - b\n\n  - c\n- d", 40, "• a\n  ◦ b\n\n  ◦ c\n\n• d"},
		"table in a list":     {"- a\n  |b|\n  |-|\n  |c|\n- d", 40, "• a\n\n  b\n  ─\n  c\n\n• d"},
		"quote in a list":     {"- a\n  > b\n- c", 40, "• a\n\n  │ b\n\n• c"},
		"two digits":          {"9. a\n   b\n10. c\n    d", 10, "9. a b\n10. c d"},
		"wrapped items":       {"9. aaa bbb ccc\n10. ddd eee fff", 11, "9. aaa bbb\n   ccc\n10. ddd eee\n    fff"},
		"numbers as written":  {"1. a\n1. b\n5. c\n2. d", 40, "1. a\n2. b\n5. c\n6. d"},
		"lists in lists":      {"1. a\n   - b\n     1. c\n2. d", 40, "1. a\n   • b\n     1. c\n2. d"},
		"long words in items": {"- aaaaaaaaaaaaaaaaaaaa", 12, "• aaaaaaaaaa\n  aaaaaaaaaa"},
		"around everything":   {"# a\nb\n***\nc\n```\nd\n```\ne\n> f\n\ng\n|h|\n|-|\n|i|\n\nj", 4, "a\n\nb\n\n──────────\n\nc\n\n  d\n\ne\n\n│ f\n\ng\n\nh\n─\ni\n\nj"},
		"headings in a row":   {"a\n===\n## b\n\n\n# `c`\n- d\n# e", 40, "a\n\nb\n\nc\n\n• d\n\ne"},
		"no room for items":   {"1. - 1. aaa bbb\n     2. [x] c", 10, "1. • 1.\n     aaa\n     bbb\n     2. ☑\n     c"},
		"brackets":            {"3) a\n4) b", 40, "3) a\n4) b"},
		"empty items":         {"-\n- a\n-", 40, "•\n• a\n•"},
		"list in list":        {"- - a\n  - b", 40, "• ◦ a\n  ◦ b"},
		"list of code":        {"- ```\n  a\n  ```", 40, "•   a"},
		"headings":            {"a\n# b\nc\n## d\n### e", 40, "a\n\nb\n\nc\n\nd\n\ne"},
		"empty heading":       {"a\n\n#\n\nb", 40, "a\n\nb"},
		"ends in nothing":     {"a\n\n#", 40, "a"},
		"empty code":          {"```\n\n```", 40, ""},
		"blank lines in code": {"```\n\n\na\n\n\tb\n\n```", 40, "  a\n\n      b"},
		"open code":           {"```go\na", 40, "  a"},
		"code too wide":       {"```\n0123456789\n```", 10, "  01234567\n    89"},
		"code is broken":      {"```\n  f(first, second, third)\n```", 22, "    f(first, second,\n      third)"},
		"deep code":           {"```\n" + strings.Repeat(" ", 30) + "x = y\n```", 14, "        x = y"},
		"code in indents":     {"text\n\n    a\n\n      b\nc", 40, "text\n\n  a\n\n    b\n\nc"},
		"quote":               {"> a\nb\n>\n> - c", 40, "│ a b\n│\n│ • c"},
		"empty quote":         {">", 40, "│"},
		"tasks":               {"1. [x] a\n2. [ ] b\n3. [ ]", 40, "1. ☑ a\n2. ☐ b\n3. [ ]"},
		"links":               {"[a](b) [c](c) [](d) <e@f.gh> [i j](<k l>)", 80, "a (b) c d e@f.gh i j (k l)"},
		"same address":        {"[a.b](https://a.b/) [a.b](http://a.b) <https://a.b> https://a.b", 80, "a.b a.b https://a.b https://a.b"},
		"images":              {"![a](b) ![](c) ![d]()", 80, "[image: a] (b) [image] (c) [image: d]"},
		"footnotes":           {"a[^1] b[^n]\n\n[^1]: one\n[^n]: two\n\n[^2]: x", 40, "a[^1] b[^n]\n\n[^1]: one\n[^n]: two\n\n[^2]: x"},
		"definitions":         {"term\n: meaning\n\n**a:** b\n**c**: d\n**e** f", 40, "term\n: meaning\n\na: b\nc: d e f"},
		"references":          {"[a][x]\n\n[x]: y\n\n[b][x] [c]", 40, "[a][x]\n\n[x]: y\n\nb (y) [c]"},
		"the first counts":    {"[x]: y\n\n[x]: z\n\n[b][x]", 40, "[x]: y\n\n[x]: z\n\nb (y)"},
		"quote in quote":      {"> a\n> > b\n> c\n>\n> d", 40, "│ a\n│\n│ │ b c\n│\n│ d"},
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
	if diff := cmp.Diff([]string{"## a", "", "**b** *c* ~~d~~ `e`"}, got); diff != "" {
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

// streamed renders source as it arrives in pieces. If it may look, what is
// settled and what is open must always be all that there is so far.
func streamed(t failer, r *Renderer, source string, cells int, next func(left int) int, look bool) (all []string) {
	t.Helper()
	s := r.Stream()
	for at := 0; at < len(source); {
		n := next(len(source) - at)
		s.Add(source[at : at+n])
		at += n
		all = append(all, s.Settled(cells)...)
		if !look {
			continue
		}
		open := s.Open(cells)
		hold(t, trimmed(open), cells)
		if so := begun(whole(source[:at])); len(so) < large && !strings.Contains(source[:at], "\r") {
			if diff := cmp.Diff(r.Lines(so, cells), append(slices.Clone(all), open...)); diff != "" {
				t.Fatalf("settled and open are not %q:\n%s", so, diff)
			}
		}
	}
	return append(all, s.End(cells)...)
}

// trimmed is lines without the blank lines that part them from those before.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

func same(t failer, source string, cells int, next func(left int) int, look bool) {
	t.Helper()
	r := New(theme.Dark())
	whole := r.Lines(source, cells)
	hold(t, whole, cells)
	got := streamed(t, r, source, cells, next, look)
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("in pieces: %q\n%s", source, diff)
	}
}

// bits are what texts are put together from at random.
func bits(t *testing.T) []string {
	rich, err := os.ReadFile("testdata/rich.md")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(rich), "\n")
	return append(all, "\n", "\n", "    ", "- ", "1. ", "> ", "```\n", "~~~~\n", "===\n", "---\n", "\t", "# ", "[a]: b\n", "[a]", "'t\n", "<!--\n", "-->\n", "| a |\n", "|---|\n", "\r", "\r\n", "🇩🇪", "é", "\\", "***\n",
		"```go\n", "   ```c\n", "/*\n", "*/\n", "`\n", "  - ", "   ", "- a\n\n", "9. a\n", "> ```\n> a\n", "cat <<EOF\n", "EOF\n", "[^1]: b\n", ": c\n", "**d:** e\n")
}

// TestStreamIsTheWhole puts blocks together at random and cuts them at random.
func TestStreamIsTheWhole(t *testing.T) {
	all := bits(t)
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 1, 25).Draw(rt, "bits"), "")
		most := rapid.SampledFrom([]int{1, 3, 20, 200}).Draw(rt, "most")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		same(rt, source, rapid.IntRange(10, 90).Draw(rt, "width"), func(left int) int { return min(left, 1+random.IntN(most)) }, most > 1)
	})
}

// TestStreamSurvivesResizing: when the width changes on the way, no word is
// lost and none is shown twice.
func TestStreamSurvivesResizing(t *testing.T) {
	all := slices.DeleteFunc(bits(t), func(bit string) bool { return strings.ContainsAny(bit, "|-") || len(bit) > 60 })
	all = append(all, "- ", "  - ", "- a `b`\n", "> c\n", "long words in a list that is going to be wrapped\n")
	words := func(lines []string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" │─•◦▪", r) { // how many there are depends on the width
				return -1
			}
			return r
		}, strings.Join(plain(lines), ""))
	}
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 1, 25).Draw(rt, "bits"), "")
		widths := rapid.SliceOfN(rapid.IntRange(10, 90), 1, 5).Draw(rt, "widths")
		r := New(theme.Dark())
		s := r.Stream()
		var got []string
		for at := 0; at < len(source); at += 7 {
			s.Add(source[at:min(at+7, len(source))])
			got = append(got, s.Settled(widths[at%len(widths)])...)
			s.Open(widths[at%3%len(widths)])
		}
		got = append(got, s.End(widths[0])...)
		if diff := cmp.Diff(words(r.Lines(source, 50)), words(got)); diff != "" {
			rt.Errorf("%q:\n%s", source, diff)
		}
	})
}

// TestSettledComesEarly: a block is given out when the next one has begun, an
// item of a list likewise, and a line of code when it is complete.
func TestSettledComesEarly(t *testing.T) {
	for name, steps := range map[string][]struct{ add, settled, open string }{
		"blocks": {
			{"# A", "", "A"},
			{"\n", "", "A"},
			{"o", "A", "|o"},
			{"ne two\n", "", "|one two"},
			{"three\n\n", "", "|one two three"},
			{"- ", "", "|one two three"},
			{"a\n", "|one two three", "|• a"},
			{"x", "", "|• a x"},
		},
		"no heading yet": {
			{"These:\n", "", "These:"},
			{"-", "", "These:"},
			{" ", "", "These:"},
			{"`", "", "These:"},
			{"a`\n*", "These:", "• a"},
		},
		"items": {
			{"- a\n- b", "• a", "• b"},
			{"\n  - c", "• b", "  ◦ c"},
			{"\n\n- 1", "", "  ◦ c"},
			{"2 d\n", "  ◦ c", "|• 12 d"},
			{"- e\n- f", "|• 12 d||• e", "|• f"},
		},
		"code": {
			{"```go\nfunc f() {", "", "  func f() {"},
			{"\n\n", "", "  func f() {"},
			{"\treturn", "  func f() {", "|      return"},
			{"\n}\n", "|      return", "  }"},
			{"``", "  }", ""},
			{"`", "", ""},
			{"\n\nEnd.", "", "|End."},
		},
		"code in an item": {
			{"1. a:\n   ```sh\n   b", "1. a:", "|     b"},
			{"\n   c\n", "|     b", "     c"},
			{"   ```\n2. d", "     c", "|2. d"},
		},
		"nested": {
			{"> a\n>\n> - b\n>   - c\n>   - d", "│ a|│|│ • b|│   ◦ c", "│   ◦ d"},
			{"\n>\n> e\n", "│   ◦ d", "│|│ e"},
			{"> f\n", "", "│|│ e f"},
		},
		"table": {
			{"|a|\n|-|\n|b|\n|c|\n", "", "a|─|b|c"},
			{"d\n", "", "a|─|b|c|d"},
			{"\ne\nf", "a|─|b|c|d", "|e f"},
		},
	} {
		s := New(theme.Dark()).Stream()
		for _, step := range steps {
			s.Add(step.add)
			if got := strings.Join(plain(s.Settled(40)), "|"); got != step.settled {
				t.Errorf("%s: after %q, settled %q, want %q", name, step.add, got, step.settled)
			}
			if got := strings.Join(plain(s.Open(40)), "|"); got != step.open {
				t.Errorf("%s: after %q, open %q, want %q", name, step.add, got, step.open)
			}
		}
	}
}

// TestBlankLinesAtTheEndSettleNothing: whether they come is a matter of chance.
func TestBlankLinesAtTheEndSettleNothing(t *testing.T) {
	for _, source := range []string{"a", "a\n\nb", "- a\n- b", "```\na\nb", "> a"} {
		s, more := New(theme.Dark()).Stream(), New(theme.Dark()).Stream()
		s.Add(source)
		more.Add(source + "\n\n\n")
		if diff := cmp.Diff(s.Settled(40), more.Settled(40)); diff != "" {
			t.Errorf("%q:\n%s", source, diff)
		}
	}
}

// TestLongBlocksStaySmall: of code, lists and quotes that go on and on, little
// is open at any time.
func TestLongBlocksStaySmall(t *testing.T) {
	for name, c := range map[string]struct{ begin, line string }{
		"code":         {"```go\n", "x := f(1)\n"},
		"list":         {"", "- item\n"},
		"nested list":  {"1. a\n", "   - item\n"},
		"code in list": {"1. a\n\n   ```\n", "   x := f(1)\n"},
		"quote":        {"", "> - item\n"},
	} {
		s := New(theme.Dark()).Stream()
		s.Add(c.begin)
		most := 0
		for range 150 {
			s.Add(c.line)
			s.Settled(80)
			most = max(most, len(s.Open(80)))
		}
		if most > 2 {
			t.Errorf("%s: %d lines are open", name, most)
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
			got := streamed(t, r, source, 80, func(left int) int { return min(left, 5000) }, true)
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
	f.Add("\n  \xc7|b|\n|-|-|\n|1\nA", uint8(33), uint8(12))
	f.Add("1. a\n\n\t```go\n\t/* b\n\n\tc */\n\t```\n-\t#\n>\t-\n> d", uint8(20), uint8(0))
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
