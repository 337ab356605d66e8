package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe takes out what a terminal would act on, and characters that cannot be
// seen.
func Safe(text string) string {
	clean := true
	for _, r := range text {
		if r == utf8.RuneError || Hidden(r) && !harmless(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		if Hidden(r) && !harmless(r) {
			return -1
		}
		return r
	}, text)
}

// harmless is hidden characters that ordinary text is made with.
func harmless(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return true
	case r == 0x200C, r == 0x200D, r >= 0xFE00 && r <= 0xFE0F: // they shape letters and emoji
		return true
	}
	return unicode.In(r, unicode.Zs, unicode.Co)
}

// Marks says which characters are written out.
type Marks int

// The marks.
const (
	All  Marks = iota // all that cannot be seen: for commands and names
	Text              // not the tabs: for the lines of files
)

// Mark writes hidden characters so that they can be seen: nothing that is
// approved may be other than it looks. Each mark passes
// through style. The result can be printed as it is.
func Mark(text string, m Marks, style func(mark string) string) string {
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		last := before
		if r != 0xFE0F && !(r >= 0x1F3FB && r <= 0x1F3FF) { // a joiner may stand behind these
			before = r
		}
		switch {
		case r == 0x200D && pictured(last) && pictures(text[i+n:]),
			r == 0xFE0F && pictured(last) && (m == Text || joined(text[i+n:])):
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1:
			b.WriteString(style(fmt.Sprintf("<%02X>", text[i])))
		case r == '\t' && m == Text:
			b.WriteByte('\t')
		case Hidden(r):
			b.WriteString(style(fmt.Sprintf("<U+%04X>", r)))
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// pictures says whether a text begins with a character that emoji are made of.
func pictures(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return pictured(r)
}

// joined says whether a text begins with a joiner and a picture.
func joined(text string) bool {
	rest, ok := strings.CutPrefix(text, "\u200D")
	return ok && pictures(rest)
}

// pictured says whether a character is drawn as a picture, or can be: a joiner
// between two of them makes another picture, and so hides nothing.
func pictured(r rune) bool {
	switch {
	case r == 0x00A9, r == 0x00AE, r >= 0x203C && r <= 0x2BFF, r >= 0x3030 && r <= 0x303D, r == 0x3297, r == 0x3299:
		return !Hidden(r)
	}
	return r >= 0x1F000 && r <= 0x1FAFF
}

// Hidden says whether a character is not seen, or looks like another blank than
// it is: controls, text directions, joiners, fillers, tags.
func Hidden(r rune) bool {
	if r == ' ' {
		return false
	}
	if r < 0x20 || r >= 0x7F && r < 0xA0 {
		return true
	}
	if r < 0x80 {
		return false
	}
	switch r {
	case 0x034F, // grapheme joiner
		0x115F, 0x1160, 0x3164, 0xFFA0, // Hangul fillers
		0x17B4, 0x17B5, // Khmer vowels without a shape
		0x2028, 0x2029, // line and paragraph separators
		0x2800: // empty braille
		return true
	case 0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD: // Cf, but seen
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Co, unicode.Cs, unicode.Variation_Selector) || r >= 0xE0000 && r <= 0xE0FFF
}
