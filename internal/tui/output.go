package tui

import (
	"io"
	"sync"
	"time"
)

// output writes from a goroutine of its own: a terminal that takes nothing
// any more must not keep the person from leaving.
type output struct {
	w     io.Writer
	lost  func(error) // is called when a write fails, at most once
	drain func()      // is called when what was waited for is written

	mu      sync.Mutex
	changed *sync.Cond
	waiting []byte
	writing bool
	wanted  bool // somebody waits to write more
	closed  bool
	given   bool // up: what is written goes nowhere
}

func newOutput(w io.Writer, lost func(error), drain func()) *output {
	o := &output{w: w, lost: lost, drain: drain}
	o.changed = sync.NewCond(&o.mu)
	go o.run()
	return o
}

func (o *output) run() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.waiting) == 0 && !o.closed && !o.given {
			o.changed.Wait()
		}
		if len(o.waiting) == 0 {
			return
		}
		b := o.waiting
		o.waiting, o.writing = nil, true
		o.mu.Unlock()
		_, err := o.w.Write(b)
		o.mu.Lock()
		o.writing = false
		wanted := o.wanted
		o.wanted = false
		if err != nil {
			o.given, o.waiting = true, nil
		}
		o.changed.Broadcast()
		o.mu.Unlock()
		switch {
		case err != nil:
			o.lost(err)
		case wanted:
			o.drain()
		}
		o.mu.Lock()
	}
}

// busy says whether something is not written yet; drain is then called when
// it is.
func (o *output) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	busy := (o.writing || len(o.waiting) > 0) && !o.given
	o.wanted = o.wanted || busy
	return busy
}

// write takes bytes and does not wait.
func (o *output) write(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.given && text != "" {
		o.waiting = append(o.waiting, text...)
		o.changed.Broadcast()
	}
}

// flush waits until everything is written, but not longer than d.
func (o *output) flush(d time.Duration) {
	late := time.AfterFunc(d, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.given, o.waiting = true, nil
		o.changed.Broadcast()
	})
	defer late.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for (len(o.waiting) > 0 || o.writing) && !o.given {
		o.changed.Wait()
	}
}

// close ends the goroutine; what is written from now on goes nowhere.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.given = true, true
	o.changed.Broadcast()
}
