package webpage

import (
	"strings"
)

// code writes a block of code, byte for byte.
func (r *renderer) code(n *node) {
	text := strings.ToValidUTF8(r.codeText(n), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return
	}
	r.fenced(text, language(n))
}

func (r *renderer) fenced(text, language string) {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	r.out.begin()
	r.out.line(fence + language)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		r.out.line(line)
	}
	r.out.line(fence)
}

// codeText is the text of preformatted code: lines may be elements, and
// their numbers and the buttons that copy them are no part of it.
func (r *renderer) codeText(n *node) string {
	var b strings.Builder
	due := false   // a line ended with its element, and nothing came since
	lastBreak := 0 // where the last break was written
	var walk func(n *node)
	walk = func(n *node) {
		for c := range n.Children() {
			isText, isBreak, isLine := c.Tag == "", c.Tag == "br", c.Is("div", "p", "li", "tr")
			if r.pick.dropped[c] || lineNumber(c) {
				continue
			}
			atStart := b.Len() == 0 || strings.HasSuffix(b.String(), "\n")
			if due && (isLine || isBreak || isText && !strings.HasPrefix(c.Text, "\n")) || isLine && !atStart {
				b.WriteByte('\n')
			}
			due = due && !isLine && !isBreak && !isText
			from := b.Len()
			switch {
			case isText:
				b.WriteString(c.Text)
			case isBreak:
				b.WriteByte('\n')
				lastBreak = b.Len()
			default:
				walk(c)
			}
			if isLine {
				due = b.Len() == from || lastBreak != b.Len() // a break at the end of a line is no other line
			}
		}
	}
	walk(n)
	return b.String()
}

// lineNumber is whether the element is the number of a line. The numbers in
// code are marked as such, too, and must stay.
func lineNumber(n *node) bool {
	isNamed := n.HasClass("ln", "line-number", "line-numbers") || named(n, func(part string) bool {
		switch part {
		case "lineno", "linenos", "linenumber", "linenumbers", "lnt", "gutter":
			return true
		case "num", "numbers":
			return n.Tag == "td"
		}
		return false
	})
	return isNamed && numbers(n)
}

// numbers is whether there is nothing but digits and blanks in the element.
func numbers(n *node) bool {
	return strings.Trim(n.TextContent(), "0123456789 \t\n\u00a0") == ""
}

// language is the language that a block of code is said to be in, by itself,
// by the element in it, or by those closely around it.
func language(n *node) string {
	if inner := n.Find("code"); inner != nil {
		if l := languageOf(inner); l != "" {
			return l
		}
	}
	for range 4 {
		if n == nil {
			break
		}
		if l := languageOf(n); l != "" {
			return l
		}
		n = n.Parent
	}
	return ""
}

func languageOf(n *node) string {
	for _, a := range []string{"data-lang", "data-language"} {
		if l := languageName(n.Attr(a)); l != "" {
			return l
		}
	}
	classes := n.Classes()
	for i, c := range classes {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-text-", "highlight-"} {
			if rest, ok := strings.CutPrefix(c, prefix); ok {
				if l := languageName(rest); l != "" {
					return l
				}
			}
		}
		if (c == "brush:" || c == "sourcecode") && i+1 < len(classes) {
			if l := languageName(strings.Trim(classes[i+1], ";")); l != "" {
				return l
			}
		}
	}
	return ""
}

// languageName is name if it can be that of a language.
func languageName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "default", "none", "plain", "plaintext", "text", "nohighlight", "notranslate":
		return ""
	}
	if len(name) > 20 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789+#-_.") != "" {
		return ""
	}
	return name
}
