package line

import (
	"fmt"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// keyOf is what is typed for a choice.
func keyOf(c event.Choice) string {
	switch c {
	case event.Once:
		return "y"
	case event.ThisTurn:
		return "t"
	case event.EditsThisTurn:
		return "e"
	case event.ThisSession:
		return "s"
	case event.AlwaysProject:
		return "p"
	case event.AlwaysUser:
		return "u"
	case event.No:
		return "n"
	case event.NoWithGuidance:
		return "g"
	case event.Never:
		return "never"
	case event.NoAndStop:
		return "stop"
	}
	return string(c)
}

// ask shows everything that is being approved, exactly.
func (s *screen) ask(q event.Question) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", s.bold("Approval needed: "+visible(q.Title)))
	if q.Reason != "" {
		fmt.Fprintf(&b, "%s\n", visible(q.Reason))
	}
	switch q.Preview.Kind {
	case event.PreviewDiff:
		b.WriteString(s.diff(q.Preview.Text))
	default:
		for line := range strings.Lines(q.Preview.Text) {
			b.WriteString("    " + visible(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	asking := map[int]bool{}
	for _, i := range q.Asking {
		asking[i] = true
	}
	for i, e := range q.Effects {
		mark := "  "
		if asking[i] {
			mark = "→ "
		}
		fmt.Fprintf(&b, "  %s%s %s", mark, e.Kind, visible(e.Target))
		if e.Class != "" && e.Class != event.ReadOnly {
			fmt.Fprintf(&b, " (%s)", strings.TrimSuffix(string(e.Class)+": "+visible(e.Reason), ": "))
		}
		b.WriteByte('\n')
	}
	for _, o := range q.Choices {
		fmt.Fprintf(&b, "  %-6s %s", "["+keyOf(o.Choice)+"]", o.Label)
		if len(o.Rules) > 0 {
			fmt.Fprintf(&b, ": %s", visible(strings.Join(o.Rules, ", ")))
		}
		b.WriteByte('\n')
	}
	b.WriteString("Your choice: ")
	s.raw(b.String())
}

// answer understands what was typed. For guidance the words follow the key.
func (l *Line) answer(q event.Question, typed string) (event.Answer, bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(typed), " ")
	word = strings.ToLower(word)
	switch word {
	case "yes":
		word = "y"
	case "no":
		word = "n"
	}
	for _, o := range q.Choices {
		if word != keyOf(o.Choice) && word != string(o.Choice) {
			continue
		}
		if o.Choice == event.NoWithGuidance && strings.TrimSpace(rest) == "" {
			l.out.raw("Type g and, on the same line, what to do instead: ")
			return event.Answer{}, false
		}
		return event.Answer{Choice: o.Choice, Text: strings.TrimSpace(rest)}, true
	}
	var keys []string
	for _, o := range q.Choices {
		keys = append(keys, keyOf(o.Choice))
	}
	l.out.raw("Type one of " + strings.Join(keys, ", ") + ": ")
	return event.Answer{}, false
}
