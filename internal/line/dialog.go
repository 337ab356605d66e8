package line

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/minicode-go/minicode/internal/visible"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/command"
)

// settle is how long a question is shown on a terminal before it can be
// answered: who was typing something else sees it first.
const settle = 300 * time.Millisecond

const (
	longPreview = 30 // lines; below a longer one it is said again what is asked
	mostPassed  = 10 // effects that are shown although they need no approval
)

// dialog is a question on its way to the person.
type dialog struct {
	ctx      context.Context
	question event.Question
	reply    chan reply

	opened   int64 // from which number of questions on lines are answers; 0 before it can be answered
	guidance bool  // the words for the model are being asked for
}

// reply is what comes back.
type reply struct {
	answer event.Answer
	err    error
}

// open says that it can be answered now.
func (d *dialog) open(l *Line) {
	d.opened = l.in.open()
	l.out.ask(d.prompt())
}

func (d *dialog) prompt() string {
	if d.guidance {
		return "What should it do instead? "
	}
	return "Your choice: "
}

// takes says whether the line was typed as an answer: after the question was
// opened, and on its own. On a pipe nobody types: the next line is the answer.
func (d *dialog) takes(t typed, terminal bool) bool {
	if !terminal {
		return true
	}
	return d.opened > 0 && t.asked >= d.opened && !t.torn && !t.cut && !strings.Contains(t.text, "\n")
}

// answer understands what was typed; until it does it says what is missing.
func (d *dialog) answer(text string) (event.Answer, string, bool) {
	text = strings.TrimSpace(text)
	if d.guidance {
		d.guidance = false
		if text == "" {
			return event.Answer{}, "", false
		}
		return event.Answer{Choice: event.NoWithGuidance, Text: text}, "", true
	}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	choice := choiceOf(strings.ToLower(word))
	offered := slices.ContainsFunc(d.question.Choices, func(o event.Option) bool { return o.Choice == choice })
	switch {
	case !offered:
		return event.Answer{}, "Type one of " + strings.Join(d.keys(), ", ") + ".", false
	case choice == event.NoWithGuidance && rest == "":
		d.guidance = true
		return event.Answer{}, "", false
	case rest != "" && choice != event.NoWithGuidance && choice != event.NoAndStop:
		return event.Answer{}, "Type " + word + " alone, or g and what to do instead.", false
	}
	return event.Answer{Choice: choice, Text: rest}, "", true
}

func (d *dialog) keys() []string {
	var keys []string
	for _, o := range d.question.Choices {
		keys = append(keys, keyOf(o.Choice))
	}
	return keys
}

// choiceOf is the choice that a word stands for, "" for none.
func choiceOf(word string) event.Choice {
	switch word {
	case "yes":
		return event.Once
	case "":
		return ""
	}
	for _, c := range []event.Choice{
		event.Once, event.ThisTurn, event.EditsThisTurn, event.ThisSession, event.AlwaysProject, event.AlwaysUser,
		event.No, event.NoWithGuidance, event.Never, event.NoAndStop,
	} {
		if word == keyOf(c) || word == string(c) {
			return c
		}
	}
	return ""
}

// keyOf is what is typed for a choice: a key, or a word where a slip would be
// for good.
func keyOf(c event.Choice) string {
	if key := command.KeyOf(c); key != "" {
		return key
	}
	return string(c) // never, stop
}

// question shows everything that is to be approved, exactly.
func (s *screen) question(q event.Question) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.style(bold, "Approval needed: "+s.visible(q.Title, visible.All)))
	if q.Reason != "" {
		fmt.Fprintf(&b, "  Why: %s\n", s.visible(q.Reason, visible.All))
	}
	if q.Preview.Kind == event.PreviewDiff {
		b.WriteString(s.diff(q.Preview.Text))
	} else {
		for line := range strings.Lines(q.Preview.Text) {
			b.WriteString("    " + s.visible(strings.TrimSuffix(line, "\n"), visible.All) + "\n")
		}
	}
	if strings.Count(q.Preview.Text, "\n") > longPreview {
		fmt.Fprintf(&b, "%s\n", s.style(bold, "Approval needed: "+s.visible(q.Title, visible.All)))
	}
	s.effects(&b, q)
	for _, o := range q.Choices {
		fmt.Fprintf(&b, "  %-7s %s", "["+keyOf(o.Choice)+"]", o.Label)
		if len(o.Rules) > 0 {
			b.WriteString(": " + s.visible(strings.Join(o.Rules, ", "), visible.All))
		}
		b.WriteByte('\n')
	}
	s.block(tools, b.String())
}

// effects lists what it would do: all that is asked for, and the first of the
// rest.
func (s *screen) effects(b *strings.Builder, q event.Question) {
	passed := 0
	for i, e := range q.Effects {
		mark := " → "
		if !slices.Contains(q.Asking, i) {
			if passed++; passed > mostPassed {
				continue
			}
			mark = "   "
		}
		fmt.Fprintf(b, "%s%s %s%s\n", mark, e.Kind, s.visible(e.Target, visible.All), s.classOf(e))
	}
	if passed > mostPassed {
		fmt.Fprintf(b, "   and %d more that need no approval\n", passed-mostPassed)
	}
}

func (s *screen) classOf(e event.Effect) string {
	if e.Class == "" || e.Class == event.ReadOnly {
		return ""
	}
	class := strings.ReplaceAll(string(e.Class), "_", " ")
	if e.Class == event.NeedsAsk {
		class = ""
	}
	text := strings.Trim(class+": "+e.Reason, ": ")
	if text == "" {
		return ""
	}
	return " (" + s.visible(text, visible.All) + ")"
}

// diff colours a unified diff.
func (s *screen) diff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = s.visible(strings.TrimSuffix(line, "\n"), visible.Text)
		switch {
		case strings.HasPrefix(line, "+"):
			line = s.style(green, line)
		case strings.HasPrefix(line, "-"):
			line = s.style(red, line)
		case strings.HasPrefix(line, "@"):
			line = s.style(dim, line)
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}
