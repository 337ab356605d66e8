package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// writeSession writes a session of about so many bytes: turns of ten steps
// that read files of 3 kB, and a summary every fifty turns.
func writeSession(path string, size int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := &sessionWriter{out: bufio.NewWriterSize(file, 1<<20), at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.put(event.Opened{Format: event.Format, Model: "anthropic/claude-sonnet-4-5", Mode: "default"})
	text := strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading %s: %w\", path, err)\n\t}\n", 45)
	first := ""
	for w.err == nil && w.size < size {
		w.turn++
		prompt := w.put(event.Message{Message: llm.NewText(llm.User, llm.Prompt, fmt.Sprint("prompt ", w.turn))})
		if first == "" {
			first = prompt
		}
		for range 10 {
			w.step(text)
		}
		last := w.put(event.Message{Message: llm.NewText(llm.Assistant, llm.Final, "done")})
		w.put(event.Ended{Reason: event.Done})
		if w.turn%50 == 0 {
			summary := llm.NewText(llm.User, llm.Summary, "What was done so far.")
			summary.ID = w.id()
			w.put(event.Edited{Stage: "summarize", Edits: []event.Edit{{From: first, To: last, With: []llm.Message{summary}}}})
			first = ""
		}
	}
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	return w.err
}

type sessionWriter struct {
	out    *bufio.Writer
	at     time.Time
	size   int
	n      int
	turn   int
	parent string
	err    error
}

// Write counts what is written.
func (w *sessionWriter) Write(b []byte) (int, error) {
	w.size += len(b)
	return w.out.Write(b)
}

func (w *sessionWriter) id() string {
	w.n++
	return fmt.Sprintf("019b7000-%04x-7000-8000-%012x", w.n%65536, w.n)
}

func (w *sessionWriter) put(f event.Fact) string {
	id := w.id()
	w.at = w.at.Add(time.Millisecond)
	err := event.Encode(w, event.Record{
		Head: event.Head{ID: id, Parent: w.parent, Turn: w.turn, Time: w.at, Session: "large", Cwd: "/work/project"}, Event: f,
	})
	if w.err == nil {
		w.err = err
	}
	w.parent = id
	return id
}

// step is an answer with a call, and its result.
func (w *sessionWriter) step(text string) {
	call := fmt.Sprint("toolu_", w.n)
	w.put(event.Message{Message: llm.Message{
		Role: llm.Assistant, Kind: llm.Work, Model: "anthropic/claude-sonnet-4-5", Stop: llm.StopTools, Usage: &llm.Usage{Input: 3000, Output: 100},
		Parts: llm.Parts{llm.ToolCall{ID: call, Name: "read_file", Args: json.RawMessage(`{"path":"a.go"}`)}},
	}})
	w.put(event.Decided{Call: call, Tool: "read_file", Allow: true, By: "mode", Effects: []event.Effect{{Kind: event.Read, Target: "/work/project/a.go"}}})
	w.put(event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{
		llm.ToolResult{Call: call, Name: "read_file", Parts: llm.Parts{llm.Text{Text: text}}},
	}}})
}
