package webpage

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func read(t testing.TB, at, body string) Page {
	return Read([]byte(body), Options{URL: mustURL(t, at)})
}

// TestMarkdown holds small pages, each for one thing.
func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"blanks are drawn together", "<p>  a \n b&nbsp;c\t<b> d </b>e", "a b c **d** e"},
		{"marks around nothing", "<p><b></b><i> </i><a href=x></a>a<code> </code>", "a"},
		{"two in a row are one", "<p><b>a</b><b>b</b> <i>c</i> <i>d</i>", "**ab** *c* *d*"},
		{"marks that the page writes stay", "<p>**<b>a</b> 2*3*4", "****a** 2*3*4"},
		{"nested marks", "<p><b>a <strong>b</strong> <em>c <i>d</i></em></b>", "**a b *c d***"},
		{"breaks", "<p>a<br>b<br><br>c<br>", "a\nb\n\nc"},
		{"raised and lowered", "<p>x<sup>2</sup> H<sub>2</sub>O <sup></sup>y<sup><a href='#n1'>1</a></sup> z<sup><a href='#n1'>[2]</a></sup>", "x<sup>2</sup> H<sub>2</sub>O y[1] z[2]"},
		{"quotations and ruby", "<p><q>a</q> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", `"a" 漢(kan)`},
		{"tags as text", "<p>a &lt;b&gt; x&lt;y 1 &lt; 2", `a \<b> x\<y 1 < 2`},
		{"code spans", "<p><code>a  b</code> <code>`</code> <tt>x</tt><samp>y</samp> <kbd>a``b</kbd>", "`a b` `` ` `` `x` `y` ``` a``b ```"},
		{"links in code", "<p><code><a href=/x>X</a></code> <code>map[<a href=/k>K</a>]<a href=/v>V</a></code>", "[`X`](https://e.example/x) map[[K](https://e.example/k)][V](https://e.example/v)"},
		{"one link around part of code", "<p><code>[]<a href=/x>X</a></code>", "[`[]X`](https://e.example/x)"},
		{
			"link addresses", "<p><a href='a b'>1</a> <a href='//o.example/x'>2</a> <a href='?q=a(b'>3</a> <a href='javascript:x()'>4</a> <a href=' /p\n/q '>5</a> <a href='data:x'>6</a> <a href='http://[::1'>7</a>",
			"[1](https://e.example/d/a%20b) [2](https://o.example/x) [3](https://e.example/d/p?q=a%28b) 4 [5](https://e.example/p/q) 6 7",
		},
		{"links within the page", "<p><a href='#x'>a</a> <a href='/d/p#y'>b</a> <a href='#'>c</a> <a href='/other#z'>d</a>", "[a](#x) [b](#y) c [d](https://e.example/other#z)"},
		{
			"link text", "<p><a href=x>a]b</a> <a href=x>[c]</a> <a href=x> d </a>e <a href=x title=T><img src=i></a> <a href=x aria-label=L></a>",
			`[a\]b](https://e.example/d/x) [[c]](https://e.example/d/x) [d](https://e.example/d/x) e [T](https://e.example/d/x) [L](https://e.example/d/x)`,
		},
		{"a link in a link", "<p><a href=x>a <span><a href=y>b</a></span></a>", "[a](https://e.example/d/x) [b](https://e.example/d/y)"},
		{"a link around blocks", "<a href=/c><h3>T</h3><p>u</p></a><a href=/d><div>v</div></a>", "### [T](https://e.example/c)\n\nu\n\n[v](https://e.example/d)"},
		{"pictures", "<p><img src=a.png alt='A [1]'> <img src=b.png> <img src='data:x' data-src=c.png alt=C> <img alt=D>", "![A (1)](https://e.example/d/a.png) ![C](https://e.example/d/c.png) D"},
		{"handles on headings", "<h2 id=a>A <a href='#a'>¶</a></h2><h2><a href='#b'>B</a></h2><h2><a class=headerlink href=/x>#</a>C</h2>", "## A\n\n## B\n\n## C"},
		{"headings", "<h1>a<br>b</h1><h4><div>c</div></h4><h6></h6><div role=heading aria-level=9>d</div><h2><button>e</button></h2>", "# a b\n\n#### c\n\n###### d\n\n## e"},
		{"the beginnings of lines", "<p># a<br>- b<br>1. c<br>1.5 d<br>&gt; e<br>+<br>***<br>===<br>```<br>#f<br>-g", "\\# a\n\\- b\n1\\. c\n1.5 d\n\\> e\n\\+\n\\***\n\\===\n\\```\n#f\n-g"},
		{"lists", "<ul><li>a<ul><li>b</ul><li><p>c</p><li></li></ul><ol start=7><li>d<li value=9>e<li>f</ol>", "- a\n  - b\n- c\n\n7. d\n9. e\n10. f"},
		{"a list in a list without an item", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"},
		{"long items", "<ul><li><p>a</p><p>b</p></li><li><pre>c</pre></li></ul>", "- a\n\n  b\n\n- ```\n  c\n  ```"},
		{"tasks", "<ul><li><input type=checkbox checked disabled> a<li><input type=checkbox> b</ul><input type=checkbox> no", "- [x] a\n- [ ] b\n\nno"},
		{"items without a list", "<li>a<li>b", "- a\n\n- b"},
		{"quotes", "<blockquote>a<blockquote>b</blockquote><ul><li>c</ul></blockquote>", "> a\n>\n> > b\n>\n> - c"},
		{"definitions", "<dl><dt>a<dd>b<dd><p>c</p><dt>d<dd><p>e</p><pre>f</pre></dl><dl><div><dt>g</dt><dd></dd></div></dl>", "**a**\n: b\n: c\n\n**d**\n\ne\n\n```\nf\n```\n\n**g**"},
		{"code keeps its bytes", "<pre>\n\n a\t&lt;b&gt; \n\n&nbsp;c</pre>", "```\n\n a\t<b> \n\n\u00a0c\n```"},
		{"code with fences", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"},
		{
			"languages", "<pre class='brush: js; x'>a</pre><div class='highlight-go'><pre>b</pre></div><pre data-lang=C++>c</pre><pre class=lang-text>d</pre><pre class='language-a\"b'>e</pre><pre class='sourceCode haskell'>f</pre>",
			"```js\na\n```\n\n```go\nb\n```\n\n```c++\nc\n```\n\n```\nd\n```\n\n```\ne\n```\n\n```haskell\nf\n```",
		},
		{"lines that are elements", "<pre><div>a</div><div></div><div><br></div><div>b<br></div>\n<div>c</div>d<br>e</pre>", "```\na\n\n\nb\n\nc\nd\ne\n```"},
		{"code in the rows of a table", "<table class=blob><tr><td class=blob-num>1</td><td class=blob-code>if x {</td></tr><tr><td class=blob-num>2</td><td class=blob-code>	y</td></tr></table>", "```\nif x {\n\ty\n```"},
		{"a table of data", "<table><tr><th>a<th>b<tr><td>1|2<td>x</table>", "| a | b |\n| --- | --- |\n| 1\\|2 | x |"},
		{"a table of headings only", "<table><tr><th>a<th>b</table>", "| a | b |\n| --- | --- |"},
		{
			"wide and high cells", "<table><tr><th colspan=2>a<th rowspan=3>b<tr><td rowspan=9>c<td>d<tr><td>e<tr><td colspan=0>f<td>g</table>",
			"| a |  | b |\n| --- | --- | --- |\n| c | d |  |\n|  | e |  |\n|  | f | g |",
		},
		{
			"tables that lay out", "<table><tr><td>1.<td>▲<td><a href=x>T</a></table><table><tr><td><h3>A</h3><p>x</p><td>b</table><table><tr><td><table><tr><td>in<td>2<tr><td>3<td>4</table></table>",
			"1\\. ▲ [T](https://e.example/d/x)\n\n### A\n\nx\n\nb\n\n|  |  |\n| --- | --- |\n| in | 2 |\n| 3 | 4 |",
		},
		{"code in a cell is code", "<table><tr><th>a<th>b<tr><td>x<td><pre>1\n2</pre></table>", "a b\n\nx\n\n```\n1\n2\n```"},
		{"formulas", "<p><math><mi>x</mi><mo>+</mo></math> <math><semantics><mi>y</mi><annotation encoding='application/x-tex'>y^2</annotation></semantics></math>", "x+ $y^2$"},
		{"frames", "<p><iframe src=/v title='A video'></iframe><iframe src=/ad></iframe>x", "[A video](https://e.example/v)x"},
		{"rules", "<p>a<hr><hr><p>b", "a\n\n---\n\nb"},
		{"details", "<details><summary>a</summary>b</details>", "**a**\n\nb"},
		{"what cannot be seen", "<p>a\u200bb\u00adc\u202Ed\U000E0041e\x01", "abcde"},
		{"what is hidden", "<p>a</p><p hidden>b</p><p style='display: none'>c</p><p aria-hidden=true>d</p><div role=tabpanel hidden>e</div><p hidden=until-found>f</p>", "a\n\ne\n\nf"},
		{"what cannot be filled in", "<form><label>a <input value=no></label><select><option>no</select><textarea>no</textarea><button>no</button></form>", "a"},
		{"not UTF-8", "<p>a\xffb<pre>\xfe</pre><code>\xfd</code>", "a\uFFFDb\n\n```\n\uFFFD\n```\n\n`\uFFFD`"},
	} {
		page := read(t, "https://e.example/d/p", "<main>"+c.html)
		if diff := cmp.Diff(c.want, page.Markdown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestContent is of what a page's article is, where pages say it in different
// ways or not at all.
func TestContent(t *testing.T) {
	p := "<p>" + strings.Repeat("Some words of the article that are many. ", 8) + "</p>"
	links := "<div>" + strings.Repeat("<a href=/x>menu entry</a> ", 12) + "</div>"
	for _, c := range []struct {
		name, html string
		in, out    []string
	}{
		{"nothing is said", "<div>" + links + "</div><div>" + p + "<h2>in</h2>" + p + "</div>", []string{"## in", "Some words"}, []string{"menu entry"}},
		{"a table lays out", "<table><tr><td>" + links + "<td>" + p + p + "</table>", []string{"Some words"}, []string{"menu entry"}},
		{"main is a small part: not believed", "<main>x</main><div>" + p + p + "</div>", []string{"Some words"}, nil},
		{"an article in main", "<main><article>" + p + p + "</article><section>other</section></main>", []string{"Some words"}, []string{"other"}},
		{"several articles in main", "<main><article>" + p + "one</article><article>" + p + "two</article><article>" + p + "</article></main>", []string{"one", "two"}, nil},
		{"several articles and no main", links + "<div><article>" + p + "one</article><article>" + p + "two</article></div>", []string{"one", "two"}, []string{"menu"}},
		{"a comment is no article of its own", "<article>" + p + p + "<article>comment</article></article>", []string{"comment"}, nil},
		{"an id", "<div>" + links + "</div><div id=content>" + p + "</div><div>x " + links + "</div>", []string{"Some words"}, []string{"menu"}},
		{"the title is above the article", "<header><h1>Title</h1></header><main><p>sub</p>" + p + "</main>", []string{"# Title"}, nil},
		{"the title in the article is enough", "<header><h1>Site</h1></header><main><h1>Title</h1>" + p + "</main>", []string{"# Title"}, []string{"Site"}},
		{"a name that means something else", "<div class=sidebar-layout>" + p + p + "</div>", []string{"Some words"}, nil},
		{"a note is not an aside", "<main>" + p + "<aside class='callout'>mind</aside><aside>away</aside></main>", []string{"mind"}, []string{"away"}},
		{"the footer of a quotation", "<main>" + p + "<blockquote>q<footer>who</footer></blockquote><footer>foot</footer></main>", []string{"who"}, []string{"foot"}},
		{"named by class", "<main>" + p + p + "<div class='post-share'>tell</div><ul class=related><li><a href=x>more</a></ul><div class='x-related'>text that is not links</div></main>", []string{"text that is not links"}, []string{"tell", "more"}},
		{"a list of links is a page, too", "<main><ul>" + strings.Repeat("<li><a href=/a>entry</a>", 30) + "</ul></main>", []string{"entry"}, nil},
		{"a header around everything", "<header><main>" + p + "</main></header>", []string{"Some words"}, nil},
		{"messages around one", "<ul><li>Next message: <a href=x>n</a></ul>" + p, []string{"Some words"}, []string{"Next message"}},
	} {
		got := read(t, "https://e.example/", "<html><body>"+c.html+"</body></html>").Markdown
		for _, s := range c.in {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is not in\n%s", c.name, s, got)
			}
		}
		for _, s := range c.out {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q is in\n%s", c.name, s, got)
			}
		}
	}
}

func TestHead(t *testing.T) {
	page := read(t, "https://e.example/d/p", `<title> A
	&amp; B </title><base href="/other/"><base href="/no/"><meta property="og:title" content="no"><p><a href=x>x</a>`)
	if page.Title != "A & B" || page.Markdown != "[x](https://e.example/other/x)" {
		t.Errorf("%+v", page)
	}
	if page := read(t, "https://e.example/", `<meta property="og:title" content="Shared"><p>x`); page.Title != "Shared" {
		t.Errorf("title %q", page.Title)
	}
	if page := read(t, "https://e.example/", `<header><h1>Above</h1></header><main><p>x`); page.Title != "Above" {
		t.Errorf("title %q", page.Title)
	}
	if page := read(t, "https://e.example/", `<base href="javascript:x"><a href=y>y</a>`); page.Markdown != "[y](https://e.example/y)" {
		t.Errorf("%q", page.Markdown)
	}
	for content, want := range map[string]string{
		"0; url=/next": "/next", "0;URL='https://o.example/?a=1;b'": "https://o.example/?a=1;b", `3, url = "x"`: "x", "0;next": "next",
		"5": "", "": "", "60; url=/later": "", "0;": "", "x; url=/y": "", `0; url="`: `"`,
	} {
		page := read(t, "https://e.example/", `<meta http-equiv="Refresh" content='`+strings.ReplaceAll(content, "'", "&#39;")+`'>`)
		if page.Refresh != want {
			t.Errorf("refresh of %q = %q, want %q", content, page.Refresh, want)
		}
	}
	if page := read(t, "https://e.example/", `<noscript><meta http-equiv=refresh content="0; url=/old"></noscript>x`); page.Refresh != "" {
		t.Errorf("refresh of those without scripts: %q", page.Refresh)
	}
}

func TestLine(t *testing.T) {
	for html, want := range map[string]string{"a  <b>b</b>&amp;c\n": "a b&c", "x\u200b\U000E0041y": "xy", "a < b\xff": "a < b\uFFFD", "": ""} {
		if got := Line(html); got != want {
			t.Errorf("Line(%q) = %q, want %q", html, got, want)
		}
	}
}

func TestScripted(t *testing.T) {
	page := read(t, "https://e.example/", `<div id=root></div><script src=app.js></script>`)
	if !page.Scripted || page.Markdown != "" {
		t.Errorf("%+v", page)
	}
	page = read(t, "https://e.example/", `<div id=root></div><noscript><h1>Without</h1></noscript><script src=app.js></script>`)
	if !page.Scripted || page.Markdown != "# Without" {
		t.Errorf("%+v", page)
	}
	page = read(t, "https://e.example/", `<noscript>no</noscript><script></script><p>`+strings.Repeat("word ", 100))
	if page.Scripted || strings.Contains(page.Markdown, "no ") {
		t.Errorf("%+v", page)
	}
	if page = read(t, "https://e.example/", `<p>short`); page.Scripted {
		t.Error("a short page without scripts is taken to be made by them")
	}
}

// TestFragment is of where the part begins that an address asks for.
func TestFragment(t *testing.T) {
	body := `<h1>T</h1><p>a</p><section id=s><h2>S</h2><p>b</p></section><h2 id=h>H</h2><ul><li>x<li id=item>y</ul><p><a name=old></a>z</p>
	<dl><dt id=dt>D<dd id=dd>d</dl><table><tr><td id=cell>c<td>e<tr><td>f<td>g</table>`
	for id, want := range map[string]string{"s": "## S", "h": "## H", "item": "- y", "old": "z", "dt": "**D**", "dd": ": d", "cell": "|  |  |"} {
		page := read(t, "https://e.example/#"+id, body)
		if page.Start < 0 || !strings.HasPrefix(strings.TrimLeft(page.Markdown[page.Start:], "\n"), want) {
			t.Errorf("#%s begins at %d, not at %q", id, page.Start, want)
		}
	}
	for _, id := range []string{"", "nope"} {
		if page := read(t, "https://e.example/#"+id, body); page.Start != -1 {
			t.Errorf("#%s begins at %d", id, page.Start)
		}
	}
}

// TestBounded is of pages that would make more of themselves.
func TestBounded(t *testing.T) {
	const n, most = 5000, 100_000
	long := "https://e.example/" + strings.Repeat("d/", 900)
	for name, body := range map[string]string{
		"addresses":     strings.Repeat("<a href=x>x</a>", n),
		"wide tables":   "<table><tr><th>" + strings.Repeat("<tr><td colspan=99999 rowspan=99999>x", n) + "</table>",
		"one wide row":  "<table><tr>" + strings.Repeat("<th>x", n) + strings.Repeat("<tr><td>x", n) + "</table>",
		"quotes":        strings.Repeat("<blockquote><p>x", n),
		"lists":         strings.Repeat("<ul><li>x", n),
		"quotes, lines": strings.Repeat("<blockquote>", 200) + strings.Repeat("<p>x", n),
		"text":          "<p>" + strings.Repeat("word ", 10*n),
		"code":          "<pre>" + strings.Repeat("```\n", 10*n),
		"backticks":     "<p><code>" + strings.Repeat("`", 20*n),
		"raised":        strings.Repeat("<sup>x", n),
		"paragraphs":    strings.Repeat("<p>x", 10*n),
	} {
		page := Read([]byte(body), Options{URL: mustURL(t, long), Max: most})
		if len(page.Markdown) > most+n {
			t.Errorf("%s: %d bytes of Markdown", name, len(page.Markdown))
		}
		if len(page.Markdown) == 0 && name != "text" && name != "addresses" && name != "code" && name != "backticks" {
			t.Errorf("%s: nothing", name)
		}
		if name == "paragraphs" && !page.Cut || name == "raised" && page.Cut {
			t.Errorf("%s: cut %v", name, page.Cut)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"<main><h1>a</h1><p>b <a href=c>d</a></p><pre><code class=language-go>x</code></pre></main><nav>n</nav>",
		"<table><tr><th>a<td rowspan=2 colspan=3>b|c<tr><td><ul><li>d</table>", "<ol start=-1><li value=x>a<blockquote><li>b<pre>`````",
		"<dl><dt><b>a<dd><p>c</p><p>d<dt><dd>", "<a href=//x><h3>y</h3></a><code><a href=1>2</a><a href=3>4", "<p># a<br>- b<br>\xff\x00<sup><a href=#x>",
		"<pre><div></div>\n<br><td class=num>1", "<h2><a href=#>\u202e</a><math><annotation encoding=tex>x", "<p id=f>x<table><td>1<td><pre>a\nb",
	} {
		f.Add([]byte(s))
	}
	at := mustURL(f, "https://e.example/d/p#f")
	f.Fuzz(func(t *testing.T, body []byte) {
		o := Options{URL: at, Max: 1 << 16}
		page := Read(body, o)
		if !utf8.ValidString(page.Markdown) || !utf8.ValidString(page.Title) || !utf8.ValidString(page.Refresh) {
			t.Fatal("not UTF-8")
		}
		if len(page.Markdown) > o.Max+len(body)*4+4096 {
			t.Fatalf("%d bytes of %d", len(page.Markdown), len(body))
		}
		if page.Start < -1 || page.Start > len(page.Markdown) {
			t.Fatalf("start %d of %d", page.Start, len(page.Markdown))
		}
		for _, c := range page.Markdown + page.Title {
			if c >= 0xE0000 && c <= 0xE0FFF && !strings.Contains(page.Markdown, "```") {
				t.Fatalf("a character that cannot be seen: %q", c)
			}
		}
		if again := Read(body, o); again != page {
			t.Fatal("the same page gave another text")
		}
	})
}

func ExampleRead() {
	page := Read([]byte(`<title>Notes</title><nav><a href=/>Home</a></nav><main><h1>Notes</h1><p>See <a href="b">b</a>.</p></main>`), Options{URL: &url.URL{Scheme: "https", Host: "e.example"}})
	fmt.Println(page.Title)
	fmt.Println(page.Markdown)
	// Output:
	// Notes
	// # Notes
	//
	// See [b](https://e.example/b).
}
