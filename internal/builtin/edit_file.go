package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/tool"
)

type editFileIn struct {
	Path       string `json:"path"`
	Search     string `json:"search" jsonschema:"exact text of the file, without line numbers"`
	Replace    string `json:"replace"`
	ReplaceAll bool   `json:"replaceAll,omitempty"`
}

func editFile(w *Workspace) tool.Tool {
	return tool.New(spec("edit_file"), func(_ context.Context, in editFileIn) (tool.Action, error) {
		return w.edit("Edit", in.Path, []replacement{{in.Search, in.Replace, in.ReplaceAll}}, in.insteadOf)
	})
}

// edit prepares the replacements, in order, all or none.
func (w *Workspace) edit(verb, spelled string, rs []replacement, instead func(content) func(string) (json.RawMessage, error)) (tool.Action, error) {
	path := w.existing(spelled, plain)
	title := verb + " " + w.show(path)
	t, err := w.target(path)
	if err != nil {
		return tool.Action{}, err
	}
	if !t.old.exists() && rs[0].Search != "" {
		return tool.Action{}, w.missing(path)
	}
	if t.old.exists() {
		if err := mayReplace(t.real, t.old.info); err != nil {
			return tool.Action{}, err
		}
	}
	made, err := replaceIn(t.old, rs)
	if err != nil {
		return failing(title, path, fmt.Errorf("%s: %w", w.show(path), err)), nil
	}
	redo := func(now content) (outcome, error) {
		if now.exists() != t.old.exists() {
			return outcome{}, fmt.Errorf("%s was made or removed since the edit was prepared: nothing was written", w.show(path))
		}
		again, err := replaceIn(now, rs)
		if err != nil {
			return outcome{}, fmt.Errorf("%s changed since the edit was prepared, and the edit no longer fits: %w", w.show(path), err)
		}
		if !slices.Equal(again.steps, made.steps) {
			return outcome{}, fmt.Errorf("%s changed at this place since the edit was prepared: nothing was written, read it again", w.show(path))
		}
		return again, nil
	}
	return t.reviewed(w.action(title, t, made, redo, func(o outcome) string { return w.edited(path, rs, o) }), made, instead), nil
}

// replaceIn works out the replacements on a file's content.
func replaceIn(c content, rs []replacement) (outcome, error) {
	doc, err := readDocument(c.raw)
	if errors.Is(err, errBinary) {
		kind := magic(c.raw)
		if kind == "" {
			kind = "binary data"
		}
		return outcome{}, fmt.Errorf("this is no text (%s): it is not edited", kind)
	}
	if err != nil {
		return outcome{}, err
	}
	p := patched{from: doc.text, spans: []span{{end: len(doc.text)}}}
	made := outcome{text: doc.text}
	for i, r := range rs {
		m, err := match(p.text(), r)
		if err != nil {
			if len(rs) > 1 {
				err = fmt.Errorf("replacement %d of %d: %w. Nothing was written", i+1, len(rs), err)
			}
			return outcome{}, err
		}
		if m.loose != "" && !slices.Contains(made.loose, m.loose) {
			made.loose = append(made.loose, m.loose)
		}
		p.apply(m.edits)
	}
	made.edits = p.edits()
	if made.data, err = doc.splice(made.edits); err != nil {
		return outcome{}, err
	}
	if string(made.data) == string(c.raw) && c.exists() {
		return outcome{}, &matchError{noChange, "all of it was found, but nothing would change: the file has this text already"}
	}
	for _, e := range made.edits {
		made.steps = append(made.steps, doc.text[e.start:e.end], e.text)
	}
	made.diff = diffEdits(doc.text, made.edits)
	return made, nil
}

// edited is the result for the model.
func (w *Workspace) edited(path string, rs []replacement, o outcome) string {
	added, removed := o.diff.counts()
	var b strings.Builder
	fmt.Fprintf(&b, "Edited %s: ", w.show(path))
	if len(rs) > 1 {
		fmt.Fprintf(&b, "%d replacements, ", len(rs))
	} else if places := len(o.steps) / 2; rs[0].ReplaceAll {
		fmt.Fprintf(&b, "%d occurrences, ", places)
	}
	fmt.Fprintf(&b, "%s (+%d -%d).", o.diff.places(), added, removed)
	for _, loose := range o.loose {
		fmt.Fprintf(&b, "\nThe search text was not there exactly: it was found but for %s, and the file's own style was kept.", loose)
	}
	return b.String()
}

// patched is a text with replacements carried out, which still knows what of
// it is the old text.
type patched struct {
	from  string
	spans []span
}

// span is a piece of a patched text: new text, or else part of the old one.
type span struct {
	start, end int
	text       string
	new        bool
}

func (s span) len() int {
	if s.new {
		return len(s.text)
	}
	return s.end - s.start
}

// cut is the part of a span from one place in it to another.
func (s span) cut(from, to int) span {
	if s.new {
		return span{text: s.text[from:to], new: true}
	}
	return span{start: s.start + from, end: s.start + to}
}

func (p *patched) text() string {
	var b strings.Builder
	for _, s := range p.spans {
		if s.new {
			b.WriteString(s.text)
		} else {
			b.WriteString(p.from[s.start:s.end])
		}
	}
	return b.String()
}

// apply carries out edits of the text as it is now, in order and apart.
func (p *patched) apply(edits []edit) {
	var out []span
	at, i := 0, 0 // where spans[i] begins
	// take moves what lies before the place to out, or drops it.
	take := func(place int, keep bool) {
		for i < len(p.spans) && at < place {
			s := p.spans[i]
			n := min(s.len(), place-at)
			if keep && n > 0 {
				out = append(out, s.cut(0, n))
			}
			if n == s.len() {
				i++
			} else {
				p.spans[i] = s.cut(n, s.len())
			}
			at += n
		}
	}
	for _, e := range edits {
		take(e.start, true)
		take(e.end, false)
		out = append(out, span{text: e.text, new: true})
	}
	p.spans = append(out, p.spans[i:]...)
}

// edits is what leads from the old text to the text as it is now.
func (p *patched) edits() []edit {
	var out []edit
	at, fresh, pending := 0, "", false
	flush := func(to int) {
		if pending && fresh != "" || to > at {
			out = append(out, edit{at, to, fresh})
		}
		fresh, pending = "", false
	}
	for _, s := range p.spans {
		if s.new {
			fresh += s.text
			pending = true
			continue
		}
		if s.start == s.end {
			continue
		}
		flush(s.start)
		at = s.end
	}
	flush(len(p.from))
	return out
}
