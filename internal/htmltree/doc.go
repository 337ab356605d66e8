// Package htmltree makes a tree of a web page, whatever its HTML is like.
//
//	page := htmltree.Parse(body) // UTF-8
//	for n := range page.Root.All() {
//		if n.Is("a") {
//			fmt.Println(n.Attr("href"), n.TextContent())
//		}
//	}
//
// Invariants: no input makes it fail, and none makes it costly: the tree has
// at most one node for each tag and text of the page, at most [MaxNodes] in
// all, is at most [MaxDepth] deep, and is made in time in proportion to the
// page. That is why it does not follow the whole of the HTML standard, by
// which a page of 20 kB can ask for millions of elements: misnested
// formatting is closed where its block ends and is not opened again.
//
// Scripts, styles, templates, drawings and comments are not in the tree, nor
// are attributes that say nothing of what a page says.
//
// The standard: https://html.spec.whatwg.org/multipage/parsing.html.
package htmltree
