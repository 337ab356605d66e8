package webpage

import (
	"bytes"
	"strings"
)

// writer writes lines into quotes and lists, with blank lines between blocks.
type writer struct {
	b        []byte
	segments []segment
	blank    bool // a blank line comes before the next line
	most     int
	full     bool
}

// segment is what each line in a quote or an item of a list begins with.
type segment struct {
	first, rest string
	used        bool // a line was written
}

// maxNesting is how many quotes and lists in one another are shown.
const maxNesting = 10

// begin starts a block: a blank line is before it, unless it is the first in
// its item.
func (w *writer) begin() {
	if n := len(w.segments); n == 0 || w.segments[n-1].used {
		w.blank = true
	}
}

// in has body write with the segment; it is whether body wrote something.
func (w *writer) in(first, rest string, body func()) bool {
	if len(w.segments) >= maxNesting {
		body()
		return true
	}
	w.segments = append(w.segments, segment{first: first, rest: rest})
	body()
	last := len(w.segments) - 1
	used := w.segments[last].used
	w.segments = w.segments[:last]
	return used
}

// line writes one line; s has no line end in it.
func (w *writer) line(s string) {
	if w.full {
		return
	}
	if left := max(0, w.most-len(w.b)); len(s) > left {
		s, w.full = strings.ToValidUTF8(s[:left], ""), true
	}
	if w.blank && len(w.b) > 0 {
		at := len(w.b)
		for _, g := range w.segments {
			if g.used {
				w.b = append(w.b, g.rest...)
			}
		}
		w.b = append(w.b[:at+len(bytes.TrimRight(w.b[at:], " "))], '\n')
	}
	w.blank = false
	at := len(w.b)
	for i := range w.segments {
		g := &w.segments[i]
		if g.used {
			w.b = append(w.b, g.rest...)
		} else {
			w.b = append(w.b, g.first...)
		}
		g.used = true
	}
	if s == "" {
		w.b = w.b[:at+len(bytes.TrimRight(w.b[at:], " "))]
	}
	w.b = append(append(w.b, s...), '\n')
}

func (w *writer) text() string { return string(bytes.TrimRight(w.b, "\n")) }
