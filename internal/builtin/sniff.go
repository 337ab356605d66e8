package builtin

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	sniffHead   = 64 << 10 // bytes in which a NUL makes a file binary
	sniffSample = 32 << 10 // bytes of text outside UTF-8 that are looked at
)

// sniffer finds out, from a file's bytes as they come by, whether it is text
// and in which encoding. The zero value is ready.
type sniffer struct {
	head    []byte // the first sniffHead bytes
	carry   []byte // the beginning of a character that the next write ends
	line    []byte // the beginning of the current line, at most sniffSample
	odd     bool   // the current line is no UTF-8
	sample  []byte // lines that are no UTF-8
	valid   int    // characters of several bytes in UTF-8
	invalid int    // bytes outside UTF-8
}

func (s *sniffer) write(b []byte) {
	if room := sniffHead - len(s.head); room > 0 {
		s.head = append(s.head, b[:min(room, len(b))]...)
	}
	if len(s.carry) == 0 && asciiOnly(b) {
		if nl := bytes.LastIndexByte(b, '\n'); nl >= 0 {
			s.endLine()
			b = b[nl+1:]
		}
		s.keep(b)
		return
	}
	for len(b) > 0 {
		line := b
		nl := bytes.IndexByte(b, '\n')
		if nl >= 0 {
			line = b[:nl+1]
		}
		b = b[len(line):]
		s.keep(line)
		s.count(line)
		if nl >= 0 {
			s.endLine()
		}
	}
}

func (s *sniffer) keep(line []byte) {
	if room := sniffSample - len(s.line); room > 0 && len(s.sample) < sniffSample {
		s.line = append(s.line, line[:min(room, len(line))]...)
	}
}

func (s *sniffer) endLine() {
	if s.odd && len(s.sample) < sniffSample {
		s.sample = append(s.sample, s.line...)
	}
	s.line, s.odd = s.line[:0], false
}

// count looks for characters of UTF-8 and for bytes that are none.
func (s *sniffer) count(b []byte) {
	if len(s.carry) > 0 {
		b = append(s.carry, b...)
		s.carry = nil
	} else if asciiOnly(b) {
		return
	}
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		if !utf8.FullRune(b) {
			s.carry = bytes.Clone(b)
			return
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			s.invalid++
			s.odd = true
		} else {
			s.valid++
		}
		b = b[n:]
	}
}

// asciiOnly looks at eight bytes at a time: it sees every byte of every file
// that is read.
func asciiOnly(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// encoding is what was found once everything has been written; false means
// that it is no text.
func (s *sniffer) encoding() (encoding, bool) {
	if len(s.carry) > 0 {
		s.invalid += len(s.carry)
		s.odd, s.carry = true, nil
	}
	s.endLine()
	switch {
	case bytes.HasPrefix(s.head, []byte("\xEF\xBB\xBF")):
		return encoding{bom: "\xEF\xBB\xBF"}, bytes.IndexByte(s.head, 0) < 0
	case bytes.HasPrefix(s.head, []byte("\xFF\xFE")):
		e := encoding{name: utf16LE, bom: "\xFF\xFE"}
		return e, isUTF16Text(e, s.head[2:])
	case bytes.HasPrefix(s.head, []byte("\xFE\xFF")):
		e := encoding{name: utf16BE, bom: "\xFE\xFF"}
		return e, isUTF16Text(e, s.head[2:])
	case bytes.HasPrefix(s.head, []byte("%PDF-")):
		return encoding{}, false // its beginning may look like text
	case bytes.IndexByte(s.head, 0) >= 0:
		return bareUTF16(s.head)
	case s.invalid == 0:
		return encoding{}, true
	case s.valid >= s.invalid:
		return encoding{}, true // UTF-8 with a few broken bytes, which stay as they are
	case manyControls(s.head):
		return encoding{}, false
	}
	return encoding{name: legacy(s.sample)}, true
}

// bareUTF16 recognises UTF-16 without a mark, and only where it is mostly
// ASCII: half of the bytes are zero, all on one side.
func bareUTF16(head []byte) (encoding, bool) {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	units := len(head) / 2
	switch {
	case zeros[0] == 0 && zeros[1]*10 >= units*7:
		e := encoding{name: utf16LE}
		return e, isUTF16Text(e, head)
	case zeros[1] == 0 && zeros[0]*10 >= units*7:
		e := encoding{name: utf16BE}
		return e, isUTF16Text(e, head)
	}
	return encoding{}, false
}

// isUTF16Text says whether bytes that may be UTF-16 are text: valid,
// without control characters, and either with blanks or line ends in it or
// of one script.
func isUTF16Text(e encoding, b []byte) bool {
	if len(b)%2 != 0 && len(b) < sniffHead-2 {
		return false
	}
	b = b[:len(b)/2*2]
	good, spaced, letters := true, len(b) == 0, 0
	scripts := map[string]bool{}
	e.each(b, func(at, _ int, text string) bool {
		r, _ := utf8.DecodeRuneInString(text)
		switch {
		case strings.ContainsRune("\t\n\r\f", r):
			spaced = true
		case r == utf8.RuneError && at+4 < len(b), unicode.IsControl(r), !unicode.IsPrint(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
			good = false
		case unicode.IsSpace(r), r >= 0x3001 && r <= 0x3003:
			spaced = true
		case unicode.IsLetter(r):
			letters++
			scripts[scriptOf(r)] = true
		}
		return good
	})
	return good && (spaced || letters == 0 || len(scripts) == 1)
}

func scriptOf(r rune) string {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return "east"
	case unicode.Is(unicode.Latin, r):
		return "latin"
	case unicode.Is(unicode.Cyrillic, r):
		return "cyrillic"
	case unicode.Is(unicode.Greek, r):
		return "greek"
	}
	return "other"
}

func manyControls(b []byte) bool {
	n := 0
	for _, c := range b {
		if c < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(c)) || c == 0x7F {
			n++
		}
	}
	return n*20 > len(b)
}
