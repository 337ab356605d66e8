package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// passage is something that was said or done, as the transcript shows it: a
// prompt, an answer, a card or a remark.
type passage struct {
	kind section
	at   time.Time
	card *card         // of a call
	text func() string // of it, to be copied and searched
	draw func(w int, open bool) []string

	open  bool // all of it is shown
	width int  // that lines is for; 0 for none
	lines []string
}

// laid is the passage as lines.
func (p *passage) laid(width int) []string {
	if p.width != width {
		p.lines, p.width = p.draw(width, p.open), width
	}
	return p.lines
}

// unfold shows all of it or the usual.
func (p *passage) unfold(open bool) {
	if p.open != open {
		p.open, p.width = open, 0
	}
}

// apart says whether a blank line stands between a passage and the one before.
func (p *passage) apart(before *passage) bool {
	return before != nil && (p.kind != before.kind || p.kind != cards && p.kind != remarks)
}

// passages makes the passages of a conversation. They are drawn when they are
// looked at.
type passages struct {
	look *look
	fold *transcript // what is known of calls
	held *card       // an edit that others of its file join
	all  []*passage
}

func passagesOf(records []event.Record, l *look) []*passage {
	p := passages{look: l, fold: newTranscript(l)}
	for _, r := range records {
		p.add(r)
	}
	return p.all
}

func (p *passages) add(r event.Record) {
	switch e := r.Event.(type) {
	case event.Message:
		p.message(r.Time, e.Message)
	case event.Decided:
		p.fold.decided(e)
	case event.Edited:
		p.remark(r.Time, func(width int) []string { return newTranscript(p.look).edited(e, width) })
	case event.Ended:
		p.fold.calls = map[string]*card{}
		p.remark(r.Time, func(width int) []string { return newTranscript(p.look).ended(e, width) })
	}
}

func (p *passages) message(at time.Time, m llm.Message) {
	if r, ok := m.Result(); ok {
		p.result(at, r)
		return
	}
	switch {
	case m.Kind == llm.Prompt:
		p.put(&passage{kind: said, at: at, text: m.Text, draw: func(width int, open bool) []string {
			if open {
				return paint(p.look.Person, safe(strings.TrimRight(m.Text(), "\n")), p.look.Accent.Paint(mark), indent, width)
			}
			return p.look.prompt(m.Text(), width)
		}})
	case m.Role == llm.Assistant:
		p.answer(at, m)
	}
}

func (p *passages) put(one *passage) {
	p.held = nil
	p.all = append(p.all, one)
}

// remark is what the program told, if it told anything.
func (p *passages) remark(at time.Time, draw func(width int) []string) {
	const wide = 1 << 16
	if len(draw(wide)) == 0 {
		return
	}
	p.put(&passage{
		kind: remarks, at: at, draw: func(width int, _ bool) []string { return draw(width) },
		text: func() string { return ansi.Strip(strings.Join(draw(wide), "\n")) },
	})
}

func (p *passages) answer(at time.Time, m llm.Message) {
	for _, call := range m.Calls() {
		p.fold.calls[call.ID] = &card{call: call.ID, tool: call.Name, title: titleOf(call)}
	}
	p.held = nil
	thinking := thoughtOf(m)
	text := strings.TrimSpace(m.Text())
	if text == "" && strings.TrimSpace(thinking) == "" {
		return
	}
	p.put(&passage{
		kind: answer, at: at, text: func() string {
			if text == "" {
				return thinking
			}
			return text
		},
		draw: func(width int, open bool) []string {
			if !open || strings.TrimSpace(thinking) == "" {
				return newTranscript(p.look).answered(m, width)
			}
			lines := paint(p.look.Thinking, safe(strings.TrimSpace(thinking)), "✻ ", indent, width)
			if text == "" {
				return lines
			}
			rest := m
			rest.Parts = llm.Parts{llm.Text{Text: text}}
			return append(append(lines, ""), newTranscript(p.look).answered(rest, width)...)
		},
	})
}

func (p *passages) result(at time.Time, r llm.ToolResult) {
	c := p.fold.calls[r.Call]
	if c == nil {
		c = &card{call: r.Call, tool: r.Name, title: r.Name}
	}
	delete(p.fold.calls, r.Call)
	if wordless(r.Name) && !r.Error {
		return
	}
	c.finish(r)
	if p.held != nil && p.held.joins(c) {
		p.held.join(c)
		p.held.parts = append(p.held.parts, c)
		return
	}
	p.put(cardPassage(c, at, p.look))
	if c.edited() != "" {
		p.held = c
	}
}

func cardPassage(c *card, at time.Time, l *look) *passage {
	return &passage{kind: cards, at: at, card: c, text: c.whole, draw: func(width int, open bool) []string {
		if open {
			return c.unfolded(l, width)
		}
		return c.finished(l, width)
	}}
}

// whole is the card as text: what was called, and what came of it.
func (c *card) whole() string {
	text := c.result.Parts.Text()
	if c.preview.Kind == event.PreviewDiff && c.state == done {
		text = c.preview.Text
		for _, part := range c.parts {
			text = strings.TrimRight(text, "\n") + "\n" + part.preview.Text
		}
	}
	return c.title + "\n" + strings.TrimRight(text, "\n")
}

// mostUnfolded is how many lines of a card are shown of which all is wanted.
const mostUnfolded = 2000

// unfolded is the card with all that came of it.
func (c *card) unfolded(l *look, width int) []string {
	short := *c
	short.parts = nil
	lines := short.finished(l, width)[:1]
	if c.preview.Kind == event.PreviewDiff && c.state == done {
		for _, part := range append([]*card{c}, c.parts...) {
			lines = append(lines, part.diff(l, width, mostUnfolded)...)
		}
		return lines
	}
	text := strings.Split(strings.TrimRight(c.result.Parts.Text(), "\n"), "\n")
	if c.printed {
		text = c.all()
	}
	more := len(text) - mostUnfolded
	for _, line := range text[:min(len(text), mostUnfolded)] {
		lines = append(lines, paint(l.Dim, safe(line), indent, indent, width)...)
	}
	if more > 0 {
		lines = append(lines, indent+l.Dim.Paint(clip(fmt.Sprintf("… %d more lines, which y copies", more), width-len(indent))))
	}
	return lines
}

// readPassages reads the end of a conversation, and puts what the person ran
// between what was said.
func readPassages(conv *app.Conversation, l *look, directs []direct) []*passage {
	records, cut, err := tail(conv, mostViewed)
	all := passagesOf(records, l)
	for _, d := range directs {
		at := len(all)
		for at > 0 && all[at-1].at.After(d.at) {
			at--
		}
		all = slices.Insert(all, at, cardPassage(d.card, d.at, l))
	}
	tell := func(text string) *passage {
		return &passage{kind: remarks, text: func() string { return text }, draw: func(width int, _ bool) []string {
			return paint(l.Dim, safe(text), "", "", width)
		}}
	}
	switch {
	case err != nil:
		return append(all, tell("! the conversation cannot be read: "+err.Error()))
	case cut:
		return append([]*passage{tell("… what was said before is left out; /export writes all of it")}, all...)
	case len(all) == 0:
		return []*passage{tell("nothing has been said yet")}
	}
	return all
}
