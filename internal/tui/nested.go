package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/internal/summary"
)

// inner is what a sub-agent does inside a card, from the records of its turn.
type inner struct {
	calls []innerCall // the newest
	total int
	text  string // the newest that it said
}

type innerCall struct {
	id, title string
	over      bool
	failed    bool
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
			n.end(r.Call, true)
		}
	case "message":
		for _, p := range r.Parts {
			if r.Role == "assistant" && strings.TrimSpace(p.Text) != "" {
				n.text = summary.OneLine(p.Text, 400)
			}
			if p.Call != "" && r.Role != "assistant" {
				n.end(p.Call, p.Error)
			}
		}
	}
}

func (n *inner) end(call string, failed bool) {
	for i := range n.calls {
		if n.calls[i].id == call {
			n.calls[i].over, n.calls[i].failed = true, n.calls[i].failed || failed
		}
	}
}

// lines is the newest calls, indented, with what was said last.
func (n *inner) lines(l *look, spin string, width int) (lines []string) {
	if n == nil {
		return nil
	}
	if more := n.total - len(n.calls); more > 0 {
		lines = append(lines, indent+l.Dim.Paint(clip(fmt.Sprintf("… %s before", summary.Count(more, "call")), width-len(indent))))
	}
	for _, c := range n.calls {
		mark := l.Accent.Paint(spin)
		switch {
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
