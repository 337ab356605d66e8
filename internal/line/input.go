package line

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// burst is how soon after a line another one comes that was pasted
	// together with it: nobody types that fast.
	burst = 20 * time.Millisecond

	// terminalLine is how many bytes a Linux terminal takes in a line; it
	// drops what is typed beyond.
	terminalLine = 4095
)

var errInputEnded = errors.New("the input has ended")

// typed is what was typed at once: a line, or on a terminal all the lines
// that were pasted together.
type typed struct {
	text  string
	asked int64 // how many questions had been opened when its first line came
	torn  bool  // it was begun before the question that it came after was opened
	cut   bool  // the terminal dropped a part
}

// input reads lines.
type input struct {
	lines chan typed // closed when the input ends
	tty   *terminal  // nil when the input is no terminal
	asked atomic.Int64
	begun atomic.Bool // a line has come in part
}

// newInput starts reading. What is typed on a terminal is taken at once, so
// that it is known when it was typed; a pipe is read as far as it is needed.
func newInput(o Options) *input {
	in := &input{lines: make(chan typed)}
	if f, ok := o.In.(*os.File); ok && o.Terminal {
		in.tty = &terminal{fd: int(f.Fd())}
	}
	if !o.Terminal {
		go in.read(o.In, in.lines)
		return in
	}
	in.lines = make(chan typed, 1024)
	raw := make(chan typed)
	go in.read(o.In, raw)
	go in.join(raw)
	return in
}

// read splits the input into lines. The last one needs no line end.
func (in *input) read(r io.Reader, out chan<- typed) {
	defer close(out)
	var line []byte
	torn := false
	send := func(asked int64) {
		cut := in.tty != nil && len(line) >= terminalLine
		out <- typed{text: strings.TrimSuffix(string(line), "\r"), asked: asked, torn: torn, cut: cut}
		line, torn = line[:0], false
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		asked := in.asked.Load()
		for rest := buf[:n]; len(rest) > 0; {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				line = append(line, rest...)
				break
			}
			line = append(line, rest[:end]...)
			rest = rest[end+1:]
			send(asked)
		}
		// A terminal hands over whole lines, unless it was made to give what
		// had been typed so far.
		torn = in.tty != nil && len(line) > 0
		in.begun.Store(len(line) > 0)
		if err != nil {
			if len(line) > 0 {
				send(asked)
			}
			return
		}
	}
}

// join puts lines together that were pasted at once, and those that end in a
// backslash with the next one.
func (in *input) join(raw <-chan typed) {
	defer close(in.lines)
	for first := range raw {
		open := true
		for open {
			var next typed
			rest, more := strings.CutSuffix(first.text, `\`)
			if more {
				next, open = <-raw
			} else if next, more, open = in.pasted(raw); more {
				rest = first.text
			}
			if !more || !open {
				break
			}
			first = typed{text: rest + "\n" + next.text, asked: first.asked, torn: first.torn || next.torn, cut: first.cut || next.cut}
		}
		in.lines <- first
	}
}

// pasted waits for another line of the same paste. The last one may still be
// without its line end; then the person goes on with it.
func (in *input) pasted(raw <-chan typed) (next typed, more, open bool) {
	select {
	case next, open = <-raw:
		return next, open, open
	case <-time.After(burst):
	}
	in.tty.handOver()
	select {
	case next, open = <-raw:
		return next, open, open
	case <-time.After(burst / 2):
	}
	if !in.begun.Load() {
		return typed{}, false, true
	}
	next, open = <-raw
	return next, open, open
}

// open begins a question: only what is typed from now on can answer it.
func (in *input) open() int64 {
	in.tty.handOver()
	return in.asked.Add(1)
}
