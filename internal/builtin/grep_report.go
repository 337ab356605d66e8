package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	hitColumns = 400 // characters of a line that are shown
	hitLead    = 100 // of these, how many before the match at most
	hitBatch   = 32  // files that are searched for lines together
)

// report is the result of a search as it is written.
type report struct {
	w    *Workspace
	q    query
	b    strings.Builder
	room int

	entries  int // written
	passed   int // passed over by offset
	full     bool
	withheld []string
}

// report writes the files, counts or lines that were found.
func (w *Workspace) report(ctx context.Context, s searcher, q query, found foundFiles) (*report, error) {
	r := &report{w: w, q: q, room: w.pageChars() - 800}
	files := found.files[:0:0]
	for _, f := range found.files {
		if !q.single && w.withheld(f.path) { // a single file was judged by its name
			r.withheld = append(r.withheld, w.show(f.path))
			continue
		}
		files = append(files, f)
	}
	stopped := found.stopped
	switch q.in.Mode {
	case "files":
		for _, f := range files {
			if !r.entry(visibleName(w.show(f.path))) {
				break
			}
		}
	case "count":
		total := 0
		for _, f := range files {
			total += f.count
			r.entry(fmt.Sprintf("%s:%d", visibleName(w.show(f.path)), f.count))
		}
		if len(files) > 0 {
			fmt.Fprintf(&r.b, "[%d in %d files]\n", total, len(files))
		}
	default:
		for len(files) > 0 && !r.full {
			n := min(hitBatch, len(files))
			hits, err := s.hits(ctx, q, files[:n], q.need)
			if errors.Is(err, context.DeadlineExceeded) {
				stopped = true
				break
			}
			if err != nil {
				return nil, err
			}
			for i := 0; i < n && !r.full; i++ {
				r.lines(files[i], hits[i])
			}
			files = files[n:]
		}
	}
	r.notes(found, stopped)
	return r, nil
}

func (r *report) String() string { return r.b.String() }

// entry writes one line of the result, if it is not passed over; it is false
// when there is no place for it.
func (r *report) entry(line string) bool {
	if r.passed < r.q.in.Offset {
		r.passed++
		return true
	}
	size := utf8.RuneCountInString(line) + 1
	if r.full || r.entries == r.q.in.HeadLimit || size > r.room && r.entries > 0 {
		r.full = true
		return false
	}
	if size > r.room { // a single match with much around it
		line = clip(line, max(r.room, 1000))
		size = r.room
	}
	r.entries++
	r.room -= size
	r.b.WriteString(line + "\n")
	return true
}

// lines writes a file's hits: those that match count as entries, and context
// belongs to the matches next to it.
func (r *report) lines(f matchedFile, hits []hit) {
	name := visibleName(r.w.show(f.path))
	decode := r.decoder(f)
	apart := r.q.in.Before > 0 || r.q.in.After > 0
	last := 0 // the line that was written last
	for i := 0; i < len(hits); {
		// One match with the context that leads to it and follows it.
		j := i
		for j < len(hits) && !hits[j].match {
			j++
		}
		if j == len(hits) {
			return
		}
		after := hits[j].number + r.q.in.After
		for j++; j < len(hits) && !hits[j].match && hits[j].number <= after; {
			j++
		}
		block := hits[i:j]
		i = j
		if r.passed < r.q.in.Offset {
			r.passed++
			continue
		}
		var b strings.Builder
		if apart && r.b.Len() > 0 && (last == 0 || block[0].number > last+1) {
			b.WriteString("--\n")
		}
		for _, h := range block {
			mark := ":"
			if !h.match {
				mark = "-"
			}
			fmt.Fprintf(&b, "%s%s%d%s%s\n", name, mark, h.number, mark, hitText(decode(h.text), h))
		}
		if !r.entry(strings.TrimSuffix(b.String(), "\n")) {
			return
		}
		last = block[len(block)-1].number
	}
}

// decoder gives the text of a file's lines: those that are no UTF-8 are read
// in the encoding that the file seems to have.
func (r *report) decoder(f matchedFile) func([]byte) string {
	var enc *encoding
	return func(b []byte) string {
		if utf8.Valid(b) {
			return string(b)
		}
		if enc == nil {
			enc = &encoding{}
			if file, err := os.Open(f.real); err == nil {
				head := make([]byte, 4<<20)
				n, _ := readFull(file, head)
				_ = file.Close()
				var s sniffer
				s.write(head[:n])
				if e, ok := s.encoding(); ok && !e.isUTF16() {
					enc.name = e.name
				}
			}
		}
		return strings.ToValidUTF8(enc.decode(b), "\uFFFD")
	}
}

// hitText is a line as it is shown: where it is long, the part around the
// match.
func hitText(s string, h hit) string {
	if len(s) <= hitColumns || utf8.RuneCountInString(s) <= hitColumns {
		return s
	}
	runes := []rune(s)
	at := 0
	if h.match && h.column <= len(s) {
		at = utf8.RuneCountInString(s[:h.column])
	}
	from := max(0, min(at-hitLead, len(runes)-hitColumns))
	to := min(len(runes), from+hitColumns)
	out := string(runes[from:to])
	if from > 0 {
		out = "…" + out
	}
	if to < len(runes) {
		out += "…"
	}
	return out
}

// notes says what the result does not show.
func (r *report) notes(found foundFiles, stopped bool) {
	if r.entries == 0 && !stopped {
		switch {
		case r.passed > 0:
			fmt.Fprintf(&r.b, "No more matches: there are %d in all.\n", r.passed)
		case len(r.withheld) == 0:
			r.b.WriteString("No matches.\n")
		}
	}
	if r.full {
		fmt.Fprintf(&r.b, "[more match: call grep_files again with offset %d]\n", r.q.in.Offset+r.entries)
	}
	if stopped {
		r.b.WriteString(walkCutShort)
	}
	if n := len(r.withheld); n > 0 {
		names := strings.Join(r.withheld[:min(3, n)], ", ")
		if n > 3 {
			names += fmt.Sprintf(" and %d more", n-3)
		}
		fmt.Fprintf(&r.b, "[left out, because reading them needs an approval: %s]\n", names)
	}
	r.b.WriteString(troubleNote(found.trouble))
}
