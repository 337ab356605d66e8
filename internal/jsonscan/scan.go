package jsonscan

import "math/bits"

// Plain is where, from i on, the next byte stands that a JSON string cannot
// hold as it is: a control character, a quote or a backslash. It is the length
// of s when there is none.
func Plain[T string | []byte](s T, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		// Taking n from a byte below n borrows into its top bit.
		quote, slash := x^'"'*ones, x^'\\'*ones
		if found := ((x-' '*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// deepest is how far values may be nested, as in encoding/json.
const deepest = 10_000

// Valid says whether b is one JSON value.
func Valid(b []byte) bool {
	s := scanner{b: b}
	return s.value(0) && s.blank() && s.at == len(b)
}

type scanner struct {
	b  []byte
	at int
}

// blank passes over blanks; it is always true.
func (s *scanner) blank() bool {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\n' || s.b[s.at] == '\t' || s.b[s.at] == '\r') {
		s.at++
	}
	return true
}

// is passes over the byte if it is the next.
func (s *scanner) is(c byte) bool {
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) value(depth int) bool {
	if s.blank(); s.at == len(s.b) {
		return false
	}
	switch c := s.b[s.at]; c {
	case '"':
		return s.text()
	case '{':
		return s.list('}', depth+1, func() bool { return s.blank() && s.text() && s.blank() && s.is(':') && s.value(depth+1) })
	case '[':
		return s.list(']', depth+1, func() bool { return s.value(depth + 1) })
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list passes over elements with commas between them, up to the end.
func (s *scanner) list(end byte, depth int, element func() bool) bool {
	s.at++
	if s.blank(); s.is(end) {
		return depth <= deepest
	}
	for depth <= deepest && element() && s.blank() {
		if s.is(end) {
			return true
		}
		if !s.is(',') {
			return false
		}
	}
	return false
}

func (s *scanner) text() bool {
	if !s.is('"') {
		return false
	}
	for {
		if s.at = Plain(s.b, s.at); s.is('"') {
			return true
		}
		if !s.is('\\') || s.at == len(s.b) {
			return false
		}
		c := s.b[s.at]
		s.at++
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for range 4 {
				if s.at == len(s.b) || !isHex(s.b[s.at]) {
					return false
				}
				s.at++
			}
		default:
			return false
		}
	}
}

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (s *scanner) word(w string) bool {
	if len(s.b)-s.at < len(w) || string(s.b[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) number() bool {
	s.is('-')
	if !s.is('0') && !s.digits() {
		return false
	}
	if s.is('.') && !s.digits() {
		return false
	}
	if s.is('e') || s.is('E') {
		if !s.is('+') {
			s.is('-')
		}
		return s.digits()
	}
	return true
}

// digits passes over digits, of which there must be one.
func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.b) && isDigit(s.b[s.at]) {
		s.at++
	}
	return s.at > from
}
