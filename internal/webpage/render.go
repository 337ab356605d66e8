package webpage

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/htmltree"
)

// renderer writes the content of one page.
type renderer struct {
	pick     *picker
	base     *url.URL // what links are relative to
	self     string   // the page's own address, without fragment
	fragment string
	out      writer
	start    int    // where the fragment begins, -1 before it was found
	link     string // of a link around blocks, until its first line is written
	spent    int    // bytes that were made, written or not
	enough   bool   // they are too many
	tight    bool   // in a list whose items are not far apart
}

func newRenderer(root *htmltree.Node, base *url.URL, o Options, noscript bool) *renderer {
	self := *o.URL
	self.Fragment, self.RawFragment = "", ""
	return &renderer{
		pick: pick(root, noscript), base: base, self: self.String(), fragment: o.URL.Fragment,
		out: writer{most: o.Max}, start: -1,
	}
}

func (r *renderer) page() string {
	if h1 := r.pick.h1; h1 != nil {
		r.heading(h1, 1)
	}
	r.note(r.pick.content)
	r.children(r.pick.content)
	return r.out.text()
}

// note keeps the place of the element that the address's fragment names.
func (r *renderer) note(n *node) {
	if r.fragment != "" && r.start < 0 && (n.Attr("id") == r.fragment || n.Tag == "a" && n.Attr("name") == r.fragment) {
		r.start = len(r.out.b)
	}
}

// spend bounds what is made before it is written.
func (r *renderer) spend(n int) {
	if r.spent += n; r.spent > 2*r.out.most {
		r.enough = true
	}
}

func (r *renderer) skips(n *node) bool { return r.enough || r.out.full || r.pick.dropped[n] }

// children writes what is in an element: runs of text as paragraphs, and
// blocks.
func (r *renderer) children(n *node) {
	var run []*node
	flush := func() {
		r.paragraph(run...)
		run = run[:0]
	}
	for c := range n.Children() {
		switch {
		case r.skips(c):
		case c.Block:
			flush()
			r.block(c)
		default:
			run = append(run, c)
		}
	}
	flush()
}

func (r *renderer) paragraph(run ...*node) {
	if len(run) == 0 {
		return
	}
	s := r.span(inlineText, run...)
	if s == "" {
		return
	}
	s = r.linked(s)
	for text := range strings.SplitSeq(s, "\n\n") {
		r.out.begin()
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				r.out.line(literal(line))
			}
		}
	}
}

// linked puts the link around the blocks that are being written on the
// first of their lines.
func (r *renderer) linked(s string) string {
	if r.link == "" || strings.Contains(s, "](") {
		return s
	}
	first, rest, more := strings.Cut(s, "\n")
	s = "[" + first + "](" + r.link + ")"
	if more {
		s += "\n" + rest
	}
	r.link = ""
	return s
}

// literal escapes the beginning of a line that would be taken for something
// else than text.
func literal(line string) string {
	switch line[0] {
	case '#':
		if rest := strings.TrimLeft(line, "#"); rest == "" || rest[0] == ' ' {
			return `\` + line
		}
	case '>':
		return `\` + line
	case '-', '+', '*':
		if len(line) == 1 || line[1] == ' ' || strings.Trim(line, line[:1]+" ") == "" {
			return `\` + line
		}
	case '=', '`', '~':
		if strings.Trim(line, "=") == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			return `\` + line
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if rest := line[digits:]; digits > 0 && digits < 10 && rest != "" && (rest[0] == '.' || rest[0] == ')') && (len(rest) == 1 || rest[1] == ' ') {
		return line[:digits] + `\` + rest
	}
	return line
}

func (r *renderer) block(n *node) {
	r.note(n)
	switch n.Tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.heading(n, int(n.Tag[1]-'0'))
	case "pre", "listing", "xmp", "plaintext":
		r.code(n)
	case "ul", "ol", "menu", "dir":
		r.list(n)
	case "li":
		r.out.begin()
		r.out.in("- ", "  ", func() { r.children(n) })
	case "dl":
		r.definitions(n)
	case "blockquote":
		r.out.begin()
		r.out.in("> ", "> ", func() { r.children(n) })
	case "table":
		r.table(n)
	case "hr":
		if !bytes.HasSuffix(r.out.b, []byte("---\n")) {
			r.out.begin()
			r.out.line("---")
		}
	case "summary", "legend":
		r.bold(n)
	case "a":
		if link := r.address(n.Attr("href")); link != "" && r.link == "" {
			r.link = link
			defer func() { r.link = "" }()
		}
		r.children(n)
	default:
		level, err := strconv.Atoi(n.Attr("aria-level"))
		if n.Attr("role") == "heading" && err == nil && level >= 1 {
			r.heading(n, min(level, 6))
			return
		}
		r.children(n)
	}
}

func (r *renderer) heading(n *node, level int) {
	s := r.span(inlineHeading, n)
	if s == "" {
		return
	}
	r.out.begin()
	r.out.line(strings.Repeat("#", level) + " " + r.linked(s))
}

// bold writes an element as a paragraph that stands out.
func (r *renderer) bold(n *node) {
	s := r.span(inlineBold, n)
	if s == "" {
		return
	}
	r.out.begin()
	r.out.line("**" + s + "**")
}

func (r *renderer) list(n *node) {
	nested := r.tight && n.Parent != nil && n.Parent.Is("li", "ul", "ol")
	outer := r.tight
	r.tight = !r.loose(n)
	defer func() { r.tight = outer }()
	number, err := strconv.Atoi(n.Attr("start"))
	if err != nil || number < 0 {
		number = 1
	}
	if !nested {
		r.out.begin()
	}
	first := true
	for c := range n.Children() {
		if r.skips(c) || c.Tag == "" && strings.TrimSpace(c.Text) == "" {
			continue
		}
		if c.Is("ul", "ol") { // a mistake that many editors make: it belongs to the item before
			r.out.in("  ", "  ", func() { r.list(c) })
			continue
		}
		marker := "- "
		if n.Tag == "ol" {
			if value, err := strconv.Atoi(c.Attr("value")); err == nil && value >= 0 {
				number = value
			}
			marker = fmt.Sprintf("%d. ", min(number, 999_999_999))
			number++
		}
		if !first {
			r.out.blank = !r.tight
		}
		r.note(c)
		wrote := r.out.in(marker, strings.Repeat(" ", len(marker)), func() {
			if c.Tag == "" || !c.Block {
				r.paragraph(c)
			} else {
				r.children(c)
			}
		})
		first = first && !wrote
	}
}

// loose is whether the items of a list are longer than a few lines.
func (r *renderer) loose(n *node) bool {
	for item := range n.Children() {
		paragraphs := 0
		for c := range item.Children() {
			if r.skips(c) {
				continue
			}
			if c.Is("pre", "table", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "dl") {
				return true
			}
			if c.Is("p", "div") {
				paragraphs++
			}
		}
		if paragraphs > 1 {
			return true
		}
	}
	return false
}

// definitions writes terms and what is said of them. What takes no more than
// a paragraph comes right under its term.
func (r *renderer) definitions(n *node) {
	for c := range n.Children() {
		switch {
		case r.skips(c) || c.Tag == "":
		case c.Tag == "dt":
			r.note(c)
			r.bold(c)
		case c.Tag == "dd" && oneParagraph(c):
			r.note(c)
			if s := r.span(inlineText, c); s != "" {
				r.out.blank = false
				r.out.in(": ", "  ", func() {
					for line := range strings.SplitSeq(s, "\n") {
						if line != "" {
							r.out.line(line)
						}
					}
				})
			}
		case c.Tag == "div" || c.Tag == "dl":
			r.definitions(c)
		default:
			r.block(c)
		}
	}
}

// oneParagraph is whether an element holds no more than text, or one
// paragraph.
func oneParagraph(n *node) bool {
	if !childBlock(n) {
		return true
	}
	var only *node
	for c := range n.Children() {
		if c.Tag == "" && strings.TrimSpace(c.Text) == "" {
			continue
		}
		if only != nil || c.Tag != "p" || childBlock(c) {
			return false
		}
		only = c
	}
	return only != nil
}

func childBlock(n *node) bool {
	for c := range n.Children() {
		if c.Block {
			return true
		}
	}
	return false
}
