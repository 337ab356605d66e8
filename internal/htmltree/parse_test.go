package htmltree

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// outline writes the tree as nested brackets.
func outline(n *Node) string {
	var b strings.Builder
	for c := range n.Children() {
		if c.Tag == "" {
			fmt.Fprintf(&b, "%q", c.Text)
			continue
		}
		b.WriteString(c.Tag + "(" + outline(c) + ")")
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"a whole page", "<!doctype html><html><head><title>T &amp; U</title><meta charset=utf-8></head><body><p>x</p></body></html>", `html(head(title("T & U")meta())body(p("x")))`},
		{"no body tag", "<title>T</title><p>x", `title("T")p("x")`},
		{"the head ends where text begins", "<html><head><title>T</title><p>x", `html(head(title("T"))p("x"))`},
		{"body closes head", "<head><title>T</title><body>x", `head(title("T"))body("x")`},
		{"after the body", "<body>a</body></html>b", `body("a""b")`},
		{"paragraphs without ends", "<p>a<p>b<div>c</div>", `p("a")p("b")div("c")`},
		{"a paragraph in a cell leaves the outer one", "<div><p>a<table><tr><td>b<p>c</table>", `div(p("a")table(tr(td("b"p("c")))))`},
		{"items without ends", "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", `ul(li("a")li("b"ul(li("c")))li("d"))`},
		{"terms without ends", "<dl><dt>a<dd>b<dt>c<dd><p>d</dl>", `dl(dt("a")dd("b")dt("c")dd(p("d")))`},
		{"a table without ends", "<table><caption>t<thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table>x", `table(caption("t")thead(tr(th("a")th("b")))tbody(tr(td("1")td("2"))))"x"`},
		{"cells without rows", "<table><td>a<td>b</table>", `table(tr(td("a")td("b")))`},
		{"a table in a table", "<table><tr><td><table><tr><td>in</table>out<td>z</table>", `table(tr(td(table(tr(td("in")))"out")td("z")))`},
		{"a table that is never closed, in a cell", "<table><tr><td><table><tr><td>in</td></tr></td></tr></table>out</table>", `table(tr(td(table(tr(td("in")))"out")))`},
		{"misnested formatting", "<b>a<i>b</b>c</i>d", `b("a"i("b"))"c""d"`},
		{"formatting over a block", "<a href=x><div>a</a>b</div>c", `a(div("a""b"))"c"`},
		{"a link that is never closed", "<a href=x>a<p>b<a href=y>c</a>d", `a("a"p("b"a("c")"d"))`},
		{"an end without a start", "a</div></b></p></table>b", `"a""b"`},
		{"scripts, styles, templates, comments", "a<script>if (a<b) '</p>'</script><style>p{}</style><template><p>x<template>y</template></p></template><!-- no -->b", `"a""b"`},
		{"drawings", "a<svg><title>no</title><path/><svg></svg></svg>b", `"a""b"`},
		{"a drawing that is never closed", "a<svg><path><p>b", `"a"p("b")`},
		{"noscript is read", "<noscript><p>turn it on</p></noscript>", `noscript(p("turn it on"))`},
		{"raw text", "<textarea>\n<b></textarea><xmp><i></xmp><iframe><p>old</p></iframe>", `textarea("<b>")xmp("<i>")iframe()`},
		{"the first line of pre", "<pre>\n\n a\n</pre>", `pre("\n a\n")`},
		{"references", "&lt;p&gt; &nbsp; &#x41;&nopeanentity; &AMP", `"<p> \u00a0 A&nopeanentity; &"`},
		{"a heading ends the one before", "<h2>a<h3>b</h2>c", `h2("a")h3("b")"c"`},
		{"mathematics", "<math><mi/><mo>x</mo></math>y", `math(mi()mo("x"))"y"`},
		{"cut in a tag", "a<p>b<a href=\"x", `"a"p("b")`},
		{"cut in a comment", "a<!-- b", `"a"`},
		{"line ends", "<pre>a\r\nb\rc</pre>", `pre("a\nb\nc")`},
		{"options", "<select><option>a<option>b</select>c", `select(option("a")option("b"))"c"`},
	} {
		if diff := cmp.Diff(c.want, outline(Parse([]byte(c.html)).Root)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNode(t *testing.T) {
	p := Parse([]byte(`<div CLASS="A b" hidden data-x=1 onclick=x><p>one <b>two</b></p><i>three</i></div><span>four</span><script></script>`))
	div := p.Root.Find("div")
	if !div.HasClass("a") || div.HasClass("c") || !div.Has("hidden") || div.Has("onclick") || div.Attr("data-x") != "" {
		t.Errorf("attributes of %+v", div.attrs)
	}
	if got := div.TextContent(); got != "one twothree" {
		t.Errorf("TextContent = %q", got)
	}
	if !div.Block || !div.Find("p").Block || div.Find("b").Block || p.Root.Find("span").Block || p.Root.Find("nope") != nil {
		t.Error("Block is wrong")
	}
	if p.Scripts != 1 || p.Cut {
		t.Errorf("%+v", p)
	}
	inline := Parse([]byte(`<span><i><p>x</p></i></span>`)).Root.Find("span")
	if !inline.Block {
		t.Error("an inline element that holds a block is not marked")
	}
}

func TestAttributes(t *testing.T) {
	for tag, want := range map[string]string{
		`<a>`:                              "",
		`<a href=x>`:                       "href=x",
		`<A HREF = "x y" Title='&quot;z'>`: `href=x y|title="z`,
		`<a href='a"b' class=c/d/ id=e/>`:  `href=a"b|class=c/d/|id=e/`,
		`<br/>`:                            "",
		`<a hidden id>`:                    "hidden=|id=",
		`<a href="x"title="y"id='z'>`:      "href=x|title=y|id=z",
		`<a href=x href=y>`:                "href=x",
		`<a =href=x id=y>`:                 "id=y",
		`<a href=>`:                        "href=",
		"<a\nhref\t=\fx\r>":                "href=x",
		`<a onclick="id=1" id=2>`:          "id=2",
		`<a href="?a=1&copy=2&amp;b=3&lt=4&#65;&#x42;&notit;&semi;&nope;&">`: "href=?a=1&copy=2&b=3&lt=4AB&notit;;&nope;&",
		`<a href="a>b" id=c>`: "href=a>b|id=c",
	} {
		var got []string
		for _, a := range attributes([]byte(tag)) {
			got = append(got, a.name+"="+a.value)
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tag, diff)
		}
	}
}

// hostile are pages made to be costly.
func hostile(n int) map[string]string {
	var formatting strings.Builder
	formatting.WriteString("<p>")
	for i := range 400 {
		fmt.Fprintf(&formatting, "<b id=%d>", i)
	}
	return map[string]string{
		"formatting that the standard opens again and again": formatting.String() + strings.Repeat("<p>x", n),
		"depth":                    strings.Repeat("<div>", n),
		"depth and ends":           strings.Repeat("<div>", n) + strings.Repeat("</div>", n),
		"ends":                     strings.Repeat("</div>", n),
		"open formatting":          strings.Repeat("<b>", n/2) + strings.Repeat("<div>", n/2) + strings.Repeat("</b>", n/2),
		"links":                    strings.Repeat("<a href=x><div>", n),
		"tables in tables":         strings.Repeat("<table><tr><td>", n),
		"lists in lists":           strings.Repeat("<ul><li>", n),
		"quotes":                   strings.Repeat("<blockquote>x", n),
		"attributes":               "<p " + strings.Repeat("a ", n) + ">",
		"references in attributes": "<a href='" + strings.Repeat("&", min(n, 4000)) + "'>" + strings.Repeat("<a href='&a;&'>", n/8),
		"a long attribute":         "<a href='" + strings.Repeat("a", n) + "'>",
		"comments":                 strings.Repeat("<!--", n),
		"drawings":                 strings.Repeat("<svg>", n),
		"templates":                strings.Repeat("<template>", n),
		"opening brackets":         strings.Repeat("<", n),
		"references":               strings.Repeat("&", n),
		"scripts":                  strings.Repeat("<script>", n),
		"nul":                      strings.Repeat("\x00", n),
		"self-closing in maths":    "<math>" + strings.Repeat("<a/>", n),
	}
}

// TestBounds counts the nodes of pages that are made to be costly.
func TestBounds(t *testing.T) {
	const n = 5_000
	for name, page := range hostile(n) {
		tree := Parse([]byte(page))
		nodes, depth := measure(tree.Root)
		if most := 2*n + 1000; nodes > most {
			t.Errorf("%s: %d nodes, over %d", name, nodes, most)
		}
		if depth > MaxDepth+1 {
			t.Errorf("%s: %d deep", name, depth)
		}
	}
	tree := Parse([]byte(strings.Repeat("<i>x</i>", MaxNodes/2+9)))
	if nodes, _ := measure(tree.Root); !tree.Cut || nodes > MaxNodes+1 {
		t.Errorf("%d nodes of a page without end, cut %v", nodes, tree.Cut)
	}
}

func measure(root *Node) (nodes, deepest int) {
	for n := range root.All() {
		nodes++
		deepest = max(deepest, n.depth)
	}
	return nodes, deepest
}

func FuzzParse(f *testing.F) {
	for _, page := range hostile(20) {
		f.Add([]byte(page))
	}
	f.Add([]byte("<table><tr><td><p>x<ul><li>a<li><a href=y>b</td></tr></table><dl><dt>a<dd>b"))
	f.Fuzz(func(t *testing.T, page []byte) {
		tree := Parse(page)
		// A tag adds its node and at most the row that a cell lacks.
		nodes, depth := measure(tree.Root)
		if nodes > 2*len(page)+1 || depth > MaxDepth+1 {
			t.Fatalf("%d nodes, %d deep, of %d bytes", nodes, depth, len(page))
		}
		for n := range tree.Root.All() {
			for c := range n.Children() {
				if c.Parent != n || c.depth != n.depth+1 {
					t.Fatal("a child does not know where it is")
				}
			}
			if utf8.Valid(page) && !utf8.ValidString(n.Text) {
				t.Fatalf("text %q is not UTF-8", n.Text)
			}
		}
	})
}
