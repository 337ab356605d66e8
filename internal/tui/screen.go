package tui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// frame is what is to be seen.
type frame struct {
	above []string // finished lines: they are printed once, above the live region
	lines []string // the live region, or the whole screen
	row   int      // of the cursor within lines; -1 hides it
	col   int      // in cells
	full  bool     // lines fill the alternate screen; above must be empty
}

// eraseBelow clears from the cursor's row on. It does not do so from the first
// column: from the corner of the screen it would be a clear of all, which some
// terminals move into the scrollback.
const eraseBelow = "\r" + ansi.EraseLineRight + "\x1b[C" + ansi.EraseScreenBelow + "\r"

// region is a part of the terminal as it was drawn last.
type region struct {
	lines []string
	row   int  // where the cursor is
	stale bool // the terminal may have moved it
}

// screen turns frames into what the terminal must be sent, as little as
// possible. It never clears more than its own live region.
type screen struct {
	width, height int
	synced        bool // the terminal draws what stands between two marks at once
	reflows       bool // the terminal breaks lines anew when it gets narrower
	hidden        bool // the cursor is
	cursor        int  // its column, when it was placed last

	inline region
	whole  region
	full   bool // the alternate screen is shown

	out strings.Builder
	at  *region // the one that is drawn
	end int     // its last row that exists on the terminal
}

// draw gives the bytes that change the terminal into the frame, "" when it
// shows it already.
func (s *screen) draw(f frame) string {
	s.out.Reset()
	lines, row := s.fit(f)
	s.toggle(f.full)
	if f.full {
		s.drawFull(lines)
	} else {
		s.drawInline(f.above, lines)
	}
	changed := s.out.Len() > 0
	s.place(row, f.col)
	if s.out.Len() == 0 && (row < 0) == s.hidden {
		return ""
	}
	return s.wrap(s.out.String(), changed, row < 0)
}

// fit cuts what the terminal cannot show: lines at their end, the region at
// its top.
func (s *screen) fit(f frame) ([]string, int) {
	lines, row := f.lines, f.row
	if over := len(lines) - s.height; over > 0 {
		lines = lines[over:]
		if row >= 0 {
			row = max(0, row-over)
		}
	}
	for i, line := range lines {
		if len(line) > s.width && ansi.StringWidth(line) > s.width {
			lines[i] = ansi.Truncate(line, s.width, "")
		}
	}
	return lines, row
}

// wrap makes one update of the bytes: the terminal shows all of it at once,
// or at least no cursor that wanders.
func (s *screen) wrap(body string, changed, hide bool) string {
	var b strings.Builder
	was := s.hidden
	s.hidden = hide
	switch {
	case s.synced && changed:
		b.WriteString(ansi.SetModeSynchronizedOutput)
	case changed && !was:
		b.WriteString(ansi.ResetModeTextCursorEnable)
		was = true
	}
	if hide && !was {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	b.WriteString(body)
	if !hide && was {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s.synced && changed {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	return b.String()
}

// toggle enters or leaves the alternate screen. The other one stays as it is.
func (s *screen) toggle(full bool) {
	switch {
	case full && !s.full:
		s.out.WriteString(ansi.SetModeAltScreenSaveCursor + "\x1b[H" + ansi.EraseEntireScreen)
		s.whole = region{}
	case !full && s.full:
		s.out.WriteString(ansi.ResetModeAltScreenSaveCursor)
	}
	s.full = full
}

func (s *screen) drawInline(above, lines []string) {
	r := &s.inline
	s.at, s.end = r, max(0, len(r.lines)-1)
	old := r.lines
	if r.stale {
		s.end = r.row
		s.move(0)
		s.out.WriteString(eraseBelow)
		old, s.end, r.stale = nil, 0, false
	}
	all := slices.Concat(s.broken(above), lines)
	printed := len(all) - len(lines)
	old = s.shift(old, all)
	for i, line := range all {
		if i < len(old) && old[i] == line {
			continue // also a finished line that was shown while it could still change
		}
		s.move(i)
		if i < len(old) {
			s.change(old[i], line)
		} else {
			s.out.WriteByte('\r')
			s.line(line)
		}
	}
	if len(old) > len(all) {
		s.move(len(all))
		s.out.WriteString(eraseBelow)
		s.end = len(all)
	}
	if r.row < printed {
		s.move(printed)
	}
	r.row, s.end = r.row-printed, max(0, s.end-printed)
	r.lines = append(r.lines[:0:0], lines...)
}

// broken is the lines with those broken that are wider than the terminal: it
// may have become narrower since they were made.
func (s *screen) broken(lines []string) []string {
	var out []string
	for i, line := range lines {
		if len(line) > s.width && ansi.StringWidth(line) > s.width {
			if out == nil {
				out = slices.Clone(lines[:i])
			}
			out = append(out, strings.Split(ansi.Hardwrap(line, s.width, true), "\n")...)
		} else if out != nil {
			out = append(out, line)
		}
	}
	if out == nil {
		return lines
	}
	return out
}

// shift moves what is the same at the end of both down to where it will be, so
// that a region that grows above the prompt does not write the prompt anew. It
// gives what the terminal shows then.
func (s *screen) shift(old, all []string) []string {
	by, same := len(all)-len(old), 0
	if by <= 0 || len(all) > s.height {
		return old
	}
	for same < len(old) && old[len(old)-1-same] == all[len(all)-1-same] {
		same++
	}
	size := 0
	for _, line := range old[len(old)-same:] {
		size += len(line)
	}
	if size < 2*enough {
		return old
	}
	at := len(old) - same
	s.move(len(all) - 1)
	s.move(at)
	s.out.WriteString(ansi.InsertLine(by))
	return slices.Concat(old[:at], make([]string, by), old[at:])
}

func (s *screen) drawFull(lines []string) {
	r := &s.whole
	s.at, s.end = r, s.height-1
	old := r.lines
	if r.stale {
		old, r.stale = nil, false
		s.out.WriteString("\x1b[H" + ansi.EraseEntireScreen)
		r.row = 0
	}
	for i := range max(len(lines), len(old)) {
		line, was := "", ""
		if i < len(lines) {
			line = lines[i]
		}
		if i < len(old) {
			was = old[i]
		}
		if line != was {
			s.move(i)
			s.change(was, line)
		}
	}
	r.lines = append(r.lines[:0:0], lines...)
}

// move puts the cursor into a row of the region; rows that are not there yet
// are made.
func (s *screen) move(row int) {
	r := s.at
	if to := min(row, s.end); to != r.row {
		if to < r.row {
			s.out.WriteString(ansi.CursorUp(r.row - to))
		} else {
			s.out.WriteString(ansi.CursorDown(to - r.row))
		}
		r.row = to
	}
	for r.row < row {
		s.out.WriteString("\r\n")
		r.row++
		s.end = r.row
	}
}

// line writes a line from the first column on, over what is there.
func (s *screen) line(line string) {
	s.out.WriteString(line)
	if ansi.StringWidth(line) < s.width {
		s.out.WriteString(ansi.EraseLineRight)
	}
}

// change writes what differs between the line on the terminal and the new one.
func (s *screen) change(old, line string) {
	same, styles := common(old, line)
	if same == 0 {
		s.out.WriteByte('\r')
		s.line(line)
		return
	}
	s.column(ansi.StringWidth(line[:same]))
	s.out.WriteString(styles)
	s.out.WriteString(line[same:])
	if w := ansi.StringWidth(line); w < s.width && w < ansi.StringWidth(old) {
		s.out.WriteString(ansi.EraseLineRight)
	}
}

// enough is how many bytes must be equal before it pays not to write them.
const enough = 8

// common is how many bytes two lines begin with alike, up to a place where no
// character can reach over, and the styles in force there.
func common(a, b string) (n int, styles string) {
	cut := 0
	var active strings.Builder
	at := ""
	for n < len(a) && n < len(b) && a[n] == b[n] {
		switch c := b[n]; {
		case c == '\x1b':
			end := sequence(b[n:])
			if end == 0 || !strings.HasPrefix(a[n:], b[n:n+end]) {
				return trim(cut, at)
			}
			seq := b[n : n+end]
			if seq[1] != '[' || seq[end-1] != 'm' {
				return 0, "" // a link: it is not worth the trouble
			}
			if seq == "\x1b[m" || seq == "\x1b[0m" {
				active.Reset()
			} else {
				active.WriteString(seq)
			}
			n += end
		case c >= 0x20 && c < 0x7F:
			n++
		default:
			// Beyond ASCII a later character may join this one.
			n++
			continue
		}
		if plain(a, n) && plain(b, n) {
			cut, at = n, active.String()
		}
	}
	return trim(cut, at)
}

func trim(cut int, styles string) (int, string) {
	if cut < enough {
		return 0, ""
	}
	return cut, styles
}

// plain says whether the text can be cut at n: nothing that follows belongs to
// the character before.
func plain(text string, n int) bool { return n == len(text) || text[n] < 0x7F }

// sequence is the length of the escape sequence that the text begins with, 0
// if it is none that is known.
func sequence(text string) int {
	if len(text) < 2 || text[1] != '[' {
		return min(len(text), 2)
	}
	for i := 2; i < len(text); i++ {
		if text[i] >= 0x40 && text[i] <= 0x7E {
			return i + 1
		}
	}
	return 0
}

func (s *screen) column(col int) {
	s.out.WriteByte('\r')
	if col > 0 {
		s.out.WriteString("\x1b[" + strconv.Itoa(col) + "C")
	}
}

// place puts the cursor where something is typed. Nothing is sent when it is
// there.
func (s *screen) place(row, col int) {
	if row < 0 {
		return
	}
	r := s.at
	if s.out.Len() == 0 && r.row == row && s.cursor == col {
		return
	}
	s.move(row)
	s.column(col)
	s.cursor = col
}

// resize takes notice of another size. What is on the terminal is drawn anew
// when its width changed.
func (s *screen) resize(width, height int) {
	if width != s.width && s.width > 0 {
		r := &s.inline
		if s.reflows {
			row := s.cursor / max(1, width)
			for _, line := range r.lines[:min(r.row, len(r.lines))] {
				row += max(1, (ansi.StringWidth(line)+width-1)/max(1, width))
			}
			r.row = row
		}
		r.row = min(r.row, max(0, height-1))
		r.stale = true
	}
	s.inline.row = min(s.inline.row, max(0, height-1))
	s.whole.stale = true
	s.width, s.height = width, height
}

// leave takes the live region off the terminal and leaves the cursor where it
// began.
func (s *screen) leave() string {
	s.out.Reset()
	s.toggle(false)
	s.at, s.end = &s.inline, max(0, len(s.inline.lines)-1)
	s.move(0)
	s.out.WriteString(eraseBelow)
	s.inline = region{}
	return s.out.String()
}
