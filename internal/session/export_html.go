package session

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

//go:embed export.css
var style string

// page writes an export as one page of HTML that needs nothing else: style and
// images are in it. Whatever is not a literal here is escaped.
type page struct{ *bufio.Writer }

func (p page) head(title string, facts []fact) {
	name := html.EscapeString(flat(title))
	fmt.Fprintf(p, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<h1>%s</h1>
<dl>
`, name, style, name)
	for _, f := range facts {
		if f.value != "" {
			fmt.Fprintf(p, "<dt>%s</dt><dd>%s</dd>\n", html.EscapeString(f.name), html.EscapeString(flat(f.value)))
		}
	}
	_, _ = p.WriteString("</dl>\n")
}

func (p page) foot() { _, _ = p.WriteString("</body>\n</html>\n") }

func (p page) block(b block) {
	switch b.shape {
	case asLine:
		fmt.Fprintf(p, "<p class=\"line\">%s</p>\n", html.EscapeString(b.text))
		return
	case asPrompt:
		fmt.Fprintf(p, "<section class=\"prompt\">\n<h2>Prompt <time>%s</time></h2>\n", clock(b.time))
		p.rest(b)
		_, _ = p.WriteString("</section>\n")
	case asCall, asResult:
		word := "Call"
		if b.shape == asResult {
			word = "Result"
		}
		if b.failed {
			word = "Error"
		}
		fmt.Fprintf(p, "<details class=\"%s\">\n<summary>%s <code>%s</code></summary>\n", strings.ToLower(word), word, html.EscapeString(b.name))
		p.rest(b)
		_, _ = p.WriteString("</details>\n")
	default:
		fmt.Fprintf(p, "<section class=\"%s\">\n<h3>%s</h3>\n", b.shape, html.EscapeString(b.caption()))
		p.rest(b)
		_, _ = p.WriteString("</section>\n")
	}
}

// rest is what a block holds.
func (p page) rest(b block) {
	if b.text != "" {
		// The first newline in a pre counts for nothing.
		fmt.Fprintf(p, "<pre>\n%s</pre>\n", html.EscapeString(b.text))
	}
	for _, img := range b.images {
		name := picture{img.Media, img.SHA256}.name()
		if img.Data == nil || name == "" || strings.HasSuffix(name, ".bin") {
			fmt.Fprintf(p, "<p class=\"line\">(an image: %s)</p>\n", html.EscapeString(name))
			continue
		}
		// The media type is one of the four that a name is made for.
		fmt.Fprintf(p, "<img alt=\"%s\" src=\"data:%s;base64,", name, img.Media)
		_, _ = p.WriteString(base64.StdEncoding.EncodeToString(img.Data))
		_, _ = p.WriteString("\">\n")
	}
	if b.saved != "" {
		fmt.Fprintf(p, "<p class=\"line\">The whole of it is in <code>%s</code>.</p>\n", html.EscapeString(b.saved))
	}
}
