package theme

import "strings"

// Style is how text looks: the parameters of an SGR escape sequence, such as
// "1;38;5;75". The empty style leaves text as it is.
type Style string

// Paint is the text in the style. The text must not have line breaks. What it
// returns ends without any style; no text and no style give the text itself.
func (s Style) Paint(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// With is the style and another one on top of it: of what both set, such as the
// colour, the other one's counts.
func (s Style) With(more Style) Style {
	if s == "" || more == "" {
		return s + more
	}
	above := more.settings()
	var kept []string
	for _, below := range s.settings() {
		if !overruled(below, above) {
			kept = append(kept, below.text)
		}
	}
	return Style(strings.Join(append(kept, string(more)), ";"))
}

// Between is the escape sequence after which text that was in one style is in
// another one: as short as it can be, and "" if they are the same.
func Between(from, to Style) string {
	switch {
	case from == to:
		return ""
	case to == "":
		return "\x1b[m"
	case from == "":
		return "\x1b[" + string(to) + "m"
	}
	before, after := from.settings(), to.settings()
	for _, old := range before {
		if old.what == off || !overruled(old, after) {
			return "\x1b[0;" + string(to) + "m" // only a reset takes it away
		}
	}
	var change []string
	for _, s := range after {
		if s.what == off {
			return "\x1b[0;" + string(to) + "m"
		}
		if !has(before, s) {
			change = append(change, s.text)
		}
	}
	if len(change) == 0 {
		return "" // the same in another order
	}
	return "\x1b[" + strings.Join(change, ";") + "m"
}

// Inks tells whether the style is seen on blanks: it has a background or a line.
func (s Style) Inks() bool {
	for _, set := range s.settings() {
		switch set.text {
		case "4", "7", "9", "21", "53":
			return true
		}
		if set.what == background {
			return true
		}
	}
	return false
}

// What a setting sets, if it is not an attribute that stands for itself.
const (
	attributes = "attribute"
	foreground = "foreground"
	background = "background"
	underline  = "colour of the underline"
	off        = "off" // takes other settings away
)

// setting is the parameters that set one thing, such as "1" or "38;5;75".
type setting struct{ what, text string }

func (s Style) settings() (all []setting) {
	rest := string(s)
	for rest != "" {
		text, after := Parameter(rest)
		code, _, _ := strings.Cut(text, ";")
		all = append(all, setting{kind(code), text})
		rest = after
	}
	return all
}

func kind(parameter string) string {
	switch {
	case parameter == "58":
		return underline
	case len(parameter) == 2 && (parameter[0] == '3' || parameter[0] == '9') && parameter[1] != '9':
		return foreground
	case len(parameter) == 2 && parameter[0] == '4' && parameter[1] != '9' || len(parameter) == 3 && strings.HasPrefix(parameter, "10"):
		return background
	case len(parameter) == 1 && parameter != "0":
		return attributes
	}
	return off
}

// overruled tells whether other settings leave nothing of s, or say the same.
func overruled(s setting, others []setting) bool {
	for _, other := range others {
		if s == other || s.what == other.what && s.what != attributes {
			return true
		}
	}
	return false
}

func has(all []setting, s setting) bool {
	for _, one := range all {
		if one == s {
			return true
		}
	}
	return false
}

// Parameter is the first of SGR parameters, with those that belong to it (a
// colour has three or five), and the rest.
func Parameter(params string) (first, rest string) {
	first, rest, _ = strings.Cut(params, ";")
	if first != "38" && first != "48" && first != "58" {
		return first, rest
	}
	n := 0
	switch space, _, _ := strings.Cut(rest, ";"); space {
	case "5":
		n = 2
	case "2":
		n = 4
	}
	for ; n > 0 && rest != ""; n-- {
		var p string
		p, rest, _ = strings.Cut(rest, ";")
		first += ";" + p
	}
	return first, rest
}
