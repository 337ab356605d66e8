package llm

import (
	"unicode"
	"unicode/utf8"
)

// Count is how much of a model's window is in use, and how that is known.
type Count struct {
	Tokens int
	Source string // "usage", "usage+est" or "est"
	Window int    // the effective input: window less the reserve for the answer
	Known  bool   // whether the window is known or the fallback
}

// Share is the part of the effective input that is in use; above 1 it is full.
func (c Count) Share() float64 {
	if c.Window <= 0 {
		return 0
	}
	return float64(c.Tokens) / float64(c.Window)
}

// FallbackWindow is the window of a model of which nothing is known, in tokens.
const FallbackWindow = 128_000

// FallbackMaxOutput is the greatest output of such a model, in tokens.
const FallbackMaxOutput = 8_000

// Measure counts what a request with these messages would have in the window:
// what the provider counted at the newest answer that has a usage, and an
// estimate of what came after it; without any usage, an estimate of all, the
// system prompt and tools of req included. Usage that an edit made stale must
// be taken off the messages before.
func Measure(messages []Message, req Request, info Info) Count {
	c := Count{Source: "est", Window: info.EffectiveInput(), Known: info.Known}
	if info.Window <= 0 {
		c.Window, c.Known = FallbackWindow-FallbackMaxOutput, false
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if u := messages[i].Usage; u != nil && u.Total() > 0 {
			c.Tokens, c.Source = u.Total(), "usage"
			if i+1 < len(messages) {
				c.Tokens, c.Source = c.Tokens+Estimate(Request{Messages: messages[i+1:]}), "usage+est"
			}
			return c
		}
	}
	req.Messages = messages
	c.Tokens = Estimate(req)
	return c
}

// Estimate guesses how many tokens the request is, from its characters by
// class: words, digits, signs, blanks, CJK and other scripts.
func Estimate(req Request) int {
	var t tokens
	t.text(req.System)
	for _, spec := range req.Tools {
		t += 8 * whole
		t.text(spec.Name + " " + spec.Description + string(spec.Schema))
	}
	for _, m := range req.Messages {
		t += 4 * whole
		t.parts(m.Parts)
	}
	return int((t + whole - 1) / whole)
}

// tokens counts in hundredths of a token.
type tokens int

const whole tokens = 100

func (t *tokens) parts(parts Parts) {
	for _, p := range parts {
		switch p := p.(type) {
		case Text:
			t.text(p.Text)
		case Thinking:
			t.text(p.Text)
			if p.Text == "" {
				*t += tokens(len(p.Raw)+len(p.Signature)) * whole / 4
			}
		case Image:
			*t += 1500 * whole // about what a screenshot costs
		case ToolCall:
			*t += 12 * whole
			t.text(p.Name + string(p.Args) + p.Malformed)
		case ToolResult:
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
