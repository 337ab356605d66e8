package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/llm"
)

// Whatever is pressed, and whatever the size: the screen is full, no line is
// too wide, and what is selected is on it.
func TestBrowserKeepsTheSelected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{look: newLook(theme.Plain())}
		b := &browser{m: m, k: m.look, end: true, keys: keymap{}}
		for _, a := range transcriptBindings() {
			for _, key := range m.keysOf(a) {
				b.keys[key] = a.do
			}
		}
		m.whole = b
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 40), 1, 30).Draw(t, "heights") {
			kind := rapid.SampledFrom([]section{said, answer, cards, remarks}).Draw(t, "kind")
			b.passages = append(b.passages, &passage{
				kind: kind, text: func() string { return fmt.Sprintf("passage %d", i) },
				draw: func(width int, open bool) (lines []string) {
					for j := range n {
						if j == 0 || open {
							lines = append(lines, clip(fmt.Sprintf("%d.%d of passage %d", i, j, i), width))
						}
					}
					return lines
				},
			})
		}
		b.at = len(b.passages) - 1
		width, height := 80, 24
		selects := []string{"j", "k", "n", "p", "g", "G", "enter", "e"}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before := b.at
			key := rapid.SampledFrom(append(selects, "pgup", "pgdown", "size", "search")).Draw(t, "key")
			switch key {
			case "size":
				width, height = rapid.IntRange(1, 120).Draw(t, "width"), rapid.IntRange(2, 50).Draw(t, "height")
			case "search":
				b.query = rapid.SampledFrom([]string{"", "passage 3", "nothing"}).Draw(t, "query")
			case "enter":
				b.Key(tea.KeyPressMsg{Code: tea.KeyEnter})
			case "pgup":
				b.Key(tea.KeyPressMsg{Code: tea.KeyPgUp})
			case "pgdown":
				b.Key(tea.KeyPressMsg{Code: tea.KeyPgDown})
			case "G":
				b.Key(tea.KeyPressMsg{Code: 'g', ShiftedCode: 'G', Mod: tea.ModShift, Text: "G"})
			default:
				b.Key(tea.KeyPressMsg{Code: rune(key[0]), Text: key})
			}
			lines, _, _ := b.Render(width, height)
			if len(lines) != height {
				t.Fatalf("%d lines after %s, want %d", len(lines), key, height)
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > max(width, 6) {
					t.Fatalf("%q is wider than %d", line, width)
				}
			}
			if b.at < 0 || b.at >= len(b.passages) {
				t.Fatalf("%d of %d is selected after %s", b.at, len(b.passages), key)
			}
			if page := strings.Join(lines[1:height-1], "\n"); key != "size" && height > 3 && width > 8 && !strings.Contains(page, "▌") {
				t.Fatalf("nothing of the selected %d (before %d) is on the screen after %s:\n%s", b.at, before, key, page)
			}
		}
	})
}

// What is folded in the transcript looks as it was printed.
func TestTranscriptLooksAsPrinted(t *testing.T) {
	call := func(id, tool, args string) llm.ToolCall { return llm.ToolCall{ID: id, Name: tool, Args: []byte(args)} }
	answered := func(kind llm.Kind, parts ...llm.Part) event.Event {
		return event.Message{Message: llm.Message{Role: llm.Assistant, Kind: kind, Parts: parts}}
	}
	result := func(id, tool, text string, failed bool, meta llm.Meta) event.Event {
		return event.Message{Message: llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Call: id, Name: tool, Parts: llm.Parts{llm.Text{Text: text}}, Error: failed, Meta: meta}}}}
	}
	decided := func(id, tool, title string, allow bool, diff string) event.Event {
		d := event.Decided{Call: id, Tool: tool, Title: title, Allow: allow, By: "user", Reason: "by a rule"}
		if diff != "" {
			d.Preview = event.Preview{Kind: event.PreviewDiff, Path: "/w/a.go", Text: diff}
		}
		return d
	}
	const diff = "--- a.go\n+++ a.go\n@@ -1,1 +1,1 @@\n-a\n+b\n"
	wrote := llm.Meta{Wrote: []llm.FileWrite{{Path: "/w/a.go", SHA256: "1", Added: 1, Removed: 1}}}
	var records []event.Record
	for _, e := range []event.Event{
		event.Message{Message: llm.NewText(llm.User, llm.Prompt, "mend it\nplease")},
		answered(llm.Progress, llm.Thinking{Text: "First.\nSecond."}, llm.Text{Text: "I look."}, call("1", "read_file", `{"path":"a.go"}`), call("2", "read_file", `{"path":"gone"}`)),
		decided("1", "read_file", "Read a.go", true, ""),
		result("1", "read_file", "FILE: a.go\nLINES: 1-1 of 1\n\n1   a", false, llm.Meta{}),
		decided("2", "read_file", "Read gone", true, ""),
		result("2", "read_file", "gone does not exist", true, llm.Meta{}),
		answered(llm.Work, call("3", "edit_file", "{}"), call("4", "edit_file", "{}"), call("5", "run_command", "{}")),
		decided("3", "edit_file", "Edit a.go", true, diff), result("3", "edit_file", "done", false, wrote),
		decided("4", "edit_file", "Edit a.go", true, diff), result("4", "edit_file", "done", false, wrote),
		decided("5", "run_command", "Run rm x", false, ""), result("5", "run_command", "denied", true, llm.Meta{}),
		event.Edited{Stage: "clear", Before: 5000, After: 1000},
		answered(llm.Final, llm.Text{Text: "# Done\n\nIt *works*.\n\n- one\n- two"}),
		event.Ended{Reason: event.StepLimit, Error: "100 steps"},
		event.Message{Message: llm.NewText(llm.User, llm.Prompt, "and now?")},
		answered(llm.Final, llm.Text{Text: "Nothing."}),
		event.Ended{Reason: event.Done},
	} {
		records = append(records, event.Record{Event: e})
	}
	for _, width := range []int{20, 40, 80} {
		l := newLook(theme.Dark())
		b := &browser{k: l, width: width + gutter, passages: passagesOf(records, l)}
		var shown []string
		for i := range b.passages {
			shown = append(shown, b.linesOf(i)...)
		}
		if diff := cmp.Diff(fold(newTranscript(newLook(theme.Dark())), records, width), shown); diff != "" {
			t.Errorf("at %d columns (-printed +transcript):\n%s", width, diff)
		}
		for _, p := range b.passages {
			p.unfold(true)
			for _, line := range p.laid(width) {
				if ansi.StringWidth(line) > width {
					t.Errorf("%q is wider than %d", line, width)
				}
			}
			if strings.TrimSpace(p.text()) == "" {
				t.Errorf("there is nothing to copy of %q", p.laid(width))
			}
		}
	}
}
