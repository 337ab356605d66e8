package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
)

// frameTime is the least time between two frames, and between two looks at
// what a turn yields.
const frameTime = time.Second / 60

// backlog is how many records may wait to be looked at; a turn that is faster
// waits.
const backlog = 2048

// A little text waits for more, for so long: a frame costs as many bytes as
// some words.
const (
	little  = 64 // bytes
	textful = 3 * frameTime
)

// feed carries what a turn yields to the event loop: all of it, at most once
// a frame. The loop takes it with take.
type feed struct {
	poke func() // tells the loop that something is there
	now  func() time.Time

	mu      sync.Mutex
	room    *sync.Cond
	records []event.Record
	text    int       // bytes of text in them
	other   bool      // there is something else in them
	poked   time.Time // when the loop is told; zero if it is not
	taken   time.Time
	closed  bool
}

func newFeed(poke func()) *feed {
	f := &feed{poke: poke, now: time.Now}
	f.room = sync.NewCond(&f.mu)
	return f
}

// add takes a record. Deltas of the same kind that follow each other become
// one.
func (f *feed) add(r event.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.records) >= backlog && !f.closed {
		f.room.Wait()
	}
	if n := len(f.records); n == 0 || !merge(&f.records[n-1], r) {
		f.records = append(f.records, r)
	}
	f.weigh(r)
	at := f.taken.Add(frameTime)
	if f.text < little && !f.other {
		at = f.taken.Add(textful)
	}
	if f.closed || !f.poked.IsZero() && !at.Before(f.poked) {
		return
	}
	f.poked = at
	if wait := at.Sub(f.now()); wait > 0 {
		time.AfterFunc(wait, f.poke)
	} else {
		go f.poke()
	}
}

// weigh counts what waits.
func (f *feed) weigh(r event.Record) {
	switch e := r.Event.(type) {
	case event.TextDelta:
		f.text += len(e.Text)
	case event.ThinkingDelta:
		f.text += len(e.Text)
	case event.Output:
		f.text += len(e.Text)
	case event.CallDelta:
	default:
		f.other = true
	}
}

// mostMerged bounds a delta that was made of several, in bytes.
const mostMerged = 16 << 10

func merge(last *event.Record, r event.Record) bool {
	switch e := r.Event.(type) {
	case event.TextDelta:
		if before, ok := last.Event.(event.TextDelta); ok && len(before.Text) < mostMerged {
			last.Event = event.TextDelta{Text: before.Text + e.Text}
			return true
		}
	case event.ThinkingDelta:
		if before, ok := last.Event.(event.ThinkingDelta); ok && len(before.Text) < mostMerged {
			last.Event = event.ThinkingDelta{Text: before.Text + e.Text}
			return true
		}
	case event.Output:
		if before, ok := last.Event.(event.Output); ok && before.Call == e.Call && len(before.Text) < mostMerged {
			last.Event = event.Output{Call: e.Call, Text: before.Text + e.Text}
			return true
		}
	case event.CallDelta:
		if before, ok := last.Event.(event.CallDelta); ok && before.Index == e.Index && e.Name == "" {
			return true // only the name is looked at
		}
	}
	return false
}

func (f *feed) take() []event.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.records
	f.records, f.text, f.other, f.poked, f.taken = nil, 0, false, time.Time{}, f.now()
	f.room.Broadcast()
	return out
}

// close lets go of the turn: nothing is looked at any more.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.room.Broadcast()
}

// work is a turn or a command that runs.
type work struct {
	cancel  context.CancelCauseFunc
	feed    *feed
	over    chan struct{} // closed when it is over
	said    prompt        // what it began with
	stopped bool
	queued  bool // while it ran, as a command: it is sent afterwards
}

// submit runs a turn, with a text in the place of what was typed. What it
// yields comes as happened, its end as over.
func (m *model) submit(text string, said prompt) {
	ctx, cancel := context.WithCancelCause(m.ctx)
	p := m.program
	w := &work{cancel: cancel, over: make(chan struct{}), said: said}
	w.feed = newFeed(func() { p.Send(happened{w}) })
	m.turn = w
	m.live.begin(text, m.now())
	go func() {
		defer cancel(nil)
		err := m.guard(func() error {
			for r, err := range m.conv.Prompt(ctx, text, said.parts()...) {
				if err != nil {
					return err
				}
				w.feed.add(r)
			}
			return nil
		})
		close(w.over)
		p.Send(ended{w, err})
	}()
}

// execute runs a command. The signals of what it runs come as happened, its
// end as commanded.
func (m *model) execute(said prompt) {
	ctx, cancel := context.WithCancelCause(m.ctx)
	p, w := m.program, &work{cancel: cancel, over: make(chan struct{}), said: said}
	w.feed = newFeed(func() { p.Send(happened{w}) })
	m.command = w
	go func() {
		defer cancel(nil)
		before := m.conv.Info().Session
		var out command.Result
		err := m.guard(func() (err error) {
			out, err = command.Run(ctx, m.conv, said.text, func(s event.Signal) { w.feed.add(event.Record{Event: s}) })
			return err
		})
		close(w.over)
		p.Send(commanded{work: w, Result: out, err: err, moved: m.conv.Info().Session != before})
	}()
}

// errFault is what a panic in a turn or command becomes.
var errFault = errors.New("a fault of the program")

// guard makes an error of a panic.
func (m *model) guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errFault, r, debug.Stack())
		}
	}()
	return f()
}

// stop interrupts what runs.
func (m *model) stop(by *app.Interrupt) {
	for _, w := range []*work{m.turn, m.command} {
		if w != nil {
			w.stopped = true
			w.cancel(by)
		}
	}
}

// wait waits until nothing runs any more, but not longer than d. The loop is
// over: nobody looks at what is yielded.
func (m *model) wait(d time.Duration) {
	late := time.After(d)
	for _, w := range []*work{m.turn, m.command} {
		if w == nil {
			continue
		}
		w.feed.close()
		select {
		case <-w.over:
		case <-late:
			return
		}
	}
}

// gauge finds out what the status line shows, away from the loop: counting
// looks at all messages.
func (m *model) gauge() tea.Cmd {
	if m.gauging {
		m.gaugeAgain = true
		return nil
	}
	m.gauging, m.gaugeAgain = true, false
	conv := m.conv
	return func() tea.Msg {
		g := gauged{info: conv.Info(), used: conv.Used(), todos: todosOf(conv)}
		g.servers, g.broken = conv.Extensions().Badge()
		return g
	}
}
