package line

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
)

const (
	again     = time.Second     // for how long Ctrl+C counts as the first of two
	patience  = time.Second     // for a turn to end when the person leaves
	forgiving = 5 * time.Second // for the session to be closed
)

// The exit codes of a conversation that a signal ended.
const (
	exitInterrupt = 130
	exitHangUp    = 129
	exitTerminate = 143
)

// Run talks until the person leaves, ends what still runs, closes the
// conversation, and gives the exit code.
func (l *Line) Run(ctx context.Context, conv *app.Conversation, first string) int {
	l.greet(conv)
	exit := l.talk(ctx, conv, first)
	l.leave(conv) //nolint:contextcheck // what runs is ended whether or not ctx is
	return exit
}

// talk sends what the person says, until the exit code is known.
func (l *Line) talk(ctx context.Context, conv *app.Conversation, first string) int {
	text := first
	if text != "" {
		l.out.said(text)
	}
	var hit <-chan time.Time // the turn was ended by Ctrl+C, not long ago
	for {
		if text == "" {
			var exit int
			var more bool
			if text, exit, more = l.prompt(conv, hit); !more {
				return exit
			}
		}
		hit = nil
		send := false
		switch {
		case command.Is(text):
			out, err := l.command(ctx, conv, text)
			send, text = out.Prompt != "", out.Prompt
			var by *app.Interrupt
			switch {
			case errors.Is(err, command.ErrExit):
				return 0
			case errors.As(err, &by) && by.Signal != "SIGINT":
				return by.Exit
			}
		case strings.TrimSpace(text) == "":
			send, text = len(conv.Queued()) > 0, ""
		default:
			var err error
			if text, err = conv.Reply(text); err != nil {
				l.out.problem(err.Error())
			}
			send = err == nil
		}
		for send {
			end := l.turn(ctx, conv, text)
			if end.leave {
				return end.exit
			}
			hit = end.hit
			// What was typed as the turn ended is sent; what was typed before
			// a question or a failure was not meant for it.
			text = ""
			send = end.reason == event.Done && len(conv.Queued()) > 0
		}
		text = ""
	}
}

// command runs a command, and shows what it says. What it has to say to the
// model, and what is to be edited, is in the result: there is no editor here, so
// the latter is shown.
func (l *Line) command(ctx context.Context, conv *app.Conversation, text string) (command.Result, error) {
	before := conv.Info().Session
	out, err := l.typed(ctx, conv, text)
	switch {
	case errors.Is(err, command.ErrExit):
	case errors.As(err, new(*app.Interrupt)):
		l.out.print(out.Text)
		l.out.remark("stopped")
	case err != nil:
		l.out.problem(err.Error())
	default:
		l.out.print(out.Text)
	}
	if out.Draft != "" {
		l.out.print("It was:\n  " + indented(out.Draft))
	}
	conv.Stated() // it is told
	if i := conv.Info(); i.Session != before {
		l.out.print(i.Model + " · " + i.Mode + " mode")
		if strings.HasPrefix(strings.TrimSpace(text), "/resume") {
			l.replay(conv)
		}
	}
	l.warn(conv)
	return out, err
}

// typed runs a command. One that takes a while can be stopped by a signal, which
// is then the error, and its questions are answered.
func (l *Line) typed(ctx context.Context, conv *app.Conversation, text string) (command.Result, error) {
	slow, asks := command.Slow(text)
	if !slow {
		return command.Run(ctx, conv, text, nil)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	if l.over(0) { // else a turn runs, and is what is waited for at the end
		l.running = over
		l.out.beginCommand(conv.Now)
		go l.out.pulse(over)
	}
	type outcome struct {
		out command.Result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		defer close(over)
		out, err := command.Run(ctx, conv, text, l.out.signal)
		done <- outcome{out, err}
	}()
	if asks {
		l.out.remark("this may ask the model; Ctrl+C stops it")
	}
	a := &attended{l: l, ctx: ctx, cancel: cancel, conv: conv, command: true}
	a.attend(over)
	if a.end.leave {
		return command.Result{}, &app.Interrupt{Signal: "a wish to leave", Exit: a.end.exit}
	}
	o := <-done
	return o.out, o.err
}

func (l *Line) warn(conv *app.Conversation) {
	for _, w := range conv.Warnings() {
		l.out.problem(w)
	}
}

func (l *Line) greet(conv *app.Conversation) {
	i := conv.Info()
	l.out.print(fmt.Sprintf("MiniCode · %s · %s mode · %s", i.Model, i.Mode, i.Cwd))
	if i.Resumed {
		l.out.print(strings.TrimSpace("Resumed session " + i.Session + " " + i.Title))
		l.replay(conv)
	} else {
		l.out.remark("/help says what can be typed; Ctrl+C interrupts, twice leaves")
	}
	l.warn(conv)
}

// replayed is how many records are looked at for what is shown of a
// conversation that is gone on with.
const replayed = 60

// replay shows where a conversation stands: its last turn.
func (l *Line) replay(conv *app.Conversation) {
	var last []event.Record
	cut := true
	for r, err := range conv.Tail(replayed) {
		if err != nil {
			l.out.problem(err.Error())
			return
		}
		if len(last) > 0 && r.Turn != last[0].Turn {
			last, cut = nil, false
		}
		if r.Turn > 0 {
			last = append(last, r)
		}
	}
	if len(last) == 0 {
		return
	}
	if cut && len(last) == replayed {
		l.out.remark("…")
	}
	l.out.beginTurn("", nil, nil, nil)
	for _, r := range last {
		l.out.show(r)
	}
}

// prompt waits for a line at rest. Within a moment of hit, Ctrl+C leaves.
func (l *Line) prompt(conv *app.Conversation, hit <-chan time.Time) (text string, exit int, more bool) {
	l.ready(conv)
	armed := hit != nil
	for {
		select {
		case t, ok := <-l.in.lines:
			if !ok {
				return "", l.endOfInput(), false
			}
			l.out.entered(t.text)
			if t.cut {
				l.out.problem(cutByTerminal)
				l.out.ask(restPrompt)
				continue
			}
			return t.text, 0, true
		case <-hit:
			armed, hit = false, nil
		case <-l.out.out.lost:
			return "", l.outputLost(), false
		case s := <-l.o.Signals:
			l.out.struck()
			if s != os.Interrupt || armed {
				return "", exitOf(s), false
			}
			armed, hit = true, nil
			if len(conv.Queued()) > 0 {
				armed = false
				l.drop(conv)
			} else {
				l.out.remark("Ctrl+C again leaves.")
			}
			l.out.ask(restPrompt)
		}
	}
}

const cutByTerminal = "not taken: the terminal cuts lines at 4095 bytes. Put the text into a file and name it."

// ready shows what waits, and the prompt.
func (l *Line) ready(conv *app.Conversation) {
	if waiting := conv.Queued(); len(waiting) > 0 {
		l.out.print("Not sent yet:\n  " + strings.Join(waiting, "\n  "))
		l.out.remark("Enter sends it, anything else is sent after it, Ctrl+C drops it.")
	}
	if p, ok := conv.Pending(); ok {
		switch {
		case p.Plan:
			l.out.remark("Type the number, or what the plan should do differently.")
		case len(p.Options) > 0:
			l.out.remark("Type the number of an option, or another answer.")
		}
	}
	l.out.ask(restPrompt)
}

func (l *Line) drop(conv *app.Conversation) {
	if err := conv.DropQueue(); err != nil {
		l.out.problem("dropped, but it could not be removed from the disk: " + err.Error())
		return
	}
	l.out.remark("dropped")
}

// endOfInput is the exit code when nothing more can be typed.
func (l *Line) endOfInput() int {
	if l.in.tty.gone() {
		return exitHangUp
	}
	return 0
}

// outputLost is the exit code when nothing can be shown any more.
func (l *Line) outputLost() int {
	if l.o.Terminal {
		return exitHangUp
	}
	return 1
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

// leave ends what still runs and closes the conversation. A turn that does not
// end is not waited for for ever, nor is a terminal that takes nothing.
func (l *Line) leave(conv *app.Conversation) {
	if !l.over(patience) {
		l.out.out.giveUp()
		l.over(patience)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for _, t := range conv.EndTasks() {
			l.out.remark("ended with the session: background task " + t.ID + " (" + t.Command + ")")
		}
		if i := conv.Info(); l.o.Terminal && i.Path != "" && i.Usage.Total() > 0 {
			l.out.remark("to go on with it: minicode --resume " + i.Session)
		}
		if err := conv.Close(); err != nil {
			l.out.problem("the session could not be closed: " + err.Error())
		}
		l.warn(conv)
	}()
	end := time.After(forgiving)
	began := time.Now()
	for {
		select {
		case <-closed:
			l.out.close()
			return
		case <-end:
			return
		case <-l.o.Signals:
			// A terminal that goes away ends the input and sends signals at
			// once; a person who wants out at any price takes a moment.
			if time.Since(began) > patience {
				return
			}
		}
	}
}

// over waits until no turn runs.
func (l *Line) over(d time.Duration) bool {
	select {
	case <-l.running:
		return true
	default:
		if d == 0 {
			return false
		}
	}
	select {
	case <-l.running:
		return true
	case <-l.o.Signals:
		return false
	case <-time.After(d):
		return false
	}
}
