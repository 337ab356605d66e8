package agent

import (
	"strings"

	"github.com/minicode-go/minicode/llm"
)

// marker is the word by which a model says what its text is.
type marker int

const (
	unmarked marker = iota
	progressMarker
	finalMarker
)

// opening is the markers that a text may begin with.
func opening() []struct {
	text string
	mark marker
} {
	return []struct {
		text string
		mark marker
	}{{"<progress>", progressMarker}, {"[PROGRESS]", progressMarker}, {"<final>", finalMarker}, {"[FINAL]", finalMarker}}
}

func closing() []string { return []string{"</progress>", "[/PROGRESS]", "</final>", "[/FINAL]"} }

// cutMarker takes a marker off the beginning of the text. maybe says that
// more text could still make one.
func cutMarker(text string) (rest string, mark marker, maybe bool) {
	lead := strings.TrimLeft(text, " \t\r\n")
	for _, o := range opening() {
		if len(lead) >= len(o.text) && strings.EqualFold(lead[:len(o.text)], o.text) {
			return strings.TrimLeft(lead[len(o.text):], " \t\r\n"), o.mark, false
		}
		if len(lead) < len(o.text) && strings.EqualFold(lead, o.text[:len(lead)]) {
			maybe = true
		}
	}
	return text, unmarked, maybe
}

// cutClosing takes a closing marker off the end of the text.
func cutClosing(text string) string {
	tail := strings.TrimRight(text, " \t\r\n")
	for _, c := range closing() {
		if n := len(tail) - len(c); n >= 0 && strings.EqualFold(tail[n:], c) {
			return strings.TrimRight(tail[:n], " \t\r\n")
		}
	}
	return text
}

// stripMarkers takes the markers off an answer's text.
func stripMarkers(parts llm.Parts) (llm.Parts, marker) {
	out := make(llm.Parts, 0, len(parts))
	found, begun := unmarked, false
	for _, p := range parts {
		text, ok := p.(llm.Text)
		if ok && !begun && strings.TrimSpace(text.Text) != "" {
			begun = true
			text.Text, found, _ = cutMarker(text.Text)
		}
		if ok && found != unmarked {
			text.Text = cutClosing(text.Text)
		}
		if ok {
			p = text
		}
		out = append(out, p)
	}
	return out, found
}

// markerFilter holds markers back from text that is shown as it comes.
type markerFilter struct {
	held   string
	begun  bool
	marked bool
	eatGap bool // blanks right after the opening marker are its own
}

// take gives what of the text so far can be shown.
func (f *markerFilter) take(more string) string {
	f.held += more
	if !f.begun {
		rest, mark, maybe := cutMarker(f.held)
		if maybe && mark == unmarked {
			return ""
		}
		f.begun, f.marked, f.held, f.eatGap = true, mark != unmarked, rest, mark != unmarked
	}
	if f.eatGap {
		f.held = strings.TrimLeft(f.held, " \t\r\n")
		f.eatGap = f.held == ""
	}
	if !f.marked {
		out := f.held
		f.held = ""
		return out
	}
	// What could be a closing marker, or the blanks before one, waits.
	keep := strings.LastIndexAny(f.held, "<[")
	if keep < 0 || !couldClose(f.held[keep:]) {
		keep = len(f.held)
	}
	keep = len(strings.TrimRight(f.held[:keep], " \t\r\n"))
	out := f.held[:keep]
	f.held = f.held[keep:]
	return out
}

func couldClose(s string) bool {
	s = strings.TrimRight(s, " \t\r\n")
	for _, c := range closing() {
		if len(s) <= len(c) && strings.EqualFold(s, c[:len(s)]) {
			return true
		}
	}
	return false
}

// rest gives what was held back, once the text is over.
func (f *markerFilter) rest() string {
	out := f.held
	f.held = ""
	if f.marked {
		return cutClosing(out)
	}
	if strings.TrimSpace(out) != "" {
		rest, _, _ := cutMarker(out)
		return rest
	}
	return out
}
