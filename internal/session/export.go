package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// Export writes the whole conversation, with everything that the model no
// longer has in view. The formats are "markdown" and "html", for people, and
// "json": an array of the records as they are stored. Branches that were left
// are not in it.
func (l *Log) Export(w io.Writer, format string) error {
	out := bufio.NewWriter(w)
	l.mu.Lock()
	chain := slices.Clone(l.chain)
	l.mu.Unlock()
	var err error
	switch format {
	case "json":
		err = l.exportRecords(out, chain)
	case "markdown":
		err = l.exportTo(out, markdown{out}, chain)
	case "html":
		err = l.exportTo(out, page{out}, chain)
	default:
		return fmt.Errorf("a session cannot be exported as %q: the formats are markdown, html and json", format)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("exporting session %s: %w", l.id, err)
	}
	return nil
}

// Export writes a session as [Log.Export] does, as it is in its file: it is not
// opened, so it may be open elsewhere, and nothing is mended or written.
func (s *Store) Export(path string, w io.Writer, format string) error {
	if err := sniff(path); err != nil {
		return err
	}
	l, err := s.peek(path)
	if err != nil {
		return err
	}
	return errors.Join(l.Export(w, format), l.out.f.Close())
}

func (l *Log) exportRecords(out *bufio.Writer, chain []int32) error {
	before := "[\n"
	for _, i := range chain {
		l.mu.Lock()
		line, err := l.raw(i)
		line = bytes.Clone(line)
		whole := l.x.nodes[i].form != broken
		l.mu.Unlock()
		if err != nil {
			return err
		}
		if !whole || !json.Valid(line) {
			continue
		}
		_, _ = out.WriteString(before)
		if _, err := out.Write(line); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		_, _ = out.WriteString("[")
	}
	_, err := out.WriteString("\n]\n")
	return err
}

// shape is how a block of an export is to be shown.
type shape string

const (
	asPrompt  shape = "prompt"
	asAnswer  shape = "answer"
	asNote    shape = "note" // dim
	asSummary shape = "summary"
	asCall    shape = "call"
	asResult  shape = "result"
	asLine    shape = "line" // one line, dim
)

// block is one thing in an export.
type block struct {
	shape  shape
	name   string // call, result: the tool; note: what it is
	failed bool   // a result that is an error
	text   string
	time   time.Time
	images []llm.Image
	saved  string // where the whole of a result is
}

// fact is a line at the head of an export.
type fact struct{ name, value string }

// format writes the blocks of an export. Errors of the writer below show when
// it is flushed.
type format interface {
	head(title string, facts []fact)
	block(b block)
	foot()
}

func (l *Log) exportTo(out *bufio.Writer, f format, chain []int32) error {
	x := export{format: f, replaced: map[string]int{}, persisted: map[string]llm.ToolResult{}}
	l.mu.Lock()
	_, _ = l.outlineFrom(chain, 0, x.survey)
	title, facts := l.heading(chain)
	l.mu.Unlock()
	f.head(title, facts)
	for r, err := range l.over(chain, func(*node) bool { return true }) {
		if err != nil {
			return err
		}
		x.record(r)
		if _, err := out.Write(nil); err != nil {
			return err
		}
	}
	f.foot()
	return nil
}

func (l *Log) heading(chain []int32) (title string, facts []fact) {
	if title = l.now.title; title == "" {
		title = "Session " + l.id
	}
	facts = []fact{{"Session", l.id}}
	if len(chain) > 0 {
		if r, err := l.decode(chain[0]); err == nil {
			facts = append(facts, fact{"Begun", clock(r.Time)}, fact{"Directory", r.Cwd})
		}
	}
	return title, append(facts, fact{"Model", l.now.model}, fact{"Turns", fmt.Sprint(l.now.turn)})
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// export makes blocks of records.
type export struct {
	format
	replaced  map[string]int            // by edited record: how many messages
	persisted map[string]llm.ToolResult // by call: what is left of a result that went into a file later
}

// survey looks at an edited fact before anything is written.
func (x *export) survey(r event.Record, f event.Edited, view []llm.Message) {
	x.replaced[r.ID] = len(taken(view, f))
	for _, e := range f.Edits {
		for _, m := range e.With {
			if result, ok := m.Result(); ok && result.Meta.Saved != "" {
				x.persisted[result.Call] = result
			}
		}
	}
}

func (x *export) record(r event.Record) {
	switch f := r.Event.(type) {
	case event.Message:
		x.message(f.Message)
	case event.Edited:
		x.edited(r.ID, f)
	case event.Changed:
		for _, c := range []fact{{"title", f.Title}, {"mode", f.Mode}, {"model", f.Model}} {
			if c.value != "" {
				x.line(c.name + ": " + c.value)
			}
		}
	case event.Ended:
		if f.Reason != event.Done && f.Reason != event.AwaitUser {
			x.line(join(": ", "ended: "+string(f.Reason), f.Error))
		}
	}
}

func (x *export) line(text string) { x.block(block{shape: asLine, text: flat(text)}) }

func (x *export) message(m llm.Message) {
	switch m.Kind {
	case llm.Prompt:
		x.block(block{shape: asPrompt, text: plain(m.Text()), time: m.Time, images: pictures(m.Parts)})
	case llm.Summary:
		x.block(block{shape: asSummary, text: plain(m.Text()), images: pictures(m.Parts)})
	case llm.Note, llm.Nudge, llm.Snipped:
		x.block(block{shape: asNote, name: string(m.Kind), text: plain(m.Text()), images: pictures(m.Parts)})
	default:
		x.answer(m)
	}
}

// answer writes the text, the calls and the results of a message in their
// order.
func (x *export) answer(m llm.Message) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			if strings.TrimSpace(p.Text) != "" {
				x.block(block{shape: asAnswer, text: plain(p.Text)})
			}
		case llm.Image:
			x.block(block{shape: asAnswer, images: []llm.Image{p}})
		case llm.ToolCall:
			x.block(block{shape: asCall, name: flat(p.Name), text: arguments(p)})
		case llm.ToolResult:
			if short, ok := x.persisted[p.Call]; ok {
				p = short
			}
			x.block(block{
				shape: asResult, name: flat(p.Name), failed: p.Error, text: plain(p.Parts.Text()), images: pictures(p.Parts), saved: flat(p.Meta.Saved),
			})
		}
	}
}

func (x *export) edited(id string, f event.Edited) {
	if f.Error != "" {
		x.line(join(": ", f.Stage, "failed", f.Error))
		return
	}
	done, ok := map[string]string{"snip": "snipped", "clear": "cleared", "collapse": "collapsed", summarize: "summarized", "offload": "offloaded"}[f.Stage]
	if !ok {
		done = f.Stage
	}
	x.line(fmt.Sprintf("%s: %s, %d → %d tokens", done, plural(x.replaced[id], "message"), f.Before, f.After))
	for _, e := range f.Edits {
		for _, m := range e.With {
			if m.Kind == llm.Summary {
				x.message(m)
			}
		}
	}
}

func pictures(ps llm.Parts) (out []llm.Image) {
	images(ps, func(img llm.Image) { out = append(out, img) })
	return out
}

// arguments is what a call was given, laid out for people.
func arguments(c llm.ToolCall) string {
	var b bytes.Buffer
	if c.Args == nil || json.Indent(&b, c.Args, "", "  ") != nil {
		return plain(c.Malformed)
	}
	// The encoder spells these three in a way that nobody can read.
	text, from := b.String(), 0
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if rest := text[i:]; len(rest) >= 6 && (rest[:6] == `\u003c` || rest[:6] == `\u003e` || rest[:6] == `\u0026`) {
			out.WriteString(text[from:i])
			out.WriteByte(map[string]byte{`3c`: '<', `3e`: '>', `26`: '&'}[rest[4:6]])
			from = i + 6
			i += 5
			continue
		}
		i++
	}
	return plain(out.String() + text[from:])
}

// plain is text without carriage returns and what a terminal would act on.
func plain(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, text)
}

// flat is text on one line.
func flat(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }

func join(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), between)
}

// caption is what stands above a block.
func (b block) caption() string {
	switch b.shape {
	case asPrompt:
		return "Prompt"
	case asAnswer:
		return "Answer"
	case asSummary:
		return "Summary"
	case asNote:
		if b.name == string(llm.Note) {
			return "Note"
		}
		return "Note (" + b.name + ")"
	}
	return ""
}
