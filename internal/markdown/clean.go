package markdown

import (
	"html"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/visible"
)

// safe is s without anything that could act on a terminal or hides, as one line.
func safe(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return blanks(visible.Safe(s))
		}
	}
	return s
}

// safeLines is s likewise, with its line breaks and tabs.
func safeLines(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\n' && s[i] != '\t' || s[i] >= 0x7f {
			return visible.Safe(s)
		}
	}
	return s
}

// blanks is s with blanks for tabs and line breaks.
func blanks(s string) string {
	if !strings.ContainsAny(s, "\t\n") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\t", " "), "\n", " ")
}

// unescape resolves backslashes and character references.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && punctuation(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			reference := s[i:]
			end := strings.IndexByte(reference[:min(len(reference), 40)], ';')
			if end < 2 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(reference[:end+1]))
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func punctuation(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// width is how many cells s takes.
func width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cluster is the first character of s as a person sees it, and its width.
func cluster(s string) (string, int) {
	if len(s) > 1 && s[0] < 0x80 && s[1] < 0x80 || len(s) == 1 {
		return s[:1], width(s[:1])
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// extender tells runes that only change the one before them.
func extender(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.M, r) || r == 0x200d || r == 0x200c || r >= 0x1f3fb && r <= 0x1f3ff)
}

// stays tells characters that must not begin a line, as Chinese and Japanese
// are set.
func stays(c string) bool {
	return strings.Contains("、。，．：；！？）］｝〉》」』】〕”’…—～·ー々", c)
}

// leads tells characters that must not end a line.
func leads(c string) bool { return strings.Contains("（［｛〈《「『【〔“‘", c) }
