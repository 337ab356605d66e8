package compose

import "strings"

// The longest sequences that are known as such. What is longer has no end, and
// is text.
const (
	longestControl = 64
	longestCommand = 4096
)

// stripped is text without escape sequences, and how many there were. Where
// an escape character begins none, it alone is left out. All else stays, byte
// for byte.
func stripped(text string) (_ string, n int) {
	at := strings.IndexByte(text, '\x1b')
	if at < 0 {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text))
	for ; at >= 0; at = strings.IndexByte(text, '\x1b') {
		b.WriteString(text[:at])
		text = text[at+escape(text[at:]):]
		n++
	}
	b.WriteString(text)
	return b.String(), n
}

// escape is the length of the escape sequence that the text begins with.
func escape(text string) int {
	if len(text) < 2 {
		return 1
	}
	switch text[1] {
	case '[':
		for i := 2; i < min(len(text), longestControl); i++ {
			switch c := text[i]; {
			case c >= 0x40 && c <= 0x7E:
				return i + 1
			case c < 0x20 || c > 0x7E:
				return 1
			}
		}
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < min(len(text), longestCommand); i++ {
			switch {
			case text[i] == '\a':
				return i + 1
			case text[i] == '\x1b' && i+1 < len(text) && text[i+1] == '\\':
				return i + 2
			case text[i] == '\n', text[i] == '\r', text[i] == '\x1b':
				return 1
			}
		}
	case '(', ')': // a set of characters
		if len(text) > 2 && (text[2] == 'B' || text[2] == '0') {
			return 3
		}
	}
	return 1
}
