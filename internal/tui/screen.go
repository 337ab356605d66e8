package tui

import (
	"slices"
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

// region is a part of the terminal as it was drawn last. All below it is
// blank.
type region struct {
	lines []string
	row   int  // where the cursor is
	col   int  // where the cursor was placed last
	drawn bool // it was
	stale bool // the terminal may have moved it
}

// screen turns frames into what the terminal must be sent, as little as
// possible. It never clears more than its own live region.
type screen struct {
	width, height int
	synced        bool // the terminal draws what stands between two marks at once
	reflows       bool // the terminal breaks lines anew when it gets narrower
	pushes        bool // it moves a row into the scrollback for each that it breaks
	hidden        bool // the cursor is
	restless      int  // frames until the size is believed to stay as it is
	printed       int  // rows of this frame that are finished

	inline region
	whole  region
	full   bool // the alternate screen is shown

	ink ink
	at  *region // the one that is drawn
	end int     // its last row that exists on the terminal
}

// draw gives the bytes that change the terminal into the frame, "" when it
// shows it already.
func (s *screen) draw(f frame) string {
	at := -1
	if r := s.region(f.full); r.drawn && !r.stale && f.full == s.full {
		at = r.col
	}
	s.ink.begin(at)
	s.restless = max(0, s.restless-1)
	lines, row := s.fit(f)
	s.toggle(f.full)
	if f.full {
		s.drawFull(lines)
	} else {
		s.drawInline(f.above, lines)
	}
	s.ink.wear("")
	changed := s.ink.Len()
	s.place(row, f.col)
	if s.ink.Len() == 0 && (row < 0) == s.hidden {
		return ""
	}
	return s.wrap(s.ink.String(), changed > 0, row < 0)
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
		} else if s.pushes && !f.full {
			lines[i] = short(line)
		}
	}
	return lines, row
}

// shortRule is how long a rule is where longer ones would be broken.
const shortRule = 24

// short leaves out most of a rule, which would be broken whenever the window
// gets narrower.
func short(line string) string {
	text, end := line, ""
	if t, ok := strings.CutSuffix(line, "\x1b[m"); ok {
		text, end = t, "\x1b[m"
	}
	rule := len(text) - len(strings.TrimRight(text, "─"))
	if over := ansi.StringWidth(line) - shortRule; over > 0 && rule > 8*len("─") {
		return text[:len(text)-min(rule, over*len("─"))] + end
	}
	return line
}

// unnoticed is how many bytes a terminal reads at once in any case: it shows
// all of them or none.
const unnoticed = 100

// wrap makes one update of the bytes: the terminal shows all of it at once,
// or at least no cursor that wanders.
func (s *screen) wrap(body string, changed, hide bool) string {
	var b strings.Builder
	was := s.hidden
	s.hidden = hide
	changed = changed && len(body) > unnoticed
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

func (s *screen) region(full bool) *region {
	if full {
		return &s.whole
	}
	return &s.inline
}

// toggle enters or leaves the alternate screen. The other one stays as it is.
func (s *screen) toggle(full bool) {
	switch {
	case full && !s.full:
		s.ink.erase(ansi.SetModeAltScreenSaveCursor+"\x1b[H"+ansi.EraseEntireScreen, 0)
		s.whole = region{drawn: true}
	case !full && s.full:
		s.ink.erase(ansi.ResetModeAltScreenSaveCursor, -1)
	}
	s.full = full
}

func (s *screen) drawInline(above, lines []string) {
	r := &s.inline
	s.at, s.end = r, max(0, len(r.lines)-1)
	if r.stale || !r.drawn {
		s.clear()
	}
	all := slices.Concat(s.broken(above), lines)
	s.printed = len(all) - len(lines)
	s.become(r.lines, all)
	if r.row < s.printed {
		s.move(s.printed)
	}
	r.row, s.end = r.row-s.printed, max(0, s.end-s.printed)
	r.lines = append(r.lines[:0:0], lines...)
}

// clear takes the region off the terminal.
func (s *screen) clear() {
	r := &s.inline
	s.at = r
	if r.stale {
		r.row = s.above()
	}
	s.end = r.row
	s.move(0)
	s.ink.erase(eraseBelow, 0)
	*r, s.end = region{drawn: true}, 0
}

// become makes the new lines of the old ones. What is alike at the end of both
// is moved to where it will be, so that a region that grows above the prompt
// does not write the prompt anew.
func (s *screen) become(old, lines []string) {
	by, tail := len(lines)-len(old), 0
	switch {
	case s.restless > 0: // the terminal may have another size again
	case by == 0 && s.pushes: // as it may have at any time
	case by == 0:
		old = s.scroll(old, lines)
	default:
		tail = s.tail(old, lines)
	}
	at := len(lines)
	if tail > 0 {
		at = min(len(old), len(lines)) - tail
	}
	for i, line := range lines[:at] {
		if i < len(old) {
			s.change(i, old[i], line)
		} else {
			s.write(i, line)
		}
	}
	switch {
	case by < 0 && tail > 0:
		s.remove(at, -by)
		s.end = len(lines) - 1
	case by < 0:
		s.move(len(lines))
		s.ink.erase(eraseBelow, 0)
		s.end = len(lines)
	case tail > 0:
		s.insert(at, tail, lines[at:len(lines)-tail])
	}
	for n := tail; n > 0; n-- {
		s.change(len(lines)-n, old[len(old)-n], lines[len(lines)-n])
	}
}

// scroll moves what stands in another row of as many lines, and gives what the
// terminal shows then.
func (s *screen) scroll(old, lines []string) []string {
	first, last := 0, len(lines)
	for first < last && alike(old[first], lines[first]) {
		first++
	}
	for last > first && alike(old[last-1], lines[last-1]) {
		last--
	}
	by, most := 0, 50 // bytes; moving costs some, too
	for n := 1; n < last-first; n++ {
		up, down := 0, 0
		for i := first; i+n < last; i++ {
			if old[i+n] == lines[i] {
				up += len(lines[i])
			}
			if old[i] == lines[i+n] {
				down += len(old[i])
			}
		}
		if up > most {
			by, most = n, up
		}
		if down > most {
			by, most = -n, down
		}
	}
	blank := make([]string, max(by, -by))
	switch {
	case by > 0:
		s.remove(first, by)
		s.push(last-by, by)
		return slices.Concat(old[:first], old[first+by:last], blank, old[last:])
	case by < 0:
		s.remove(last+by, -by)
		s.push(first, -by)
		return slices.Concat(old[:first], blank, old[first:last+by], old[last:])
	}
	return old
}

// remove takes rows away; what is below moves up.
func (s *screen) remove(at, n int) {
	s.move(at)
	s.ink.erase("\r"+ansi.DeleteLine(n), 0)
}

// push makes blank rows; what is below moves down.
func (s *screen) push(at, n int) {
	s.move(at)
	s.ink.erase("\r"+ansi.InsertLine(n), 0)
}

// tail is how many lines at the end of both are alike, 0 if it does not pay to
// move them.
func (s *screen) tail(old, lines []string) (n int) {
	size := 0
	for n < min(len(old), len(lines)) && alike(old[len(old)-1-n], lines[len(lines)-1-n]) {
		n++
		size += len(old[len(old)-n])
	}
	room := s.room(n)
	if size < 16 || room <= 0 {
		return 0
	}
	const round = 16 // bytes for going there and back
	if rows := len(lines) - len(old); rows > 0 && rows+(rows+room-1)/room*round > size {
		return 0
	}
	return n
}

// alike says whether most of two lines is the same.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	n := min(len(a), len(b))
	first, last := 0, 0
	for first < n && a[first] == b[first] {
		first++
	}
	for last < n-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	return 4*(first+last) >= 3*max(len(a), len(b))
}

// insert puts lines before a row of the region, below which so many others
// stay. What leaves the top of the screen for them goes into the scrollback.
func (s *screen) insert(at, below int, lines []string) {
	for len(lines) > 0 {
		n := min(len(lines), s.room(below))
		s.move(at + below - 1)
		s.move(at + below - 1 + n)
		s.push(at, n)
		for i, line := range lines[:n] {
			s.write(at+i, line)
		}
		at, lines = at+n, lines[n:]
	}
}

// certain is how many rows tmux is taken to have. It may have become lower for
// a while before it says so, and what is written above its top is lost.
const certain = 12

// room is how many rows are moved at once above so many others.
func (s *screen) room(below int) int {
	if s.pushes {
		return min(s.height, certain) - below
	}
	return s.height - below
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

func (s *screen) drawFull(lines []string) {
	r := &s.whole
	s.at, s.end = r, s.height-1
	old := r.lines
	if r.stale {
		old, r.stale = nil, false
		s.ink.erase("\x1b[H"+ansi.EraseEntireScreen, 0)
		r.row = 0
	}
	old = append(old[:len(old):len(old)], make([]string, max(0, s.height-len(old)))...)
	s.become(old, append(lines[:len(lines):len(lines)], make([]string, s.height-len(lines))...))
	r.lines = append(r.lines[:0:0], lines...)
}

// few is how many line feeds are shorter than a sequence that does the same.
const few = 3

// move puts the cursor into a row of the region; rows that are not there yet
// are made.
func (s *screen) move(row int) {
	r := s.at
	switch by := min(row, s.end) - r.row; {
	case by < 0:
		s.ink.WriteString(ansi.CursorUp(-by))
		r.row += by
	case by > few && !s.pushes: // tmux takes rows below the cursor away when it gets lower
		s.ink.WriteString(ansi.CursorDown(by))
		r.row += by
	}
	if r.row == row {
		return
	}
	if row > s.end {
		s.ink.ground() // the terminal fills new rows
	}
	for r.row < row {
		s.ink.WriteByte('\n')
		r.row++
	}
	s.end = max(s.end, row)
}

// write puts a line into a row that is blank. If the terminal has become
// narrower and has not said so, the rest of a finished line goes to the next
// row; of others nobody misses it.
func (s *screen) write(row int, line string) {
	s.move(row)
	s.ink.column(0)
	wraps := row < s.printed && s.restless > 0 && s.at == &s.inline
	if wraps {
		s.ink.WriteString(ansi.SetModeAutoWrap)
	}
	s.ink.line(line, ansi.StringWidth(line), s.width)
	if wraps {
		s.ink.WriteString(ansi.ResetModeAutoWrap)
	}
}

// change writes what differs between a line on the terminal and the new one.
func (s *screen) change(row int, old, line string) {
	if old == line {
		return // it may be finished, and was shown while it could still change
	}
	s.move(row)
	d, ok := compare(old, line)
	if !ok {
		s.ink.column(0)
		w := ansi.StringWidth(line)
		if s.ink.line(line, w, s.width); w < s.width {
			s.ink.erase(ansi.EraseLineRight, s.ink.at)
		}
		return
	}
	s.ink.column(d.from)
	s.ink.cells(d.cells, s.width-d.from)
	if d.shorter {
		s.ink.erase(ansi.EraseLineRight, s.ink.at)
	}
}

// place puts the cursor where something is typed. Nothing is sent when it is
// there.
func (s *screen) place(row, col int) {
	r := s.at
	if row < 0 {
		r.col = s.ink.at
		return
	}
	if s.ink.Len() == 0 && r.row == row && r.col == col {
		return
	}
	s.move(row)
	s.ink.column(col)
	r.col = col
}

// unrest is how many frames after a change of the size another one is likely.
const unrest = 30

// resize takes notice of another size. What is on the terminal is drawn anew:
// it may have been broken, moved or cut.
func (s *screen) resize(width, height int) {
	if s.width > 0 {
		s.restless = unrest
		s.inline.stale, s.whole.stale = true, true
	}
	s.width, s.height = width, height
}

// above is how many rows of the terminal the region has above the cursor,
// after the size has changed.
func (s *screen) above() int {
	r := &s.inline
	rows, col := r.row, r.col
	if s.reflows {
		if col < 0 && r.row < len(r.lines) { // behind a line to the edge
			col = ansi.StringWidth(r.lines[r.row]) - 1
		}
		rows = max(0, col) / max(1, s.width)
		for _, line := range r.lines[:min(r.row, len(r.lines))] {
			rows++
			if len(line) > s.width {
				rows += strings.Count(ansi.Hardwrap(line, max(1, s.width), true), "\n")
			}
		}
	}
	return min(rows, max(0, s.height-1))
}

// leave takes the live region off the terminal and leaves the cursor where it
// began.
func (s *screen) leave() string {
	s.ink.begin(-1)
	s.toggle(false)
	s.clear()
	s.inline = region{}
	return s.ink.String()
}
