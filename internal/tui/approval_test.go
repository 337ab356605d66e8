package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/internal/visible"
)

// TestExactly: every character of a text is shown, and where a row ends nothing
// is lost and nothing added.
func TestExactly(t *testing.T) {
	k := newLook(theme.Dark())
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab-/;'   漢é👩💻\u0301\u200d\u202e\u200b\t\r\x1b\u00a0\U000E0041")), 0, 60, -1).Draw(t, "text")
		if rapid.Bool().Draw(t, "broken") {
			text += "\xff\xc3"
		}
		width := rapid.IntRange(8, 70).Draw(t, "width")
		var got strings.Builder
		rows := k.exactly(k.Code, text, "=> ", "-> ", width)
		for i, row := range rows {
			if w := ansi.StringWidth(row); w > width {
				t.Fatalf("%q is %d cells wide, over %d", row, w, width)
			}
			plain := ansi.Strip(row)
			lead := "-> "
			if i == 0 {
				lead = "=> "
			}
			rest, ok := strings.CutPrefix(plain, lead)
			if !ok || strings.HasSuffix(rest, " ") {
				t.Fatalf("row %d is %q", i, plain)
			}
			got.WriteString(strings.ReplaceAll(rest, "·", " "))
		}
		if want := visible.Mark(text, visible.All, func(mark string) string { return mark }); got.String() != want {
			t.Fatalf("%q is shown as %q, want %q", text, got.String(), want)
		}
	})
}

// plainly is lines without styles and trailing blanks.
func plainly(lines []string) string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return strings.Join(lines, "\n")
}

// TestEffects: what is to be approved is told in plain words, apart from what
// is allowed already.
func TestEffects(t *testing.T) {
	k := newLook(theme.Dark())
	for name, c := range map[string]struct {
		q    event.Question
		want string
	}{
		"chain": {event.Question{
			Preview: event.Preview{Kind: event.PreviewCommand, Text: "cat /etc/passwd && npm test\nrm x"},
			Reason:  "runs npm test; runs rm x: rm removes files; changes /w/x",
			Effects: []event.Effect{
				{Kind: event.Exec, Target: "cat /etc/passwd", Class: event.ReadOnly},
				{Kind: event.Read, Target: "/etc/passwd"},
				{Kind: event.Exec, Target: "npm test", Class: event.NeedsAsk},
				{Kind: event.Exec, Target: "rm x", Class: event.NeedsAsk, Reason: "rm removes files"},
				{Kind: event.Write, Target: "/w/x"},
			},
			Asking: []int{2, 3, 4},
		}, "   cat /etc/passwd && npm test\n   rm x\n ✓ runs cat /etc/passwd\n ✓ reads /etc/passwd\n → runs npm test\n → runs rm x (rm removes files)\n → changes /w/x"},
		"alone": {event.Question{
			Preview: event.Preview{Kind: event.PreviewCommand, Text: "sudo id"}, Reason: "dangerous: another user",
			Effects: []event.Effect{{Kind: event.Exec, Target: "sudo id", Class: event.Dangerous, Reason: "another user"}}, Asking: []int{0},
		}, "   sudo id\n dangerous: another user\n → runs it (dangerous: another user)"},
		"unreadable": {event.Question{
			Preview: event.Preview{Kind: event.PreviewCommand, Text: "echo 'x"}, Reason: "runs a command that could not be read for certain: no end",
			Effects: []event.Effect{{Kind: event.Exec, Target: "?", Class: event.NeedsAsk, Reason: "no end"}}, Asking: []int{0},
		}, "   echo 'x\n runs a command that could not be read for certain: no end\n → runs what cannot be read for certain (no end)"},
		"link": {event.Question{
			Reason:  "reads /w/link (which is /etc/x), outside the workspace",
			Effects: []event.Effect{{Kind: event.Read, Target: "/w/link"}}, Asking: []int{0},
		}, " reads /w/link (which is /etc/x), outside the workspace\n → reads /w/link"},
		"network": {event.Question{
			Reason: "reaches example.com", Effects: []event.Effect{{Kind: event.Net, Target: "example.com"}}, Asking: []int{0},
		}, " → reaches example.com over the network"},
		"MCP": {event.Question{
			Preview: event.Preview{Kind: event.PreviewText, Text: "{\n  \"id\": \"a\u200b\"\n}"},
			Reason:  "calls tracker/close_issue", Effects: []event.Effect{{Kind: event.Tool, Target: "tracker/close_issue"}}, Asking: []int{0},
		}, "   {\n     \"id\": \"a<U+200B>\"\n   }\n → calls close_issue of the MCP server tracker"},
		"agent": {event.Question{
			Reason: "starts the sub-agent reviewer", Effects: []event.Effect{{Kind: event.Spawn, Target: "reviewer"}}, Asking: []int{0},
		}, " starts the sub-agent reviewer\n → starts the sub-agent reviewer"},
		"long": {event.Question{
			Preview: event.Preview{Kind: event.PreviewCommand, Text: "echo " + strings.Repeat("x", 50) + "  " + strings.Repeat("y", 50) + "; rm z "},
		}, "   echo " + strings.Repeat("x", 50) + "··\n ↪ " + strings.Repeat("y", 50) + "; rm z·"},
	} {
		d := &dialog{question: c.q}
		if diff := cmp.Diff(c.want, plainly(d.body(k, 72))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLongCommand: all of a long command can be scrolled to, and what is asked
// stays in view.
func TestLongCommand(t *testing.T) {
	var command strings.Builder
	for i := range 60 {
		fmt.Fprintf(&command, "echo %d of the lines\n", i)
	}
	m, d := shownTo(event.Question{
		Title: "Run echo 0 of the lines …", Preview: event.Preview{Kind: event.PreviewCommand, Text: command.String()},
		Effects: []event.Effect{{Kind: event.Exec, Target: "last effect", Class: event.NeedsAsk}}, Asking: []int{0},
		Choices: []event.Option{{Choice: event.Once, Label: "Yes"}, {Choice: event.ThisSession, Label: "Yes, for this session", Rules: []string{"run_command(echo:*)"}}},
	})
	for _, size := range [][2]int{{80, 22}, {40, 13}, {40, 6}} {
		seen, d := map[string]bool{}, d
		d.top = 0
		for range 100 {
			lines, _, _ := d.render(m.look, size[0], size[1])
			text := plainly(lines)
			if !strings.Contains(text, "Run echo 0 of the lines") || !strings.Contains(text, "[y]") || len(lines) > size[1] {
				t.Fatalf("%v: %d lines\n%s", size, len(lines), text)
			}
			for line := range strings.SplitSeq(text, "\n") {
				seen[strings.TrimSpace(line)] = true
			}
			press(m, "down")
		}
		for i := range 60 {
			if !seen[fmt.Sprintf("echo %d of the lines", i)] {
				t.Fatalf("%v: line %d is never seen", size, i)
			}
		}
		if !seen["→ runs last effect"] || !seen["[s] Yes, for this session: run_command(echo:*)"] && size[0] == 80 {
			t.Errorf("%v: the end is never seen", size)
		}
	}
}

// TestRulesAreShown: the rules of an answer are there to the last character,
// however narrow the window is.
func TestRulesAreShown(t *testing.T) {
	k := newLook(theme.Dark())
	rules := []string{"run_command(npm  run \u202etest:*)", "edit_file(~/a directory/with a long name/and more of it/x)"}
	d := &dialog{question: event.Question{Choices: []event.Option{{Choice: event.AlwaysUser, Label: "Yes, always", Rules: rules}}}}
	for _, width := range []int{20, 33, 40, 80, 200} {
		var all strings.Builder
		for _, row := range d.answers(k, width) {
			if w := ansi.StringWidth(row); w > width {
				t.Errorf("%q is %d cells wide", row, w)
			}
			all.WriteString(strings.ReplaceAll(strings.TrimLeft(ansi.Strip(row), " "), "·", " "))
		}
		text := all.String()
		for _, want := range []string{"run_command(npm  run <U+202E>test:*)", rules[1]} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is not in %q", width, want, all.String())
			}
		}
	}
}
