package htmltree

import (
	"bytes"
	stdhtml "html"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The bounds of a tree.
const (
	MaxNodes = 400_000
	MaxDepth = 256 // elements in one another; deeper ones are left out, what is in them is not
)

const (
	maxAttrs     = 64   // looked at, of one element
	maxAttrValue = 4096 // bytes; a longer value, such as a picture in a data: address, is not kept
)

// Page is a page as a tree.
type Page struct {
	Root    *Node // holds the html element, and whatever stands outside of it
	Scripts int   // script elements, none of which is in the tree
	Cut     bool  // the page went on after MaxNodes
}

// Parse makes the tree of a page in UTF-8.
func Parse(body []byte) Page {
	root := &Node{Tag: "#document"}
	p := &parser{tokens: html.NewTokenizer(bytes.NewReader(body)), root: root, stack: []*Node{root}, open: map[string]int{}, skipped: map[string]int{}}
	p.run()
	return Page{Root: root, Scripts: p.scripts, Cut: p.cut}
}

type parser struct {
	tokens  *html.Tokenizer
	root    *Node
	stack   []*Node        // the open elements, root first
	open    map[string]int // how many of them there are, by tag
	skipped map[string]int // open elements that were too deep to be kept, by tag
	nodes   int
	scripts int
	cut     bool
}

func (p *parser) top() *Node { return p.stack[len(p.stack)-1] }

func (p *parser) run() {
	for {
		switch p.tokens.Next() {
		case html.ErrorToken: // the end
			return
		case html.TextToken:
			p.text(string(p.tokens.Raw()))
		case html.StartTagToken:
			p.startTag(false)
		case html.SelfClosingTagToken:
			p.startTag(true)
		case html.EndTagToken:
			name, _ := p.tokens.TagName()
			p.end(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
		if p.nodes >= MaxNodes {
			p.cut = true
			return
		}
	}
}

// text takes a text as it stands in the page. Its references are decoded with
// the table of package html, and those of attributes by value, for the
// tokenizer's own table would be made whenever the program starts.
func (p *parser) text(s string) {
	top := p.top()
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if !top.Is("xmp", "plaintext") {
		s = stdhtml.UnescapeString(s)
	}
	if top.First == nil && top.Is("pre", "textarea", "listing") {
		s = strings.TrimPrefix(s, "\n")
	}
	if s == "" || top.Is("iframe", "noembed") {
		return
	}
	p.closeHead(strings.TrimSpace(s) != "")
	p.nodes++
	p.top().add(&Node{Text: s})
}

// startTag takes an element's start, with its attributes.
func (p *parser) startTag(selfClosing bool) {
	attrs := attributes(p.tokens.Raw())
	raw, _ := p.tokens.TagName()
	tag := string(raw)
	switch tag {
	case "script":
		p.scripts++
		p.skip(tag, selfClosing)
		return
	case "style", "template", "svg":
		p.skip(tag, selfClosing && tag == "svg")
		return
	case "noscript", "noframes":
		p.tokens.NextIsNotRawText()
	}
	p.start(&Node{Tag: tag, Block: isBlock(tag), attrs: attrs}, selfClosing)
}

// skip passes over an element whose content is no text of the page. In a
// drawing, elements of the page end it, as the standard says; in the others
// the tokenizer sees to that.
func (p *parser) skip(tag string, selfClosing bool) {
	if selfClosing && tag != "script" {
		return
	}
	for depth := 1; depth > 0; {
		kind := p.tokens.Next()
		if kind == html.ErrorToken {
			return
		}
		if kind != html.StartTagToken && kind != html.EndTagToken {
			continue
		}
		raw, _ := p.tokens.TagName()
		name := string(raw)
		switch {
		case kind == html.EndTagToken && name == tag:
			depth--
		case kind == html.EndTagToken && tag != "template" && (name == "body" || name == "html"):
			return
		case kind == html.EndTagToken:
		case name == tag:
			depth++
		case tag == "svg" && isBlock(name):
			p.start(&Node{Tag: name, Block: true}, false)
			return
		}
	}
}

// start opens the element after closing what it closes.
func (p *parser) start(n *Node, selfClosing bool) {
	switch n.Tag {
	case "html":
		if p.index("html") > 0 {
			return
		}
	case "body":
		if p.index("body") > 0 {
			return
		}
		p.popTo(p.index("head"))
	case "head":
		if p.index("head") > 0 || p.index("body") > 0 {
			return
		}
	default:
		p.closeHead(!inHead(n.Tag))
		p.imply(n.Tag)
	}
	p.nodes++
	if isVoid(n.Tag) || selfClosing && p.index("math") > 0 {
		p.top().add(n)
		return
	}
	if p.top().depth >= MaxDepth {
		p.skipped[n.Tag]++
		return
	}
	p.top().add(n)
	p.stack = append(p.stack, n)
	p.open[n.Tag]++
}

// closeHead closes the head where something begins that cannot be in it.
func (p *parser) closeHead(really bool) {
	if really && len(p.stack) <= 4 {
		if i := p.index("head"); i > 0 {
			if at := p.top(); at.Tag == "head" || at.Tag == "noscript" {
				p.popTo(i)
			}
		}
	}
}

// imply closes what the start of an element closes without an end tag, and
// opens the row that a cell needs.
func (p *parser) imply(tag string) {
	switch tag {
	case "li":
		p.closeItem(func(n *Node) bool { return n.Tag == "li" })
	case "dd", "dt":
		p.closeItem(func(n *Node) bool { return n.Is("dd", "dt") })
	case "option", "optgroup":
		if p.top().Tag == "option" {
			p.popTo(len(p.stack) - 1)
		}
	case "a", "button", "nobr":
		if i := p.within(tag); i > 0 {
			p.drop(i)
		}
	case "td", "th":
		p.popTo(p.inTable("td", "th"))
		if p.inTable("tr") < 0 && p.inTable("table") > 0 {
			p.start(&Node{Tag: "tr", Block: true}, false)
		}
	case "tr":
		p.popTo(p.inTable("tr"))
		p.popTo(p.inTable("td", "th", "caption", "colgroup"))
	case "thead", "tbody", "tfoot", "caption", "colgroup":
		p.popTo(p.inTable("thead", "tbody", "tfoot", "caption", "colgroup", "tr"))
	}
	if !isBlock(tag) || isTablePart(tag) {
		return
	}
	p.popTo(p.within("p"))
	if isHeading(tag) && isHeading(p.top().Tag) {
		p.popTo(len(p.stack) - 1)
	}
}

// closeItem closes the item of a list that is open in the same list.
func (p *parser) closeItem(same func(*Node) bool) {
	for i := len(p.stack) - 1; i > 0; i-- {
		n := p.stack[i]
		if same(n) {
			p.popTo(i)
			return
		}
		if isBlock(n.Tag) && !n.Is("address", "div", "p") || n.Tag == "body" {
			return
		}
	}
}

// end takes an end tag.
func (p *parser) end(tag string) {
	switch {
	case tag == "br":
		p.nodes++
		p.top().add(&Node{Tag: "br"})
		return
	case tag == "body" || tag == "html" || isVoid(tag):
		return
	case p.skipped[tag] > 0:
		p.skipped[tag]--
		return
	case isTablePart(tag) || tag == "table":
		p.popTo(p.inTable(tag))
		return
	case isHeading(tag):
		p.popTo(p.within("h1", "h2", "h3", "h4", "h5", "h6"))
		return
	case isBlock(tag):
		p.popTo(p.within(tag))
		return
	}
	if i := p.within(tag); i > 0 {
		p.drop(i)
	}
}

// index is where the element is open, or -1.
func (p *parser) index(tag string) int {
	if p.open[tag] == 0 {
		return -1
	}
	for i := len(p.stack) - 1; i > 0; i-- {
		if p.stack[i].Tag == tag {
			return i
		}
	}
	return -1
}

// within is where one of the elements is open in the same cell, or -1.
func (p *parser) within(tags ...string) int {
	if !p.anyOpen(tags) {
		return -1
	}
	for i := len(p.stack) - 1; i > 0; i-- {
		n := p.stack[i]
		if n.Is(tags...) {
			return i
		}
		if n.Is("td", "th", "caption", "table", "button", "object") {
			return -1
		}
	}
	return -1
}

// inTable is where the outermost of these parts is open in the innermost
// table, or -1. The table itself can be asked for, too.
func (p *parser) inTable(tags ...string) int {
	found := -1
	if !p.anyOpen(tags) {
		return found
	}
	for i := len(p.stack) - 1; i > 0; i-- {
		n := p.stack[i]
		if n.Is(tags...) {
			found = i
		}
		if n.Tag == "table" {
			return found
		}
	}
	return found
}

func (p *parser) anyOpen(tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return p.open[tag] > 0 })
}

// popTo closes the open element at i, if there is one, and all within it.
func (p *parser) popTo(i int) {
	if i > 0 && i < len(p.stack) {
		for _, n := range p.stack[i:] {
			p.open[n.Tag]--
		}
		clear(p.stack[i:])
		p.stack = p.stack[:i]
	}
}

// drop closes the open element at i, and leaves open the blocks within it:
// what is in it stays in it, and what comes does not.
func (p *parser) drop(i int) {
	between := p.stack[i+1:]
	if !slices.ContainsFunc(between, func(n *Node) bool { return isBlock(n.Tag) }) {
		p.popTo(i)
		return
	}
	p.open[p.stack[i].Tag]--
	p.stack = append(p.stack[:i], between...)
}
