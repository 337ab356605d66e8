// Package webpage makes readable Markdown of a web page: of its article, its
// thread, its reference, and not of what stands around it on every page of
// the site.
//
//	page := webpage.Read(body, webpage.Options{URL: address})
//	fmt.Println(page.Title)
//	fmt.Println(page.Markdown)
//
// Invariants: headings, links with their whole addresses, code byte for byte
// and the cells of tables come in the page's order; scripts, styles, hidden
// parts, navigation and footers do not come at all; any input gives valid
// UTF-8 of a bounded size, in time in proportion to the input; the same page
// gives the same bytes.
//
// It works by what pages say of themselves (main, article, roles, the names
// of classes that the world has agreed on), and where a page says nothing, by
// where the text is that is not links. It does not run scripts: a page that
// is made by them has no text, which [Page] tells.
//
// Markdown is escaped only where it would be misread as something else at
// the beginning of a line, in a table, or as a tag: it is for reading.
package webpage
