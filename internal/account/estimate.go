package account

import (
	"strings"
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

// What is counted beside texts. A tool's schema is worth less than the same
// text elsewhere, since providers show it to the model in a shorter form.
const (
	perMessage       = 4 * whole
	perTool          = 6 * whole
	perCall          = 10 * whole
	perResult        = 7 * whole
	schemaPercent    = 80
	bytesOfEncrypted = 4 // that make a token, where thinking cannot be read
)

func partTokens(p llm.Part) (t tokens) {
	switch p := p.(type) {
	case llm.Text:
		return textTokens(p.Text)
	case llm.Thinking:
		if p.Text != "" {
			return textTokens(p.Text)
		}
		return tokens(len(p.Raw)+len(p.Signature)) * whole / bytesOfEncrypted
	case llm.Image:
		return imageTokens(p)
	case llm.ToolCall:
		return perCall + textTokens(p.Name) + textTokens(string(p.Args)) + textTokens(p.Malformed)
	case llm.ToolResult:
		t = perResult
		for _, inner := range p.Parts {
			t += partTokens(inner)
		}
	}
	return t
}

// class says how characters make tokens. The weights below are fitted to the
// counts of the o200k vocabulary; those of wide characters lie between it and
// older vocabularies, which need more of them.
type class int

const (
	lower class = iota // Latin letters
	upper              // Latin capitals
	digit              // 0 to 9
	blank              // spaces, tabs, line ends
	sign               // ASCII signs
	mark               // other signs, arrows and lines
	wide               // Chinese, Japanese, Korean
	other              // letters of the other scripts
	emoji              // and what else lies beyond the first 65,536
)

// textTokens adds up the tokens of a text, run by run of characters that stand
// together.
func textTokens(s string) (t tokens) {
	before := blank // the class of the run before
	for len(s) > 0 {
		run, k := firstRun(s)
		t += runTokens(run, k, before)
		s, before = s[len(run):], k
	}
	return t
}

// firstRun is the run that a text begins with. A word may begin with capitals
// but not hold any after small letters: HTTPHeader is one, httpHeader two.
func firstRun(s string) (string, class) {
	k := blank
	for i, r := range s {
		c := classOf(r)
		if i > 0 && c != k && (k != upper || c != lower) {
			return s[:i], k
		}
		k = c
	}
	return s, k
}

func runTokens(run string, k, before class) tokens {
	n := tokens(utf8.RuneCountInString(run))
	switch k {
	case lower, upper: // about one for a word, more for long ones and those with accents (of two bytes)
		return 87 + 5*max(0, n-7) + 40*(tokens(len(run))-n)
	case digit: // by groups of up to three
		return 30 + 110*((n+2)/3)
	case blank:
		return blankTokens(run, before)
	case sign:
		return 63 + signTokens(run)
	case mark:
		return 88 + signTokens(run)
	case wide:
		return 72 * n
	case other:
		return 44 * n
	}
	return 150 * n
}

// signTokens is the worth of the signs after a run's first. Rulers and frames
// repeat the same sign, which costs little.
func signTokens(run string) (t tokens) {
	before, size := utf8.DecodeRuneInString(run)
	for _, r := range run[size:] {
		if r == before {
			t += 4
		} else {
			t += 30
		}
		before = r
	}
	return t
}

// blankTokens is the worth of spaces and line ends. A line end often belongs
// to the sign before it, a single space or the last of an indentation to the
// word after it.
func blankTokens(run string, before class) (t tokens) {
	if run == " " {
		return 20
	}
	t = 2 * tokens(len(run))
	lines := strings.Count(run, "\n")
	switch {
	case lines > 0 && (before == sign || before == mark):
		t += 45
	case lines > 0:
		t += 115
	}
	switch len(run) - lines {
	case 0:
	case 1:
		t += 55
	default:
		t += 115
	}
	return t
}

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z':
		return lower
	case r >= 'A' && r <= 'Z':
		return upper
	case r >= '0' && r <= '9':
		return digit
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return blank
	case r < utf8.RuneSelf:
		return sign
	case r >= 0xC0 && r < 0x250 && r != '×' && r != '÷':
		return lower
	case r >= 0x2E80 && r < 0xD7B0 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF00 && r < 0xFFF0:
		return wide
	case r >= 0x1F000:
		return emoji
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return other
	}
	return mark
}
