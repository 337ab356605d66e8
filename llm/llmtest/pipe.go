package llmtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

var (
	errBroken = errors.New("llmtest: the script breaks the connection here")
	errReset  = errors.New("llmtest: the script resets the connection here")
	errGone   = errors.New("llmtest: the client has left")
)

// pipe writes a stream with the faults that its answer wants. After its first
// error it writes nothing more.
type pipe struct {
	w       http.ResponseWriter
	flush   *http.ResponseController
	ctx     context.Context
	closed  <-chan struct{} // the server's end
	crlf    bool
	chunk   int // bytes per write, 0 for whole events
	limit   int // bytes after which the connection breaks, 0 for none
	delay   time.Duration
	written int
	started bool
	err     error
}

func newPipe(ctx context.Context, w http.ResponseWriter, closed <-chan struct{}, a Answer) *pipe {
	p := &pipe{w: w, flush: http.NewResponseController(w), ctx: ctx, closed: closed}
	_, p.crlf = a.find(opCRLF)
	if s, ok := a.find(opBytes); ok {
		p.chunk = s.n
	}
	if s, ok := a.find(opCutAt); ok {
		p.limit = s.n
	}
	return p
}

// event writes one server-sent event; an empty name leaves its line out.
func (p *pipe) event(name, data string) {
	if name != "" {
		name = "event: " + name + "\n"
	}
	p.write(name + "data: " + data + "\n\n")
}

// write sends the text, as many bytes at a time as the answer wants.
func (p *pipe) write(text string) {
	if p.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if p.err == nil && !p.started {
		p.started = true
		p.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		p.w.Header().Set("Cache-Control", "no-cache")
		p.w.WriteHeader(http.StatusOK)
		p.err = p.flush.Flush()
	}
	for text != "" && p.err == nil {
		n := len(text)
		if p.chunk > 0 {
			n = min(n, p.chunk)
		}
		if p.limit > 0 {
			n = min(n, p.limit-p.written)
		}
		if n == 0 {
			p.err = errBroken
			return
		}
		if _, err := p.w.Write([]byte(text[:n])); err != nil {
			p.err = errGone
			return
		}
		if p.flush.Flush() != nil {
			p.err = errGone
		}
		p.written += n
		text = text[n:]
	}
}

// wait does nothing for the duration; below zero until the client leaves.
func (p *pipe) wait(d time.Duration) {
	if d == 0 || p.err != nil {
		return
	}
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
	case <-p.ctx.Done():
		p.err = errGone
	case <-p.closed:
		p.err = errGone
	}
}

// stop ends the answer; a later write does nothing.
func (p *pipe) stop(err error) {
	if p.err == nil {
		p.err = err
	}
}

// finish does to the connection what the answer's end asks for. It panics
// with [http.ErrAbortHandler] to break it.
func (p *pipe) finish() {
	switch {
	case errors.Is(p.err, errBroken):
		panic(http.ErrAbortHandler)
	case errors.Is(p.err, errReset):
		reset(p.flush)
	}
}

// reset drops the connection so that the other side sees a reset.
func reset(c *http.ResponseController) {
	conn, _, err := c.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // best effort: a plain close breaks the stream as well
	}
	_ = conn.Close()
}
