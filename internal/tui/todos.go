package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
)

// todos is the todo list above the prompt, folded into a line. It is there as
// long as something of it is open.
type todos struct {
	items    []todo
	unfolded bool
}

type todo struct{ text, status string }

func todosOf(conv *app.Conversation) (items []todo) {
	for _, t := range conv.Todos() {
		items = append(items, todo{t.Text, t.Status})
	}
	return items
}

// foldTodos shows the whole list, or one line of it.
func (m *model) foldTodos() tea.Cmd {
	m.todos.unfolded = !m.todos.unfolded
	return nil
}

// render is at most so many lines.
func (t *todos) render(k *look, width, most int) (lines []string) {
	done, next := 0, -1
	for i, item := range t.items {
		switch {
		case item.status == "completed":
			done++
		case next < 0, item.status == "in_progress" && t.items[next].status != "in_progress":
			next = i
		}
	}
	if next < 0 || most < 1 {
		return nil
	}
	head := fmt.Sprintf("☐ %d of %d done", done, len(t.items))
	if !t.unfolded || most < 3 {
		return []string{k.Accent.Paint(head) + k.Dim.Paint(clip(" · "+safe(t.items[next].text), max(1, width-len([]rune(head)))))}
	}
	lines = append(lines, k.Accent.Paint(clip(head, width)))
	room := most - 1
	first := max(0, min(next-room/2, len(t.items)-room))
	for _, item := range t.items[first:min(len(t.items), first+room)] {
		lines = append(lines, indent+k.todo(item, width-len(indent)))
	}
	return lines
}

// todo is a line of the list.
func (l *look) todo(item todo, width int) string {
	text := clip(safe(item.text), max(1, width-2))
	switch item.status {
	case "completed":
		return l.Ok.Paint("✔ ") + l.Dim.Paint(text)
	case "in_progress":
		return l.Accent.Paint("▸ ") + l.Strong.Paint(text)
	}
	return l.Dim.Paint("☐ ") + text
}
