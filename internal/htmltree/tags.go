package htmltree

func isVoid(tag string) bool {
	switch tag {
	case "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// isBlock is whether the element stands on lines of its own.
func isBlock(tag string) bool {
	switch tag {
	case "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl", "dt", "dd", "fieldset", "figcaption",
		"figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "li", "listing", "main", "menu", "nav",
		"ol", "p", "plaintext", "pre", "search", "section", "summary", "table", "ul", "xmp":
		return true
	}
	return isTablePart(tag)
}

func isTablePart(tag string) bool {
	switch tag {
	case "caption", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr":
		return true
	}
	return false
}

func isHeading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
}

func inHead(tag string) bool {
	switch tag {
	case "base", "link", "meta", "noscript", "title":
		return true
	}
	return false
}

// says is whether the attribute says something of what the page says.
func says(name string) bool {
	switch name {
	case "alt", "aria-hidden", "aria-label", "aria-level", "charset", "checked", "cite", "class", "colspan", "content", "data-lang", "data-language",
		"data-src", "datetime", "encoding", "hidden", "href", "http-equiv", "id", "itemprop", "lang", "name", "property", "rel", "reversed", "role",
		"rowspan", "src", "start", "style", "title", "type", "value":
		return true
	}
	return false
}
