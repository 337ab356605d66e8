package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/theme"
)

// What a sub-agent does is shown inside the card of the call that started it.
func TestNested(t *testing.T) {
	l := &live{}
	now := time.Now()
	l.event(event.Record{Event: event.Started{Call: "p", Tool: "spawn_agent", Title: "Agent explore: look"}}, now)
	for _, line := range []string{
		`{"type":"message","role":"assistant","parts":[{"type":"text","text":"I look\nat it."},{"type":"call","id":"c0"}]}`,
		`{"type":"started","call":"c0","title":"Read zero.go"}`,
		`{"type":"message","role":"tool","parts":[{"type":"result","call":"c0"}]}`,
		`{"type":"started","call":"c1","title":"Read one.go"}`,
		`{"type":"message","role":"tool","parts":[{"type":"result","call":"c1","error":true}]}`,
		`{"type":"started","call":"c2","title":"Write two.go"}`,
		`{"type":"decided","call":"c2","allow":false}`,
		`{"type":"started","call":"c3","title":"Read three\u001b[2J.go"}`,
		`not JSON`,
	} {
		l.event(event.Record{Event: event.Nested{Call: "p", Event: json.RawMessage(line)}}, now)
	}
	got := ansi.Strip(strings.Join(l.calls[0].live(&look{Theme: theme.Dark()}, "*", now, 60), "\n"))
	want := `* Agent explore: look  4 calls
  ✗ Read one.go
  ⊘ Write two.go
  * Read three<U+001B>[2J.go
  I look at it.`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.event(event.Record{Event: event.Finished{Call: "p"}}, now)
	got = ansi.Strip(strings.Join(l.calls[0].live(&look{Theme: theme.Dark()}, "*", now.Add(3*time.Second), 60), "\n"))
	if want := "* Agent explore: look  4 calls · 3s\n  I look at it."; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, line := range l.calls[0].live(&look{Theme: theme.Dark()}, "*", now, 20) {
		if ansi.StringWidth(line) > 20 {
			t.Errorf("%q is too wide", line)
		}
	}
}
