package compose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// element is what the cursor moves over at once: a grapheme cluster, a line
// end or a placeholder.
type element struct {
	text   string  // its bytes; "" for a placeholder
	object *object // what a placeholder stands for
}

// object is what a placeholder stands for. It is never changed once made, so
// that undo and the kill ring can share it.
type object struct {
	label string // as it is shown
	text  string // what was pasted
	image *Image
}

// contents is what the element adds to the whole text.
func (e element) contents() string {
	switch {
	case e.object == nil:
		return e.text
	case e.object.image != nil:
		return e.object.label
	}
	return e.object.text
}

func (e element) isNewline() bool { return e.object == nil && e.text == "\n" }

// isBroken says that the element is a byte that is not UTF-8.
func (e element) isBroken() bool { return len(e.text) == 1 && e.text[0] >= utf8.RuneSelf }

// isText says that the element is a grapheme cluster of a line.
func (e element) isText() bool { return e.object == nil && e.text != "\n" && !e.isBroken() }

// segment appends the elements of a text, which may have line ends in it, and
// bytes that are not UTF-8: each is an element that never joins another.
func segment(to []element, text string) []element {
	to = slices.Grow(to, utf8.RuneCountInString(text))
	for text != "" {
		section, rest, found := strings.Cut(text, "\n")
		end := len(section)
		for section != "" {
			valid := validPrefix(section)
			for clusters := graphemes.FromString(section[:valid]); clusters.Next(); {
				to = append(to, element{text: clusters.Value()})
			}
			if valid < len(section) {
				to = append(to, element{text: section[valid : valid+1]})
				valid++
			}
			section = section[valid:]
		}
		if found {
			to = append(to, element{text: text[end : end+1]})
		}
		text = rest
	}
	return to
}

// validPrefix is how many bytes at the start of a text are UTF-8.
func validPrefix(s string) int {
	if utf8.ValidString(s) {
		return len(s)
	}
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return len(s)
}

// resegment is the elements with all text between placeholders segmented
// anew: they need not be grapheme clusters before.
func resegment(elements []element) []element {
	out := make([]element, 0, len(elements))
	var run strings.Builder
	for i, e := range elements {
		alone := run.Len() == 0 && (i == len(elements)-1 || elements[i+1].object != nil)
		switch {
		case e.object != nil || e.isBroken():
			out = append(segment(out, run.String()), e)
			run.Reset()
		case alone:
			out = segment(out, e.text) // no copy of what may be long
		default:
			run.WriteString(e.text)
		}
	}
	return segment(out, run.String())
}

// normalise makes every line end LF. A text in which no LF is found but CR is
// has CR for its line ends: so do terminals send what is pasted.
func normalise(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	if strings.IndexByte(text, '\n') < 0 {
		return strings.ReplaceAll(text, "\r", "\n")
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// textOf is the whole text of elements.
func textOf(elements []element) string {
	n := 0
	for _, e := range elements {
		n += len(e.contents())
	}
	var b strings.Builder
	b.Grow(n)
	for _, e := range elements {
		b.WriteString(e.contents())
	}
	return b.String()
}
