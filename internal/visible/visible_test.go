package visible_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/visible"
)

func plain(mark string) string { return mark }

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, all, inText, safe string }{
		{"plain text, äöü 漢字", "plain text, äöü 漢字", "plain text, äöü 漢字", "plain text, äöü 漢字"},
		{"a\tb", "a<U+0009>b", "a\tb", "a\tb"},
		{"a\r\n", "a<U+000D><U+000A>", "a<U+000D><U+000A>", "a\n"},
		{"\x1b[31m\x07", "<U+001B>[31m<U+0007>", "<U+001B>[31m<U+0007>", "[31m"},
		{"\xff\xfe", "<FF><FE>", "<FF><FE>", "\uFFFD\uFFFD"},
		{"\uFFFD", "\uFFFD", "\uFFFD", "\uFFFD"},
		{"\u009b2J\u007f", "<U+009B>2J<U+007F>", "<U+009B>2J<U+007F>", "2J"},
		{"\u202Erm\u2066\u200B", "<U+202E>rm<U+2066><U+200B>", "<U+202E>rm<U+2066><U+200B>", "rm"},
		{"a\u00A0b\u3000c", "a<U+00A0>b<U+3000>c", "a<U+00A0>b<U+3000>c", "a\u00A0b\u3000c"},
		{"👩\u200D💻\uFE0F", "👩\u200D💻<U+FE0F>", "👩\u200D💻\uFE0F", "👩\u200D💻\uFE0F"},
		{"👩🏽\u200D🚀", "👩🏽\u200D🚀", "👩🏽\u200D🚀", "👩🏽\u200D🚀"},
		{"❤\uFE0F\u200D🔥 ❤\uFE0F", "❤\uFE0F\u200D🔥 ❤<U+FE0F>", "❤\uFE0F\u200D🔥 ❤\uFE0F", "❤\uFE0F\u200D🔥 ❤\uFE0F"},
		{"1\uFE0F a\u200D💻 💻\u200Da 💻\u200D", "1<U+FE0F> a<U+200D>💻 💻<U+200D>a 💻<U+200D>", "1<U+FE0F> a<U+200D>💻 💻<U+200D>a 💻<U+200D>", "1\uFE0F a\u200D💻 💻\u200Da 💻\u200D"},
		{"می\u200Cخواهم", "می<U+200C>خواهم", "می<U+200C>خواهم", "می\u200Cخواهم"},
		{"\u3164\u2800\u034F", "<U+3164><U+2800><U+034F>", "<U+3164><U+2800><U+034F>", ""},
		{"\U000E0041\u2028", "<U+E0041><U+2028>", "<U+E0041><U+2028>", ""},
		{"\u0600١", "\u0600١", "\u0600١", "\u0600١"},
	} {
		if got := visible.Mark(c.text, visible.All, plain); got != c.all {
			t.Errorf("visible(%+q, All) = %q, want %q", c.text, got, c.all)
		}
		if got := visible.Mark(c.text, visible.Text, plain); got != c.inText {
			t.Errorf("visible(%+q, Text) = %q, want %q", c.text, got, c.inText)
		}
		if got := visible.Safe(c.text); got != c.safe {
			t.Errorf("safe(%+q) = %+q, want %+q", c.text, got, c.safe)
		}
	}
}

// FuzzVisible: nothing that is shown acts on a terminal, and what is approved
// can be told apart: different texts are shown differently, but for one that
// spells a mark out.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"ls", "rm\u202E -rf", "\x1b]0;t\x07", "a\xffb", "\u200B", "<U+200B>", "👩\u200D💻"} {
		f.Add(s, "ls\u200B")
	}
	acts := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := visible.Safe(a); strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(got), acts) || !utf8.ValidString(got) {
			t.Errorf("safe(%q) = %q", a, got)
		}
		shown := visible.Mark(a, visible.All, plain)
		if strings.ContainsFunc(shown, acts) || !utf8.ValidString(shown) {
			t.Errorf("visible(%q) = %q", a, shown)
		}
		if a != b && shown == visible.Mark(b, visible.All, plain) && !strings.Contains(a+b, "<") {
			t.Errorf("%q and %q are both shown as %q", a, b, shown)
		}
	})
}
