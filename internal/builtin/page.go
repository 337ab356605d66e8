package builtin

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/raster"
)

// surveyed is how much of a file is looked through for the number of its
// lines and its hash. Beyond it a page is still read, but neither is known.
const surveyed = 64 << 20

// survey is what is known of a file before a page of it is read.
type survey struct {
	head  []byte // its beginning
	text  bool
	enc   encoding
	start int64 // where the wanted line begins
	lines int
	whole bool // all of it was looked through: lines and sum are true
	sum   string
}

// surveyFile looks through f once, in bounded memory. wanted is the line, from
// 1, that the page begins at.
func surveyFile(ctx context.Context, f *os.File, size int64, wanted int) (survey, error) {
	s := survey{text: true, start: -1}
	var sniff sniffer
	hash := sha256.New()
	buf := make([]byte, 256<<10)
	at, last := int64(0), int64(0) // last: where the current line begins
	for {
		n, err := io.ReadFull(f, buf)
		b := buf[:n]
		if at == 0 {
			s.head = bytes.Clone(b[:min(n, 64)])
			s.enc, s.text = firstBytes(b)
			if s.text = s.text && raster.Media(s.head) == ""; !s.text {
				return s, nil
			}
			last = int64(len(s.enc.bom))
			if wanted == 1 {
				s.start = last
			}
		}
		hash.Write(b)
		sniff.write(b)
		for i := 0; ; {
			nl := lineFeed(b[i:], s.enc)
			if nl < 0 {
				break
			}
			i += nl
			s.lines++
			last = at + int64(i)
			if s.lines == wanted-1 {
				s.start = last
			}
		}
		at += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			s.whole = true
			break
		}
		if err != nil {
			return s, plainError(err)
		}
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if at >= surveyed && s.start >= 0 && size > at {
			break
		}
	}
	if at > last {
		s.lines++ // the last line has no end
	}
	s.enc, s.text = sniff.encoding()
	s.sum = hex.EncodeToString(hash.Sum(nil))
	if s.start < 0 {
		s.start = at
	}
	return s, nil
}

// firstBytes says from a file's beginning whether it is text, and whether it
// is UTF-16; the other encodings all end lines with the same byte.
func firstBytes(b []byte) (encoding, bool) {
	var s sniffer
	s.write(b[:min(len(b), sniffHead)])
	return s.encoding()
}

// lineFeed is the length of the line that b begins with, or -1 when it does
// not end in b.
func lineFeed(b []byte, enc encoding) int {
	if !enc.isUTF16() {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return i + 1
		}
		return -1
	}
	for i := 0; i+1 < len(b); i += 2 {
		if enc.rune16(b[i:i+2]) == '\n' {
			return i + 2
		}
	}
	return -1
}

// page is a run of lines as a result shows them.
type page struct {
	in     *lineReader
	from   int // first line
	column int // in the first line, from 1
	limit  int // lines
	room   int // characters that are left

	text  strings.Builder
	shown int  // lines
	cut   int  // the column that the last line goes on at, 0: it is whole
	ended bool // the file ends with the page
}

// fill reads lines until the page is full. A line that does not fit is left
// for the next page; only one that no page could hold is cut.
func (p *page) fill(ctx context.Context) error {
	for p.shown < p.limit {
		if err := ctx.Err(); err != nil {
			return err
		}
		number := strconv.Itoa(p.from + p.shown)
		skip := 0
		if p.shown == 0 {
			skip = p.column - 1
		}
		line, err := p.in.line(skip, max(1, p.room-len(number)-2))
		if errors.Is(err, io.EOF) {
			p.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		if (line.cut || len(number)+2+line.kept > p.room) && p.shown > 0 {
			return nil
		}
		p.room -= len(number) + 2 + line.kept
		p.text.WriteString(number + "\t" + line.text + "\n")
		p.shown++
		if line.cut {
			p.cut = p.column + line.kept
			return nil
		}
	}
	_, err := p.in.r.Peek(1)
	p.ended = errors.Is(err, io.EOF)
	return nil
}

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	r   *bufio.Reader
	enc encoding
}

func newLineReader(r io.Reader, enc encoding) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10), enc}
}

// readLine is a line, or what was kept of it.
type readLine struct {
	text string
	kept int  // characters of text
	cut  bool // there is more of it
}

// line reads the next line, passes over skip characters and keeps the next
// keep. Its end is not part of it. After the last line it gives io.EOF.
func (l *lineReader) line(skip, keep int) (readLine, error) {
	var out readLine
	var b strings.Builder
	seen, any, cr := 0, false, false // cr: the character after the last that is kept is a CR, maybe of the line's end
	for {
		chunk, err := l.r.Peek(max(1, l.r.Buffered()))
		if len(chunk) < 4 && err == nil {
			chunk, err = l.r.Peek(4) // a character may go on
		}
		if len(chunk) == 0 {
			if !errors.Is(err, io.EOF) {
				return out, err
			}
			if !any {
				return out, io.EOF
			}
			out.text, out.cut = b.String(), out.cut || cr
			return out, nil
		}
		any = true
		used, done := 0, false
		l.enc.each(chunk, func(at, size int, text string) bool {
			if len(chunk)-at < 4 && err == nil && at > 0 {
				return false // the rest is looked at again with what follows
			}
			used = at + size
			switch {
			case text == "\n":
				done = true
				return false
			case seen < skip:
				seen++
			case out.kept < keep:
				if !utf8.ValidString(text) {
					text = string(utf8.RuneError)
				}
				b.WriteString(text)
				out.kept++
			case text == "\r" && !cr:
				cr = true
			default:
				out.cut = true
				return l.enc.isUTF16()
			}
			return true
		})
		if _, err := l.r.Discard(used); err != nil {
			return out, err
		}
		if done {
			return l.finish(out, b.String()), nil
		}
		if out.cut && !l.enc.isUTF16() {
			if err := l.skipLine(); err != nil {
				return out, err
			}
			return l.finish(out, b.String()), nil
		}
	}
}

// finish takes off the CR of a line end.
func (l *lineReader) finish(out readLine, text string) readLine {
	if !out.cut && strings.HasSuffix(text, "\r") {
		text = text[:len(text)-1]
		out.kept--
	}
	out.text = text
	return out
}

func (l *lineReader) skipLine() error {
	for {
		_, err := l.r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
