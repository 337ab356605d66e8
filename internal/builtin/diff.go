package builtin

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many lines that stay a diff shows around a change.
const contextLines = 3

// lineChange puts new lines in the place of old ones. Lines have their ends.
type lineChange struct {
	at  int // the first old line, from 0
	old []string
	new []string
}

// lineDiff is what changes in a text, by lines.
type lineDiff struct {
	lines   []string // of the old text
	changes []lineChange
}

// diffEdits is the diff that edits of a text make.
func diffEdits(text string, edits []edit) lineDiff {
	d := lineDiff{lines: linesOf(text)}
	line, at := 0, 0 // the old line that begins at the place at
	lineOfPlace := func(place int) {
		for line < len(d.lines) && at+len(d.lines[line]) <= place && strings.HasSuffix(d.lines[line], "\n") {
			at += len(d.lines[line])
			line++
		}
	}
	endOfLine := func() int {
		if line == len(d.lines) {
			return at
		}
		return at + len(d.lines[line])
	}
	for i := 0; i < len(edits); {
		lineOfPlace(edits[i].start)
		first, done := line, at
		var b strings.Builder
		for n := i; i < len(edits) && (i == n || edits[i].start < endOfLine()); i++ { // those that touch the same lines
			b.WriteString(text[done:edits[i].start])
			b.WriteString(edits[i].text)
			done = edits[i].end
			lineOfPlace(done)
		}
		end := endOfLine()
		b.WriteString(text[done:end])
		lineOfPlace(end)
		if at < end { // a last line without an end
			at, line = end, len(d.lines)
		}
		d.add(first, d.lines[first:line], linesOf(b.String()))
	}
	return d
}

// diffTexts is the diff of two texts.
func diffTexts(old, new string) lineDiff {
	d := lineDiff{lines: linesOf(old)}
	d.add(0, d.lines, linesOf(new))
	return d
}

func linesOf(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// add takes up that new lines come for old ones, and finds those among them
// that stay.
func (d *lineDiff) add(at int, old, new []string) {
	pre, post := 0, 0
	for pre < len(old) && pre < len(new) && old[pre] == new[pre] {
		pre++
	}
	for post < len(old)-pre && post < len(new)-pre && old[len(old)-1-post] == new[len(new)-1-post] {
		post++
	}
	at, old, new = at+pre, old[pre:len(old)-post], new[pre:len(new)-post]
	if len(old)*len(new) > largestTable {
		d.addLarge(at, old, new)
		return
	}
	i, j := 0, 0
	for _, r := range common(old, new) {
		from, to := i, j
		for n := r.oldStart; n < r.oldEnd; i++ {
			n += len(old[i])
		}
		for n := r.newStart; n < r.newEnd; j++ {
			n += len(new[j])
		}
		if !r.same {
			d.changes = append(d.changes, lineChange{at + from, old[from:i], new[to:j]})
		}
	}
}

// addLarge is add for more lines than a table of all pairs can be made of.
func (d *lineDiff) addLarge(at int, old, new []string) {
	i, place := 0, 0
	for _, e := range udiff.Lines(strings.Join(old, ""), strings.Join(new, "")) {
		for place < e.Start {
			place += len(old[i])
			i++
		}
		from := i
		for place < e.End {
			place += len(old[i])
			i++
		}
		d.changes = append(d.changes, lineChange{at + from, old[from:i], linesOf(e.New)})
	}
}

// counts is how many lines come and how many go.
func (d lineDiff) counts() (added, removed int) {
	for _, c := range d.changes {
		added += len(c.new)
		removed += len(c.old)
	}
	return added, removed
}

// places names the changed lines of the new text: "line 3", "lines 3-5, 9".
func (d lineDiff) places() string {
	const most = 12
	var out []string
	shift, last := 0, 0
	for _, c := range d.changes {
		from := c.at + shift + 1
		to := from + len(c.new) - 1
		shift += len(c.new) - len(c.old)
		switch {
		case len(c.new) == 0:
			out = append(out, fmt.Sprint(max(1, from-1)))
		case from == to:
			out = append(out, fmt.Sprint(from))
		default:
			out = append(out, fmt.Sprintf("%d-%d", from, to))
		}
		last = max(last, to-from)
	}
	word := "lines "
	if len(out) == 1 && last == 0 {
		word = "line "
	}
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("and %d more", len(out)-most))
	}
	return word + strings.Join(out, ", ")
}

// unified is the diff in the unified format.
func (d lineDiff) unified(from, to string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	shift := 0
	for i := 0; i < len(d.changes); {
		j := i + 1
		for j < len(d.changes) && d.changes[j].at-d.changes[j-1].end() <= 2*contextLines {
			j++
		}
		shift += d.hunk(&b, d.changes[i:j], shift)
		i = j
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

func (c lineChange) end() int { return c.at + len(c.old) }

// hunk writes neighbouring changes, and says by how many lines the new text
// is longer after them. shift is the same for what came before.
func (d lineDiff) hunk(b *strings.Builder, changes []lineChange, shift int) int {
	start := max(0, changes[0].at-contextLines)
	end := min(len(d.lines), changes[len(changes)-1].end()+contextLines)
	grown := 0
	for _, c := range changes {
		grown += len(c.new) - len(c.old)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(start, end-start), hunkRange(start+shift, end-start+grown))
	at := start
	for _, c := range changes {
		writeLines(b, " ", d.lines[at:c.at])
		writeLines(b, "-", c.old)
		writeLines(b, "+", c.new)
		at = c.end()
	}
	writeLines(b, " ", d.lines[at:end])
	return grown
}

func hunkRange(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, n)
}

func writeLines(b *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		b.WriteString(mark + line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
