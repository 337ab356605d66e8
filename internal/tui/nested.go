package tui

import (
	"encoding/json"
	"strings"

	"github.com/minicode-go/minicode/internal/summary"
)

// inner is what a sub-agent does inside a card, from the records of its turn.
type inner struct {
	calls []innerCall // the newest
	total int
	text  string // the newest that it said
	over  bool   // the call is over, and its result waits for those before it
}

type innerCall struct {
	id, title string
	over      bool
	failed    bool
	denied    bool
}

// innerShown is how many calls of a sub-agent are shown.
const innerShown = 3

// innerRecord is what is looked at in a record.
type innerRecord struct {
	Type  string `json:"type"`
	Call  string `json:"call"`
	Title string `json:"title"`
	Allow *bool  `json:"allow"`
	Role  string `json:"role"`
	Parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Call  string `json:"call"`
		Error bool   `json:"error"`
	} `json:"parts"`
}

// add takes notice of a record.
func (n *inner) add(record json.RawMessage) {
	var r innerRecord
	if json.Unmarshal(record, &r) != nil {
		return
	}
	switch r.Type {
	case "started":
		n.total++
		n.calls = append(n.calls, innerCall{id: r.Call, title: r.Title})
		n.calls = n.calls[max(0, len(n.calls)-innerShown):]
	case "decided":
		if r.Allow != nil && !*r.Allow {
			n.end(r.Call, func(c *innerCall) { c.denied = true })
		}
	case "message":
		for _, p := range r.Parts {
			if r.Role == "assistant" && strings.TrimSpace(p.Text) != "" {
				n.text = summary.OneLine(p.Text, 400)
			}
			if p.Call != "" && r.Role != "assistant" {
				n.end(p.Call, func(c *innerCall) { c.failed = p.Error })
			}
		}
	}
}

func (n *inner) end(call string, how func(*innerCall)) {
	for i := range n.calls {
		if c := &n.calls[i]; c.id == call {
			c.over = true
			how(c)
		}
	}
}

// count is how many calls there were, with what is said besides.
func (n *inner) count(text string) string {
	if n == nil || n.total == 0 {
		return text
	}
	return strings.TrimSuffix(summary.Count(n.total, "call")+" · "+text, " · ")
}

// lines is the newest calls, indented, with what was said last.
func (n *inner) lines(l *look, spin string, width int) (lines []string) {
	if n == nil {
		return nil
	}
	calls := n.calls
	if n.over {
		calls = nil // they are counted
	}
	for _, c := range calls {
		mark := l.Accent.Paint(spin)
		switch {
		case c.denied:
			mark = l.Warn.Paint("⊘")
		case c.failed:
			mark = l.Error.Paint("✗")
		case c.over:
			mark = l.Ok.Paint("●")
		}
		lines = append(lines, indent+mark+" "+l.Dim.Paint(clip(l.exact(summary.OneLine(c.title, 400)), width-4)))
	}
	if n.text != "" {
		lines = append(lines, indent+l.Thinking.Paint(clip(safe(n.text), width-len(indent))))
	}
	return lines
}
