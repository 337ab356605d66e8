package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/llm"
)

// direct is a call that the person runs by a command, and the card that it is
// shown as. It is no part of the conversation: a replay does not show it.
type direct struct {
	*card
	at time.Time // when it was over
}

const (
	directTail  = 10  // newest lines of its output that are shown while it runs
	mostDirect  = 100 // that the transcript shows
	directHead  = 8   // lines of the output that are printed: the first ones
	directEnd   = 16  // and the last ones
	outputRule  = "\n\n"
	noOutput    = "(no output)"
	exitNumber  = "EXIT: "
	commandTool = "run_command"
)

// showDirect takes the signals of what a command runs.
func (m *model) showDirect(records []event.Record) {
	for _, r := range records {
		switch e := r.Event.(type) {
		case event.Started:
			m.direct = &card{call: e.Call, tool: e.Tool, title: e.Title, begun: m.now(), tailLines: directTail}
			if m.command != nil {
				m.direct.title = oneLine(m.command.said.text)
			}
		case event.Output:
			if m.direct != nil {
				m.direct.add(e.Text)
			}
		case event.Notice:
			m.problem(e.Text)
		}
		m.dirty = true
	}
}

// endDirect prints what came of a call, unless there was none or it was not
// run.
func (m *model) endDirect(typed, text string, err error) bool {
	c := m.direct
	m.direct = nil
	stopped := errors.As(err, new(*app.Interrupt))
	if c == nil || text == "" && err != nil || err != nil && !stopped {
		return false
	}
	c.title, c.printed = oneLine(typed), true
	r := llm.ToolResult{Call: c.call, Name: c.tool, Error: stopped}
	if c.tool == commandTool {
		if !strings.HasPrefix(text, exitNumber) && !strings.HasPrefix(text, "TASK: ") {
			text = exitNumber + "0" + outputRule + text
		}
		first, _, _ := strings.Cut(text, "\n")
		if exit, err := strconv.Atoi(strings.TrimPrefix(first, exitNumber)); err == nil {
			r.Meta.Exit = &exit
			r.Error = r.Error || exit != 0
		}
	}
	r.Parts = llm.Parts{llm.Text{Text: text}}
	c.finish(r)
	m.print(append(m.transcript.gap(answer), c.finished(m.look, m.width())...))
	m.directs = append(m.directs[max(0, len(m.directs)-mostDirect+1):], direct{c, m.now()})
	return true
}

// all is the output of a direct call, as lines.
func (c *card) all() []string {
	text := c.result.Parts.Text()
	if c.tool == commandTool {
		if _, output, found := strings.Cut(text, outputRule); found {
			text = output
		}
	}
	if text = strings.TrimRight(text, "\n"); text == "" || text == noOutput {
		return nil
	}
	return strings.Split(text, "\n")
}

// shortened is the output of a direct call, the middle of a long one left out.
func (c *card) shortened(l *look, width int) (lines []string) {
	all := c.all()
	head, end := directHead, directEnd
	if c.tool != commandTool { // what stands first matters most
		head, end = end, head
	}
	if len(all) <= head+end+1 {
		head, end = len(all), 0
	}
	for _, line := range all[:head] {
		lines = append(lines, indent+clip(safe(line), width-len(indent)))
	}
	if end > 0 {
		left := fmt.Sprintf("… %d more lines, which Ctrl+O shows", len(all)-head-end)
		lines = append(lines, indent+l.Dim.Paint(clip(left, width-len(indent))))
	}
	for _, line := range all[len(all)-end:] {
		lines = append(lines, indent+clip(safe(line), width-len(indent)))
	}
	return lines
}

// wantsPath says whether a command is being typed that takes a path.
func wantsPath(text string) bool {
	if isShell(text) {
		return true
	}
	switch word, _, more := strings.Cut(strings.TrimLeft(text, " "), " "); word {
	case "/ls", "/read", "/grep", "/cmd":
		return more
	}
	return false
}
