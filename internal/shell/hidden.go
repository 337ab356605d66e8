package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxChars  = 10_000  // a longer command asks
	maxBytes  = 1 << 16 // a longer one is not even parsed
	maxTabs   = 4       // tabs in a row within a line
	maxBlanks = 40      // blanks of any kind in a row within a line
	maxLines  = 12      // line ends in a row
)

// hidden says how a command hides a part of itself from a person who reads it,
// "" if it does not.
func hidden(command string) string {
	if !utf8.ValidString(command) {
		return "the command holds bytes that are not UTF-8"
	}
	for _, c := range command {
		if what := invisible(c); what != "" {
			return fmt.Sprintf("the command holds %s (U+%04X)", what, c)
		}
	}
	if utf8.RuneCountInString(command) > maxChars {
		return fmt.Sprintf("the command is longer than %d characters", maxChars)
	}
	if strings.Contains(command, strings.Repeat("\n", maxLines)) {
		return "many empty lines can push a part of the command out of sight"
	}
	for line := range strings.Lines(command) {
		if padded(line) {
			return "a long run of blanks can push a part of the command out of sight"
		}
	}
	return ""
}

// padded reports whether blanks within a line, not those before it, move text
// away.
func padded(line string) bool {
	line = strings.TrimLeft(strings.TrimRight(line, " \t\n"), " \t")
	tabs, blanks := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '\t':
			tabs++
			blanks++
		case ' ':
			blanks++
		default:
			tabs, blanks = 0, 0
		}
		if tabs >= maxTabs || blanks >= maxBlanks {
			return true
		}
	}
	return false
}

// invisible names what kind of character it is that a reader does not see, or
// sees as another.
func invisible(c rune) string {
	switch {
	case c == '\n' || c == '\t':
		return ""
	case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0:
		return "a control character"
	case c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069, c == 0x200e, c == 0x200f, c == 0x061c:
		return "a character that changes the direction of text"
	case c >= 0x200b && c <= 0x200d, c >= 0x2060 && c <= 0x2065, c >= 0x206a && c <= 0x206f, c == 0xfeff, c == 0x00ad,
		c == 0x034f, c == 0x115f, c == 0x1160, c == 0x17b4, c == 0x17b5, c >= 0x180b && c <= 0x180f, c == 0x3164, c == 0xffa0,
		c >= 0xe0000 && c <= 0xe0fff, c >= 0xfff0 && c <= 0xfffb, c >= 0xfe00 && c < 0xfe0f:
		return "an invisible character"
	case c == 0x00a0, c == 0x1680, c >= 0x2000 && c <= 0x200a, c == 0x2028, c == 0x2029, c == 0x202f, c == 0x205f, c == 0x3000, c == 0x2800:
		return "a blank that does not divide words"
	}
	return ""
}
