package line

import (
	"io"
	"sync"
	"time"
)

// backlog is how many bytes may wait for a terminal that is slower than what
// is written to it.
const backlog = 256 << 10

// output writes from a goroutine of its own: a terminal that takes nothing
// any more must not keep the program from ending.
type output struct {
	w    io.Writer
	lost chan struct{} // closed when a write fails

	mu      sync.Mutex
	changed *sync.Cond
	waiting []byte
	writing int // bytes that are being written
	closed  bool
	given   bool // up: what is written goes nowhere
}

func newOutput(w io.Writer) *output {
	o := &output{w: w, lost: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	go o.run()
	return o
}

func (o *output) run() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.waiting) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.waiting) == 0 {
			return
		}
		b := o.waiting
		o.waiting, o.writing = nil, len(b)
		o.mu.Unlock()
		_, err := o.w.Write(b)
		o.mu.Lock()
		o.writing = 0
		if err != nil {
			o.given, o.waiting = true, nil
			close(o.lost)
			o.changed.Broadcast()
			return
		}
		o.changed.Broadcast()
	}
}

// keepUp waits while too much is not written yet.
func (o *output) keepUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting)+o.writing > backlog && !o.given {
		o.changed.Wait()
	}
}

// write takes text and does not wait.
func (o *output) write(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.given {
		o.waiting = append(o.waiting, text...)
		o.changed.Broadcast()
	}
}

// giveUp lets go of whoever waits for the terminal.
func (o *output) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.given, o.waiting = true, nil
	o.changed.Broadcast()
}

// close waits until everything is written, but not longer than d.
func (o *output) close(d time.Duration) {
	late := time.AfterFunc(d, o.giveUp)
	defer late.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
	for len(o.waiting)+o.writing > 0 && !o.given {
		o.changed.Wait()
	}
}
