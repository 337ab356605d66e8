package screentest

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Background is the colour behind the text.
type Background int

// The backgrounds that a program can find.
const (
	Dark Background = iota
	Light
)

// Modes is what a program changed about the terminal.
type Modes struct {
	AltScreen    bool // the alternate screen is shown
	Paste        bool // pasted text comes between marks (2004)
	Mouse        bool // the mouse is reported, in any way
	Focus        bool // getting and losing the focus is reported
	CursorHidden bool
	CursorKeys   bool // arrow keys send their application form
	Keypad       bool // the keypad sends its application form
	OtherKeys    int  // xterm's modifyOtherKeys
	Kitty        int  // flags of the kitty keyboard protocol that are in force
	KittyDepth   int  // how often they were pushed and not popped, on both screens
	Sync         bool // a synchronized update has begun and not ended
	NoWrap       bool // text stays in the last column
	Margins      bool // only a part of the screen scrolls
}

// Erasure is one sequence that takes away what a person could still read.
type Erasure struct {
	What string // "scrollback" (CSI 3 J), "screen" (CSI 2 J) or "reset" (ESC c)
	Alt  bool   // it was sent on the alternate screen
	At   int    // the byte of the output after it
}

// private numbers of modes, as in CSI ? n h.
const (
	modeCursorKeys = 1
	modeWrap       = 7
	modeShowCursor = 25
	modeKeypad     = 66
	modeFocus      = 1004
	modePaste      = 2004
	modeSync       = 2026
	modeUnicode    = 2027
)

// display is the terminal without the process: bytes in, cells and answers
// out. The emulator gets one sequence or one grapheme cluster at a time, which
// makes it independent of how the bytes were cut into reads.
type display struct {
	emu        *vt.Emulator
	background Background
	kittyKnown bool
	mute       bool

	parser  *ansi.Parser
	raw     []byte // of the sequence being read
	cluster []byte // text that the next character may still belong to
	held    []byte // not looked at yet: a synchronized update that has not ended
	wrap    bool   // the next text goes to the next line, after a wide one at the edge

	modes      map[int]bool
	otherKeys  int
	alt        bool
	mainCursor uv.Position // while the alternate screen is shown
	kitty      [2][]int    // stacks of flags, of the main and the alternate screen; never empty
	top        int         // of the part that scrolls
	bottom     int         // the row after it
	seen       int         // bytes

	scrollback []uv.Line
	erased     []Erasure
	title      string
	bells      int
}

func newDisplay(cols, rows int, background Background, kitty, mute bool) *display {
	d := &display{
		emu: vt.NewEmulator(cols, rows), background: background, kittyKnown: kitty, mute: mute,
		parser: ansi.NewParser(), modes: map[int]bool{modeWrap: true, modeShowCursor: true}, bottom: rows,
		kitty: [2][]int{{0}, {0}},
	}
	d.parser.SetDataSize(0)
	d.parser.SetHandler(ansi.Handler{
		Print:     d.print,
		Execute:   d.execute,
		HandleCsi: d.csi,
		HandleEsc: d.esc,
		HandleOsc: d.osc,
		HandleDcs: func(ansi.Cmd, ansi.Params, []byte) { d.pass() },
		HandlePm:  func([]byte) { d.pass() },
		HandleApc: func([]byte) { d.pass() },
		HandleSos: func([]byte) { d.pass() },
	})
	if background == Light {
		d.emu.SetDefaultBackgroundColor(color.White)
		d.emu.SetDefaultForegroundColor(color.Black)
	}
	d.emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), d.reportMode)
	d.emu.RegisterCsiHandler('J', func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 0)
		return n == 3 // the emulator would clear the screen as well
	})
	return d
}

// answers copies to send what the terminal says by itself, until the display
// is closed.
func (d *display) answers(send func([]byte)) {
	buf := make([]byte, 4096)
	for {
		n, err := d.emu.Read(buf)
		if n > 0 && !d.mute {
			send(slices.Clone(buf[:n]))
		}
		if err != nil {
			return // closed
		}
	}
}

// close ends answers. The emulator's own Close races with its Read.
func (d *display) close() {
	if c, ok := d.emu.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

func (d *display) answer(format string, args ...any) {
	fmt.Fprintf(d.emu.InputPipe(), format, args...)
}

// write takes what the program wrote.
func (d *display) write(p []byte) {
	end := []byte("\x1b[?2026l")
	d.held = append(d.held, p...)
	for len(d.held) > 0 {
		n := 0
		if d.modes[modeSync] {
			if n = bytes.Index(d.held, end); n < 0 {
				return
			}
			n += len(end)
			d.run(d.held[:n])
			d.modes[modeSync] = false
		} else {
			for n < len(d.held) && !d.modes[modeSync] {
				d.run(d.held[n : n+1])
				n++
			}
		}
		d.held = d.held[n:]
	}
}

// finish shows what is held back although more could belong to it.
func (d *display) finish() {
	d.run(d.held)
	d.held = nil
	d.flush()
}

func (d *display) run(p []byte) {
	for _, b := range p {
		d.seen++
		d.raw = append(d.raw, b)
		d.parser.Advance(b)
	}
}

// pass gives the emulator the sequence that was just read.
func (d *display) pass() {
	d.flush()
	_, _ = d.emu.Write(d.raw)
	d.raw = d.raw[:0]
}

func (d *display) print(r rune) {
	d.raw = d.raw[:0]
	ascii := r < utf8.RuneSelf
	if ascii {
		d.flush() // nothing before it can have it for a part
	}
	d.cluster = utf8.AppendRune(d.cluster, r)
	if ascii {
		return
	}
	for {
		first, width := ansi.FirstGraphemeCluster(d.cluster, ansi.GraphemeWidth)
		if len(first) == len(d.cluster) {
			return
		}
		d.place(first, width)
		d.cluster = d.cluster[len(first):]
	}
}

// flush shows the last cluster.
func (d *display) flush() {
	for len(d.cluster) > 0 {
		first, width := ansi.FirstGraphemeCluster(d.cluster, ansi.GraphemeWidth)
		d.place(first, width)
		d.cluster = d.cluster[len(first):]
	}
	d.cluster = nil
}

// place shows one cluster. The emulator does not wrap before a wide cluster
// that has one column left, nor after one that ends in the last column.
func (d *display) place(cluster []byte, width int) {
	at := d.emu.CursorPosition()
	if width == 0 {
		d.combine(at, cluster)
		return
	}
	edge := d.emu.Width() - 1
	if d.modes[modeWrap] && (d.wrap || width > 1 && at.X == edge && edge > 0) {
		_, _ = d.emu.Write([]byte("\r\x1bD"))
		d.drain(true)
		at = d.emu.CursorPosition()
	}
	_, _ = d.emu.Write(cluster)
	d.drain(true)
	d.wrap = d.modes[modeWrap] && width > 1 && at.X == edge-1
}

// combine joins a mark to the cell before the cursor.
func (d *display) combine(at uv.Position, mark []byte) {
	x := at.X - 1
	if c := d.emu.CellAt(at.X, at.Y); at.X == d.emu.Width()-1 && c != nil && c.Content != " " && c.Content != "" {
		x = at.X // the text ends in the last column
	}
	for x > 0 && d.emu.CellAt(x, at.Y).Width == 0 {
		x--
	}
	if x < 0 {
		return
	}
	c := d.emu.CellAt(x, at.Y).Clone()
	c.Content += string(mark)
	d.emu.SetCell(x, at.Y, c)
}

// drain takes the lines that the emulator counts as scrolled off. Only those
// count here that leave the top of the main screen, by scrolling.
func (d *display) drain(scrolled bool) {
	s := d.emu.Scrollback()
	if s.Len() == 0 {
		return
	}
	if scrolled && !d.alt && d.top == 0 {
		d.scrollback = append(d.scrollback, s.Lines()...)
	}
	s.Clear()
}

func (d *display) execute(b byte) {
	d.pass()
	switch b {
	case ansi.NUL, ansi.SO, ansi.SI:
	case ansi.BEL:
		d.bells++
	default:
		d.wrap = false
	}
	d.drain(true)
}

func (d *display) esc(cmd ansi.Cmd) {
	d.pass()
	if cmd.Intermediate() != 0 {
		return
	}
	switch cmd.Final() {
	case 'D', 'M', '8':
		d.wrap = false
	case '=':
		d.modes[modeKeypad] = true
	case '>':
		d.modes[modeKeypad] = false
	case 'E': // the emulator does not know it
		_, _ = d.emu.Write([]byte("\r\x1bD"))
		d.wrap = false
	case 'c':
		d.erased = append(d.erased, Erasure{"reset", d.alt, d.seen})
		d.modes = map[int]bool{modeWrap: true, modeShowCursor: true}
		d.alt, d.kitty, d.otherKeys, d.wrap = false, [2][]int{{0}, {0}}, 0, false
		d.top, d.bottom = 0, d.emu.Height()
	}
	d.drain(true)
}

func (d *display) osc(cmd int, data []byte) {
	d.pass()
	if cmd == 0 || cmd == 2 {
		if _, title, ok := bytes.Cut(data, []byte(";")); ok {
			d.title = string(title)
		}
	}
}

func (d *display) csi(cmd ansi.Cmd, params ansi.Params) {
	d.flush()
	before := d.emu.CursorPosition()
	final, prefix, middle := cmd.Final(), cmd.Prefix(), cmd.Intermediate()
	if final == 'r' && prefix == 0 && middle == 0 {
		d.setMargins(params)
	}
	d.pass()
	first, _, _ := params.Param(0, 0)
	switch {
	case middle == '!' && final == 'p': // soft reset
		d.modes[modeShowCursor], d.modes[modeCursorKeys], d.modes[modeKeypad] = true, false, false
		d.top, d.bottom = 0, d.emu.Height()
		_, _ = d.emu.Write(fmt.Appendf(nil, "\x1b[r\x1b[%d;%dH", before.Y+1, before.X+1))
	case middle != 0:
	case prefix == 0 && final == 'u':
		_, _ = d.emu.Write([]byte("\x1b8"))
	case final == 'u':
		d.keyboard(prefix, params)
	case prefix == '?' && (final == 'h' || final == 'l'):
		d.setModes(params, final == 'h', before)
	case prefix == '?' && final == 'n' && first == 996:
		d.answer("\x1b[?997;%dn", 1+int(d.background))
	case prefix == '>' && final == 'q':
		d.answer("\x1bP>|screentest\x1b\\")
	case prefix == '>' && final == 'm' && first == 4:
		d.otherKeys, _, _ = params.Param(1, 0)
	case prefix != 0:
	case final == 'J' && first == 3:
		d.erased = append(d.erased, Erasure{"scrollback", d.alt, d.seen})
		d.scrollback = nil
	case final == 'J' && first == 2:
		d.erased = append(d.erased, Erasure{"screen", d.alt, d.seen})
	}
	if prefix == 0 && !strings.ContainsRune("mnchlpq", rune(final)) {
		d.wrap = false
	}
	// Deleted and erased lines are gone in most terminals.
	d.drain(prefix == 0 && final == 'S')
}

// setMargins keeps the margins on the screen, which the emulator relies on.
func (d *display) setMargins(params ansi.Params) {
	rows := d.emu.Height()
	top, _, _ := params.Param(0, 1)
	bottom, _, _ := params.Param(1, rows)
	if bottom < 1 || bottom > rows {
		bottom = rows
	}
	d.raw = d.raw[:0]
	if top = max(top, 1); top < bottom {
		d.top, d.bottom = top-1, bottom
		d.raw = fmt.Appendf(d.raw, "\x1b[%d;%dr", top, bottom)
	}
}

func (d *display) setModes(params ansi.Params, on bool, before uv.Position) {
	for i := range params {
		mode, _, _ := params.Param(i, 0)
		switch mode {
		case 47, 1047, 1049:
			if on && !d.alt {
				d.mainCursor = before
			}
			d.alt = on
		default:
			d.modes[mode] = on
		}
	}
}

// reportMode answers for the modes that the emulator leaves to its user.
func (d *display) reportMode(params ansi.Params) bool {
	mode, _, _ := params.Param(0, 0)
	if mode != modeSync && mode != modeUnicode {
		return false
	}
	setting := 2
	if d.modes[mode] {
		setting = 1
	}
	d.answer("\x1b[?%d;%d$y", mode, setting)
	return true
}

// keyboard is the kitty protocol: ask, push, pop, set.
func (d *display) keyboard(prefix byte, params ansi.Params) {
	if !d.kittyKnown {
		return
	}
	stack := d.kittyStack()
	switch prefix {
	case '?':
		d.answer("\x1b[?%du", d.kittyFlags())
	case '>':
		flags, _, _ := params.Param(0, 0)
		*stack = append(*stack, flags)
	case '<':
		n, _, _ := params.Param(0, 1)
		*stack = (*stack)[:max(0, len(*stack)-max(1, n))]
		if len(*stack) == 0 {
			*stack = []int{0}
		}
	case '=':
		flags, _, _ := params.Param(0, 0)
		how, _, _ := params.Param(1, 1)
		last := &(*stack)[len(*stack)-1]
		switch how {
		case 2:
			*last |= flags
		case 3:
			*last &^= flags
		default:
			*last = flags
		}
	}
}

func (d *display) kittyStack() *[]int {
	if d.alt {
		return &d.kitty[1]
	}
	return &d.kitty[0]
}

func (d *display) kittyFlags() int {
	stack := *d.kittyStack()
	return stack[len(stack)-1]
}

// kittyLeft is how many states of the keyboard are not the first one.
func (d *display) kittyLeft() (n int) {
	for _, stack := range d.kitty {
		n += len(stack) - 1
		if stack[0] != 0 {
			n++
		}
	}
	return n
}

func (d *display) state() Modes {
	m := Modes{
		AltScreen: d.alt, Paste: d.modes[modePaste], Focus: d.modes[modeFocus],
		CursorHidden: !d.modes[modeShowCursor], CursorKeys: d.modes[modeCursorKeys], Keypad: d.modes[modeKeypad],
		OtherKeys: d.otherKeys, Kitty: d.kittyFlags(), KittyDepth: d.kittyLeft(),
		Sync: d.modes[modeSync], NoWrap: !d.modes[modeWrap], Margins: d.top != 0 || d.bottom != d.emu.Height(),
	}
	for _, mode := range []int{9, 1000, 1001, 1002, 1003} {
		m.Mouse = m.Mouse || d.modes[mode]
	}
	return m
}

// resize changes the size. A lower window keeps the cursor's line: what is
// above it goes to the scrollback.
func (d *display) resize(cols, rows int) {
	d.flush()
	d.wrap = false
	d.top, d.bottom = 0, d.emu.Height()
	if d.alt {
		d.resizeAlt(cols, rows)
	} else {
		d.resizeMain(d.emu.CursorPosition(), cols, rows)
	}
	d.bottom = rows
}

func (d *display) resizeMain(at uv.Position, cols, rows int) {
	if over := at.Y - (rows - 1); over > 0 {
		_, _ = fmt.Fprintf(d.emu, "\x1b[r\x1b[%dS", over)
		d.drain(true)
		at.Y -= over
	}
	_, _ = fmt.Fprintf(d.emu, "\x1b[%d;%dH", at.Y+1, at.X+1)
	d.emu.Resize(cols, rows)
}

// resizeAlt looks at the main screen for a moment, which clears the alternate.
func (d *display) resizeAlt(cols, rows int) {
	at := d.emu.CursorPosition()
	var kept []*uv.Cell
	w, h := d.emu.Width(), d.emu.Height()
	for y := range h {
		for x := range w {
			kept = append(kept, d.emu.CellAt(x, y).Clone())
		}
	}
	_, _ = d.emu.Write([]byte("\x1b[?1047l"))
	d.alt = false
	d.resizeMain(d.mainCursor, cols, rows)
	d.mainCursor = d.emu.CursorPosition()
	_, _ = d.emu.Write([]byte("\x1b[?1047h"))
	d.alt = true
	for i, c := range kept {
		if c.Width > 0 {
			d.emu.SetCell(i%w, i/w, c)
		}
	}
	_, _ = fmt.Fprintf(d.emu, "\x1b[%d;%dH", min(at.Y, rows-1)+1, min(at.X, cols-1)+1)
}
