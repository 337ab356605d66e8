package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/theme"
)

// model is all state of the program. Only the event loop touches it, but for
// conv, ctx and program, which are set once.
type model struct {
	o       Options
	ctx     context.Context
	conv    *app.Conversation
	program *tea.Program
	first   string // the prompt that the program was started with
	term    *terminal
	out     *output
	now     func() time.Time

	look       *look
	screen     screen
	above      []string // finished lines that are not on the screen yet
	transcript *transcript
	live       live
	composer   composer
	asked      []*dialog // questions, the open one first
	status     status
	todos      todos
	whole      overlay // what fills the screen; nil for nothing

	turn, command *work
	direct        *card    // what the command runs
	directs       []direct // what commands ran
	early         []string // said before the turn has recorded its prompt
	keys          keymap

	spin       int
	ticking    bool
	dirty      bool // something changed since the last frame
	framing    bool // a frame is due
	framed     time.Time
	gauging    bool
	gaugeAgain bool
	typed      time.Time // when a key was pressed last
	armed      time.Time // until when Ctrl+C leaves
	back       time.Time // until when Esc shows what can be gone back to
	kitty      bool      // the terminal tells Esc and another key from that key with Alt
	exit       int
	left       bool // the person wants to go
	away       bool // the terminal is given back for a while
	crash      string
	wantsTheme bool          // the terminal was asked for its background
	answerTime time.Duration // for how long it is waited for
	announced  bool
	blurred    bool // the terminal has no focus
	notice     notice
	titled     string // the window's title
	forgetful  bool   // prompts cannot be written to the history
}

// overlay is what fills the screen for a while.
type overlay interface {
	// Key takes a key and says whether it is done with.
	Key(k tea.KeyPressMsg) (cmd tea.Cmd, done bool)
	Render(width, height int) (lines []string, row, col int)
}

func newModel(ctx context.Context, o Options, conv *app.Conversation, term *terminal) *model {
	t, auto, err := themeOf(o, conv)
	m := &model{
		o: o, ctx: ctx, conv: conv, term: term, now: conv.Now, look: newLook(t), wantsTheme: auto, answerTime: answerTime,
		keys: newKeymap(o.Keys), notice: noticeOf(o.Notify, o.Environ),
	}
	m.transcript = newTranscript(m.look)
	m.screen.reflows, m.screen.pushes = reflows(o.Environ), pushes(o.Environ)
	m.screen.resize(term.size())
	m.composer.open(conv, o.Walk)
	m.status.info = conv.Info()
	if err != nil {
		m.problem(err.Error())
	}
	return m
}

// Init switches the terminal on and greets.
func (m *model) Init() tea.Cmd {
	m.out.write(begin + inquire)
	if m.wantsTheme {
		m.out.write(ansi.RequestBackgroundColor)
		return tea.Batch(tea.Tick(m.answerTime, func(time.Time) tea.Msg { return settled{} }))
	}
	return func() tea.Msg { return settled{} }
}

// answerTime is how long a terminal is waited for that was asked for its
// background: what is printed keeps its colours.
const answerTime = 40 * time.Millisecond

// View is not used: the model draws by itself.
func (m *model) View() tea.View { return tea.View{} }

// width is how wide lines may be.
func (m *model) width() int { return max(10, m.screen.width) }

// print puts finished lines above the live region.
func (m *model) print(lines []string) {
	m.above = append(m.above, lines...)
	m.dirty = m.dirty || len(lines) > 0
}

// tell prints what the program says.
func (m *model) tell(style theme.Style, text string) {
	if text != "" {
		m.print(table(style, safe(text), m.width()))
	}
}

func (m *model) problem(text string) {
	m.print(append(m.transcript.gap(remarks), paint(m.look.Warn, safe(text), m.look.Warn.Paint("! "), "  ", m.width())...))
}

// draw brings the terminal up to date, now or when a frame is due.
func (m *model) draw() tea.Cmd {
	if !m.dirty || m.left || m.away {
		return nil
	}
	if m.out.busy() {
		return nil // drained comes
	}
	if wait := frameTime - time.Since(m.framed); wait > 0 {
		if m.framing {
			return nil
		}
		m.framing = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return due{} })
	}
	m.dirty, m.framed = false, time.Now()
	m.title()
	m.resized(m.term.size()) // it may have changed since we were told
	m.out.write(m.screen.draw(m.frame()))
	return nil
}

// frame is what is to be seen now.
func (m *model) frame() frame {
	if m.whole != nil {
		lines, row, col := m.whole.Render(m.screen.width, m.screen.height)
		return frame{lines: lines, row: row, col: col, full: true}
	}
	above := m.above
	m.above = nil
	lines, row, col := m.region(m.width(), m.screen.height)
	return frame{above: above, lines: lines, row: row, col: col}
}

// region is the live region: what goes on, and below it where the person
// types.
func (m *model) region(width, height int) (lines []string, row, col int) {
	var bottom []string
	if len(m.asked) > 0 && m.asked[0].shown {
		bottom, row, col = m.asked[0].render(m.look, width, roomFor(height))
	} else {
		bottom, row, col = m.composer.render(m, width, max(3, height-3))
		bottom = append(bottom, m.status.render(m, width))
		if open := m.todos.render(m.look, width, min(mostTodos, height/3)); len(open) > 0 && len(open)+len(bottom) < height {
			bottom = append(open, bottom...)
			row += len(open)
		}
	}
	top := m.going(width)
	if (m.transcript.last != nothing || len(top) > 0) && len(bottom) < height {
		top = append(top, "")
	}
	if room := max(0, height-len(bottom)); len(top) > room {
		top = top[len(top)-room:]
	}
	if row >= 0 {
		row += len(top)
	}
	return append(top, bottom...), row, col
}

// roomFor is how many rows a dialog has: what was said last stays visible above
// it, unless the window is very low.
func roomFor(height int) int {
	if height < roomy+2 {
		return height
	}
	return height - 2
}

// going is what goes on above the prompt.
func (m *model) going(width int) (lines []string) {
	asking := len(m.asked) > 0
	if m.live.sending != "" {
		lines = append(append(lines, ""), m.look.prompt(m.live.sending, width)...)
	}
	if c := m.transcript.edits; c != nil {
		if m.transcript.last != cards && m.transcript.last != nothing {
			lines = append(lines, "")
		}
		lines = append(lines, c.finished(m.look, width)...)
	}
	lines = append(lines, m.transcript.open(width)...)
	spin := spinner(m.spin)
	if len(m.live.calls) > 0 {
		if m.transcript.last != cards && m.transcript.edits == nil || len(lines) > 0 && m.transcript.edits == nil {
			lines = append(lines, "")
		}
		for _, c := range m.live.calls {
			c.state = running
			if slices.ContainsFunc(m.asked, func(d *dialog) bool { return d.question.Call == c.call }) {
				c.state = waiting
			}
			lines = append(lines, c.live(m.look, spin, m.now(), width)...)
		}
	}
	switch {
	case asking:
	case m.turn != nil && m.turn.stopped:
		lines = append(lines, "", m.look.Dim.Paint(spin+" stopping"))
	case m.turn != nil && len(m.live.calls) == 0:
		lines = append(append(lines, ""), m.live.activity(m.look, spin, m.now(), width)...)
	}
	switch {
	case m.direct != nil:
		m.direct.state = running
		if asking {
			m.direct.state = waiting
		}
		lines = append(append(lines, ""), m.direct.live(m.look, spin, m.now(), width)...)
	case m.command != nil && !asking:
		lines = append(lines, "", m.look.Accent.Paint(spin)+" "+m.look.Dim.Paint(clip(oneLine(m.command.said.text), width-2)))
	}
	return append(lines, m.queue(width)...)
}

// mostTodos is how many lines the todo list may have.
const mostTodos = 12

// mostQueued is how many queued prompts are shown.
const mostQueued = 4

// queue is what was said meanwhile and is not sent.
func (m *model) queue(width int) (lines []string) {
	queued := m.status.queued
	for i, text := range queued {
		if i == mostQueued {
			lines = append(lines, m.look.Dim.Paint(clip("  … "+count(len(queued)-i)+" more", width)))
			break
		}
		lines = append(lines, m.look.Accent.Paint("↳ ")+m.look.Dim.Paint(clip(oneLine(text), width-2)))
	}
	if len(lines) > 0 {
		lines = slices.Insert(lines, 0, "")
	}
	return lines
}

// spinner is a frame of the spinner.
func spinner(n int) string {
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[n%len(frames)])
}

// busy says whether a turn or a command runs.
func (m *model) busy() bool { return m.turn != nil || m.command != nil }

// restore gives the terminal back as it was found. What is finished is
// printed before.
func (m *model) restore() {
	text := ""
	if m.screen.full {
		m.whole = nil
	}
	if len(m.above) > 0 {
		text = m.screen.draw(frame{above: m.above, row: -1})
		m.above = nil
	}
	text += m.screen.leave()
	m.out.write(text + restore)
	m.away, m.titled = true, ""
	m.screen.hidden = false
	m.out.flush(2 * time.Second)
	m.term.cooked()
}

// take switches the terminal on again after restore.
func (m *model) take() {
	if err := m.term.raw(); err != nil {
		m.left, m.exit = true, exitHangUp
		return
	}
	m.screen.resize(m.term.size())
	m.screen.inline = region{}
	m.out.write(begin)
	m.away, m.dirty = false, true
}
