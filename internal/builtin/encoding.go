package builtin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	xencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// encoding is how a file's text is written as bytes: a name as the world
// knows it, and whether a byte order mark stands in front. The zero value is
// UTF-8 without one.
type encoding struct {
	name string // "" for UTF-8; else one of the names that codec knows
	bom  string // the bytes of the mark, or ""
}

// The encodings by name. UTF-8 is the empty name, so that the zero value is
// what almost every file has.
const (
	utf16LE     = "utf-16le"
	utf16BE     = "utf-16be"
	gbk         = "gbk"
	gb18030     = "gb18030"
	shiftJIS    = "shift_jis"
	eucJP       = "euc-jp"
	eucKR       = "euc-kr"
	big5        = "big5"
	windows1252 = "windows-1252"
	windows1251 = "windows-1251"
	koi8R       = "koi8-r"
)

func (e encoding) isUTF8() bool { return e.name == "" }

func (e encoding) isUTF16() bool { return e.name == utf16LE || e.name == utf16BE }

func (e encoding) codec() xencoding.Encoding {
	switch e.name {
	case utf16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case utf16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case gbk:
		return simplifiedchinese.GBK
	case gb18030:
		return simplifiedchinese.GB18030
	case shiftJIS:
		return japanese.ShiftJIS
	case eucJP:
		return japanese.EUCJP
	case eucKR:
		return korean.EUCKR
	case big5:
		return traditionalchinese.Big5
	case windows1251:
		return charmap.Windows1251
	case koi8R:
		return charmap.KOI8R
	case windows1252:
		return charmap.Windows1252
	}
	return unicode.UTF8
}

// size is how many bytes the first character of b has in the encoding. It
// says nothing of whether they are a valid character, and is never more than
// len(b), which must not be 0.
func (e encoding) size(b []byte) int {
	n := 1
	c := b[0]
	next := byte(0)
	if len(b) > 1 {
		next = b[1]
	}
	switch e.name {
	case "":
		_, n = utf8.DecodeRune(b)
	case utf16LE, utf16BE:
		high := c
		if e.name == utf16LE {
			high = next
		}
		n = 2
		if high >= 0xD8 && high <= 0xDB && len(b) >= 4 && b[len16(e.name)]&0xFC == 0xDC {
			n = 4
		}
	case gbk, gb18030:
		if c >= 0x81 && c <= 0xFE && next >= 0x40 {
			n = 2
		} else if c >= 0x81 && c <= 0xFE && next >= '0' && next <= '9' {
			n = 4
		}
	case shiftJIS:
		if (c >= 0x81 && c <= 0x9F || c >= 0xE0 && c <= 0xFC) && next >= 0x40 {
			n = 2
		}
	case eucJP:
		switch {
		case c == 0x8F && next >= 0xA1:
			n = 3
		case (c == 0x8E || c >= 0xA1) && next >= 0xA1:
			n = 2
		}
	case eucKR, big5:
		if c >= 0x81 && c <= 0xFE && next >= 0x40 {
			n = 2
		}
	}
	return min(n, len(b))
}

// len16 is where the high byte of the second unit of a pair stands.
func len16(name string) int {
	if name == utf16LE {
		return 3
	}
	return 2
}

// each calls f for each character of raw, with its bytes' place and its
// text, until f says no. Bytes that are no character have the text U+FFFD;
// in UTF-8 they keep themselves.
func (e encoding) each(raw []byte, f func(at, size int, text string) bool) {
	if e.isUTF8() {
		for at := 0; at < len(raw); {
			_, n := utf8.DecodeRune(raw[at:])
			if !f(at, n, string(raw[at:at+n])) {
				return
			}
			at += n
		}
		return
	}
	decoder := e.codec().NewDecoder()
	for at := 0; at < len(raw); {
		n := e.size(raw[at:])
		text := string(utf8.RuneError)
		if e.isUTF16() {
			if n > 1 {
				text = string(e.rune16(raw[at : at+n]))
			}
		} else if n == 1 && raw[at] < utf8.RuneSelf {
			text = string(rune(raw[at]))
		} else if out, err := decoder.Bytes(raw[at : at+n]); err == nil && len(out) > 0 {
			text = string(out)
		}
		if n > 1 && !e.isUTF16() && strings.ContainsRune(text, utf8.RuneError) {
			n, text = 1, string(utf8.RuneError) // what follows a broken byte may be whole
		}
		if !f(at, n, text) {
			return
		}
		at += n
	}
}

// rune16 is the character of two bytes of UTF-16, or of four.
func (e encoding) rune16(b []byte) rune {
	var order binary.ByteOrder = binary.BigEndian
	if e.name == utf16LE {
		order = binary.LittleEndian
	}
	first := rune(order.Uint16(b))
	switch {
	case len(b) == 4:
		return utf16.DecodeRune(first, rune(order.Uint16(b[2:])))
	case utf16.IsSurrogate(first):
		return utf8.RuneError
	}
	return first
}

// decode is the text of raw, which has no byte order mark.
func (e encoding) decode(raw []byte) string {
	if e.isUTF8() {
		return string(raw)
	}
	var b strings.Builder
	b.Grow(len(raw))
	e.each(raw, func(_, _ int, text string) bool {
		b.WriteString(text)
		return true
	})
	return b.String()
}

// encode is text in the encoding. Its error names the first character that
// the encoding does not have.
func (e encoding) encode(text string) ([]byte, error) {
	if e.isUTF8() {
		return []byte(text), nil
	}
	out, err := e.codec().NewEncoder().Bytes([]byte(text))
	if err == nil && e.decode(out) == text {
		return out, nil
	}
	for _, r := range text {
		one, err := e.codec().NewEncoder().Bytes([]byte(string(r)))
		if err != nil || e.decode(one) != string(r) {
			return nil, fmt.Errorf("%q (U+%04X) does not exist in %s, the file's encoding", r, r, e.name)
		}
	}
	return nil, fmt.Errorf("the text cannot be written in %s, the file's encoding", e.name)
}

// document is a file's text together with the way back to its bytes.
type document struct {
	enc  encoding
	raw  []byte // the whole file
	text string // without byte order mark; a byte that is no UTF-8 stays itself in a UTF-8 file
}

var errBinary = errors.New("a binary file")

// readDocument makes a document of a file's bytes. It fails with errBinary
// when they are no text.
func readDocument(raw []byte) (document, error) {
	var s sniffer
	s.write(raw)
	enc, ok := s.encoding()
	if !ok {
		return document{}, errBinary
	}
	return document{enc: enc, raw: raw, text: enc.decode(raw[len(enc.bom):])}, nil
}

// offsets are the places in raw of places in text, which must be in
// ascending order and on characters' edges.
func (d document) offsets(places []int) []int {
	out := make([]int, len(places))
	if d.enc.isUTF8() {
		for i, p := range places {
			out[i] = p + len(d.enc.bom)
		}
		return out
	}
	i, text := 0, 0
	d.enc.each(d.raw[len(d.enc.bom):], func(at, _ int, s string) bool {
		for i < len(places) && places[i] <= text {
			out[i] = at + len(d.enc.bom)
			i++
		}
		text += len(s)
		return i < len(places)
	})
	for ; i < len(places); i++ {
		out[i] = len(d.raw)
	}
	return out
}

// splice is the file's bytes with the edits, sorted and apart, carried out.
// No other byte is touched.
func (d document) splice(edits []edit) ([]byte, error) {
	places := make([]int, 0, 2*len(edits))
	for _, e := range edits {
		places = append(places, e.start, e.end)
	}
	at := d.offsets(places)
	var out bytes.Buffer
	out.Grow(len(d.raw))
	last := 0
	for i, e := range edits {
		out.Write(d.raw[last:at[2*i]])
		b, err := d.enc.encode(e.text)
		if err != nil {
			return nil, err
		}
		out.Write(b)
		last = at[2*i+1]
	}
	out.Write(d.raw[last:])
	return out.Bytes(), nil
}

// edit puts text in the place of a span of a document's text.
type edit struct {
	start, end int // bytes of the text
	text       string
}
