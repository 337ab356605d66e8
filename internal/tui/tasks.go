package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
)

// tasks shows what runs in the background, on the whole screen.
type tasks struct {
	k    *look
	conv *app.Conversation
	at   int
	id   string // of the selected one
	ends string // what the next x ends
	said string // what came of it
	pass func(*pager)
}

const (
	lookAgain  = 500 * time.Millisecond // at the output of tasks
	mostOutput = 200_000                // characters of a task's output
)

func (m *model) showTasks() tea.Cmd {
	t := &tasks{k: m.look, conv: m.conv}
	t.pass = func(p *pager) {
		m.whole = &nested{p, func() tea.Cmd {
			m.whole = t
			return m.follow(t)
		}}
	}
	m.whole, m.dirty = t, true
	return m.follow(t)
}

// nested is an overlay that was opened from another one.
type nested struct {
	overlay
	back func() tea.Cmd
}

// Key goes back to where it was opened instead of closing.
func (n *nested) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	cmd, done := n.overlay.Key(k)
	if done {
		return n.back(), false
	}
	return cmd, false
}

// follow draws the panel again while it is open.
func (m *model) follow(t *tasks) tea.Cmd {
	return tea.Tick(lookAgain, func(time.Time) tea.Msg {
		return result(func(m *model) tea.Cmd {
			if m.whole != t {
				return nil
			}
			return m.follow(t)
		})
	})
}

// Key selects, shows, and stops.
func (t *tasks) Key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	ends := t.ends
	t.ends, t.said = "", ""
	switch nameOf(k) {
	case "esc", "q", "ctrl+c":
		return nil, true
	case "up", "k", "ctrl+p":
		t.at--
	case "down", "j", "ctrl+n":
		t.at++
	case "enter":
		if t.id != "" {
			t.open()
		}
	case "x":
		if t.id == "" || k.IsRepeat {
			break
		}
		if ends != t.id {
			t.ends = t.id
			break
		}
		return t.stop(ends), false
	}
	return nil, false
}

// open shows all that is kept of the output.
func (t *tasks) open() {
	text, err := t.conv.Tasks().Newest(t.id, mostOutput)
	if err != nil {
		t.said = err.Error()
		return
	}
	p := &pager{title: "Output of " + t.id, k: t.k, end: true}
	p.set(func(width int) (lines []string) {
		for line := range strings.Lines(text) {
			lines = append(lines, wrap(safe(strings.TrimRight(line, "\r\n")), width)...)
		}
		return lines
	})
	t.pass(p)
}

// stop ends a task, away from the loop: it may take a while.
func (t *tasks) stop(id string) tea.Cmd {
	t.said = "stopping " + id + " …"
	conv := t.conv
	return func() tea.Msg {
		task, err := conv.Tasks().Stop(id)
		return result(func(m *model) tea.Cmd {
			if t.said = id + ": " + command.StateOf(task); err != nil {
				t.said = err.Error()
			}
			return m.gauge()
		})
	}
}

// Render is the tasks above the newest output of the selected one.
func (t *tasks) Render(width, height int) (lines []string, row, col int) {
	k, all := t.k, t.conv.Tasks().List()
	lines = append(lines, ruled(k, "Tasks", width))
	if len(all) == 0 {
		lines = append(lines, "", k.Dim.Paint(clip("  Nothing was started in the background.", width)))
	}
	t.at, t.id = max(0, min(t.at, len(all)-1)), ""
	room := max(1, min(len(all), (height-3)/3))
	first := max(0, min(t.at-room/2, len(all)-room))
	for i := first; i < min(len(all), first+room); i++ {
		id, state := pad(all[i].ID, 8), pad(command.StateOf(all[i]), 8)
		text := clip(oneLine(all[i].Command), max(1, width-2-len(id)-len(state)-4))
		if i == t.at {
			t.id = all[i].ID
			lines = append(lines, chosen(k, id+"  "+state+"  "+text, width))
		} else {
			lines = append(lines, clip("  "+id+"  "+k.Dim.Paint(state)+"  "+text, width))
		}
	}
	if t.id != "" {
		lines = append(lines, "", ruled(k, "Newest output", width))
		lines = append(lines, t.output(width, height-1-len(lines))...)
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	return append(lines[:height-1], t.foot(width)), -1, 0
}

// output is the last lines that the selected task has printed.
func (t *tasks) output(width, height int) (lines []string) {
	if height < 1 {
		return nil
	}
	text, err := t.conv.Tasks().Newest(t.id, (width+1)*height)
	if err != nil {
		return []string{t.k.Error.Paint(clip(indent+safe(err.Error()), width))}
	}
	for _, line := range command.LastLines(text, height) {
		line = strings.TrimRight(line, "\r")
		lines = append(lines, indent+clip(safe(line[strings.LastIndexByte(line, '\r')+1:]), width-len(indent)))
	}
	if lines == nil {
		return []string{t.k.Dim.Paint(clip(indent+"nothing yet", width))}
	}
	return lines
}

func (t *tasks) foot(width int) string {
	switch {
	case t.ends != "":
		return t.k.Warn.Paint(clip(indent+"x again ends "+t.ends+" and everything that it started", width))
	case t.said != "":
		return t.k.Text.Paint(clip(indent+oneLine(t.said), width))
	case t.id == "":
		return foot(t.k, []string{"Esc closes"}, "", width)
	}
	return foot(t.k, []string{"↑ ↓ select", "Enter all output", "x ends it", "Esc closes"}, "", width)
}

// pad makes ASCII text at least so wide.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len(text)))
}
