package builtin

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/tool"
)

// largestReviewed is the largest file, in bytes, whose change can itself be
// changed in the review.
const largestReviewed = 16 << 20

var (
	errAsItIs = errors.New("the file has this text already: nothing would change")
	errBytes  = errors.New("the text holds bytes that are no characters, which the tool cannot be given")
)

// reviewed is the action with the means to change what it makes of the file.
func (t target) reviewed(a tool.Action, made outcome, instead func(content) func(string) (json.RawMessage, error)) tool.Action {
	if len(made.data) <= largestReviewed && len(made.text) <= largestReviewed {
		a.Proposal = &event.Proposal{Old: made.text, New: spliced(made.text, made.edits)}
		a.Instead = instead(t.old)
	}
	return a
}

// spliced is the text with the edits, sorted and apart, carried out.
func spliced(text string, edits []edit) string {
	var b strings.Builder
	last := 0
	for _, e := range edits {
		b.WriteString(text[last:e.start])
		b.WriteString(e.text)
		last = e.end
	}
	b.WriteString(text[last:])
	return b.String()
}

// insteadOf gives the arguments of write_file that make another text of the
// file.
func (in writeFileIn) insteadOf(old content) func(string) (json.RawMessage, error) {
	return func(text string) (json.RawMessage, error) {
		if !utf8.ValidString(text) {
			return nil, errBytes
		}
		made, err := rewritten(old, text)
		if err != nil {
			return nil, err
		}
		if old.exists() && string(made.data) == string(old.raw) {
			return nil, errAsItIs
		}
		return json.Marshal(writeFileIn{Path: in.Path, Content: text})
	}
}

// insteadOf gives the replacement that makes another text of the file.
func (in editFileIn) insteadOf(old content) func(string) (json.RawMessage, error) {
	return func(text string) (json.RawMessage, error) {
		rs, err := replacing(old, text, 1)
		if err != nil {
			return nil, err
		}
		return json.Marshal(editFileIn{Path: in.Path, Search: rs[0].Search, Replace: rs[0].Replace})
	}
}

// insteadOf gives the replacements that make another text of the file.
func (in patchFileIn) insteadOf(old content) func(string) (json.RawMessage, error) {
	return func(text string) (json.RawMessage, error) {
		rs, err := replacing(old, text, mostApart)
		if err != nil {
			return nil, err
		}
		return json.Marshal(patchFileIn{Path: in.Path, Replacements: rs})
	}
}

// mostApart is how many places a text is changed at by a replacement each;
// beyond it they are replaced with what is between them.
const mostApart = 50

// replacing is at most so many replacements that make the text of the file,
// proven by carrying them out.
func replacing(old content, text string, most int) ([]replacement, error) {
	doc, err := readDocument(old.raw)
	if err != nil {
		return nil, err
	}
	if text == doc.text {
		return nil, errAsItIs
	}
	changes := diffTexts(doc.text, text).changes
	together := []lineChange{whole(changes, linesOf(doc.text), linesOf(text))}
	if len(changes) > most {
		changes = together
	}
	rs, ok := apart(doc.text, changes, len(doc.text)+len(text))
	if !ok {
		rs, ok = apart(doc.text, together, 0)
	}
	if !ok {
		return nil, errBytes
	}
	made, err := replaceIn(old, rs)
	if err != nil {
		return nil, err
	}
	if spliced(doc.text, made.edits) != text {
		return nil, errors.New("no replacement makes this text of the file")
	}
	return rs, nil
}

// apart is a replacement for each of the changes; none where they would be
// longer than most, unless that is 0.
func apart(text string, changes []lineChange, most int) ([]replacement, bool) {
	starts := places(text)
	rs, length := make([]replacement, len(changes)), 0
	for i, c := range slices.Backward(changes) { // so that the places before stay where they are
		r, next, ok := spelled(text, starts[c.at], starts[c.end()], strings.Join(c.new, ""))
		if length += len(r.Search) + len(r.Replace); !ok || most > 0 && length > most {
			return nil, false
		}
		text, rs[len(rs)-1-i] = next, r
	}
	return rs, true
}

// whole is all the changes as one.
func whole(changes []lineChange, old, text []string) lineChange {
	first, last := changes[0], changes[len(changes)-1]
	after := len(old) - last.end()
	return lineChange{at: first.at, old: old[first.at:last.end()], new: text[first.at : len(text)-after]}
}

// places is where each line of the text begins, and where the last one ends.
func places(text string) []int {
	at := 0
	out := []int{0}
	for _, line := range linesOf(text) {
		at += len(line)
		out = append(out, at)
	}
	return out
}

// spelled is a replacement that puts fresh in the place of [start, end) of the
// text and changes nothing else, with the text that it makes: as many lines
// around the place are taken in as it needs to be found. There is none where
// they hold bytes that are no characters.
func spelled(text string, start, end int, fresh string) (replacement, string, bool) {
	next := text[:start] + fresh + text[end:]
	if text == "" {
		return replacement{Replace: fresh}, next, utf8.ValidString(fresh)
	}
	for lines := 1; ; lines *= 2 {
		r := replacement{Search: text[start:end], Replace: fresh}
		if !utf8.ValidString(r.Search) || !utf8.ValidString(r.Replace) {
			return replacement{}, "", false
		}
		if r.Search != "" && alone(text, r.Search) {
			if m, err := match(text, r); err == nil && spliced(text, m.edits) == next {
				return r, next, true
			}
		}
		if start == 0 && end == len(text) {
			return replacement{}, "", false
		}
		from, to := start, end
		for range lines {
			from, to = lineBefore(text, from), lineAfter(text, to)
		}
		start, end, fresh = from, to, text[from:start]+fresh+text[end:to]
	}
}

// alone says whether the words stand in the text just once.
func alone(text, words string) bool {
	at := strings.Index(text, words)
	return at >= 0 && !strings.Contains(text[at+1:], words)
}

// lineBefore is where the line begins that ends at a place.
func lineBefore(text string, at int) int {
	if at == 0 {
		return 0
	}
	return strings.LastIndexByte(text[:at-1], '\n') + 1
}

// lineAfter is where the line ends that begins at a place.
func lineAfter(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}
