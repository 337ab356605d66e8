package webpage

import (
	"bytes"
	"strings"
)

// longestLink is the longest address of a link that is shown, in bytes.
const longestLink = 2000

// address is where a reference of the page leads: whole for another page,
// "#id" within the page, empty where it leads nowhere that could be fetched.
func (r *renderer) address(href string) string {
	href = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || c == '\r' {
			return -1
		}
		return c
	}, href))
	if href == "" || len(href) > longestLink {
		return ""
	}
	u, err := r.base.Parse(href)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto", "tel", "ftp", "":
	default:
		return ""
	}
	if u.Fragment != "" {
		whole := *u
		whole.Fragment, whole.RawFragment = "", ""
		if whole.String() == r.self {
			return destination("#" + u.EscapedFragment())
		}
	} else if strings.HasPrefix(href, "#") {
		return "" // to the top of the page
	}
	return destination(u.String())
}

// destination is an address as the target of a link in Markdown.
func destination(s string) string {
	if len(s) > longestLink {
		return ""
	}
	balanced, depth := true, 0
	for _, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			balanced = balanced && depth >= 0
		}
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c <= ' ' || c == '<' || c == '>' || c == '\\' || c == '|' || c == 0x7F, (c == '(' || c == ')') && (!balanced || depth != 0):
			const hex = "0123456789ABCDEF"
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		default:
			b.WriteByte(c)
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}

// anchor writes a link.
func (s *span) anchor(n *node) {
	to := s.r.address(n.Attr("href"))
	inPage := strings.HasPrefix(to, "#")
	if permalink(n, inPage) {
		return
	}
	if to == "" || s.link || (s.mode == inlineHeading || s.mode == inlineBold) && inPage {
		s.contents(n)
		return
	}
	s.opens = append(s.opens, "[")
	due := len(s.opens)
	s.link = true
	from := len(s.b)
	s.contents(n)
	s.link = false
	if len(s.opens) >= due && s.opens[due-1] == "[" { // nothing was written
		name := oneLine(n.Attr("title"))
		if name == "" {
			name = oneLine(n.Attr("aria-label"))
		}
		if name == "" {
			s.opens = s.opens[:due-1]
			return
		}
		s.words(name)
	}
	if at := bytes.IndexByte(s.b[from:], '['); at >= 0 {
		text := s.b[from+at+1:]
		escaped := bytes.ReplaceAll(text, []byte("\n"), []byte(" "))
		if !nested(escaped) {
			escaped = bytes.ReplaceAll(bytes.ReplaceAll(escaped, []byte("["), []byte(`\[`)), []byte("]"), []byte(`\]`))
		}
		s.b = append(s.b[:from+at+1], escaped...)
	}
	s.b = append(s.b, "]("+to+")"...)
}

// nested is whether the brackets of a text are in pairs.
func nested(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// permalink is whether a link is no more than a handle on its own heading.
func permalink(n *node, inPage bool) bool {
	if n.HasClass("headerlink", "hash-link", "header-anchor", "heading-anchor", "anchorjs-link", "permalink", "anchor-link") && len(oneLine(n.TextContent())) <= 4 {
		return true
	}
	if !inPage {
		return false
	}
	switch text := oneLine(n.TextContent()); text {
	case "":
		return n.Find("img") == nil
	case "#", "¶", "§", "🔗", "⚓", "Link", "link", "Permalink":
		return true
	default:
		return strings.HasPrefix(text, "Permalink to ") || strings.HasPrefix(text, "Direct link to ")
	}
}

// image writes a picture that has words.
func (s *span) image(n *node) {
	alt := strings.NewReplacer("[", "(", "]", ")").Replace(oneLine(n.Attr("alt")))
	if alt == "" {
		return
	}
	src := s.r.address(n.Attr("src"))
	if src == "" {
		src = s.r.address(n.Attr("data-src"))
	}
	switch {
	case src == "":
		s.words(alt)
	default:
		if s.mode == inlineCell {
			alt = strings.ReplaceAll(alt, "|", `\|`)
		}
		s.emit("![" + alt + "](" + src + ")")
	}
}

// frame writes a link to the page that is shown within this one.
func (s *span) frame(n *node) {
	title := oneLine(n.Attr("title"))
	if title == "" && n.Tag == "frame" {
		title = oneLine(n.Attr("name"))
	}
	src := s.r.address(n.Attr("src"))
	if src == "" || title == "" {
		return
	}
	title = strings.NewReplacer("[", "(", "]", ")").Replace(title)
	s.emit("[" + title + "](" + src + ")")
}
