package builtin

import (
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// folding says which differences between two texts do not count.
type folding struct {
	eol      bool // CRLF against LF
	trailing bool // blanks before a line's end
	tab      int  // in indentation, a tab is as many blanks as lead to the next multiple; 0: a tab is a tab
	alike    bool // quotes, dashes, blanks, widths, composed and decomposed characters
}

// folded is a text written so that what does not count is equal, with the
// way back. It is made of pieces: a piece either is the same in both, byte for
// byte, or stands as a whole for other bytes of the original.
type folded struct {
	from   string
	text   string
	pieces []piece // in ascending order of both places; the last one ends both
}

type piece struct {
	at, orig int  // where it begins in the folded and in the original text
	same     bool // every byte of it is the same in both
}

type folder struct {
	folding
	out  folded
	text strings.Builder
	at   int // in the original
}

// fold writes s as the folding says.
func (o folding) fold(s string) folded {
	f := folder{folding: o, out: folded{from: s}}
	f.text.Grow(len(s))
	for len(s) > 0 {
		line, end := s, ""
		if nl := strings.IndexByte(s, '\n'); nl >= 0 {
			line, end = s[:nl], "\n"
		}
		s = s[len(line)+len(end):]
		f.line(line, end)
	}
	f.out.text = f.text.String()
	f.out.pieces = append(f.out.pieces, piece{at: f.text.Len(), orig: f.at})
	return f.out
}

func (f *folder) line(line, end string) {
	kept := line
	if f.eol && end != "" {
		kept = strings.TrimSuffix(kept, "\r")
	}
	if f.trailing {
		kept = strings.TrimRight(kept, " \t")
	}
	body := kept
	if f.tab > 0 {
		indent := len(kept) - len(strings.TrimLeft(kept, " \t"))
		f.indent(kept[:indent])
		body = kept[indent:]
	}
	if f.alike {
		f.look(body)
	} else {
		f.same(body)
	}
	dropped := len(line) - len(kept)
	switch {
	case dropped > 0:
		f.put(end, dropped+len(end))
	default:
		f.same(end)
	}
}

func (f *folder) same(s string) {
	if s == "" {
		return
	}
	if n := len(f.out.pieces); n == 0 || !f.out.pieces[n-1].same {
		f.out.pieces = append(f.out.pieces, piece{at: f.text.Len(), orig: f.at, same: true})
	}
	f.text.WriteString(s)
	f.at += len(s)
}

// put writes a piece of the folded text for the next size bytes.
func (f *folder) put(s string, size int) {
	f.out.pieces = append(f.out.pieces, piece{at: f.text.Len(), orig: f.at})
	f.text.WriteString(s)
	f.at += size
}

func (f *folder) indent(blanks string) {
	column := 0
	for i := range len(blanks) {
		if blanks[i] == ' ' {
			f.same(" ")
			column++
			continue
		}
		n := f.tab - column%f.tab
		f.put(strings.Repeat(" ", n), 1)
		column += n
	}
}

func (f *folder) look(s string) {
	for len(s) > 0 {
		n := 0
		for n < len(s) && s[n] < utf8.RuneSelf && (n+1 == len(s) || s[n+1] < utf8.RuneSelf) {
			n++
		}
		if n > 0 {
			f.same(s[:n])
			s = s[n:]
			continue
		}
		n = max(1, norm.NFC.NextBoundaryInString(s, true))
		if plain := plain(s[:n]); plain == s[:n] {
			f.same(plain)
		} else {
			f.put(plain, n)
		}
		s = s[n:]
	}
}

// plain is s with characters that look alike written as one of them.
func plain(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(s) {
		switch {
		case strings.ContainsRune("‘’‚‛′", r):
			b.WriteByte('\'')
		case strings.ContainsRune("“”„‟″", r):
			b.WriteByte('"')
		case strings.ContainsRune("‐‑‒–—―−", r):
			b.WriteByte('-')
		case r == '\u00A0' || r >= '\u2000' && r <= '\u200A' || r == '\u202F' || r == '\u205F' || r == '\u3000':
			b.WriteByte(' ')
		default:
			if narrow := width.LookupRune(r).Folded(); narrow != 0 {
				r = narrow
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// piece is the number of the piece that the place at lies in; a place where
// one begins belongs to it, and to the last of several that begin there.
func (f folded) piece(at int) int {
	return sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].at > at }) - 1
}

// original is the span of the original that stands for [start, end). It is
// false where an end lies inside a piece. What was dropped at the edges is
// not in it.
func (f folded) original(start, end int) (from, to int, ok bool) {
	i := f.piece(start)
	p := f.pieces[i]
	from = p.orig
	if start > p.at {
		if !p.same {
			return 0, 0, false
		}
		from += start - p.at
	}
	j := f.piece(end)
	for j > 0 && f.pieces[j].at == end && f.pieces[j-1].at == end {
		j-- // the first of those that begin here
	}
	p = f.pieces[j]
	to = p.orig
	if end > p.at {
		if !p.same {
			return 0, 0, false
		}
		to += end - p.at
	}
	return from, max(from, to), true
}

// tail is what folding dropped at the very end.
func (f folded) tail() string {
	_, to, _ := f.original(len(f.text), len(f.text))
	return f.from[to:]
}
