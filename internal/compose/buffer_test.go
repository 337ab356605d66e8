package compose

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// at shows the text with placeholders' labels and | for the cursor.
func at(b *Buffer) string {
	var s strings.Builder
	b.ready()
	for n, l := range b.lines {
		if n > 0 {
			s.WriteByte('\n')
		}
		for i, e := range l.elements {
			if b.cursor == (position{n, i}) {
				s.WriteByte('|')
			}
			if e.object != nil {
				s.WriteString(e.object.label)
			}
			s.WriteString(e.text)
		}
		if b.cursor == (position{n, len(l.elements)}) {
			s.WriteByte('|')
		}
	}
	return s.String()
}

// typed is a buffer with a text in it and the cursor at the |.
func typed(text string) *Buffer {
	before, after, _ := strings.Cut(text, "|")
	b := &Buffer{}
	b.Insert(before)
	here := b.cursor
	b.Insert(after)
	b.move(here)
	return b
}

func TestKeys(t *testing.T) {
	do := func(fs ...func(*Buffer)) []func(*Buffer) { return fs }
	left, right := func(b *Buffer) { b.Left() }, func(b *Buffer) { b.Right() }
	wordLeft, wordRight := func(b *Buffer) { b.WordLeft() }, func(b *Buffer) { b.WordRight() }
	yank, pop := func(b *Buffer) { b.Yank() }, func(b *Buffer) { b.YankPop() }
	undo, redo := func(b *Buffer) { b.Undo() }, func(b *Buffer) { b.Redo() }
	insert := func(s string) func(*Buffer) { return func(b *Buffer) { b.Insert(s) } }
	family := "👩‍👩‍👧‍👦"
	for _, c := range []struct {
		name, before string
		keys         []func(*Buffer)
		after        string
	}{
		{"a family is one", "a" + family + "|b", do((*Buffer).Backspace), "a|b"},
		{"a flag is one", "|🇩🇪x", do(right), "🇩🇪|x"},
		{"marks belong to their letter", "e\u0301\u0323|", do(left), "|e\u0301\u0323"},
		{"a mark typed joins the letter before", "e|x", do(insert("\u0301"), left), "|e\u0301x"},
		{"half a flag typed pairs anew", "|🇪🇫🇷", do(insert("🇩")), "🇩🇪|🇫🇷"},
		{"deleting between joins", "🇩|x🇪", do((*Buffer).Delete), "🇩🇪|"},
		{"over a line end", "a\n|b", do(left), "a|\nb"},
		{"backspace at a line's start", "a\n|b", do((*Buffer).Backspace), "a|b"},
		{"delete at a line's end", "a|\nb", do((*Buffer).Delete), "a|b"},
		{"delete at the end does nothing", "a|", do((*Buffer).Delete), "a|"},
		{"home", "ab\ncd|e", do(func(b *Buffer) { b.Home() }), "ab\n|cde"},
		{"end", "a|b\ncd", do(func(b *Buffer) { b.End() }), "ab|\ncd"},
		{"word left", "one, two.three  |", do(wordLeft), "one, |two.three  "},
		{"word left over lines", "one\n\n  |", do(wordLeft), "|one\n\n  "},
		{"word right", "one|, two", do(wordRight), "one, two|"},
		{"words in Chinese", "|你好，世界", do(wordRight, wordRight, wordRight), "你好，世|界"},
		{"words in Chinese, back", "你好，世|界", do(wordLeft, wordLeft), "你|好，世界"},
		{"words in Arabic", "مرحبا |بالعالم", do(wordLeft), "|مرحبا بالعالم"},
		{"a word that is an emoji", "a " + family + "|", do(wordLeft), "a |" + family},
		{"delete a word and yank it twice", "one two|", do((*Buffer).DeleteWordLeft, yank, yank), "one twotwo|"},
		{"delete the word right", "|one two", do((*Buffer).DeleteWordRight), "| two"},
		{"words deleted in a row are yanked at once", "one two|", do((*Buffer).DeleteWordLeft, (*Buffer).DeleteWordLeft, yank), "one two|"},
		{"delete to a blank", "cat a/b.c --x=y  |", do((*Buffer).DeleteToBlank), "cat a/b.c |"},
		{"delete to a blank over a line end", "ab\n|", do((*Buffer).DeleteToBlank), "|"},
		{"kill to the end", "a|bc\nd", do((*Buffer).KillToEnd), "a|\nd"},
		{"kill the line end", "a|\nd", do((*Buffer).KillToEnd), "a|d"},
		{"kill to the start", "a\nbc|d", do((*Buffer).KillToStart), "a\n|d"},
		{"kills apart are yanked apart", "a b|", do((*Buffer).DeleteWordLeft, left, (*Buffer).KillToStart, yank), "a| "},
		{"yank pop", "a b|", do((*Buffer).DeleteWordLeft, left, (*Buffer).KillToStart, yank, pop), "b| "},
		{"yank pop goes round", "a b|", do((*Buffer).DeleteWordLeft, left, (*Buffer).KillToStart, yank, pop, pop), "a| "},
		{"yank pop without yank", "a b|", do((*Buffer).DeleteWordLeft, pop), "a |"},
		{"yank pop is undone with its yank", "a b|", do((*Buffer).DeleteWordLeft, left, (*Buffer).KillToStart, yank, pop, undo), "| "},
		{"transpose", "ab|cd", do((*Buffer).Transpose), "acb|d"},
		{"transpose at the end", "ab|", do((*Buffer).Transpose), "ba|"},
		{"transpose of one", "a|", do((*Buffer).Transpose), "a|"},
		{"transpose graphemes", "e\u0301|" + family, do((*Buffer).Transpose), family + "e\u0301|"},
		{"undo takes a word", "|", do(insert("h"), insert("i"), insert(" "), insert("y"), insert("o"), undo), "hi |"},
		{"undo twice, redo once", "|", do(insert("h"), insert("i"), insert(" "), insert("y"), undo, undo, redo), "hi |"},
		{"a move ends the step", "|", do(insert("h"), insert("i"), left, insert("y"), undo), "h|i"},
		{"erasing is one step", "abc|", do((*Buffer).Backspace, (*Buffer).Backspace, undo), "abc|"},
		{"editing ends redo", "|", do(insert("a"), undo, insert("b"), redo), "b|"},
		{"clear is undone", "a\nb|c", do(func(b *Buffer) { b.Clear() }, undo), "a\nb|c"},
		{"sets in a row are one step", "a|b", do(func(b *Buffer) { b.Set("x") }, func(b *Buffer) { b.Set("y\nz") }, undo), "a|b"},
		{"CRLF is a line end", "|", do(insert("a\r\nb\rc")), "a\nb\rc|"},
		{"CR alone is a line end", "|", do(func(b *Buffer) { b.Paste("a\rb") }), "a\nb|"},
		{"completion", "see @co|, ok", do(func(b *Buffer) { b.ReplaceBefore(3, "@compose/") }), "see @compose/|, ok"},
		{"completion asked for too much", "a\n@b|", do(func(b *Buffer) { b.ReplaceBefore(30, "c") }), "a\nc|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := typed(c.before)
			for _, key := range c.keys {
				key(b)
			}
			if got := at(b); got != c.after {
				t.Errorf("%q, want %q", got, c.after)
			}
		})
	}
}

// Backspace takes one character as people count them, in all scripts, and so do
// the arrows.
func TestOneCharacter(t *testing.T) {
	for name, character := range map[string]string{
		"Chinese": "漢", "Korean": "한", "Korean in parts": "\u1112\u1161\u11ab", "marks": "o\u0302\u0323", "family": "👩‍👩‍👧‍👦", "skin": "👍🏽", "flag": "🇩🇪", "heart": "❤\ufe0f",
		"keycap": "1\ufe0f\u20e3", "Arabic": "ب\u064e", "Hebrew": "שׁ\u05b8", "Devanagari": "क्षि", "Thai": "ก็", "tab": "\t", "line end": "\n", "broken": "\xff", "control": "\x1b",
	} {
		for _, around := range []string{"", "x", "字"} {
			b := typed(around + character + "|" + around)
			before := at(b)
			b.Left()
			if got, want := at(b), around+"|"+character+around; got != want {
				t.Errorf("%s: left gives %q, want %q", name, got, want)
			}
			b.Right()
			if got := at(b); got != before {
				t.Errorf("%s: back gives %q, want %q", name, got, before)
			}
			b.Backspace()
			if got, want := at(b), around+"|"+around; got != want {
				t.Errorf("%s: Backspace leaves %q, want %q", name, got, want)
			}
		}
	}
}

func TestPasteBecomesPlaceholder(t *testing.T) {
	long := strings.Repeat("\tline\a\xff\r\n", 240)
	var b Buffer
	b.Insert("explain ")
	b.Paste(long)
	b.Insert(" and ")
	b.Paste(strings.Repeat("x", 1001))
	b.Paste("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n") // ten lines: as it is
	b.Paste(strings.Repeat("é", 1000))         // a thousand characters: as it is
	want := "explain [Pasted text #1: 240 lines] and [Pasted text #2: 1001 characters]1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n" + strings.Repeat("é", 1000) + "|"
	if diff := cmp.Diff(want, at(&b)); diff != "" {
		t.Error(diff)
	}
	b.Undo()
	b.Undo()
	if got, want := b.Text(), "explain "+strings.ReplaceAll(long, "\r\n", "\n")+" and "+strings.Repeat("x", 1001); got != want {
		t.Errorf("the text is not what was pasted: %.80q", got)
	}
	b.Backspace()
	if got := at(&b); got != "explain [Pasted text #1: 240 lines] and |" {
		t.Errorf("after Backspace: %q", got)
	}
	b.WordLeft()
	b.WordLeft()
	if !b.Expand() {
		t.Fatal("not expanded")
	}
	if got, want := at(&b), "explain "+strings.ReplaceAll(long, "\r\n", "\n")+"| and "; got != want {
		t.Errorf("expanded: %.80q", got)
	}
	if b.Expand() {
		t.Error("expanded what is no placeholder")
	}
}

// Escape sequences are left out of what is pasted, and nothing else is.
func TestPasteWithEscapes(t *testing.T) {
	long := strings.Repeat("x", longestCommand)
	for pasted, want := range map[string]string{
		"\x1b[1;31mred\x1b[m and\x1b(B \x1b[?25lplain": "red and plain",
		"a\x1b[201~b\x1b[200~c":                        "abc",
		"a\x1b]0;title\ab\x1b]8;;http://x\x1b\\c":      "abc",
		"a\x1bPq\x1b\\b\x1b_x\x1b\\c":                  "abc",
		"\x1b\x1b[Ab\x1b":                              "b",
		"a\x1b[\nb\x1b[é":                              "a[\nb[é",
		"a\x1b]no end\nb":                              "a]no end\nb",
		"a\x1b]" + long + "\a":                         "a]" + long + "\a",
		"a\x1bc\x1b7":                                  "ac7",
		"\t\x00\x03\x7f\u009b2J\x9b":                   "\t\x00\x03\x7f\u009b2J\x9b",
	} {
		var b Buffer
		n := b.Paste(pasted)
		if got := b.Text(); got != want {
			t.Errorf("%.40q becomes %.40q, want %.40q", pasted, got, want)
		}
		if (n > 0) != (pasted != want) {
			t.Errorf("%.40q: %d escape sequences", pasted, n)
		}
	}
}

func TestImages(t *testing.T) {
	var b Buffer
	b.Insert("compare ")
	b.AddImage("", []byte{1}, "image/png")
	b.Insert(" with ")
	b.AddImage("a\x1b]0;x\a"+strings.Repeat("z", 100)+".jpg", []byte{2}, "image/jpeg")
	b.Insert("!")
	second := "[Image #2: a␛]0;x␇" + strings.Repeat("z", 32) + "…]"
	want := []Part{
		{Text: "compare [Image #1]"},
		{Image: &Image{"[Image #1]", []byte{1}, "image/png"}},
		{Text: " with " + second},
		{Image: &Image{second, []byte{2}, "image/jpeg"}},
		{Text: "!"},
	}
	if diff := cmp.Diff(want, b.Parts()); diff != "" {
		t.Error(diff)
	}
	draft := b.Clear()
	if !b.Empty() || draft.Text() != "compare [Image #1] with "+second+"!" {
		t.Errorf("cleared to %q, which gave %q", at(&b), draft.Text())
	}
	b.Restore(draft)
	if diff := cmp.Diff(want, b.Parts()); diff != "" {
		t.Error(diff)
	}
}

func TestBefore(t *testing.T) {
	var b Buffer
	b.Insert("x\nsee ")
	b.AddImage("", nil, "image/png")
	b.Insert(" @fi")
	if got := b.Before(); got != "see \uFFFC @fi" {
		t.Errorf("%q", got)
	}
	b.ReplaceBefore(len("\uFFFC @fi"), "it")
	if got := at(&b); got != "x\nsee it|" {
		t.Errorf("%q", got)
	}
}

// anyText draws what is hard for an editor.
func anyText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "b", "word", " ", "  ", "\n", "\t", "\r", "\r\n", "é", "e", "\u0301", "\u0323", "你", "好", "，", "ｱ", "한", "ᄒ", "ᅡ", "ᆫ", "👩", "\u200d", "👧",
		"🏽", "🇩", "🇪", "❤", "\ufe0f", "\ufe0e", "क", "्", "ष", "ि", "ا", "ل", "\u200f", "\u202e", "\u2066", "\u2069", "\x1b", "\x1b[2J", "\x9b", "\u009b",
		"\x00", "\x7f", "\xff", "\xf0\x9f", "\u0600", "\u200b", "\u200c", "\ufeff", "\u2028", "\u00ad", "\U000E0041", "\U000E0101", "\u115f", "\u3164", "🏴", "\U000E0067\U000E0062\U000E007F",
		"\ufffd", "\ufffc", "1", "\u20e3", "\u0d4e", "\u0903", "\uE000", "\u034f",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(piece, piece, piece, rapid.String()), 0, 12).Draw(t, "pieces"), "")
	})
}

// check holds a buffer to what must always be true.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, b *Buffer, width int,
) {
	t.Helper()
	for n, l := range b.lines {
		var run []string
		done := func() {
			var want []string
			for clusters := graphemes.FromString(strings.Join(run, "")); clusters.Next(); {
				want = append(want, clusters.Value())
			}
			if diff := cmp.Diff(want, run); diff != "" {
				t.Fatalf("line %d is not made of grapheme clusters: %s", n, diff)
			}
			run = nil
		}
		for _, e := range l.elements {
			if e.object != nil || e.isBroken() {
				done()
				continue
			}
			if e.text == "" || strings.Contains(e.text, "\n") {
				t.Fatalf("line %d has an element %q", n, e.text)
			}
			run = append(run, e.text)
		}
		done()
	}
	if c := b.cursor; c.line < 0 || c.line >= len(b.lines) || c.column < 0 || c.column > len(b.lines[c.line].elements) {
		t.Fatalf("the cursor is at %v of %d lines", c, len(b.lines))
	}
	checkLayout(t, b, width)
}

func checkLayout(t interface {
	Helper()
	Fatalf(string, ...any)
}, b *Buffer, width int,
) {
	t.Helper()
	rows, row, column := b.Layout(width)
	width = max(width, narrowest)
	if row < 0 || row >= len(rows) || column < 0 || column >= width {
		t.Fatalf("the cursor is at row %d of %d, cell %d of %d", row, len(rows), column, width)
	}
	for i, r := range rows {
		if w := ansi.StringWidth(r); w > width {
			t.Fatalf("row %d is %d cells wide, over %d: %q", i, w, width, r)
		}
		for _, c := range r {
			if unsafe(c) && !harmless(c, blackFlag) {
				t.Fatalf("row %d has %U in it: %q", i, c, r)
			}
		}
		if strings.ToValidUTF8(r, "") != r {
			t.Fatalf("row %d is not UTF-8: %q", i, r)
		}
	}
	// What is drawn before the cursor is as wide as the cursor is far.
	l := b.lines[b.cursor.line]
	r := l.rows[l.rowOf(b.cursor.column)]
	var before strings.Builder
	n := 0
	for _, e := range l.elements[r.start:b.cursor.column] {
		s, w := shown(e, n, width-1)
		before.WriteString(s)
		n += w
	}
	if !strings.HasPrefix(rows[row], before.String()) || ansi.StringWidth(before.String()) != column || n != column {
		t.Fatalf("the cursor is at cell %d, but %q of %q is before it", column, before.String(), rows[row])
	}
}

func TestAnyEdits(t *testing.T) { rapid.Check(t, anyEdits()) }

func FuzzEdits(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyEdits())) }

// anyEdits does what a person may do in any order: after each key the buffer
// is well, and all of it can be undone and redone exactly.
func anyEdits() func(*rapid.T) {
	text := anyText()
	return func(t *rapid.T) {
		var b Buffer
		b.ready()
		was := map[int]Draft{} // before each step of undo
		width := rapid.IntRange(0, 30).Draw(t, "width")
		keys := keys()
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			n := rapid.IntRange(0, len(keys)+3).Draw(t, "key")
			before, steps := b.Draft(), len(b.done)
			switch n {
			case len(keys):
				s := text.Draw(t, "inserted")
				left, _ := b.split()
				b.Insert(s)
				if got, _ := b.split(); !strings.HasPrefix(got, left+normalise(s)) {
					t.Fatalf("%q inserted behind %q gives %q", s, left, got)
				}
			case len(keys) + 1:
				s := strings.Repeat(text.Draw(t, "pasted")+"\n", rapid.IntRange(0, 12).Draw(t, "times"))
				left, right := b.split()
				b.Paste(s)
				kept, _ := stripped(s)
				if got, want := b.Text(), left+normalise(kept)+right; got != want {
					t.Fatalf("pasted: %q, want %q", got, want)
				}
			case len(keys) + 2:
				b.Set(text.Draw(t, "set"))
			case len(keys) + 3:
				b.ReplaceBefore(rapid.IntRange(0, 9).Draw(t, "bytes"), text.Draw(t, "completed"))
			default:
				keys[n](&b, width)
			}
			check(t, &b, width)
			if n != redoKey && len(b.done) > steps {
				maps.DeleteFunc(was, func(step int, _ Draft) bool { return step > steps })
				was[steps] = before
			}
		}
		all := b.Draft()
		undone := 0
		for i := len(b.done) - 1; i >= 0; i-- {
			b.Undo()
			undone++
			check(t, &b, width)
			if before, known := was[i]; known {
				same(t, "undone", before, b.Draft())
			}
		}
		if b.Undo() || !b.Empty() {
			t.Fatalf("everything undone leaves %q", at(&b))
		}
		for range undone {
			b.Redo()
		}
		if undone > 0 {
			same(t, "redone", Draft{all.elements, b.cursor}, b.Draft())
		}
		check(t, &b, width)
	}
}

func same(t *rapid.T, what string, want, got Draft) {
	t.Helper()
	if len(want.elements) == 0 {
		want.elements = []element{}
	}
	if fmt.Sprint(want.elements) != fmt.Sprint(got.elements) || want.cursor != got.cursor {
		t.Fatalf("%s: %q at %v, want %q at %v", what, got.Text(), got.cursor, want.Text(), want.cursor)
	}
}

// split is the text before and after the cursor.
func (b *Buffer) split() (left, right string) {
	return textOf(b.slice(position{}, b.cursor)), textOf(b.slice(b.cursor, b.end()))
}

const redoKey = 21 // of keys

func keys() []func(*Buffer, int) {
	return []func(*Buffer, int){
		func(b *Buffer, _ int) { b.Backspace() },
		func(b *Buffer, _ int) { b.Delete() },
		func(b *Buffer, _ int) { b.Left() },
		func(b *Buffer, _ int) { b.Left() },
		func(b *Buffer, _ int) { b.Right() },
		func(b *Buffer, width int) { b.Up(width) },
		func(b *Buffer, width int) { b.Down(width) },
		func(b *Buffer, _ int) { b.Home() },
		func(b *Buffer, _ int) { b.End() },
		func(b *Buffer, _ int) { b.Start() },
		func(b *Buffer, _ int) { b.WordLeft() },
		func(b *Buffer, _ int) { b.WordRight() },
		func(b *Buffer, _ int) { b.DeleteWordLeft() },
		func(b *Buffer, _ int) { b.DeleteWordRight() },
		func(b *Buffer, _ int) { b.DeleteToBlank() },
		func(b *Buffer, _ int) { b.KillToEnd() },
		func(b *Buffer, _ int) { b.KillToStart() },
		func(b *Buffer, _ int) { b.Yank() },
		func(b *Buffer, _ int) { b.YankPop() },
		func(b *Buffer, _ int) { b.Transpose() },
		func(b *Buffer, _ int) { b.Undo() },
		func(b *Buffer, _ int) { b.Redo() },
		func(b *Buffer, _ int) { b.Expand() },
		func(b *Buffer, _ int) { b.AddImage("i\x1b", nil, "image/png") },
		func(b *Buffer, _ int) { b.Restore(b.Clear()) },
		func(b *Buffer, width int) { b.Place(width, 1, 3) },
	}
}

// FuzzText puts any two texts in, one after the other, and takes them out
// again by Backspace.
func FuzzText(f *testing.F) {
	for _, s := range []string{"e", "\u0301", "👩\u200d", "👧", "🇩🇪🇫", "🇷", "a\r", "\nb", "\xe4\xbd", "\xa0", "\x1b[31m", "\t你好，世界", "क्", "ष", "\u0600", "1", "مرحبا"} {
		f.Add(s, "x"+s, 10)
		f.Add("x", s, 4)
	}
	f.Fuzz(func(t *testing.T, first, second string, width int) {
		width %= 200
		var b Buffer
		b.Insert(first)
		check(t, &b, width)
		b.Insert(second)
		check(t, &b, width)
		all := b.Draft()
		if want := normalise(first) + normalise(second); b.Text() != want {
			t.Fatalf("%q, want %q", b.Text(), want)
		}
		for n := len(all.elements); !b.Empty(); n-- {
			if n == 0 {
				t.Fatalf("%d times Backspace leaves %q", len(all.elements), b.Text())
			}
			b.Backspace()
		}
		check(t, &b, width)
		b.Undo() // all of it was one step
		if got := b.Draft(); fmt.Sprint(got) != fmt.Sprint(all) {
			t.Fatalf("undone: %q, want %q", got.Text(), all.Text())
		}
		for b.Undo() {
		}
		if !b.Empty() {
			t.Fatalf("everything undone leaves %q", b.Text())
		}
	})
}
