package line

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
)

// Options says where to read and write.
type Options struct {
	In       io.Reader
	Out      io.Writer
	Terminal bool // In is a terminal: what is typed during a turn is queued
	Color    bool
	Signals  <-chan os.Signal // interrupts and endings
}

// Line is the front end.
type Line struct {
	o         Options
	out       *screen
	lines     chan string
	questions chan pending
}

// pending is a question on its way to the person.
type pending struct {
	ctx      context.Context
	question event.Question
	reply    chan event.Answer
}

// New starts reading.
func New(o Options) *Line {
	l := &Line{o: o, out: newScreen(o), lines: make(chan string), questions: make(chan pending)}
	go l.read()
	return l
}

// read hands over lines until the input ends. A line may be as long as memory
// allows; the last one needs no newline.
func (l *Line) read() {
	defer close(l.lines)
	in := bufio.NewReaderSize(l.o.In, 64<<10)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			l.lines <- strings.TrimRight(text, "\r\n")
		}
		if err != nil {
			return
		}
	}
}

// Ask shows the question and waits for a choice that was typed after it was
// shown.
func (l *Line) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	p := pending{ctx: ctx, question: q, reply: make(chan event.Answer, 1)}
	select {
	case l.questions <- p:
	case <-ctx.Done():
		return event.Answer{}, context.Cause(ctx)
	}
	select {
	case a := <-p.reply:
		return a, nil
	case <-ctx.Done():
		return event.Answer{}, context.Cause(ctx)
	}
}

// Run talks until the person leaves, and gives the exit code.
func (l *Line) Run(ctx context.Context, conv *app.Conversation, first string) int {
	l.out.greet(conv)
	next := first
	for {
		text := next
		next = ""
		if text == "" {
			var exit int
			var more bool
			if text, exit, more = l.prompt(conv); !more {
				return exit
			}
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if strings.HasPrefix(text, "/") {
			out, err := conv.Run(ctx, text)
			switch {
			case errors.Is(err, app.ErrExit):
				return 0
			case err != nil:
				l.out.problem(err.Error())
			default:
				l.out.print(out)
			}
			continue
		}
		text, err := conv.Reply(text)
		if err != nil {
			l.out.problem(err.Error())
			continue
		}
		exit, leave := l.turn(ctx, conv, text)
		if leave {
			return exit
		}
		next = l.giveBack(conv)
	}
}

// giveBack shows what was queued and not sent. Where nobody can edit it, it
// is the next prompt.
func (l *Line) giveBack(conv *app.Conversation) string {
	waiting := conv.Queued()
	if len(waiting) == 0 {
		return ""
	}
	if l.o.Terminal {
		l.out.print("not sent, because the turn ended before:\n  " + strings.Join(waiting, "\n  "))
		return ""
	}
	return strings.Join(waiting, "\n")
}

// prompt waits for a line at rest.
func (l *Line) prompt(conv *app.Conversation) (text string, exit int, more bool) {
	l.out.ready(conv)
	armed := false // one Ctrl+C came already
	for {
		select {
		case line, ok := <-l.lines:
			return line, 0, ok
		case s := <-l.o.Signals:
			if s != os.Interrupt || armed {
				return "", exitOf(s), false
			}
			armed = true
			l.out.print("\nPress Ctrl+C again to leave, or type on.")
			l.out.ready(conv)
		}
	}
}

func exitOf(s os.Signal) int {
	switch s {
	case os.Interrupt:
		return 130
	case syscall.SIGHUP:
		return 129
	}
	return 143
}

// turn runs one turn: the events are shown from its own goroutine, while this
// one takes lines, questions and signals.
func (l *Line) turn(ctx context.Context, conv *app.Conversation, text string) (exit int, leave bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for rec, err := range conv.Prompt(ctx, text) {
			if err != nil {
				l.out.problem(err.Error())
				return
			}
			l.out.show(rec)
		}
	}()
	var asking *pending
	lines := l.lines
	for {
		in := lines
		if asking == nil && !l.o.Terminal {
			in = nil
		}
		var given <-chan struct{}
		if asking != nil {
			given = asking.ctx.Done()
		}
		select {
		case <-done:
			return exit, leave
		case <-given:
			asking = nil
		case p := <-l.questions:
			asking = &p
			l.out.ask(p.question)
		case line, ok := <-in:
			switch {
			case !ok:
				lines = nil
				if asking != nil {
					asking.reply <- event.Answer{Choice: event.No}
					asking = nil
				}
			case asking != nil:
				if a, understood := l.answer(asking.question, line); understood {
					asking.reply <- a
					asking = nil
				}
			case strings.TrimSpace(line) != "":
				l.queue(conv, line)
			}
		case s := <-l.o.Signals:
			if s != os.Interrupt || exit != 0 {
				exit, leave = exitOf(s), true
			} else {
				exit = 130
			}
			cancel(&app.Interrupt{Signal: name(s), Exit: exitOf(s)})
		}
	}
}

func name(s os.Signal) string {
	if s == os.Interrupt {
		return "SIGINT"
	}
	return fmt.Sprint(s)
}

func (l *Line) queue(conv *app.Conversation, line string) {
	if err := conv.Queue(line); err != nil {
		l.out.problem("the message is queued, but not on disk: " + err.Error())
		return
	}
	l.out.print("queued: it goes in after the running step")
}
