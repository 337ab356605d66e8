package account

import (
	"unicode"
	"unicode/utf8"

	"github.com/minicode-go/minicode/llm"
)

// Estimate guesses how many tokens the request is, from its characters by
// class: words, digits, signs, blanks, CJK and other scripts. It is not
// calibrated.
func Estimate(req llm.Request) int { return new(Meter).Estimate(req) }

// tokens counts in hundredths of a token.
type tokens int

const whole tokens = 100

func (t *tokens) parts(parts llm.Parts) {
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			t.text(p.Text)
		case llm.Thinking:
			t.text(p.Text)
			if p.Text == "" {
				*t += tokens(len(p.Raw)+len(p.Signature)) * whole / 4
			}
		case llm.Image:
			*t += 1500 * whole // about what a screenshot costs
		case llm.ToolCall:
			*t += 12 * whole
			t.text(p.Name + string(p.Args) + p.Malformed)
		case llm.ToolResult:
			*t += 8 * whole
			t.parts(p.Parts)
		}
	}
}

// text adds the tokens of one text, run by run of characters of one class.
func (t *tokens) text(s string) {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		k := class(r)
		count := tokens(1) // characters in the run
		for n < len(s) {
			next, size := utf8.DecodeRuneInString(s[n:])
			if class(next) != k {
				break
			}
			n, count = n+size, count+1
		}
		switch k {
		case word: // one for a common word, more for long and joined ones
			*t += whole + max(0, count-6)*whole/6
		case digit:
			*t += (count + 2) / 3 * whole
		case blank: // a single space belongs to the word after it
			if s[:n] != " " {
				*t += whole + count/16*whole
			}
		default:
			*t += count * k
		}
		s = s[n:]
	}
}

// The classes of characters; those that are not counted by the run are worth
// their own value each.
const (
	word, digit, blank tokens = -1, -2, -3
	letter, sign, wide tokens = 35, 60, 80
)

func class(r rune) tokens {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return word
	case r >= '0' && r <= '9':
		return digit
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return blank
	case r >= 0x2E80 && r < 0xD7B0 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF00 && r < 0xFFF0 || r >= 0x1F000:
		return wide
	case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return letter
	}
	return sign
}
