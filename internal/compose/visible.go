package compose

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/minicode-go/minicode/internal/visible"
)

const (
	zeroWidthNonJoiner = '\u200C'
	zeroWidthJoiner    = '\u200D'
	blackFlag          = '\U0001F3F4' // tags after it name a region
)

// drawn is a grapheme cluster as it may go to a terminal: itself, or, where
// a terminal would obey a part of it or show nothing, that part spelled out.
func drawn(cluster string) string {
	if len(cluster) == 1 && cluster[0] >= ' ' && cluster[0] < 0x7F {
		return cluster
	}
	if r, n := utf8.DecodeRuneInString(cluster); n == len(cluster) && isPlain(r) {
		return cluster
	}
	var b strings.Builder
	base, selected := rune(0), false
	for i, r := range cluster {
		selector := isSelector(r)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(cluster[i:], "\uFFFD"):
			fmt.Fprintf(&b, "<%02X>", cluster[i])
		case r < ' ':
			b.WriteRune('\u2400' + r) // its picture
		case r == 0x7F:
			b.WriteRune('\u2421')
		case i == 0 && unicode.Is(unicode.M, r) && !selector && !unsafe(r):
			b.WriteRune('\u25CC') // something for the mark to sit on
			b.WriteRune(r)
		case i > 0 && harmless(r, base) && !(selector && selected):
			b.WriteRune(r)
		case selector || unsafe(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		if i == 0 {
			base = r
		}
		selected = selected || selector
	}
	if s := b.String(); ansi.StringWidth(s) > 0 && standsAlone(s) {
		return s
	}
	b.Reset()
	for _, r := range cluster {
		fmt.Fprintf(&b, "<U+%04X>", r)
	}
	return b.String()
}

// isPlain says of a character that it is what most text in Latin letters,
// Chinese, Japanese and Korean is made of, and nothing to look into.
func isPlain(r rune) bool {
	return r > 0xAD && r < 0x300 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3
}

// harmless says that a character may follow others in a cluster, though it is
// one that shows nothing by itself.
func harmless(r, base rune) bool {
	switch {
	case r == zeroWidthJoiner, r == zeroWidthNonJoiner, isSelector(r):
		return true
	case r >= 0xE0020 && r <= 0xE007F:
		return base == blackFlag
	}
	return false
}

// unsafe says that a terminal would obey a character or show nothing of it.
func unsafe(r rune) bool { return visible.Hidden(r) && !unicode.In(r, unicode.Zs, unicode.Co) }

func isSelector(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }

// standsAlone says that a text is not drawn together with what is before or
// behind it on the screen.
func standsAlone(s string) bool {
	joined := "x" + s + "x"
	first, last := 0, 0
	for clusters := graphemes.FromString(joined); clusters.Next(); {
		if clusters.Start() == 0 {
			first = clusters.End()
		}
		last = clusters.Start()
	}
	return first == 1 && last == len(joined)-1
}
