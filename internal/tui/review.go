package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/diffview"
	"github.com/minicode-go/minicode/internal/theme"
)

// review is the change of a file that a question is about. Where the question
// has a proposal, hunks can be left out, and the text can be edited.
type review struct {
	path     string
	proposal *event.Proposal // nil: the change can only be looked at
	proposed string          // its diff
	text     string          // what the file shall hold: the proposal, or what the person made of it
	diff     string          // that leads to it
	hunks    []diffview.Hunk // that can be chosen; none where there is but one
	out      []bool          // those that are left out
	at       int             // the one that keys are about

	drawn  drawn
	base   int   // where it begins in the dialog's body
	starts []int // where each hunk begins in it, and where the last one ends
}

// drawn is the lines of a diff, as they were made last.
type drawn struct {
	width int
	theme theme.Theme
	whole []string
	in    [][]string // each hunk
	out   [][]string // each hunk as it looks when it is left out
}

// reviewOf is nil where the question is about no diff.
func reviewOf(q event.Question) *review {
	if q.Preview.Kind != event.PreviewDiff {
		return nil
	}
	r := &review{path: q.Preview.Path, proposal: q.Proposal, proposed: q.Preview.Text}
	text := ""
	if r.proposal != nil {
		text = r.proposal.New
	}
	r.set(text, r.proposed)
	return r
}

// set takes another text with its diff.
func (r *review) set(text, diff string) {
	r.text, r.diff, r.drawn = text, diff, drawn{}
	r.hunks, r.out, r.starts, r.at = nil, nil, nil, 0
	if r.proposal == nil {
		return
	}
	hunks := diffview.Hunks(diff)
	if _, err := diffview.Choose(r.proposal.Old, text, diff, nil); err == nil && len(hunks) > 1 {
		r.hunks, r.out = hunks, make([]bool, len(hunks))
	}
}

// edit takes what the person has made of the text.
func (r *review) edit(text string) {
	if text == r.proposal.New {
		r.set(text, r.proposed)
		return
	}
	r.set(text, diffview.Unified(r.path, r.proposal.Old, text))
}

// edited says whether the person has written another text.
func (r *review) edited() bool { return r.proposal != nil && r.text != r.proposal.New }

// content is the text that the file shall hold, without the hunks that are left
// out.
func (r *review) content() string {
	var skipped []int
	for i, out := range r.out {
		if out {
			skipped = append(skipped, i)
		}
	}
	if len(skipped) == 0 {
		return r.text
	}
	text, err := diffview.Choose(r.proposal.Old, r.text, r.diff, skipped)
	if err != nil {
		return r.proposal.Old // set has made sure that there is none
	}
	return text
}

// answer is the text that an answer that allows must bring along: nil for what
// was proposed. Words say why there can be no such answer.
func (r *review) answer() (content *string, words string) {
	if r == nil || r.proposal == nil {
		return nil, ""
	}
	text := r.content()
	switch {
	case text == r.proposal.New:
		return nil, ""
	case text != r.proposal.Old:
		return &text, ""
	case r.chosen() == 0 && len(r.hunks) > 0:
		return nil, "All changes are left out: take one in again, or say no."
	}
	return nil, "Nothing would change: edit the text again, or say no."
}

// chosen is how many hunks are not left out.
func (r *review) chosen() (n int) {
	for _, out := range r.out {
		if !out {
			n++
		}
	}
	return n
}

// turn goes on to another hunk.
func (r *review) turn(by int) { r.at = (r.at + by + len(r.hunks)) % len(r.hunks) }

// follow makes a hunk that is seen the one that keys are about.
func (r *review) follow(top, page int) {
	if len(r.starts) != len(r.hunks)+1 {
		return
	}
	seen := func(i int) bool { return r.starts[i] < top+page-r.base && r.starts[i+1] > top-r.base }
	for i := range r.hunks {
		if seen(r.at) {
			return
		}
		if seen(i) {
			r.at = i
		}
	}
}

// lines shows the change.
func (r *review) lines(k *look, width int) (lines []string) {
	if r.diff == "" {
		return []string{k.Dim.Paint(" The file would stay as it is.")}
	}
	r.draw(k, width)
	if len(r.hunks) == 0 {
		return r.drawn.whole
	}
	r.starts = r.starts[:0]
	for i, out := range r.out {
		r.starts = append(r.starts, len(lines))
		lines = append(lines, r.header(k, i, width))
		if out {
			lines = append(lines, r.drawn.out[i]...)
		} else {
			lines = append(lines, r.drawn.in[i]...)
		}
	}
	r.starts = append(r.starts, len(lines))
	return lines
}

// draw makes the lines anew where something has changed.
func (r *review) draw(k *look, width int) {
	if r.drawn.width != width || r.drawn.theme != k.Theme {
		r.drawn = drawn{width: width, theme: k.Theme}
	}
	d, o := &r.drawn, diffview.Options{LineNumbers: true}
	switch {
	case len(r.hunks) == 0:
		if d.whole == nil {
			d.whole = indented(diffview.Render(r.diff, width-1, k.Theme, o))
		}
		return
	case d.in == nil:
		for _, block := range diffview.Blocks(r.diff, nil, width-1, k.Theme, o) {
			d.in = append(d.in, indented(block))
		}
		d.out = make([][]string, len(d.in))
	}
	var missing []int
	for i, out := range r.out {
		if out && d.out[i] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		blocks := diffview.Blocks(r.diff, missing, width-1, faded(k.Theme), o)
		for _, i := range missing {
			d.out[i] = indented(blocks[i])
		}
	}
}

func indented(lines []string) []string {
	for i, line := range lines {
		lines[i] = " " + line
	}
	return lines
}

// faded is the theme of what is left out: struck, where there are styles.
func faded(t theme.Theme) theme.Theme {
	struck := t.Dim
	if struck != "" {
		struck = struck.With("9")
	}
	t.Text, t.Added, t.Removed, t.AddedWord, t.RemovedWord = t.Dim, struck, struck, struck, struck
	return t
}

// header stands above a hunk.
func (r *review) header(k *look, i, width int) string {
	lead, style := "   ", k.Dim
	if i == r.at {
		lead, style = " "+k.Accent.Paint("▸")+" ", k.Strong
	}
	line := lead + style.Paint(fmt.Sprintf("change %d of %d, line %d", i+1, len(r.hunks), firstChanged(r.hunks[i])))
	if r.out[i] {
		line += k.Warn.Paint(" · left out")
	}
	line = clip(line+" ", width)
	return line + k.Border.Paint(strings.Repeat("─", max(0, width-ansi.StringWidth(line))))
}

// firstChanged is the number of the first line that changes.
func firstChanged(h diffview.Hunk) int {
	for _, l := range h.Lines {
		if l.Kind == diffview.Added || l.Kind == diffview.Removed {
			return max(l.Old, l.New)
		}
	}
	return h.Old
}

// state is what the person has made of the change so far.
func (r *review) state() string {
	var words []string
	if r.edited() {
		words = append(words, "edited by you")
	}
	if len(r.hunks) > 0 {
		words = append(words, fmt.Sprintf("%d of %d changes chosen", r.chosen(), len(r.hunks)))
	}
	return strings.Join(words, " · ")
}

// said is what came of the last key.
func (d *dialog) said(k *look, width int) []string {
	if d.hint == "" {
		return nil
	}
	return paint(k.Warn, safe(d.hint), " ", " ", width)
}

// tools is what can be done with the change before it is answered for.
func (d *dialog) tools(k *look, f form) (texts []string) {
	r := d.review
	if r == nil || r.proposal == nil {
		return nil
	}
	state, next, out, edit := r.state(), "Next change", "", "Edit the text"
	if len(r.hunks) > 0 {
		out = fmt.Sprintf("Leave change %d out", r.at+1)
		if r.out[r.at] {
			out = fmt.Sprintf("Take change %d in", r.at+1)
		}
		edit = "Edit"
	}
	switch f {
	case words:
		state = strings.Replace(state, " changes chosen", " chosen", 1)
		next, out, edit = "next", strings.NewReplacer("Leave change ", "", "Take change ", "").Replace(out), "edit"
	case letters:
		state, next, out, edit = "", "", "", ""
	}
	if state != "" {
		style := k.Dim
		if r.edited() || r.chosen() < len(r.hunks) {
			style = k.Warn
		}
		texts = append(texts, style.Paint(state))
	}
	add := func(key, text string) { texts = append(texts, strings.TrimSpace(d.keycap(k, key)+" "+text)) }
	if len(r.hunks) > 0 {
		add("Tab", next)
		add("Space", out)
	}
	add("e", edit)
	return texts
}

// reviewKey does what a key does with the change.
func (m *model) reviewKey(d *dialog, k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	r := d.review
	if r == nil || r.proposal == nil {
		return nil, false
	}
	text, name := textOf(k), nameOf(k)
	switch {
	case text == "e":
		return m.editProposal(d), true
	case len(r.hunks) == 0:
		return nil, false
	case name == "tab", text == "]":
		d.turn(1)
	case name == "shift+tab", text == "[":
		d.turn(-1)
	case text == " ":
		r.out[r.at] = !r.out[r.at]
	default:
		return nil, false
	}
	return nil, true
}

// turn goes on to another hunk and shows it.
func (d *dialog) turn(by int) {
	r := d.review
	r.turn(by)
	if r.at+1 >= len(r.starts) {
		return
	}
	start, end := r.base+r.starts[r.at], r.base+r.starts[r.at+1]
	if d.top = min(d.top, start); end > d.top+d.page {
		d.top = min(start, end-d.page)
	}
}

// editProposal opens the text in the person's editor: without what is left out.
func (m *model) editProposal(d *dialog) tea.Cmd {
	given := d.review.content()
	return m.openEditor(given, patternFor(d.review.path), func(path, text string, err error) (tea.Cmd, bool) {
		return m.proposalEdited(d, given, path, text, err)
	})
}

// proposalEdited takes what was written in the editor, and says whether its
// file is to be kept. What was typed meanwhile answers nothing.
func (m *model) proposalEdited(d *dialog, given, path, text string, err error) (cmd tea.Cmd, keep bool) {
	if keep = err == nil; !slices.Contains(m.asked, d) {
		if keep {
			m.problem("The question is no longer there. What you wrote is in " + path + ".")
		}
		return nil, keep
	}
	text = mended(given, text)
	switch {
	case err != nil:
		d.hint = err.Error()
	case text == given:
		d.hint = "The editor has changed nothing."
	case text == "":
		d.hint = "The editor has left nothing: the text is what it was."
	default:
		d.review.edit(text)
		d.top, d.hint = 0, ""
	}
	d.open, d.at, m.dirty = false, time.Now(), true
	return wake(d, settle), false
}

// mended undoes what editors do to every text: a line feed at the end where
// there was none, and line feeds alone where all lines end with CRLF.
func mended(given, text string) string {
	if n := strings.Count(given, "\n"); n > 0 && n == strings.Count(given, "\r\n") && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if given == "" || strings.HasSuffix(given, "\n") {
		return text
	}
	if without, ok := strings.CutSuffix(text, "\r\n"); ok {
		return without
	}
	return strings.TrimSuffix(text, "\n")
}
