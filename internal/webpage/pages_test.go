package webpage

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// TestPages reads pages of ten shapes, each in the manner of a program that
// makes many such pages. The Markdown is compared with its golden file, and,
// so that a golden cannot be wrong, its headings, links, code and cells with
// those of the page: the page is parsed as the standard says, the Markdown as
// CommonMark says, and neither by what is tested here.
//
// In the pages, data-article is on what must come and data-not on what in it
// must not; every word outside of that begins with zz. data-plain is on links
// that are not kept, data-math on formulas, data-lines on code whose lines
// are elements.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, path := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".html"), func(t *testing.T) {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := "https://site.example/a/" + filepath.Base(path)
			page := Read(body, Options{URL: mustURL(t, at)})
			golden(t, strings.TrimSuffix(path, ".html")+".md", page.Title+"\n\n"+page.Markdown+"\n")

			want := inHTML(t, body, at)
			// Cells that stand for the width of others are empty.
			got := slices.DeleteFunc(inMarkdown(page.Markdown), func(piece string) bool { return piece == "cell " })
			if diff := cmp.Diff(want.pieces, got); diff != "" {
				t.Errorf("headings, links, code and cells (-page +Markdown):\n%s", diff)
			}
			if i := strings.Index(page.Markdown, "zz"); i >= 0 {
				t.Errorf("what is not the article came through: %.60q", page.Markdown[i:])
			}
			rest := page.Markdown
			for _, word := range want.words {
				_, after, ok := strings.Cut(rest, word)
				if !ok {
					t.Fatalf("the word %q is not there, or not in its place", word)
				}
				rest = after
			}
			if len(want.words) < 20 || len(want.pieces) < 3 {
				t.Errorf("%d words and %d pieces are too little of a test", len(want.words), len(want.pieces))
			}
		})
	}
}

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// article is what of a page must be in its Markdown.
type article struct {
	pieces []string // headings, links, code and cells, in order
	words  []string // of plain text, in order
}

type htmlReader struct {
	article
	base *url.URL
	pre  bool   // in code
	card string // the link around the next heading, which comes in it
}

func inHTML(t *testing.T, body []byte, at string) article {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r := htmlReader{base: mustURL(t, at)}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && has(n, "data-article") {
			r.read(n)
		}
	}
	return r.article
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (r *htmlReader) read(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		for _, w := range strings.Fields(n.Data) {
			plain := strings.IndexFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) < 0
			if plain && len(w) > 2 {
				r.words = append(r.words, w)
			}
		}
		return
	case n.Type != html.ElementNode, has(n, "data-not"), n.Data == "script", n.Data == "style", n.Data == "svg":
		return
	case has(n, "data-math"):
		return
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.pieces = append(r.pieces, n.Data+" "+content(n))
		if r.card != "" {
			r.pieces, r.card = append(r.pieces, r.card), ""
		}
	case "a":
		to, err := r.base.Parse(attribute(n, "href"))
		if err == nil && !r.pre && !has(n, "data-plain") {
			link := to.String()
			if bare, _, _ := strings.Cut(link, "#"); bare == r.base.String() {
				link = link[len(bare):]
			}
			if n.FirstChild != nil && n.FirstChild.Data == "h3" {
				r.card = "link " + link
			} else {
				r.pieces = append(r.pieces, "link "+link)
			}
		}
	case "pre":
		r.pieces = append(r.pieces, "code "+code(n))
		r.pre = true
		defer func() { r.pre = false }()
	case "td", "th":
		if table := ancestor(n, "table"); attribute(table, "role") != "presentation" && attribute(table, "class") != "highlighttable" && content(n) != "" {
			r.pieces = append(r.pieces, "cell "+content(n))
		}
	}
	for c := range n.ChildNodes() {
		r.read(c)
	}
}

func ancestor(n *html.Node, tag string) *html.Node {
	for n.Data != tag {
		n = n.Parent
	}
	return n
}

// content is the text of an element on one line.
func content(n *html.Node) string {
	var b strings.Builder
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case has(n, "data-not"):
		default:
			apart := slices.Contains([]string{"p", "br", "li", "ul"}, n.Data)
			if apart {
				b.WriteByte(' ')
			}
			for c := range n.ChildNodes() {
				visit(c)
			}
			if apart {
				b.WriteByte(' ')
			}
		}
	}
	visit(n)
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\u200b", "")), " ")
}

// code is the text of a block of code, with one line end after it.
func code(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		inNot := false
		for p := c; p != n; p = p.Parent {
			inNot = inNot || has(p, "data-not")
		}
		switch {
		case inNot:
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Data == "br":
			b.WriteByte('\n')
		}
		if has(n, "data-lines") && c.Data == "div" && c.PrevSibling != nil {
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

// inMarkdown is the pieces of Markdown as CommonMark, with tables, reads it.
func inMarkdown(markdown string) []string {
	src := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src))
	var pieces []string
	flat := func(n ast.Node) string {
		var b strings.Builder
		_ = ast.Walk(n, func(n ast.Node, in bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Text:
				if in {
					b.Write(unescape(n.Segment.Value(src), n.Parent().Kind() == ast.KindCodeSpan))
				}
			case *ast.RawHTML: // the breaks, and what is raised
				if in && string(n.Segments.Value(src)) == "<br>" {
					b.WriteByte(' ')
				}
			}
			return ast.WalkContinue, nil
		})
		return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "• ", "")), " ")
	}
	_ = ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			pieces = append(pieces, fmt.Sprintf("h%d %s", n.Level, flat(n)))
		case *ast.Link:
			pieces = append(pieces, "link "+string(n.Destination))
		case *ast.FencedCodeBlock:
			pieces = append(pieces, "code "+string(n.Lines().Value(src)))
		case *east.TableCell:
			pieces = append(pieces, "cell "+flat(n))
		}
		return ast.WalkContinue, nil
	})
	return pieces
}

func unescape(b []byte, inCode bool) []byte {
	s := string(b)
	if !inCode {
		s = strings.NewReplacer(`\<`, "<", `\|`, "|").Replace(s)
	}
	return []byte(strings.ReplaceAll(s, `\|`, "|"))
}
