package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
)

// live is what goes on in a turn, from its signals. Nothing that is printed
// depends on it.
type live struct {
	sending  string // the prompt, until it is recorded
	thinking string // of this answer
	doing    string // what the model or the program does
	since    time.Time
	calls    []*card
	retry    time.Time // when the request is sent again; zero if it is not
	why      string    // the attempt before failed
	reason   event.Reason
}

const forModel = "waiting for the model"

func (l *live) begin(prompt string, now time.Time) {
	*l = live{sending: prompt, doing: forModel, since: now}
}

// do says what is done from now on.
func (l *live) do(what string, now time.Time) {
	if l.doing != what {
		l.doing, l.since = what, now
	}
}

// event takes notice of a record.
func (l *live) event(r event.Record, now time.Time) {
	switch e := r.Event.(type) {
	case event.TextDelta:
		l.retry = time.Time{}
		l.do("writing", now)
	case event.ThinkingDelta:
		l.retry = time.Time{}
		l.thinking += e.Text
		l.do("thinking", now)
	case event.CallDelta:
		if e.Name != "" {
			l.do("preparing "+e.Name, now)
		}
	case event.Started:
		if !wordless(e.Tool) {
			l.calls = append(l.calls, &card{call: e.Call, tool: e.Tool, title: e.Title, effects: e.Effects, preview: e.Preview, state: running, begun: now})
		}
	case event.Decided:
		if c := l.call(e.Call); c != nil {
			c.begun = now
		}
	case event.Output:
		if c := l.call(e.Call); c != nil {
			c.add(e.Text)
		}
	case event.Nested:
		if c := l.call(e.Call); c != nil {
			if c.inside == nil {
				c.inside = &inner{}
			}
			c.inside.add(e.Event)
		}
	case event.Finished:
		if c := l.call(e.Call); c != nil && c.inside != nil {
			c.inside.over = true
		}
	case event.Retrying:
		l.thinking = ""
		l.retry, l.why = now.Add(e.After), fmt.Sprintf("attempt %d of %d failed: %s", e.Attempt, e.Of, e.Error)
	case event.Compacting:
		l.do("making room in the context ("+e.Stage+")", now)
	case event.Message:
		l.message(e.Message, now)
	case event.Ended:
		l.reason = e.Reason
	}
}

func (l *live) message(m llm.Message, now time.Time) {
	if r, ok := m.Result(); ok {
		l.calls = slices.DeleteFunc(l.calls, func(c *card) bool { return c.call == r.Call })
		if len(l.calls) == 0 {
			l.do(forModel, now)
		}
		return
	}
	switch m.Role {
	case llm.User:
		if m.Kind == llm.Prompt {
			l.sending = ""
		}
	case llm.Assistant:
		l.thinking, l.retry = "", time.Time{}
		l.do(forModel, now)
	}
}

func (l *live) call(id string) *card {
	for _, c := range l.calls {
		if c.call == id {
			return c
		}
	}
	return nil
}

// thinkingLines is how many lines of the model's thinking are shown.
const thinkingLines = 2

// activity says what goes on when no card does.
func (l *live) activity(k *look, spin string, now time.Time, width int) []string {
	var lines []string
	if l.thinking != "" && l.doing == "thinking" {
		text := strings.TrimSpace(safe(l.thinking[max(0, len(l.thinking)-4*width*thinkingLines):]))
		all := paint(k.Thinking, strings.ToValidUTF8(text, ""), indent, indent, width)
		lines = append(lines, all[max(0, len(all)-thinkingLines):]...)
	}
	text := l.doing
	if left := l.retry.Sub(now); !l.retry.IsZero() {
		lines = append(lines, paint(k.Warn, safe(l.why), k.Warn.Paint("! "), "  ", width)...)
		text = fmt.Sprintf("trying again in %s", max(0, left).Round(time.Second))
	} else if took := now.Sub(l.since); took >= time.Second {
		text += "  " + took.Round(time.Second).String()
	}
	return append(lines, k.Accent.Paint(spin)+" "+k.Dim.Paint(clip(safe(text), width-2)))
}
