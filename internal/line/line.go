package line

import (
	"context"
	"io"
	"os"

	"github.com/minicode-go/minicode/event"
)

// Options says where to read and write.
type Options struct {
	In       io.Reader
	Out      io.Writer
	Terminal bool             // In is a terminal: it echoes what is typed, and what is typed during a turn is queued
	Color    bool             // Out is a terminal that shows colours
	Signals  <-chan os.Signal // interrupts, and requests to end
}

// Line is the front end.
type Line struct {
	o         Options
	in        *input
	out       *screen
	questions chan *dialog
	running   chan struct{} // closed when the turn that was begun last is over
}

// New starts reading.
func New(o Options) *Line {
	over := make(chan struct{})
	close(over)
	return &Line{o: o, in: newInput(o), out: newScreen(o), questions: make(chan *dialog), running: over}
}

// Ask shows the question and waits for a choice that was typed after it was
// shown. Its error is ctx's, or says that the input has ended.
func (l *Line) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	d := &dialog{ctx: ctx, question: q, reply: make(chan reply, 1)}
	select {
	case l.questions <- d:
	case <-ctx.Done():
		return event.Answer{}, context.Cause(ctx)
	}
	select {
	case r := <-d.reply:
		return r.answer, r.err
	case <-ctx.Done():
		return event.Answer{}, context.Cause(ctx)
	}
}
