package webpage

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/htmltree"
)

type node = htmltree.Node

// picker finds what of a page is its content.
type picker struct {
	noscript bool           // what is there for those without scripts counts
	dropped  map[*node]bool // what is left out, with all in it
	weight   map[*node]weight
	content  *node
	h1       *node // the page's first, where the content has none
}

// weight is how much text is in an element that is not dropped.
type weight struct{ text, linked int }

// score counts four for each character of text, and one for those of links:
// lists of links are more often beside the content than in it.
func (w weight) score() int { return 4*w.text - 3*w.linked }

func pick(root *node, noscript bool) *picker {
	p := &picker{noscript: noscript, dropped: map[*node]bool{}, weight: map[*node]weight{}}
	p.weigh(root, false)
	p.dropNamed(root)
	p.content = p.find(root)
	if p.first(p.content, "h1") == nil {
		p.h1 = p.pageTitle(root)
	}
	return p
}

// weigh measures n, and drops what says by its kind that it is no content.
func (p *picker) weigh(n *node, linked bool) weight {
	if n.Tag == "" {
		count := len(n.Text) - strings.Count(n.Text, " ") - strings.Count(n.Text, "\n") - strings.Count(n.Text, "\t")
		w := weight{text: count}
		if linked {
			w.linked = count
		}
		return w
	}
	if p.noContent(n) || p.noRole(n) || p.hidden(n) {
		p.dropped[n] = true
		return weight{}
	}
	var sum weight
	for c := range n.Children() {
		w := p.weigh(c, linked || n.Tag == "a")
		sum.text, sum.linked = sum.text+w.text, sum.linked+w.linked
	}
	p.weight[n] = sum
	return sum
}

// noContent is whether the element says by its kind that it is no content.
func (p *picker) noContent(n *node) bool {
	switch n.Tag {
	case "head", "title", "base", "link", "meta", "nav", "dialog", "search", "select", "datalist", "textarea", "canvas", "audio", "video", "object",
		"embed", "applet", "map", "menuitem", "rp", "param", "progress", "meter":
		return true
	case "noscript":
		return !p.noscript
	case "ul":
		return isThreadMenu(n)
	case "input":
		return n.Attr("type") != "checkbox" || !inside(n, "li")
	case "button":
		return !inside(n, "h1", "h2", "h3", "h4", "h5", "h6", "summary")
	case "footer":
		return !inside(n, "blockquote", "figure")
	case "header":
		return !inside(n, "main", "article", "section") && n.Attr("role") == "" && n.Find("main", "article") == nil
	case "aside":
		return !isNote(n) && n.Find("h1", "main", "article") == nil
	}
	return false
}

// isThreadMenu is whether a list leads to the messages around one, as the
// archives of mailing lists have it, which mark up nothing.
func isThreadMenu(n *node) bool {
	for c := range n.Children() {
		if c.Tag != "li" || c.First == nil {
			continue
		}
		text := ""
		for t := range c.All() {
			if text = strings.TrimSpace(t.Text); text != "" {
				break
			}
		}
		return strings.HasPrefix(text, "Previous message") || strings.HasPrefix(text, "Next message") || strings.HasPrefix(text, "Messages sorted by")
	}
	return false
}

func (p *picker) noRole(n *node) bool {
	switch n.Attr("role") {
	case "navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog", "tablist", "tooltip":
		return n.Find("main", "article") == nil
	case "complementary":
		return !isNote(n)
	}
	return false
}

// isNote is whether an aside is a part of the text: a warning, a footnote.
func isNote(n *node) bool {
	if strings.HasPrefix(n.Attr("role"), "doc-") || n.Attr("role") == "note" {
		return true
	}
	return named(n, func(part string) bool {
		switch part {
		case "note", "tip", "warning", "caution", "info", "admonition", "callout", "hint", "important", "danger", "example", "footnote", "alert":
			return true
		}
		return false
	})
}

// hidden is whether a person would not see the element. What tabs hide is
// seen at a click.
func (p *picker) hidden(n *node) bool {
	if n.Attr("role") == "tabpanel" || n.Is("html", "body", "main", "article") {
		return false
	}
	if n.Has("hidden") && n.Attr("hidden") != "until-found" || n.Attr("aria-hidden") == "true" {
		return true
	}
	if !n.Has("style") {
		return false
	}
	style := strings.ReplaceAll(strings.ToLower(n.Attr("style")), " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// dropNamed drops what says by its name that it is no content, unless it is
// so large a part of the page that the name must mean something else.
func (p *picker) dropNamed(root *node) {
	total := p.weight[root].text
	var visit func(n *node)
	visit = func(n *node) {
		if p.dropped[n] || n.Tag == "" {
			return
		}
		if w := p.weight[n]; w.text*5 <= total && namedAside(n, w) && n.Find("h1", "main", "article") == nil {
			p.dropped[n] = true
			for up := n.Parent; up != nil; up = up.Parent {
				have := p.weight[up]
				p.weight[up] = weight{have.text - w.text, have.linked - w.linked}
			}
			return
		}
		for c := range n.Children() {
			visit(c)
		}
	}
	visit(root)
}

// namedAside is whether the names of the element say that it is beside the
// content. Some names do so only where there is little but links.
func namedAside(n *node, w weight) bool {
	if !n.Has("class") && !n.Has("id") {
		return false
	}
	if n.HasClass("mw-editsection", "noprint", "navbox", "catlinks", "printfooter", "sr-only", "visually-hidden", "screen-reader-text", "skip-link") {
		return true
	}
	linky := w.linked*2 >= w.text
	return named(n, func(part string) bool {
		switch part {
		case "sidebar", "breadcrumb", "breadcrumbs", "navbar", "navigation", "cookie", "cookies", "consent", "gdpr", "newsletter", "subscribe", "pagination", "pager",
			"share", "sharing", "social", "ad", "ads", "sponsor", "sponsored", "advert", "advertisement", "promo", "modal", "popup", "clipboard", "skiplink",
			"sphinxsidebar", "backlink", "colophon":
			return true
		case "nav", "menu", "toc", "footer", "related", "recommended", "recommendations", "banner", "tags", "jump", "topbar", "toolbar":
			return linky
		}
		return false
	})
}

// named is whether a part of one of the element's names is among those asked
// for: "md-sidebar" has "md" and "sidebar".
func named(n *node, asked func(part string) bool) bool {
	names := strings.ToLower(n.Attr("class") + " " + n.Attr("id"))
	parts := strings.FieldsFunc(names, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return slices.ContainsFunc(parts, asked)
}

// find is the element that is the content.
func (p *picker) find(root *node) *node {
	total := p.weight[root].score()
	if total <= 0 {
		return root
	}
	var mains, articles, bodies []*node
	p.each(root, func(n *node) {
		switch {
		case n.Tag == "main" || n.Attr("role") == "main":
			mains = append(mains, n)
		case n.Tag == "article" && !inside(n, "article"):
			articles = append(articles, n)
		case n.Attr("itemprop") == "articleBody" || isContentID(n.Attr("id")):
			bodies = append(bodies, n)
		}
	})
	within := root
	if main := p.heaviest(mains); main != nil && p.weight[main].score()*10 >= total*3 {
		within = main
		total = p.weight[main].score()
	}
	if len(articles) > 0 {
		if a := p.heaviest(articles); under(a, within) && p.weight[a].score()*10 >= total*6 {
			return a
		}
	}
	if within != root {
		return within
	}
	if n := p.heaviest(bodies); n != nil && p.weight[n].score()*2 >= total {
		return n
	}
	return p.descend(root)
}

func isContentID(id string) bool {
	switch id {
	case "content", "main-content", "maincontent", "bodyContent", "mw-content-text", "article", "post", "main", "readme":
		return true
	}
	return false
}

// descend goes into the element that holds most of the text, as long as one
// does.
func (p *picker) descend(n *node) *node {
	for {
		var next *node
		for c := range n.Children() {
			if c.Tag != "" && !p.dropped[c] && p.weight[c].score()*4 >= p.weight[n].score()*3 {
				next = c
			}
		}
		if next == nil || !next.Block || next.Is("ul", "ol", "dl", "pre", "p", "a", "blockquote", "article", "details", "h1", "h2", "h3", "h4", "h5", "h6") {
			return n
		}
		if next.Tag == "table" && next.Find("th") != nil {
			return n
		}
		n = next
	}
}

func (p *picker) heaviest(all []*node) *node {
	var best *node
	for _, n := range all {
		if best == nil || p.weight[n].score() > p.weight[best].score() {
			best = n
		}
	}
	return best
}

// pageTitle is the page's h1, wherever it is that may hold one.
func (p *picker) pageTitle(root *node) *node {
	for n := range root.All() {
		if n.Tag == "h1" && !inside(n, "nav", "footer", "aside", "dialog", "noscript") && !p.hidden(n) && strings.TrimSpace(n.TextContent()) != "" {
			return n
		}
	}
	return nil
}

// first is the first element of this name that is not dropped.
func (p *picker) first(root *node, tag string) *node {
	var found *node
	p.each(root, func(n *node) {
		if found == nil && n.Tag == tag {
			found = n
		}
	})
	return found
}

// each visits the elements that are not dropped.
func (p *picker) each(n *node, visit func(*node)) {
	if n.Tag == "" || p.dropped[n] {
		return
	}
	visit(n)
	for c := range n.Children() {
		p.each(c, visit)
	}
}

func inside(n *node, tags ...string) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.Is(tags...) {
			return true
		}
	}
	return false
}

func under(n, root *node) bool {
	for up := n; up != nil; up = up.Parent {
		if up == root {
			return true
		}
	}
	return false
}
