package tui

import (
	"errors"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/internal/compose"
)

// Update routes a message and draws what it changed.
func (m *model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.crash = fault(r)
			cmd = m.quit(1)
		}
	}()
	cmd = m.route(msg)
	return m, guarded(tea.Batch(cmd, m.draw(), m.turnSpinner()))
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.WindowSizeMsg:
		m.resized(msg.Width, msg.Height)
	case tea.ModeReportMsg:
		m.mode(msg)
	case tea.KeyboardEnhancementsMsg:
		m.kitty = msg.SupportsKeyDisambiguation()
	case tea.BackgroundColorMsg:
		m.background(msg)
		return m.greet()
	case tea.FocusMsg:
		m.blurred = false
	case tea.BlurMsg:
		m.blurred = true
	case tea.ResumeMsg:
		m.take()
	case settled:
		return m.greet()
	case happened:
		return m.happened(msg.work)
	case ended:
		return m.ended(msg)
	case commanded:
		return m.commanded(msg)
	case gauged:
		return m.gauged(msg)
	case asked:
		return m.ask(msg.dialog)
	case withdrawn:
		return m.withdraw(msg.dialog)
	case opened:
		return m.opened(msg.dialog)
	case signalled:
		return m.signalled(msg.signal)
	case edited:
		return m.edited(msg)
	case lost:
		return m.quit(exitHangUp)
	case crashed:
		m.crash = msg.what
		return m.quit(1)
	case due:
		m.framing = false
	case tick:
		m.tick()
	case found:
		return m.found(msg)
	case result:
		return m.apply(msg)
	case disarm, drained:
		m.dirty = true
	}
	return nil
}

func (m *model) quit(exit int) tea.Cmd {
	m.exit, m.left = exit, true
	return tea.Quit
}

func (m *model) resized(width, height int) {
	if width <= 0 || height <= 0 || width == m.screen.width && height == m.screen.height {
		return
	}
	m.screen.resize(width, height)
	m.dirty = true
}

// mode uses what the terminal can.
func (m *model) mode(msg tea.ModeReportMsg) {
	switch msg.Mode {
	case ansi.ModeSynchronizedOutput:
		m.screen.synced = msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet
	case ansi.ModeUnicodeCore:
		if msg.Value == ansi.ModeReset {
			m.out.write(ansi.SetModeUnicodeCore)
		}
	}
}

// greet says what this is, and sends the first prompt.
func (m *model) greet() tea.Cmd {
	if m.announced {
		return nil
	}
	m.announced = true
	i := m.conv.Info()
	m.print(m.banner(i, m.width()))
	m.transcript.last = remarks
	if i.Resumed {
		m.tell(m.look.Dim, strings.TrimSpace("resumed "+i.Session+" "+i.Title))
		m.replay()
	}
	m.warn()
	m.dirty = true
	if text := m.first; text != "" {
		m.first = ""
		return tea.Batch(m.gauge(), m.connect(), m.send(text))
	}
	return tea.Batch(m.gauge(), m.connect())
}

// connect begins to connect to MCP servers now that the prompt can be used, and
// tells how they stand when that is over.
func (m *model) connect() tea.Cmd {
	set := m.conv.Extensions()
	if len(set.Servers.Names()) == 0 {
		return nil
	}
	return func() tea.Msg {
		set.Ready(m.ctx)
		return result(func(m *model) tea.Cmd { m.warn(); return m.gauge() })
	}
}

func (m *model) banner(i app.Info, width int) []string {
	const name = "MiniCode"
	dir := safe(tilde(i.Cwd, m.o.Environ))
	var where string
	for _, parts := range [][]string{{safe(i.Model), safe(i.Mode) + " mode", dir}, {safe(shortModel(i.Model)), dir}, {dir}} {
		if where = " · " + strings.Join(parts, " · "); len(name)+ansi.StringWidth(where) <= width {
			break
		}
	}
	return []string{clip(m.look.Heading.Paint(name)+m.look.Dim.Paint(where), width)}
}

func (m *model) warn() {
	for _, w := range m.conv.Warnings() {
		m.problem(w)
	}
}

// send says a line that was not typed.
func (m *model) send(text string) tea.Cmd { return m.say(prompt{text: text}) }

// say gives a line to the model, or runs it as a command.
func (m *model) say(p prompt) tea.Cmd {
	if cmd, ok := m.local(p.text); ok {
		return cmd
	}
	switch {
	case !isCommand(p.text):
		m.deliver(p)
	case m.command != nil:
		m.problem("a command is running; Esc stops it")
		m.putBack(p)
	default:
		m.execute(p)
	}
	m.dirty = true
	return nil
}

// deliver gives a prompt to the model, now or when what runs is over.
func (m *model) deliver(p prompt) {
	switch {
	case m.busy() && len(p.images) > 0:
		m.problem(m.withheld(p))
		m.putBack(p)
	case m.turn != nil && m.live.sending != "":
		m.early = append(m.early, p.text)
	case m.turn != nil || m.command != nil:
		if err := m.conv.Queue(p.text); err != nil {
			m.problem("queued, but not on disk: " + err.Error())
		}
		m.status.queued = m.conv.Queued()
		if m.turn == nil {
			m.command.queued = true
		}
	default:
		reply, err := m.conv.Reply(p.text)
		if err != nil {
			m.problem(err.Error())
			m.putBack(p)
			return
		}
		m.submit(reply, p)
	}
}

// happened shows what a turn has yielded.
func (m *model) happened(w *work) tea.Cmd {
	records := w.feed.take()
	if w == m.command {
		m.showDirect(records)
	}
	if w != m.turn {
		return nil
	}
	width, facts := m.width(), false
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.TextDelta:
			m.print(m.transcript.stream(e.Text, m.live.thinking, width))
		case event.Retrying:
			m.print(m.transcript.broken(width))
		case event.Notice:
			m.problem(e.Text)
		default:
			m.print(m.transcript.add(r, width))
		}
		m.live.event(r, m.now())
		if _, ok := r.Event.(event.Fact); ok {
			facts = true
		}
	}
	m.dirty = true
	if m.live.sending == "" {
		m.queueEarly()
	}
	if facts {
		return m.gauge()
	}
	return nil
}

// queueEarly queues what was said before the prompt of the turn was recorded:
// it comes after it.
func (m *model) queueEarly() {
	for _, text := range m.early {
		if err := m.conv.Queue(text); err != nil {
			m.problem("queued, but not on disk: " + err.Error())
		}
	}
	if len(m.early) > 0 {
		m.early, m.status.queued = nil, m.conv.Queued()
	}
}

// ended takes the turn's end. What was queued is sent, unless the turn ended
// with a question or otherwise than well: it was not meant for that.
func (m *model) ended(msg ended) tea.Cmd {
	cmd := m.happened(msg.work)
	if msg.work != m.turn {
		return cmd
	}
	m.turn = nil
	m.queueEarly()
	reason := m.live.reason
	if msg.err != nil {
		m.print(m.transcript.broken(m.width()))
		m.problem(msg.err.Error())
		if m.live.sending != "" {
			m.putBack(msg.work.said) // it was not recorded
		}
	}
	m.transcript.begun = nil
	m.live = live{}
	m.warn()
	m.notify("the turn is over")
	m.dirty = true
	if reason == event.Done && len(m.conv.Queued()) > 0 {
		m.submit("", prompt{})
	}
	return tea.Batch(cmd, m.gauge())
}

func (m *model) commanded(msg commanded) tea.Cmd {
	w := msg.work
	if w != m.command {
		return nil
	}
	m.showDirect(w.feed.take())
	m.command = nil
	m.dirty = true
	switch {
	case errors.Is(msg.err, command.ErrExit):
		return m.quit(0)
	case errors.Is(msg.err, app.ErrBusy):
		m.problem(msg.err.Error())
		m.putBack(w.said)
	case m.endDirect(w.said.text, msg.Text, msg.err):
	case errors.As(msg.err, new(*app.Interrupt)):
		m.tell(m.look.Text, msg.Text)
		m.tell(m.look.Dim, "stopped")
	case msg.err != nil:
		m.problem(msg.err.Error())
	case m.present(w.said.text, msg.Text):
	case msg.Text != "":
		m.print(m.transcript.gap(remarks))
		m.tell(m.look.Text, msg.Text)
	}
	m.conv.Stated() // the command has told it
	if msg.moved {
		m.moved(w.said.text)
	}
	m.follows(w.said, msg.Result)
	m.warn()
	if w.queued && m.turn == nil && msg.err == nil && len(m.conv.Queued()) > 0 {
		m.submit("", prompt{})
	}
	return m.gauge()
}

// moved shows the session that was gone to.
func (m *model) moved(by string) {
	m.transcript, m.directs = newTranscript(m.look), nil
	m.transcript.last = remarks
	m.print(append([]string{""}, m.banner(m.conv.Info(), m.width())...))
	if strings.HasPrefix(by, "/resume") {
		m.replay()
	}
}

// follows does what a command leaves to the front end: a prompt to be sent, a
// draft to be edited.
func (m *model) follows(said prompt, r command.Result) {
	if r.Draft != "" {
		m.composer.restore(compose.Wordless(r.Draft))
	}
	switch why := m.blind(said.labels()); {
	case len(said.images) > 0 && r.Prompt == "":
		m.problem(said.labels() + " was not sent: the command makes no prompt")
	case len(said.images) > 0 && why != "":
		m.problem(why)
		m.putBack(said)
	case r.Prompt != "":
		m.deliver(prompt{text: r.Prompt, images: said.images, draft: said.draft})
	}
}

func (m *model) gauged(msg gauged) tea.Cmd {
	m.gauging = false
	// What is queued may have changed since the rest was found out.
	m.status.info, m.status.used, m.status.queued, m.todos.items = msg.info, msg.used, m.conv.Queued(), msg.todos
	m.status.servers, m.status.broken = msg.servers, msg.broken
	m.dirty = true
	if m.gaugeAgain {
		return m.gauge()
	}
	return nil
}

// signalled ends the program; an interrupt from outside does what Ctrl+C does.
func (m *model) signalled(s os.Signal) tea.Cmd {
	if s == os.Interrupt {
		return m.interruptOrLeave()
	}
	exit := exitOf(s)
	name := "SIGTERM"
	if exit == exitHangUp {
		name = "SIGHUP"
	}
	m.stop(&app.Interrupt{Signal: name, Exit: exit})
	return m.quit(exit)
}

const spinTime = 120 * time.Millisecond

// turnSpinner keeps the spinner turning while something runs.
func (m *model) turnSpinner() tea.Cmd {
	if m.ticking || !m.busy() || m.left {
		return nil
	}
	m.ticking = true
	return tea.Tick(spinTime, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) tick() {
	m.ticking = false
	if m.busy() {
		m.spin++ // which is seen with the next text, where that comes
		m.dirty = m.dirty || m.whole == nil && time.Since(m.framed) >= textful
	}
}

// isCommand says whether the line is a command. A path is none.
func isCommand(text string) bool { return command.Is(text) }

func oneLine(text string) string { return safe(strings.Join(strings.Fields(text), " ")) }
