package line

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// showing is what the screen makes of the events.
func showing(t *testing.T, do func(s *screen)) string {
	t.Helper()
	var out bytes.Buffer
	s := newScreen(Options{Out: &out})
	s.beginTurn("", nil, nil, nil)
	do(s)
	s.close()
	return out.String()
}

func (s *screen) events(all ...event.Event) {
	for _, e := range all {
		s.show(event.Record{Event: e})
	}
}

func said(kind llm.Kind, stop llm.Stop, text string) event.Message {
	m := llm.NewText(llm.Assistant, kind, text)
	m.Stop = stop
	return event.Message{Message: m}
}

func TestScreenAnswers(t *testing.T) {
	delta := func(text string) event.Event { return event.TextDelta{Text: text} }
	for name, c := range map[string]struct {
		events []event.Event
		want   string
	}{
		"streamed, and blank lines at both ends": {
			[]event.Event{delta("\n\nOne"), delta(" two\n"), delta("\nthree\n\n\n"), said(llm.Final, llm.StopEnd, "")},
			"One two\n\nthree\n",
		},
		"not streamed":             {[]event.Event{said(llm.Final, llm.StopEnd, "\nOne\n")}, "One\n"},
		"nothing":                  {[]event.Event{said(llm.Progress, llm.StopLength, "")}, ""},
		"progress, then an answer": {[]event.Event{delta("One"), said(llm.Progress, llm.StopEnd, "One"), delta("Two"), said(llm.Final, llm.StopEnd, "Two")}, "One\n\nTwo\n"},
		"cut at the limit, then the rest": {
			[]event.Event{delta("One wo"), said(llm.Progress, llm.StopLength, "One wo"), delta("rd"), said(llm.Final, llm.StopEnd, "rd")},
			"One word\n",
		},
		"broken off, then again": {
			[]event.Event{delta("One wo"), event.Retrying{Attempt: 1, Of: 2, Error: "lost\x1b[2J"}, delta("One word"), said(llm.Final, llm.StopEnd, "One word")},
			"One wo\n! the answer broke off; what stands above does not count\n! attempt 1 of 2 failed: lost[2J\n  trying again in 1s\nOne word\n",
		},
		"a remark in the middle": {
			[]event.Event{delta("One "), event.Notice{Text: "Look."}, delta("two"), said(llm.Final, llm.StopEnd, "One two")},
			"One \n! Look.\ntwo\n",
		},
		"context edits": {
			[]event.Event{event.Edited{Stage: "offload", Before: 12000, After: 8000}, event.Edited{Stage: "refusal"}, event.Edited{Stage: "summarize", Error: "empty"}},
			"context: offload, from 12.0k to 8000 tokens\n! the context could not be made smaller (summarize): empty\n",
		},
		"ends": {[]event.Event{delta("One"), event.Ended{Reason: event.StepLimit, Error: "200 steps"}}, "One\nThe turn ended: step limit: 200 steps\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := showing(t, func(s *screen) { s.events(c.events...) }); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// What belongs to which call is said where it would not be clear.
func TestScreenCalls(t *testing.T) {
	started := func(id string) event.Event { return event.Started{Call: id, Tool: "x", Title: "Do " + id} }
	decided := func(id string, allow bool) event.Event {
		return event.Decided{Call: id, Tool: "x", Title: "Do " + id, Allow: allow, Reason: "a reason"}
	}
	over := func(id, text string, failed bool) event.Event {
		return event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{
			Call: id, Name: "x", Parts: llm.Parts{llm.Text{Text: text}}, Error: failed,
		}}}}
	}
	for name, c := range map[string]struct {
		events []event.Event
		want   string
	}{
		"one after the other": {
			[]event.Event{started("a"), decided("a", true), over("a", "fine", false), started("b"), decided("b", true), over("b", "bad", true)},
			"● Do a\n  ok: fine\n● Do b\n  error: bad\n",
		},
		"side by side": {
			[]event.Event{started("a"), decided("a", true), started("b"), decided("b", true), over("a", "fine", false), over("b", "bad", true)},
			"● Do a\n● Do b\n  ok: Do a: fine\n  error: Do b: bad\n",
		},
		"denied once": {
			[]event.Event{started("a"), decided("a", false), over("a", "Not allowed: a reason", true)},
			"● Do a\n  denied: a reason\n",
		},
		"interrupted": {
			[]event.Event{started("a"), decided("a", true), over("a", "Interrupted by the user while it ran: it may be done in part.", true)},
			"● Do a\n  interrupted: by the user while it ran: it may be done in part.\n",
		},
		"a remark does not part them": {
			[]event.Event{started("a"), decided("a", true), event.Notice{Text: "Look."}, over("a", "fine", false)},
			"● Do a\n! Look.\n  ok: fine\n",
		},
		"from the records alone": {
			[]event.Event{decided("a", true), over("a", "fine", false)},
			"● Do a\n  ok: fine\n",
		},
		"never prepared": {[]event.Event{over("a", "Unknown tool: x", true)}, "● x\n  error: Unknown tool: x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := showing(t, func(s *screen) { s.events(c.events...) }); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// Whatever comes in whatever order: nothing acts on the terminal, and there
// is never more than one blank line that is not the model's.
func TestScreenIsCalm(t *testing.T) {
	nasty := []string{"", "a", "\n", "\n\n", "x\n", "\x1b[2J", "\r", "\u202e", "a\n\nb", "> "}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		text := func() string { return nasty[r.IntN(len(nasty))] }
		got := showing(t, func(s *screen) {
			for range 30 {
				switch r.IntN(12) {
				case 0, 1, 2:
					s.events(event.TextDelta{Text: strings.ReplaceAll(text(), "\n\n", "\n") + "x"})
				case 3:
					s.events(said(llm.Progress, llm.Stop([]string{"end_turn", "max_tokens"}[r.IntN(2)]), "x"))
				case 4:
					s.events(event.ThinkingDelta{Text: text()})
				case 5:
					s.events(event.Started{Call: text(), Tool: "x", Title: text()})
				case 6:
					s.events(event.Decided{Call: text(), Allow: r.IntN(2) == 0, Reason: text()})
				case 7:
					s.events(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
						llm.ToolResult{Call: text(), Name: "x", Error: r.IntN(2) == 0, Parts: llm.Parts{llm.Text{Text: text()}}},
					}}})
				case 8:
					s.events(event.Notice{Text: "n"}, event.Output{Call: text(), Text: text()}, event.Retrying{Error: text()})
				case 9:
					s.question(event.Question{Title: text(), Reason: text(), Preview: event.Preview{Kind: event.PreviewDiff, Text: strings.TrimSpace(text()) + "."}})
					s.ask("Your choice: ")
					s.entered("y")
				case 10:
					s.ask(restPrompt)
					s.entered("hi")
				case 11:
					s.events(event.Ended{Reason: event.Done}, event.Edited{Stage: text(), Before: 2, After: 1})
				}
			}
		})
		if strings.Contains(got, "\n\n\n") || strings.HasPrefix(got, "\n") {
			t.Fatalf("seed %d: blank lines follow each other:\n%q", seed, got)
		}
		if at := regexp.MustCompile("[\x00-\x08\x0b-\x1f]|\u202e").FindStringIndex(got); at != nil {
			t.Fatalf("seed %d: %q", seed, got[max(0, at[0]-20):])
		}
	}
}

// From time to time something says that a turn goes on.
func TestScreenBeats(t *testing.T) {
	now := time.Unix(0, 0)
	got := showing(t, func(s *screen) {
		s.beginTurn("", func() time.Time { return now }, nil, nil)
		for range 300 { // seconds without anything
			now = now.Add(time.Second)
			s.beat()
		}
		s.events(event.Started{Call: "a", Tool: "run_command", Title: "Run make"}, event.Decided{Call: "a", Allow: true})
		s.events(event.Output{Call: "a", Text: "compiling\nlinking\n"})
		for range 65 {
			now = now.Add(time.Second)
			s.beat()
		}
		s.hold(true)
		now = now.Add(time.Hour)
		s.beat()
	})
	want := "  … 10s, waiting for the model\n  … 30s, waiting for the model\n  … 1m10s, waiting for the model\n  … 2m10s, waiting for the model\n" +
		"  … 3m10s, waiting for the model\n  … 4m10s, waiting for the model\n" +
		"● Run make\n  … 2s, Run make: linking\n  … 6s, Run make: linking\n  … 14s, Run make: linking\n  … 30s, Run make: linking\n  … 1m2s, Run make: linking\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// stuck is a terminal that takes nothing until it is released.
type stuck struct {
	release chan struct{}
	mu      sync.Mutex
	got     bytes.Buffer
}

func (w *stuck) Write(p []byte) (int, error) {
	<-w.release
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.got.Write(p)
}

func TestOutputWaitsAndLetsGo(t *testing.T) {
	w := &stuck{release: make(chan struct{})}
	o := newOutput(w)
	for range 3 {
		o.write(strings.Repeat("x", backlog)) // does not wait
	}
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		o.keepUp()
	}()
	select {
	case <-waited:
		t.Error("it did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	o.giveUp()
	<-waited
	o.write("for nobody")
	o.close(time.Minute) // at once: nothing is waited for
	close(w.release)
}

func TestOutputWritesAllBeforeItEnds(t *testing.T) {
	w := &stuck{release: make(chan struct{})}
	o := newOutput(w)
	for range 100 {
		o.write("word ")
	}
	time.AfterFunc(10*time.Millisecond, func() { close(w.release) })
	o.close(time.Minute)
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.got.Len(); n != 500 {
		t.Errorf("%d bytes were written", n)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestOutputThatIsLost(t *testing.T) {
	o := newOutput(broken{})
	o.write("x")
	<-o.lost
	o.keepUp()
	o.write("y")
	o.close(time.Minute)
}
