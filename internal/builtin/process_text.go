package builtin

import (
	"bytes"
	"unicode/utf8"
)

// plainText turns what programs write to terminals into text: escape sequences
// and control characters are taken out, line ends become "\n", a NUL becomes
// "\0", and what is not UTF-8 becomes U+FFFD. It is fed piece by piece, and
// gives the same whatever the pieces are.
type plainText struct {
	state   textState
	cr      bool   // a CR came last, and waits for an LF
	pending []byte // the beginning of a character
	out     []byte // given out by convert, used again by the next
}

// textState is where in an escape sequence the text is.
type textState int

const (
	inText    textState = iota
	inEscape            // after ESC
	inControl           // after ESC [ : ends with a byte from @ to ~
	inString            // after ESC ] P X ^ _ : ends with BEL, ESC or a control character
)

// convert gives the text of p; it is valid until the next call.
func (t *plainText) convert(p []byte) []byte {
	t.out = t.out[:0]
	if len(t.pending) > 0 {
		p = append(t.pending, p...)
		t.pending = nil
	}
	for len(p) > 0 {
		if t.state == inText && !t.cr {
			n := ordinary(p)
			t.out = append(t.out, p[:n]...)
			if p = p[n:]; len(p) == 0 {
				break
			}
		}
		if p[0] >= utf8.RuneSelf && !utf8.FullRune(p) {
			t.pending = bytes.Clone(p)
			break
		}
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		t.take(r)
	}
	return t.out
}

// flush gives what is left when no more comes.
func (t *plainText) flush() []byte {
	t.out = t.out[:0]
	for range t.pending {
		t.take(utf8.RuneError)
	}
	if t.cr {
		t.cr = false
		t.out = append(t.out, '\n')
	}
	t.pending = nil
	return t.out
}

// ordinary is how many bytes at the beginning of p are text as they are.
func ordinary(p []byte) int {
	for i, b := range p {
		if (b < ' ' && b != '\n' && b != '\t') || b >= 0x7f {
			return i
		}
	}
	return len(p)
}

func (t *plainText) take(r rune) {
	if t.cr {
		if r == '\r' {
			return
		}
		t.cr = false
		if t.out = append(t.out, '\n'); r == '\n' {
			return
		}
	}
	switch t.state {
	case inEscape:
		t.escape(r)
		return
	case inControl:
		if r >= ' ' && r < 0x7f {
			if r >= '@' {
				t.state = inText
			}
			return
		}
	case inString:
		if r >= ' ' && r != 0x9c {
			return
		}
	}
	t.plainly(r)
}

// escape takes what follows ESC.
func (t *plainText) escape(r rune) {
	switch {
	case r == '[':
		t.state = inControl
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		t.state = inString
	case r >= ' ' && r <= '/': // intermediate: the final byte is still to come
	case r >= '0' && r <= '~':
		t.state = inText
	default:
		t.plainly(r)
	}
}

// plainly takes a character that is text or begins a sequence. In the middle
// of one it breaks it off, so that a stray beginning does not swallow the
// rest of the output.
func (t *plainText) plainly(r rune) {
	t.state = inText
	switch {
	case r == 0x1b:
		t.state = inEscape
	case r == 0x9b:
		t.state = inControl
	case r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f:
		t.state = inString
	case r == '\r':
		t.cr = true
	case r == 0:
		t.out = append(t.out, '\\', '0')
	case r == '\n' || r == '\t':
		t.out = append(t.out, byte(r))
	case r < ' ' || r >= 0x7f && r < 0xa0:
	default:
		t.out = utf8.AppendRune(t.out, r)
	}
}
