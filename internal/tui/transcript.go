package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/markdown"
	"github.com/minicode-go/minicode/internal/summary"
	"github.com/minicode-go/minicode/llm"
)

// section is what stands in the transcript last.
type section int

const (
	nothing section = iota
	said            // by the person
	answer          // text of the model
	cards           // tool calls
	remarks         // what the program tells
)

// transcript folds facts into finished lines. It looks at nothing else, so
// that a conversation that is gone on with shows what was shown before.
type transcript struct {
	look  *look
	calls map[string]*card // decided, or only called, and without a result
	edits *card            // finished, and held back: more edits of its file join it
	last  section
	begun *beginning // the answer of which something is printed already
}

// beginning is the part of an answer that was printed before the answer was
// recorded.
type beginning struct {
	stream *markdown.Stream
	text   strings.Builder
	lead   bool // what stands before the text is printed
}

func newTranscript(l *look) *transcript {
	return &transcript{look: l, calls: map[string]*card{}}
}

// add is the lines that are finished with this record.
func (t *transcript) add(r event.Record, width int) []string {
	switch e := r.Event.(type) {
	case event.Message:
		return t.message(e.Message, width)
	case event.Decided:
		t.decided(e)
	case event.Edited:
		return t.edited(e, width)
	case event.Ended:
		return t.ended(e, width)
	}
	return nil
}

// stream is some more of the answer's text; it gives the lines that can no
// longer change.
func (t *transcript) stream(more, thinking string, width int) []string {
	if t.begun == nil {
		t.begun = &beginning{stream: t.look.md.Stream()}
	}
	b := t.begun
	b.text.WriteString(more)
	b.stream.Add(more)
	lines := b.stream.Settled(width)
	if len(lines) == 0 {
		return nil
	}
	if !b.lead {
		b.lead = true
		lines = append(t.beginText(thinking, width), lines...)
	}
	return lines
}

// open is the lines of the answer that can still change.
func (t *transcript) open(width int) []string {
	if t.begun == nil {
		return nil
	}
	lines := t.begun.stream.Open(width)
	if !t.begun.lead && t.last != nothing && len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// broken forgets an answer that does not count.
func (t *transcript) broken(width int) (lines []string) {
	if t.begun != nil && t.begun.lead {
		lines = append(t.begun.stream.End(width), t.look.Warn.Paint(clip("! the answer broke off; what stands above does not count", width)))
		t.last = remarks
	}
	t.begun = nil
	return lines
}

// gap is the blank line between two sections.
func (t *transcript) gap(next section) []string {
	before := t.last
	t.last = next
	if before == nothing || before == next && (next == cards || next == remarks) {
		return nil
	}
	return []string{""}
}

func (t *transcript) message(m llm.Message, width int) []string {
	if r, ok := m.Result(); ok {
		return t.result(r, width)
	}
	switch {
	case m.Kind == llm.Prompt:
		return append(append(t.flush(width), t.gap(said)...), t.look.prompt(m.Text(), width)...)
	case m.Role == llm.Assistant:
		return t.answered(m, width)
	}
	return nil
}

// answered is what is left to print of an answer.
func (t *transcript) answered(m llm.Message, width int) []string {
	for _, call := range m.Calls() {
		t.calls[call.ID] = &card{call: call.ID, tool: call.Name, title: titleOf(call)}
	}
	b := t.begun
	t.begun = nil
	if b != nil && b.lead {
		return b.stream.End(width)
	}
	thinking := thoughtOf(m)
	text := strings.TrimSpace(m.Text())
	if text == "" {
		return t.beginThinking(thinking, width)
	}
	lines := t.beginText(thinking, width)
	if m.Kind == llm.Progress || m.Kind == llm.Work {
		if s := t.look.md.Stream(); settles(s, text, width) {
			return append(lines, paint(t.look.Progress, safe(text), "", "", width)...)
		}
	}
	return append(lines, t.look.md.Lines(text, width)...)
}

// thoughtOf is what the model thought.
func thoughtOf(m llm.Message) (text string) {
	for _, p := range m.Parts {
		if th, ok := p.(llm.Thinking); ok {
			text += th.Text
		}
	}
	return text
}

// titleOf is what a call is named by that could not be prepared: its tool, and
// what it is about.
func titleOf(call llm.ToolCall) string {
	var args map[string]any
	_ = json.Unmarshal(call.Args, &args) // what is no object has no title
	for _, key := range []string{"path", "command", "pattern", "url", "query", "name"} {
		if text, ok := args[key].(string); ok && text != "" {
			return call.Name + " " + text
		}
	}
	return call.Name
}

// settles says whether nothing of the text is printed before all of it is
// there.
func settles(s *markdown.Stream, text string, width int) bool {
	s.Add(text)
	return len(s.Settled(width)) == 0
}

// beginText is what stands before an answer's text.
func (t *transcript) beginText(thinking string, width int) []string {
	return append(t.beginThinking(thinking, width), t.gap(answer)...)
}

// beginThinking tells that the model thought, folded into a line.
func (t *transcript) beginThinking(thinking string, width int) []string {
	first := summary.FirstLine(safe(thinking))
	if first == "" {
		return t.flush(width)
	}
	return append(append(t.flush(width), t.gap(answer)...), t.look.thought(first, width))
}

func (t *transcript) decided(e event.Decided) {
	c := t.calls[e.Call]
	if c == nil {
		c = &card{call: e.Call}
		t.calls[e.Call] = c
	}
	c.tool, c.title, c.effects, c.preview = e.Tool, e.Title, e.Effects, e.Preview
	if !e.Allow {
		c.state, c.reason = denied, e.Reason
	}
}

// result is a finished card, or one that was held back before.
func (t *transcript) result(r llm.ToolResult, width int) []string {
	c := t.calls[r.Call]
	if c == nil {
		c = &card{call: r.Call, tool: r.Name, title: r.Name}
	}
	delete(t.calls, r.Call)
	if wordless(r.Name) && !r.Error {
		return nil
	}
	c.finish(r)
	if t.edits != nil && t.edits.joins(c) {
		t.edits.join(c)
		return nil
	}
	lines := t.flush(width)
	if c.edited() != "" {
		t.edits = c
		return lines
	}
	return append(append(lines, t.gap(cards)...), c.finished(t.look, width)...)
}

// wordless is calls that are not shown: the question that they put is.
func wordless(tool string) bool { return tool == "ask_user" || tool == "propose_plan" }

// flush is the card that was held back.
func (t *transcript) flush(width int) []string {
	c := t.edits
	if c == nil {
		return nil
	}
	t.edits = nil
	return append(t.gap(cards), c.finished(t.look, width)...)
}

func (t *transcript) edited(e event.Edited, width int) []string {
	text, style := "", t.look.Dim
	switch {
	case e.Error != "":
		text, style = "! the context could not be made smaller ("+e.Stage+"): "+e.Error, t.look.Warn
	case e.Before > 0 && e.After < e.Before:
		text = fmt.Sprintf("◇ context: %s, from %s to %s tokens", e.Stage, count(e.Before), count(e.After))
	default:
		return nil
	}
	return append(append(t.flush(width), t.gap(remarks)...), paint(style, safe(text), "", "", width)...)
}

func (t *transcript) ended(e event.Ended, width int) []string {
	lines := t.flush(width)
	t.calls = map[string]*card{}
	switch e.Reason {
	case event.Done, event.AwaitUser:
		return lines
	}
	text := "The turn ended: " + strings.ReplaceAll(string(e.Reason), "_", " ")
	style, mark := t.look.Warn, ""
	if e.Error != "" {
		text += ": " + e.Error
	}
	if e.Reason == event.Failed {
		style, mark = t.look.Error, "✗ "
		text = strings.Replace(text, ": error: ", ": ", 1)
	}
	return append(append(lines, t.gap(remarks)...), paint(style, safe(text), style.Paint(mark), strings.Repeat(" ", utf8.RuneCountInString(mark)), width)...)
}

// longPrompt is how many lines of a prompt are shown.
const longPrompt = 30

// prompt is what the person said.
func (l *look) prompt(text string, width int) []string {
	text = strings.TrimRight(text, "\n")
	more := 0
	if strings.Count(text, "\n") >= longPrompt {
		all := strings.Split(text, "\n")
		more = len(all) - longPrompt
		text = strings.Join(all[:longPrompt], "\n")
	}
	if most := 100 * longPrompt; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	lines := paint(l.Person, safe(text), l.Accent.Paint("❯ "), "  ", width)
	if more > 0 {
		lines = append(lines, "  "+l.Dim.Paint(fmt.Sprintf("… %d more lines", more)))
	}
	return lines
}

// thought is the folded thinking.
func (l *look) thought(first string, width int) string {
	return l.Thinking.Paint(clip("✻ "+first, width))
}

// count writes a number of tokens so that it can be read at a glance.
func count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.3gM", float64(n)/1_000_000)
}
