package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unicode/utf8"
)

const (
	searchChunk  = 512      // files that are searched before it is seen whether there are enough
	searchWindow = 32 << 20 // bytes of a file that are looked at together
)

// ownSearcher searches without any other program.
type ownSearcher struct{ w *Workspace }

func (s ownSearcher) files(ctx context.Context, q query, count bool) (foundFiles, error) {
	c, err := compile(q)
	if err != nil {
		return foundFiles{}, err
	}
	var found foundFiles
	if q.single {
		n, err := c.count(ctx, q, q.real, count)
		if err == nil && n > 0 {
			found.files = []matchedFile{{q.path, q.real, n}}
		}
		return found, err
	}
	var chunk []matchedFile
	enough := q.need
	search := func() bool {
		matching, trouble := s.chunk(ctx, q, c, chunk, count)
		for _, m := range matching {
			if !s.w.withheld(m.path) {
				enough--
			}
		}
		found.files = append(found.files, matching...)
		found.trouble = append(found.trouble, trouble...)
		chunk = chunk[:0]
		return ctx.Err() == nil && (count || enough > 0)
	}
	walk := walker{ctx: ctx, all: q.in.Ignored, visit: func(f walkedFile) bool {
		m := matchedFile{path: filepath.Join(q.path, filepath.FromSlash(f.rel)), real: f.path}
		if f.entry.Type().IsRegular() && q.filter.ok(q, m.path) {
			chunk = append(chunk, m)
		}
		return len(chunk) < searchChunk || search()
	}}
	if walk.walk(q.real) || len(chunk) > 0 {
		search()
	}
	found.trouble = append(found.trouble, walk.trouble...)
	found.stopped = ctx.Err() != nil
	return found, nil
}

// chunk searches files side by side and gives those that match, in order.
func (s ownSearcher) chunk(ctx context.Context, q query, c compiled, files []matchedFile, count bool) (matching []matchedFile, trouble []string) {
	counts, errs := make([]int, len(files)), make([]error, len(files))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				counts[i], errs[i] = c.count(ctx, q, files[i].real, count)
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, f := range files {
		if err := errs[i]; err != nil && !errors.Is(err, os.ErrNotExist) && ctx.Err() == nil {
			trouble = append(trouble, err.Error())
		}
		if counts[i] > 0 {
			f.count = counts[i]
			matching = append(matching, f)
		}
	}
	return matching, trouble
}

func (s ownSearcher) hits(ctx context.Context, q query, files []matchedFile, most int) ([][]hit, error) {
	c, err := compile(q)
	if err != nil {
		return nil, err
	}
	out := make([][]hit, len(files))
	for i, f := range files {
		if out[i], err = c.hits(ctx, q, f.real, most); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachWindow gives a file's text to f in pieces of whole lines, each with the
// number of lines before it, until f says no. Binary files have none.
func eachWindow(ctx context.Context, q query, path string, f func(text []byte, before int) bool) error {
	file, info, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	size := searchWindow
	if info.Size() < searchWindow {
		size = int(info.Size()) + 1
	}
	buf := make([]byte, max(size, 4096))
	kept, lines, first := 0, 0, true
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := readFull(file, buf[kept:])
		if err != nil {
			return plainError(err)
		}
		text := buf[:kept+n]
		last := kept+n < len(buf)
		if first {
			if isBinary(text[:min(len(text), sniffHead)]) {
				return nil
			}
			if e, ok := firstBytes(text); ok && e.isUTF16() {
				return wideText(file, e, text, f)
			}
			text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
			first = false
		}
		if nul := bytes.IndexByte(text, 0); nul >= 0 {
			text, last = text[:nul], true
		}
		whole := text
		if !last {
			if nl := bytes.LastIndexByte(text, '\n'); nl >= 0 {
				whole = text[:nl+1]
			}
		}
		rest := text[len(whole):]
		if !f(lineFeeds(q, whole), lines) || last {
			return nil
		}
		if q.in.Multiline {
			return fmt.Errorf("%s is larger than %s: only its beginning was searched", path, bytesText(searchWindow))
		}
		lines += bytes.Count(whole, []byte("\n"))
		kept = copy(buf, rest)
	}
}

// wideText gives a file of UTF-16 to f as UTF-8, as far as one window goes.
func wideText(file *os.File, e encoding, head []byte, f func([]byte, int) bool) error {
	rest, err := io.ReadAll(io.LimitReader(file, searchWindow))
	if err != nil {
		return plainError(err)
	}
	raw := append(bytes.Clone(head), rest...)
	f([]byte(e.decode(raw[len(e.bom):])), 0)
	return nil
}

// lineFeeds is text with CRLF as LF, so that $ stands before either. A search
// over lines sees what is there.
func lineFeeds(q query, text []byte) []byte {
	if q.in.Multiline {
		return text
	}
	if n := len(text) - 1; n >= 0 && text[n] == '\r' {
		text = append(text[:n:n], '\n')
	}
	if !bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// count is how many lines of a file match, or how many matches there are when
// they may span lines; 1 as soon as there is any, unless all are wanted.
func (c compiled) count(ctx context.Context, q query, path string, all bool) (int, error) {
	n := 0
	err := eachWindow(ctx, q, path, func(text []byte, _ int) bool {
		if q.in.Multiline {
			c.spans(text, func(int, int) bool { n++; return all })
		} else {
			c.lines(text, func(int, int, int) bool { n++; return all })
		}
		return n == 0 || all
	})
	return n, err
}

// hits is the first most lines that match, with their context.
func (c compiled) hits(ctx context.Context, q query, path string, most int) ([]hit, error) {
	var out []hit
	err := eachWindow(ctx, q, path, func(text []byte, before int) bool {
		var marks []mark
		if q.in.Multiline {
			c.spans(text, func(start, end int) bool {
				marks = append(marks, marksOf(text, start, end)...)
				return len(marks) < most
			})
		} else {
			c.lines(text, func(start, end, at int) bool {
				marks = append(marks, mark{start, end, at - start})
				return len(marks) < most
			})
		}
		out = append(out, withContext(text, marks, q.in.Before, q.in.After, before)...)
		most -= len(marks)
		return most > 0
	})
	if err != nil && len(out) > 0 && ctx.Err() == nil {
		err = nil
	}
	if q.in.Multiline { // else there is no CRLF any more
		for i := range out {
			out[i].text = bytes.TrimSuffix(out[i].text, []byte("\r"))
		}
	}
	return out, err
}

// lines calls f with each line that matches and with where in it a match
// begins, until f says no.
func (c compiled) lines(text []byte, f func(start, end, at int) bool) {
	places := c.finder(text)
	for pos := 0; pos < len(text); {
		at := places.candidate(pos)
		if at < 0 {
			return
		}
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if nl := bytes.IndexByte(text[at:], '\n'); nl >= 0 {
			end = at + nl
		}
		if c.plain {
			if !f(start, end, at) {
				return
			}
		} else if loc := c.re.FindIndex(text[start:end]); loc != nil {
			if !f(start, end, start+loc[0]) {
				return
			}
		}
		pos = end + 1
	}
}

// indexFold is bytes.Index for a text of small ASCII letters that stands in
// either case. It looks for the rarest letter of it.
func indexFold(text, small []byte) int {
	rare := 0
	for i, c := range small {
		if rank(c) < rank(small[rare]) {
			rare = i
		}
	}
	low := small[rare]
	high := low
	if low >= 'a' && low <= 'z' {
		high -= 'a' - 'A'
	}
	nextLow, nextHigh := -2, -2 // -2: look again
	for pos := rare; pos < len(text); {
		if nextLow == -2 || nextLow >= 0 && nextLow < pos {
			nextLow = indexFrom(text, low, pos)
		}
		if nextHigh == -2 || nextHigh >= 0 && nextHigh < pos {
			nextHigh = indexFrom(text, high, pos)
		}
		at := nextLow
		if at < 0 || nextHigh >= 0 && nextHigh < at {
			at = nextHigh
		}
		if at < 0 {
			return -1
		}
		if start := at - rare; start+len(small) <= len(text) && equalFold(text[start:start+len(small)], small) {
			return start
		}
		pos = at + 1
	}
	return -1
}

func indexFrom(text []byte, c byte, from int) int {
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

func equalFold(text, small []byte) bool {
	for i, c := range small {
		t := text[i]
		if t >= 'A' && t <= 'Z' {
			t += 'a' - 'A'
		}
		if t != c {
			return false
		}
	}
	return true
}

// rank is how common a character is in source text, roughly.
func rank(c byte) int {
	if i := bytes.IndexByte([]byte("zjqxvwybgkfhpmucdlsorniate"), c); i >= 0 {
		return i
	}
	if c == ' ' || c == '.' || c == '(' || c == ')' || c == '_' {
		return 30
	}
	return 5
}

// spans calls f with each match of an expression that may span lines.
func (c compiled) spans(text []byte, f func(start, end int) bool) {
	places := c.finder(text)
	for pos := 0; pos <= len(text); {
		if len(c.literals) > 0 && places.candidate(pos) < 0 {
			return
		}
		loc := c.re.FindIndex(text[pos:])
		if loc == nil || pos+loc[0] >= len(text) && len(text) > 0 {
			return
		}
		if !f(pos+loc[0], pos+loc[1]) {
			return
		}
		pos += loc[1]
		if loc[0] == loc[1] {
			_, size := utf8.DecodeRune(text[min(pos, len(text)):])
			pos += max(size, 1)
		}
	}
}

// mark is a line that matches: its place in the text, and where in it.
type mark struct{ start, end, column int }

// marksOf is the lines that a match spans.
func marksOf(text []byte, start, end int) []mark {
	var out []mark
	at := bytes.LastIndexByte(text[:start], '\n') + 1
	column := start - at
	for {
		stop := len(text)
		if nl := bytes.IndexByte(text[at:], '\n'); nl >= 0 {
			stop = at + nl
		}
		out = append(out, mark{at, stop, column})
		column = 0
		at = stop + 1
		if at >= end || at >= len(text) {
			return out
		}
	}
}

// withContext is the marked lines and those around them, each once, numbered
// on from before.
func withContext(text []byte, marks []mark, before, after, number int) []hit {
	var out []hit
	at := 0 // what lies before has been counted and perhaps given
	line := number + 1
	add := func(start, end int, h hit) {
		line += bytes.Count(text[at:start], []byte("\n"))
		h.number, h.text = line, bytes.Clone(text[start:end])
		out = append(out, h)
		at = min(end+1, len(text))
		line++
	}
	for i, m := range marks {
		if m.start < at {
			continue // the line had a match before
		}
		start := m.start
		for n := 0; n < before && start > at; n++ {
			start = bytes.LastIndexByte(text[:start-1], '\n') + 1
		}
		for start < m.start {
			end := start + bytes.IndexByte(text[start:], '\n')
			add(start, end, hit{})
			start = end + 1
		}
		add(m.start, m.end, hit{match: true, column: m.column})
		stop := len(text)
		if i+1 < len(marks) {
			stop = marks[i+1].start
		}
		for n := 0; n < after && at < stop; n++ {
			end := len(text)
			if nl := bytes.IndexByte(text[at:], '\n'); nl >= 0 {
				end = at + nl
			}
			add(at, end, hit{})
		}
	}
	return out
}
