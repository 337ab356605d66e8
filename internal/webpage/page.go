package webpage

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/minicode-go/minicode/internal/htmltree"
)

// DefaultMax is the longest Markdown that is made, in bytes, unless Options
// say otherwise.
const DefaultMax = 2_000_000

// Options are what is known of a page besides its bytes.
type Options struct {
	URL *url.URL // where it came from; links are resolved against it, and its fragment is looked for
	Max int      // bytes of Markdown; 0 is DefaultMax
}

// Page is a page, read.
type Page struct {
	Title    string
	Markdown string
	Start    int    // where in Markdown the fragment of the address begins; -1 where it is not found or there is none
	Refresh  string // the address that the page sends its readers to, as it is written there
	Scripted bool   // there is hardly any text, and there are scripts
	Cut      bool   // the page goes on
}

// fewWords is the number of characters under which a page with scripts is
// taken to be made by them.
const fewWords = 200

// Read reads a page in UTF-8.
func Read(body []byte, o Options) Page {
	tree := htmltree.Parse(body)
	if o.URL == nil {
		o.URL = &url.URL{}
	}
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	page := Page{Start: -1, Cut: tree.Cut}
	base := page.readHead(tree.Root, o.URL)
	r := newRenderer(tree.Root, base, o, false)
	page.Markdown = r.page()
	if tree.Scripts > 0 && len(page.Markdown) < fewWords {
		// What is there for those without scripts is better than nothing.
		if without := newRenderer(tree.Root, base, o, true); len(without.page()) > len(page.Markdown) {
			r, page.Markdown = without, without.out.text()
		}
		page.Scripted = len(page.Markdown) < fewWords
	}
	page.Start = r.start
	if page.Start >= len(page.Markdown) {
		page.Start = -1
	}
	page.Cut = page.Cut || r.out.full || r.enough
	if page.Title == "" && r.pick.h1 != nil {
		page.Title = oneLine(r.pick.h1.TextContent())
	}
	return page
}

// readHead reads what the page says of itself, and gives the address that
// its links are relative to.
func (p *Page) readHead(root *htmltree.Node, from *url.URL) *url.URL {
	base, based, shared := from, false, ""
	for n := range root.All() {
		switch {
		case n.Tag == "title" && p.Title == "":
			p.Title = oneLine(n.TextContent())
		case n.Tag == "base" && !based && n.Attr("href") != "":
			based = true
			if u, err := from.Parse(strings.TrimSpace(n.Attr("href"))); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				base = u
			}
		case n.Tag != "meta":
		case n.Attr("property") == "og:title":
			shared = oneLine(n.Attr("content"))
		case strings.EqualFold(n.Attr("http-equiv"), "refresh") && p.Refresh == "" && n.Parent.Tag != "noscript":
			p.Refresh = refresh(n.Attr("content"))
		}
	}
	if p.Title == "" {
		p.Title = shared
	}
	return base
}

// refresh is the address in the content of a refresh, where it comes soon:
// "0; url='x'".
func refresh(content string) string {
	i := strings.IndexAny(content, ";,")
	if i < 0 {
		return "" // it is only read anew
	}
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(content[:i]), 64); err != nil || seconds > 10 {
		return ""
	}
	rest := strings.TrimSpace(content[i+1:])
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(rest[3:]), "="); ok {
			rest = strings.TrimSpace(value)
		}
	}
	if len(rest) > 1 && (rest[0] == '\'' || rest[0] == '"') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return rest
}

// Line is the text of a piece of HTML, such as the title of a search result,
// as one line, without what cannot be seen.
func Line(html string) string {
	if strings.ContainsAny(html, "<&") {
		html = htmltree.Parse([]byte(html)).Root.TextContent()
	}
	return strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(html, "\uFFFD"))), " ")
}

// oneLine is text as a line, without what cannot be seen.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(visible, s)), " ")
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// visible maps what has no place in text to nothing: controls, marks that
// turn the direction of writing, and characters that are not seen, with which
// a page can say to a program what it does not say to a person.
func visible(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r', r == '\f':
		return ' '
	case r == 0xA0, r == 0x2007, r == 0x202F:
		return ' '
	case r < 0x20, r >= 0x7F && r < 0xA0, r == 0xAD, r == 0x200B, r == 0x2060, r == 0xFEFF:
		return -1
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F:
		return -1
	case r >= 0xE0000 && r <= 0xE0FFF:
		return -1
	}
	return r
}
