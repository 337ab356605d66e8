package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/complete"
)

// Options says on which terminal, and how.
type Options struct {
	In, Out *os.File // a terminal
	Environ []string
	Signals <-chan os.Signal  // requests to end
	Theme   string            // the name of a theme; "" or "auto" asks the terminal
	Keys    map[string]string // what each action is bound to, where it is not the default
	Notify  string            // how the person is told when the terminal has no focus: auto, bell, osc or off
	Walk    complete.Walk     // finds the files that can be named with @
}

// TUI is the front end.
type TUI struct {
	o       Options
	program atomic.Pointer[tea.Program] // nil unless it runs
}

// New prepares the front end. The terminal is left alone until Run.
func New(o Options) *TUI { return &TUI{o: o} }

var errNobody = errors.New("nobody can be asked: the program is about to end")

// Ask opens the question and waits for its answer. Its error is ctx's, or
// says that the program ends.
func (t *TUI) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	p := t.program.Load()
	if p == nil {
		return event.Answer{}, errNobody
	}
	d := &dialog{question: q, reply: make(chan event.Answer, 1), review: reviewOf(q)}
	p.Send(asked{d})
	select {
	case a := <-d.reply:
		return a, nil
	case <-ctx.Done():
		go p.Send(withdrawn{d})
		return event.Answer{}, context.Cause(ctx)
	}
}

// The exit codes of a conversation that a signal ended.
const (
	exitInterrupt = 130
	exitHangUp    = 129
	exitTerminate = 143
)

const (
	patience  = time.Second     // for a turn to end when the person leaves
	forgiving = 5 * time.Second // for the session to be closed
)

// Run talks until the person leaves, gives the terminal back as it was found,
// ends what still runs, closes the conversation, and gives the exit code.
func (t *TUI) Run(ctx context.Context, conv *app.Conversation, first string) int {
	term := &terminal{in: t.o.In, out: t.o.Out}
	if err := term.raw(); err != nil {
		fmt.Fprintf(t.o.Out, "minicode: the terminal cannot be used (%v); --line needs less of it\n", err)
		closeConversation(conv, t.o.Out) //nolint:contextcheck // it must be closed
		return 1
	}
	m := newModel(ctx, t.o, conv, term)
	m.first = first
	return t.drive(m) //nolint:contextcheck // what runs is ended whether or not ctx is
}

// drive runs the event loop until the person leaves.
func (t *TUI) drive(m *model) int {
	in := newInput(t.o.In)
	p := tea.NewProgram(m, tea.WithInput(in), tea.WithFilter(in.filter), tea.WithOutput(io.Discard), tea.WithEnvironment(t.o.Environ),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithFPS(1))
	m.program = p
	m.out = newOutput(t.o.Out, func(error) { p.Send(lost{}) }, func() { p.Send(drained{}) })
	over := make(chan struct{})
	go t.watch(p, m.term, over)
	t.program.Store(p)
	_, err := p.Run()
	t.program.Store(nil)
	close(over)
	return t.leave(m, err)
}

// watch passes on what comes from the system until over.
func (t *TUI) watch(p *tea.Program, term *terminal, over <-chan struct{}) {
	resized := make(chan struct{}, 1)
	go term.watchSize(resized, over)
	for {
		select {
		case s := <-t.o.Signals:
			p.Send(signalled{s})
		case <-resized:
			w, h := term.size()
			p.Send(tea.WindowSizeMsg{Width: w, Height: h})
		case <-over:
			return
		}
	}
}

// leave gives the terminal back, then ends what runs.
func (t *TUI) leave(m *model, err error) int {
	exit := m.exit
	switch {
	case m.crash != "" || errors.Is(err, tea.ErrProgramPanic):
		exit = 1
	case err != nil && !m.left:
		exit = exitHangUp // the input is gone
	}
	m.restore()
	m.out.close()
	m.composer.files.all.Close()
	if m.crash != "" {
		fmt.Fprintf(t.o.Out, "minicode: a fault of the program ended it; the session is kept.\n%s\n", m.crash)
	}
	m.stop(&app.Interrupt{Signal: "SIGINT", Exit: exit})
	m.wait(patience)
	m.queueEarly()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		closeConversation(m.conv, t.o.Out)
	}()
	select {
	case <-closed:
	case <-time.After(forgiving):
	}
	return exit
}

// closeConversation ends what runs in the background, and says how to go on.
func closeConversation(conv *app.Conversation, w io.Writer) {
	for _, task := range conv.EndTasks() {
		fmt.Fprintf(w, "ended with the session: background task %s (%s)\n", task.ID, safe(task.Command))
	}
	if i := conv.Info(); i.Path != "" && i.Usage.Total() > 0 {
		fmt.Fprintf(w, "\nto go on with it: minicode --resume %s\n", i.Session)
	}
	if err := conv.Close(); err != nil {
		fmt.Fprintf(w, "the session could not be closed: %v\n", err)
	}
	for _, warning := range conv.Warnings() {
		fmt.Fprintf(w, "! %s\n", safe(warning))
	}
}

func exitOf(s os.Signal) int {
	switch s {
	case os.Interrupt:
		return exitInterrupt
	case syscall.SIGHUP:
		return exitHangUp
	}
	return exitTerminate
}
