//go:build linux || darwin

package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// still is the program without a terminal: the test says what happens and when,
// so that what is sent does not depend on the machine.
type still struct {
	t      *testing.T
	m      *model
	w      *work // the turn that goes on
	now    *time.Time
	next   time.Time // when the spinner turns
	drawn  time.Time
	sent   strings.Builder
	frames int
}

// conversation is a conversation of so many messages with a clock.
func conversation(t *testing.T, messages int) (*app.Conversation, *time.Time) {
	t.Helper()
	home := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ids := 0
	o := app.Options{
		Cwd: home, Home: home, Environ: []string{"HOME=" + home, "ANTHROPIC_API_KEY=key", "MINICODE_MODEL=anthropic/claude-sonnet-4-5"},
		Now:   func() time.Time { return now },
		NewID: func() string { ids++; return fmt.Sprintf("019b7000-0000-7000-8000-%012x", ids) },
	}
	conv, err := app.Open(context.Background(), o)
	if err == nil && messages > 0 {
		path := conv.Info().Path
		_ = conv.Close()
		writeConversation(t, path, messages)
		o.Continue = true
		conv, err = app.Open(context.Background(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conv.Close() })
	return conv, &now
}

// newStill is the program on a terminal of so many cells.
func newStill(t *testing.T, cols, rows int, conv *app.Conversation, now *time.Time) *still {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	s := &still{t: t, now: now}
	s.m = newModel(context.Background(), Options{In: null, Out: null}, conv, &terminal{in: null, out: null})
	t.Cleanup(s.m.composer.files.all.Close)
	s.m.screen.resize(cols, rows)
	s.m.screen.synced, s.m.screen.restless = true, 0
	s.m.greet()
	s.frame()
	s.sent.Reset()
	s.frames = 0
	return s
}

// begin begins a turn of which the test says what it yields.
func (s *still) begin() {
	s.w = &work{feed: newFeed(func() {})}
	s.w.feed.now = func() time.Time { return *s.now }
	s.m.turn = s.w
	s.m.live.begin("", *s.now)
}

// pass lets a sixtieth of a second pass. A frame is drawn if one is due.
func (s *still) pass() {
	*s.now = s.now.Add(frameTime)
	due := s.w != nil && !s.w.feed.poked.IsZero() && !s.w.feed.poked.After(*s.now)
	if due {
		s.m.happened(s.w)
	}
	if !s.now.Before(s.next) {
		s.next = s.now.Add(spinTime)
		s.m.spin++
		due = due || s.now.Sub(s.drawn) >= textful
	}
	if due {
		s.frame()
	}
}

func (s *still) frame() {
	s.drawn = *s.now
	s.sent.WriteString(s.m.screen.draw(s.m.frame()))
	s.frames++
}

// answer streams an answer in pieces of 20 bytes, so many of them in a
// sixtieth of a second, and ends the turn.
func (s *still) answer(text string, pieces int) {
	s.begin()
	for at := 0; at < len(text); {
		for range pieces {
			end := min(len(text), at+20)
			if at < end {
				s.w.feed.add(event.Record{Event: event.TextDelta{Text: text[at:end]}})
			}
			at = end
		}
		s.pass()
	}
	s.w.feed.add(event.Record{Event: event.Message{Message: llm.NewText(llm.Assistant, llm.Final, text)}})
	s.m.happened(s.w)
	s.m.turn = nil
	s.m.live = live{}
	s.frame()
}

// writeConversation writes a session of so many messages, an eighth of which
// are prompts.
func writeConversation(t *testing.T, path string, messages int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	turn, n, parent, written := 0, 0, "", 0
	put := func(f event.Fact) {
		n++
		id := fmt.Sprintf("019b7000-0000-7000-9000-%012x", n)
		head := event.Head{ID: id, Parent: parent, Turn: turn, Time: time.Unix(int64(n), 0).UTC(), Session: "long", Cwd: "/work"}
		if err := event.Encode(file, event.Record{Head: head, Event: f}); err != nil {
			t.Fatal(err)
		}
		if _, ok := f.(event.Message); ok {
			written++
		}
		parent = id
	}
	put(event.Opened{Format: event.Format, Model: "anthropic/claude-sonnet-4-5", Mode: "default"})
	for written < messages {
		turn++
		put(event.Message{Message: llm.NewText(llm.User, llm.Prompt, fmt.Sprint("prompt ", turn))})
		for range 3 {
			call := fmt.Sprint("call", n)
			put(event.Message{Message: llm.Message{
				Role: llm.Assistant, Kind: llm.Work, Model: "anthropic/claude-sonnet-4-5", Stop: llm.StopTools,
				Parts: llm.Parts{llm.ToolCall{ID: call, Name: "read_file", Args: json.RawMessage(`{"path":"a.go"}`)}},
			}})
			put(event.Decided{Call: call, Tool: "read_file", Title: "Read a.go", Allow: true, By: "mode"})
			put(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
				llm.ToolResult{Call: call, Name: "read_file", Parts: llm.Parts{llm.Text{Text: strings.Repeat("\treturn nil\n", 20)}}},
			}}})
		}
		put(event.Message{Message: llm.NewText(llm.Assistant, llm.Final, fmt.Sprintf("## Turn %d\n\nSome *words* that say `what` was done:\n\n- one\n- two\n\n```go\nfunc f() error { return nil }\n```\n", turn))})
		put(event.Ended{Reason: event.Done})
	}
}
