package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/theme"
	"github.com/minicode-go/minicode/internal/visible"
)

// body is everything that is to be approved, exactly.
func (d *dialog) body(k *look, width int) (lines []string) {
	q := d.question
	if d.review == nil && q.Preview.Text != "" {
		for line := range strings.Lines(q.Preview.Text) {
			lines = append(lines, k.exactly(k.Code, strings.TrimSuffix(line, "\n"), "   ", " "+k.Dim.Paint("↪")+" ", width)...)
		}
	}
	if q.Reason != "" && q.Reason != saidByEffects(q) {
		lines = append(lines, paint(k.Dim, k.exact(q.Reason), " ", " ", width)...)
	}
	if d.review != nil {
		d.review.base = len(lines)
		lines = append(lines, d.review.lines(k, width)...)
	}
	if len(q.Effects) == 1 && q.Effects[0].Kind == event.Write && q.Effects[0].Target == q.Preview.Path {
		return lines // it is said above
	}
	return append(lines, d.effects(k, width)...)
}

// saidByEffects is the reason that tells nothing but the effects that are asked
// for, as the gate words it.
func saidByEffects(q event.Question) string {
	const most = 4
	var all []string
	for _, i := range q.Asking {
		if i < 0 || i >= len(q.Effects) {
			return ""
		}
		e := q.Effects[i]
		text := map[event.EffectKind]string{event.Read: "reads ", event.Write: "changes ", event.Exec: "runs ", event.Net: "reaches ", event.Tool: "calls "}[e.Kind] + e.Target
		if e.Kind == event.Exec && e.Reason != "" {
			text += ": " + e.Reason
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// mostPassed is how many effects are shown that need no approval.
const mostPassed = 10

// effects lists what it would do: all that is asked for, and the first of the
// rest.
func (d *dialog) effects(k *look, width int) (lines []string) {
	passed := 0
	for i, e := range d.question.Effects {
		lead, style := k.Warn.Paint(" → "), k.Text
		if !slices.Contains(d.question.Asking, i) {
			if passed++; passed > mostPassed {
				continue
			}
			lead, style = k.Dim.Paint(" ✓ "), k.Dim
		}
		text := wordsOf(e, d.question.Preview)
		rows := k.exactly(style, text, lead, "   ", width)
		if why := classOf(k, e); why == "" {
		} else if ansi.StringWidth(rows[0])+ansi.StringWidth(why)+3 <= width && len(rows) == 1 {
			rows[0] += styled(k.Dim, " ("+why+")")
		} else {
			rows = append(rows, paint(k.Dim, why, "     ", "     ", width)...)
		}
		lines = append(lines, rows...)
	}
	if passed > mostPassed {
		lines = append(lines, k.Dim.Paint(fmt.Sprintf("   and %d more that need no approval", passed-mostPassed)))
	}
	return lines
}

// wordsOf is an effect in words.
func wordsOf(e event.Effect, p event.Preview) string {
	switch e.Kind {
	case event.Read:
		return "reads " + e.Target
	case event.Write:
		return "changes " + e.Target
	case event.Exec:
		switch e.Target {
		case "?":
			return "runs what cannot be read for certain"
		case p.Text:
			return "runs it"
		}
		return "runs " + e.Target
	case event.Net:
		return "reaches " + e.Target + " over the network"
	case event.Tool:
		if server, name, ok := strings.Cut(e.Target, "/"); ok {
			return "calls " + name + " of the MCP server " + server
		}
		return "calls " + e.Target
	case event.Spawn:
		return "starts the sub-agent " + e.Target
	}
	return string(e.Kind) + " " + e.Target
}

func classOf(k *look, e event.Effect) string {
	class := strings.ReplaceAll(string(e.Class), "_", " ")
	switch e.Class {
	case "", event.ReadOnly:
		return ""
	case event.NeedsAsk:
		class = ""
	}
	return k.exact(strings.Trim(class+": "+e.Reason, ": "))
}

// piece is what stands together in a row: a character, or what is written for
// one that cannot be seen.
type piece struct {
	text   string
	width  int
	hidden bool
}

// exactly breaks text into rows that show all of it: what cannot be seen is
// written out, and so is a blank where a row is broken, so that a row without
// one goes on in the next. The first row is behind first, the others behind rest,
// which is equally wide.
func (l *look) exactly(style theme.Style, text, first, rest string, width int) []string {
	room := max(2, width-ansi.StringWidth(first))
	all := pieces(text, room)
	var lines []string
	for start := 0; start < len(all) || start == 0; {
		end, w := start, 0
		for end < len(all) && (w+all[end].width <= room || end == start) {
			w += all[end].width
			end++
		}
		if end < len(all) {
			for back := end; back > start && end-back < room/3; back-- {
				if all[back-1].text == " " {
					end = back
					break
				}
			}
		}
		lines = append(lines, first+l.row(style, all[start:end], start > 0))
		if start = end; start == 0 {
			break
		}
		first = rest
	}
	return lines
}

// row is pieces in their styles. Blanks at its end can be seen, and at its
// beginning where it goes on with another row.
func (l *look) row(style theme.Style, all []piece, goesOn bool) string {
	var b, run strings.Builder
	flush := func() {
		b.WriteString(style.Paint(run.String()))
		run.Reset()
	}
	begins, ends := 0, len(all)
	for goesOn && begins < ends && all[begins].text == " " {
		begins++
	}
	for ends > begins && all[ends-1].text == " " {
		ends--
	}
	for i, p := range all {
		switch {
		case p.hidden:
			flush()
			b.WriteString(l.Critical.Paint(p.text))
		case i < begins || i >= ends:
			flush()
			b.WriteString(l.Dim.Paint("·"))
		default:
			run.WriteString(p.text)
		}
	}
	flush()
	return b.String()
}

// pieces takes text apart into pieces that are not wider than most.
func pieces(text string, most int) (all []piece) {
	const begin, end = "\x00", "\x01" // cannot be in what Mark leaves as it is
	for text := range strings.SplitSeq(visible.Mark(text, visible.All, func(mark string) string { return begin + mark + end }), end) {
		plain, mark, _ := strings.Cut(text, begin)
		for plain != "" {
			cluster, width := ansi.FirstGraphemeCluster(plain, ansi.GraphemeWidth)
			all = append(all, piece{cluster, width, false})
			plain = plain[len(cluster):]
		}
		for len(mark) > most {
			all = append(all, piece{mark[:most], most, true})
			mark = mark[most:]
		}
		if mark != "" {
			all = append(all, piece{mark, len(mark), true})
		}
	}
	return all
}
