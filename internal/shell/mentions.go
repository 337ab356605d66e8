package shell

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// mentions notes the guarded files that a command names of which it is not
// known what it does with its words: a rule that allows the program does not
// know either that one of its flags writes there.
func (a *analyser) mentions(c command) {
	if c.f.class == event.ReadOnly {
		return
	}
	records := c.name() == "git" && len(c.words) > 1 && slices.Contains([]string{"add", "commit", "stash"}, c.words[1].text)
	for i, w := range c.words {
		if i == 0 || !w.known() || w.trick != "" {
			continue
		}
		for _, text := range spellings(w.text) {
			v := w
			v.text = text
			paths, _ := resolve(v, c.st.dirs)
			for _, p := range paths {
				if a.env.Secrets != nil && a.env.Secrets(p) {
					a.read(c.f, p)
				}
				if !records && a.env.Protected != nil && a.env.Protected(p) {
					a.write(c.f, p)
				}
			}
		}
	}
}

// spellings are the texts in a word that may be paths: the word itself, the
// value of a flag or assignment, and what is attached to a short flag.
func spellings(text string) []string {
	out := []string{text}
	if _, val, ok := strings.Cut(text, "="); ok {
		out = append(out, val)
	}
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		out = append(out, text[2:])
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		out = append(out, text[at+1:])
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" || strings.HasPrefix(s, "-") })
}
