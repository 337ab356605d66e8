package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/diffview"
	"github.com/minicode-go/minicode/internal/theme"
)

// edition is a question about a file of so many lines, every tenth of which
// changes.
func edition(lines int) event.Question {
	var old, new strings.Builder
	for i := range lines {
		fmt.Fprintf(&old, "line %d\n", i+1)
		if i%10 == 4 {
			fmt.Fprintf(&new, "other %d\n", i+1)
		} else {
			fmt.Fprintf(&new, "line %d\n", i+1)
		}
	}
	p := &event.Proposal{Old: old.String(), New: new.String()}
	q := event.Question{
		Tool: "edit_file", Title: "Edit a.txt", Preview: event.Preview{Kind: event.PreviewDiff, Path: "/w/a.txt", Text: diffview.Unified("a.txt", p.Old, p.New)}, Proposal: p,
		Effects: []event.Effect{{Kind: event.Write, Target: "/w/a.txt"}}, Asking: []int{0},
	}
	for _, c := range []event.Choice{event.Once, event.EditsThisTurn, event.No, event.NoWithGuidance, event.Never} {
		q.Choices = append(q.Choices, event.Option{Choice: c, Label: "Label of " + string(c), Rules: []string{"edit_file(/a.txt)"}})
	}
	return q
}

// shownTo is a model with an open dialog.
func shownTo(q event.Question) (*model, *dialog) {
	d := &dialog{question: q, reply: make(chan event.Answer, 1), review: reviewOf(q), shown: true, open: true}
	l := newLook(theme.Dark())
	return &model{look: l, transcript: newTranscript(l), asked: []*dialog{d}}, d
}

func press(m *model, keys ...string) {
	for _, key := range keys {
		k := tea.KeyPressMsg{}
		switch key {
		case "tab":
			k.Code = tea.KeyTab
		case "shift+tab":
			k.Code, k.Mod = tea.KeyTab, tea.ModShift
		case "down":
			k.Code = tea.KeyDown
		case "pgdown":
			k.Code = tea.KeyPgDown
		case "pgup":
			k.Code = tea.KeyPgUp
		case "space":
			k.Text, k.Code = " ", tea.KeySpace
		default:
			k.Text, k.Code = key, rune(key[0])
		}
		m.answerKey(k)
	}
}

// TestReviewAnswers: an answer brings what is left of the proposal along, or
// nothing where that is all of it.
func TestReviewAnswers(t *testing.T) {
	q := edition(30)
	changed := func(lines ...int) string {
		text := q.Proposal.Old
		for _, n := range lines {
			text = strings.Replace(text, fmt.Sprintf("line %d\n", n), fmt.Sprintf("other %d\n", n), 1)
		}
		return text
	}
	for keys, want := range map[string]struct {
		choice  event.Choice
		content string
	}{
		"y":                       {event.Once, ""},
		"space y":                 {event.Once, changed(15, 25)},
		"tab space y":             {event.Once, changed(5, 25)},
		"shift+tab space a":       {event.EditsThisTurn, changed(5, 15)},
		"] ] space [ space y":     {event.Once, changed(5)},
		"space space y":           {event.Once, ""},
		"space tab tab tab n":     {event.No, ""},
		"space v":                 {event.Never, ""},
		"space tab space tab y":   {event.Once, changed(25)},
		"space tab tab space a":   {event.EditsThisTurn, changed(15)},
		"tab tab tab space y":     {event.Once, changed(15, 25)},
		"space tab space ] [ y":   {event.Once, changed(25)},
		"shift+tab [ [ space y":   {event.Once, changed(15, 25)},
		"space ] space ] space":   {},
		"space ] space ] space y": {},
	} {
		m, d := shownTo(q)
		d.render(m.look, 80, 22)
		press(m, strings.Fields(keys)...)
		select {
		case a := <-d.reply:
			content := ""
			if a.Content != nil {
				content = *a.Content
			}
			if a.Choice != want.choice || content != want.content {
				t.Errorf("%s: %s with %q", keys, a.Choice, content)
			}
		default:
			if want.choice != "" {
				t.Errorf("%s: no answer", keys)
			}
		}
	}
}

// TestReviewBeforeItOpens: what is typed before a question can be answered does
// nothing to it.
func TestReviewBeforeItOpens(t *testing.T) {
	m, d := shownTo(edition(30))
	d.open = false
	d.render(m.look, 80, 22)
	press(m, "space", "tab", "]", "e", "y", "down")
	if d.review.chosen() != 3 || d.review.at != 0 || len(d.reply) > 0 || len(m.asked) != 1 {
		t.Errorf("%+v", d.review.out)
	}
	if got := m.composer.buf.Text(); got != " ]ey" {
		t.Errorf("the prompt holds %q", got)
	}
	m.asked[0].paste(" y]e")
	d.open = true
	m.asked[0].paste(" y]e")
	if d.review.chosen() != 3 || len(d.reply) > 0 {
		t.Error("a paste has done something")
	}
}

// TestReviewFollows: keys are about a change that can be seen, and going on to
// another one shows it.
func TestReviewFollows(t *testing.T) {
	m, d := shownTo(edition(100))
	see := func() string {
		lines, _, _ := d.render(m.look, 60, 18)
		return plainly(lines)
	}
	marked := func(n int) string { return fmt.Sprintf("▸ change %d of 10", n) }
	if !strings.Contains(see(), marked(1)) {
		t.Error(see())
	}
	press(m, "pgdown", "pgdown", "pgdown")
	see()
	if d.review.at < 2 {
		t.Errorf("at %d with\n%s", d.review.at, see())
	}
	for i := range 25 {
		at := (d.review.at + 1) % 10
		press(m, []string{"tab", "]"}[i%2])
		if !strings.Contains(see(), marked(at+1)) {
			t.Fatalf("change %d is not seen:\n%s", at+1, see())
		}
	}
	for range 12 {
		press(m, "shift+tab")
		if !strings.Contains(see(), marked(d.review.at+1)) {
			t.Fatalf("change %d is not seen:\n%s", d.review.at+1, see())
		}
	}
	press(m, "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "space")
	if text := see(); !strings.Contains(text, "change 1 of 10") || !strings.Contains(text, "· left out") {
		t.Errorf("what was left out is not seen:\n%s", text)
	}
}

// TestReviewSizes: in every window the title is seen, nothing is too large, and
// where there is room so are the change and the keys.
func TestReviewSizes(t *testing.T) {
	looked := edition(30)
	looked.Proposal = nil
	single := edition(9)
	for name, q := range map[string]event.Question{"three": edition(30), "one": single, "no proposal": looked} {
		for _, th := range []theme.Theme{theme.Dark(), theme.Plain()} {
			for _, width := range []int{10, 20, 33, 40, 61, 80, 127} {
				for _, height := range []int{2, 3, 5, 7, 9, 11, 13, 14, 15, 18, 22, 30, 44} {
					m, d := shownTo(q)
					m.look = newLook(th)
					d.render(m.look, width, height)
					press(m, "space", "tab")
					d.hint = "Something was said about it."
					lines, _, _ := d.render(m.look, width, height)
					for _, line := range lines {
						if w := ansi.StringWidth(line); w > width {
							t.Fatalf("%s, %dx%d: %q is %d cells wide", name, width, height, line, w)
						}
					}
					text := plainly(lines)
					if !strings.Contains(text, "Edit") || width >= 20 && !strings.Contains(text, "Edit a.txt") || len(lines) > height && height > 12 {
						t.Fatalf("%s, %dx%d: %d lines\n%s", name, width, height, len(lines), text)
					}
					if height < 15 || width < 40 {
						continue
					}
					for key, there := range map[string]bool{"[y]": true, "[v]": true, "[e]": name != "no proposal", "[Tab]": name == "three", "[Space]": name == "three", "2 of 3 ch": name == "three"} {
						if strings.Contains(text, key) != there {
							t.Fatalf("%s, %dx%d: %s: %v\n%s", name, width, height, key, !there, text)
						}
					}
				}
			}
		}
	}
}

// TestReviewDoubts: a diff that is not that of the proposal's texts can be looked
// at, and its hunks cannot be chosen.
func TestReviewDoubts(t *testing.T) {
	q := edition(30)
	q.Proposal = &event.Proposal{Old: q.Proposal.Old + "more\n", New: q.Proposal.New}
	m, d := shownTo(q)
	press(m, "tab", "space", "y")
	if a := <-d.reply; a.Content != nil || len(d.review.hunks) > 0 {
		t.Errorf("%+v", a)
	}
}

// TestEditedTooLate: what was written for a question that is gone is not lost.
func TestEditedTooLate(t *testing.T) {
	m, d := shownTo(edition(30))
	m.withdraw(d)
	m.screen.width = 80
	if _, keep := m.proposalEdited(d, "a\n", "/tmp/minicode-1-a.txt", "b\n", nil); !keep || !strings.Contains(plainly(m.above), "is in /tmp/minicode-1-a.txt") {
		t.Errorf("kept: %v; told: %q", keep, m.above)
	}
	if _, keep := m.proposalEdited(d, "a\n", "/tmp/minicode-1-a.txt", "", errors.New("no such editor")); keep {
		t.Error("the file of an editor that failed is kept")
	}
	if len(d.reply) > 0 || d.review.edited() {
		t.Error("the question was changed or answered")
	}
}

func TestMended(t *testing.T) {
	for _, c := range [][3]string{ // given, from the editor, taken
		{"a\nb\n", "a\nc\n", "a\nc\n"},
		{"a\nb", "a\nb\n", "a\nb"},
		{"a\nb", "a\nb\n\n", "a\nb\n"},
		{"a\nb\n", "a\nb", "a\nb"},
		{"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"a\r\nb\r\n", "a\r\nc\n", "a\r\nc\n"},
		{"a\r\nb", "a\nb\n", "a\r\nb"},
		{"a\r\nb\n", "a\nb\n", "a\nb\n"},
		{"", "a\n", "a\n"},
		{"a", "", ""},
		{"a", "\n", ""},
	} {
		if got := mended(c[0], c[1]); got != c[2] {
			t.Errorf("%q, %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestEditorOf(t *testing.T) {
	for want, environ := range map[string][]string{
		"vi":      {"VISUAL= ", "EDITOR="},
		"nano":    {"EDITOR=nano", "VISUAL="},
		"code -w": {"EDITOR=nano", "VISUAL=code -w", "X=y"},
		"ed":      {"VISUAL=ed", "EDITOR=nano"},
	} {
		if got := editorOf(environ); got != want {
			t.Errorf("%v: %q", environ, got)
		}
	}
	for path, want := range map[string]string{
		"/w/a.go": "minicode-*-a.go", "": "minicode-*-text", "/w/" + strings.Repeat("x", 200) + ".py": "minicode-*-text.py",
		"/w/." + strings.Repeat("y", 200): "minicode-*-text",
	} {
		if got := patternFor(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}
