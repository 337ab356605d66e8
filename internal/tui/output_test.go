package tui

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink takes what is written, when it is let.
type sink struct {
	mu     sync.Mutex
	got    strings.Builder
	writes int
	gate   chan struct{} // each write waits for it; nil for none
	err    error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.err != nil {
		return 0, s.err
	}
	return s.got.Write(p)
}

// A terminal that is gone is told of once, and nothing waits for it.
func TestOutputLost(t *testing.T) {
	lost := make(chan error, 9)
	w := &sink{err: errors.New("input/output error")}
	o := newOutput(w, func(err error) { lost <- err }, func() {})
	o.write("one")
	<-lost
	for range 9 {
		o.write("two")
	}
	o.flush(time.Hour)
	o.close()
	if len(lost) > 0 || w.writes != 1 || o.busy() {
		t.Errorf("told %d times more, %d writes, busy %v", len(lost), w.writes, o.busy())
	}
}

// One that takes nothing any more keeps nobody from leaving, and what is
// written meanwhile is one write when it does.
func TestOutputStuck(t *testing.T) {
	drained := make(chan struct{}, 9)
	w := &sink{gate: make(chan struct{})}
	o := newOutput(w, func(err error) { t.Error(err) }, func() { drained <- struct{}{} })
	o.write("a")
	for o.busy() && !o.writes() {
		time.Sleep(time.Millisecond)
	}
	o.write("b")
	o.write("c")
	if !o.busy() {
		t.Fatal("not busy")
	}
	w.gate <- struct{}{}
	w.gate <- struct{}{}
	<-drained
	o.flush(time.Hour)
	if w.got.String() != "abc" || w.writes != 2 {
		t.Errorf("%q in %d writes", w.got.String(), w.writes)
	}
	o.write("stuck")
	o.flush(time.Millisecond)
	o.write("more")
	o.close()
	if o.busy() {
		t.Error("busy although it was given up")
	}
	close(w.gate)
}

// writes says whether a write has begun.
func (o *output) writes() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.writing
}
