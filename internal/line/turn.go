package line

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/minicode-go/minicode/internal/summary"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/llm"
)

// ending is how a turn ended for the person.
type ending struct {
	reason event.Reason // "" when it did not come to its end
	leave  bool         // the person wants to go
	exit   int          // with that code
	hit    <-chan time.Time
}

// attended is a turn that runs, as seen by the goroutine that takes lines,
// questions and signals for it.
type attended struct {
	l      *Line
	ctx    context.Context
	cancel context.CancelCauseFunc
	conv   *app.Conversation
	dialog *dialog          // open, or nil
	opens  <-chan time.Time // when the dialog can be answered
	ended  bool             // the input has
	end    ending

	command bool // what runs is a command: only its questions are answered
}

// turn runs one turn. Its events are shown from a goroutine of their own.
func (l *Line) turn(ctx context.Context, conv *app.Conversation, text string) ending {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l.out.beginTurn(text, conv.Now, func(u llm.Usage) (float64, bool) {
		i := conv.Info()
		return i.Price(i.Model).Cost(u)
	}, conv.Used)
	over := make(chan struct{})
	l.running = over
	go l.out.pulse(over)
	go func() {
		defer close(over)
		for rec, err := range conv.Prompt(ctx, text) {
			if err != nil {
				l.out.problem(err.Error())
				return
			}
			l.out.show(rec)
		}
	}()
	a := &attended{l: l, ctx: ctx, cancel: cancel, conv: conv}
	a.attend(over)
	a.end.reason = l.out.reason()
	return a.end
}

// attend serves the turn until it is over, or the person leaves.
func (a *attended) attend(over <-chan struct{}) {
	l := a.l
	for {
		lines := l.in.lines
		if a.ended || a.dialog == nil && (a.command || !l.o.Terminal) {
			lines = nil // what a pipe holds is for after the turn
		}
		var taken <-chan struct{}
		if a.dialog != nil {
			taken = a.dialog.ctx.Done()
		}
		select {
		case <-over:
			return
		case <-taken:
			a.close()
		case d := <-l.questions:
			a.show(d)
		case <-a.opens:
			a.opens = nil
			a.dialog.open(l)
		case t, more := <-lines:
			if more {
				a.line(t)
			} else {
				a.inputEnded()
			}
			if a.end.leave {
				return
			}
		case <-l.out.out.lost:
			a.quit(l.outputLost(), "SIGPIPE")
			return
		case s := <-l.o.Signals:
			if a.signal(s) {
				return
			}
		}
	}
}

// signal interrupts the turn. The second one leaves; the rest is up to
// [Line.leave].
func (a *attended) signal(s os.Signal) (left bool) {
	if s == os.Interrupt && a.end.hit == nil {
		a.end.hit = time.After(again)
		a.cancel(&app.Interrupt{Signal: name(s), Exit: exitOf(s)})
		a.l.out.struck()
		return false
	}
	a.quit(exitOf(s), name(s))
	return true
}

func (a *attended) quit(exit int, by string) {
	a.end.leave, a.end.exit = true, exit
	a.cancel(&app.Interrupt{Signal: by, Exit: exit})
}

func name(s os.Signal) string {
	switch s {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return fmt.Sprint(s)
}

// show puts a question on the screen. On a terminal it is answered a moment
// later at the earliest.
func (a *attended) show(d *dialog) {
	a.dialog = d
	a.l.out.hold(true)
	a.l.out.question(d.question)
	switch {
	case a.ended:
		a.reply(event.Answer{}, errInputEnded)
	case a.l.o.Terminal:
		a.opens = time.After(settle)
	default:
		d.open(a.l)
	}
}

func (a *attended) reply(answer event.Answer, err error) {
	a.dialog.reply <- reply{answer, err}
	a.close()
}

func (a *attended) close() {
	a.dialog, a.opens = nil, nil
	a.l.out.hold(false)
}

// inputEnded answers for a person who is not there any more. Who ends the
// input of a terminal under a question wants to stop.
func (a *attended) inputEnded() {
	a.ended = true
	switch {
	case a.l.in.tty.gone():
		a.quit(exitHangUp, "SIGHUP")
	case a.dialog == nil:
	case a.l.o.Terminal:
		a.quit(0, "SIGINT")
	default:
		a.reply(event.Answer{}, errInputEnded)
	}
}

// line takes what was typed while the turn runs: an answer, a command, or
// something to say when the running step is over.
func (a *attended) line(t typed) {
	l := a.l
	l.out.entered(t.text)
	answers := a.dialog != nil && a.dialog.takes(t, l.o.Terminal)
	switch {
	case t.cut:
		l.out.problem(cutByTerminal)
	case answers && (a.command || !command.Is(t.text)):
		answer, hint, ok := a.dialog.answer(t.text)
		if ok {
			a.reply(answer, nil)
			return
		}
		if hint != "" {
			l.out.remark(hint)
		}
	case a.command: // nothing but an answer is waited for
	case command.Is(t.text):
		out, err := l.command(a.ctx, a.conv, t.text)
		var by *app.Interrupt
		switch {
		case errors.Is(err, command.ErrExit):
			a.quit(0, "SIGINT")
		case errors.As(err, &by) && by.Signal != "SIGINT":
			a.quit(by.Exit, by.Signal)
		}
		if out.Prompt != "" {
			a.queue(out.Prompt)
		}
	case strings.TrimSpace(t.text) != "":
		a.queue(t.text)
	}
	if a.dialog != nil && a.dialog.opened > 0 && !a.end.leave {
		l.out.ask(a.dialog.prompt())
	}
}

func (a *attended) queue(text string) {
	if err := a.conv.Queue(text); err != nil {
		a.l.out.problem("queued, but not on disk: " + err.Error())
		return
	}
	a.l.out.remark(fmt.Sprintf("queued (%d), goes in after the running step: %s", len(a.conv.Queued()), summary.OneLine(text, 200)))
}
