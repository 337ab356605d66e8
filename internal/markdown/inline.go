package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/minicode-go/minicode/internal/theme"
)

// maxNesting bounds how deep blocks and styles are followed, so that no text
// can exhaust the stack.
const maxNesting = 100

// inline makes spans of what is in a block.
type inline struct {
	theme  *theme.Theme
	source []byte
	skip   int // what stands before this offset is left out
	cell   bool
	head   bool // a heading: code looks like the rest of it
	spans  []span
	depth  int
}

func (in *inline) add(text string, style theme.Style) {
	in.spans = appendSpan(in.spans, safe(text), style)
}

func (in *inline) children(parent ast.Node, style theme.Style) {
	if in.depth > maxNesting {
		in.flat(parent, style)
		return
	}
	in.depth++
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			n = in.line(t, style)
			continue
		}
		in.node(n, style)
	}
	in.depth--
}

// flat adds the text in parent in one style.
func (in *inline) flat(parent ast.Node, style theme.Style) {
	_ = ast.Walk(parent, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			in.add(unescape(string(t.Segment.Value(in.source))), style)
		}
		return ast.WalkContinue, nil
	})
}

// line adds a text and those after it that belong to the same line, and is the
// last of them.
func (in *inline) line(t *ast.Text, style theme.Style) ast.Node {
	segment := t.Segment
	for !t.SoftLineBreak() && !t.HardLineBreak() {
		next, ok := t.NextSibling().(*ast.Text)
		if !ok || next.Segment.Start != segment.Stop || next.IsRaw() != t.IsRaw() {
			break
		}
		segment.Stop, t = next.Segment.Stop, next
	}
	if segment.Start = max(segment.Start, in.skip); segment.Start < segment.Stop {
		content := string(segment.Value(in.source))
		if t.SoftLineBreak() || t.HardLineBreak() {
			content = strings.TrimRight(content, " ")
		}
		if !t.IsRaw() {
			content = unescape(content)
		}
		in.prose(safe(content), style)
	}
	switch {
	case t.HardLineBreak():
		in.spans = append(in.spans, span{text: "\n"})
	case t.SoftLineBreak():
		in.softBreak(t, style)
	}
	return t
}

// softBreak joins two lines of the source: with a blank, except between wide
// characters, which are written without. Lines that were meant as such stay.
func (in *inline) softBreak(t *ast.Text, style theme.Style) {
	if in.entry(t.Segment) {
		in.spans = append(in.spans, span{text: "\n"})
		return
	}
	if next, ok := t.NextSibling().(*ast.Text); ok && len(in.spans) > 0 {
		before := []rune(in.spans[len(in.spans)-1].text)
		after, _ := cluster(string(next.Segment.Value(in.source)))
		if wide(string(before[len(before)-1:])) && wide(after) {
			return
		}
	}
	in.add(" ", style)
}

// entry tells whether the line after the text begins an entry of its own: a
// footnote, a definition (": meaning"), or what begins with a name in bold type
// and a colon, which many write one under the other without a list.
func (in *inline) entry(t text.Segment) bool {
	end := bytes.IndexByte(in.source[t.Stop:], '\n')
	if end < 0 {
		return false
	}
	next := in.source[t.Stop+end+1:]
	if cut := bytes.IndexByte(next, '\n'); cut >= 0 {
		next = next[:cut]
	}
	next = bytes.TrimLeft(next, " \t>")
	switch {
	case bytes.HasPrefix(next, []byte(": ")):
		return true
	case bytes.HasPrefix(next, []byte("[^")):
		label, _, ok := bytes.Cut(next, []byte("]:"))
		return ok && !bytes.ContainsAny(label, " \t")
	case bytes.HasPrefix(next, []byte("**")):
		label, after, ok := bytes.Cut(next[2:], []byte("**"))
		return ok && (bytes.HasSuffix(label, []byte(":")) || bytes.HasPrefix(after, []byte(":")))
	}
	return false
}

// prose adds text in which addresses of the web look like links.
func (in *inline) prose(text string, style theme.Style) {
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			break
		}
		from := at
		for from > 0 && text[from-1] >= 'a' && text[from-1] <= 'z' {
			from--
		}
		end := at + 3
		for end < len(text) && text[end] > ' ' && text[end] < 0x7f && !strings.ContainsRune("<>\"`|", rune(text[end])) {
			end++
		}
		for end > at+3 && strings.ContainsRune(".,;:!?'*_", rune(text[end-1])) || end > at+3 && text[end-1] == ')' && !strings.Contains(text[from:end], "(") {
			end--
		}
		scheme := text[from:at]
		if scheme != "http" && scheme != "https" || end == at+3 {
			in.spans = appendSpan(in.spans, text[:end], style)
		} else {
			in.spans = appendSpan(in.spans, text[:from], style)
			in.spans = appendSpan(in.spans, text[from:end], style.With(in.theme.Link))
		}
		text = text[end:]
	}
	in.spans = appendSpan(in.spans, text, style)
}

func (in *inline) node(n ast.Node, style theme.Style) {
	switch n := n.(type) {
	case *ast.String:
		in.add(string(n.Value), style)
	case *ast.CodeSpan:
		in.code(n, style)
	case *ast.Emphasis:
		look, mark := in.theme.Emphasis, "*"
		if n.Level > 1 {
			look, mark = in.theme.Strong, "**"
		}
		in.marked(n, style, look, mark)
	case *extension.Strikethrough:
		look := in.theme.Dim
		if look != "" {
			look = look.With("9")
		}
		in.marked(n, style, look, "~~")
	case *ast.Link:
		before := len(in.spans)
		in.children(n, style.With(in.theme.Link))
		in.address(string(n.Destination), in.spans[before:], style)
	case *ast.Image:
		in.image(n, style)
	case *ast.AutoLink:
		in.add(string(n.Label(in.source)), style.With(in.theme.Link))
	case *ast.RawHTML:
		in.html(n, style)
	default:
		in.children(n, style)
	}
}

func (in *inline) image(n *ast.Image, style theme.Style) {
	dim := style.With(in.theme.Dim)
	in.add("[image", dim)
	before := len(in.spans)
	in.add(": ", dim)
	in.children(n, style)
	text := in.spans[before+1:]
	if len(text) == 0 {
		in.spans = in.spans[:before]
	}
	in.add("]", dim)
	if address := safe(unescape(string(n.Destination))); address != "" {
		in.add(" ("+address+")", dim)
	}
}

// marked adds what is emphasised: in a style or, where the theme has none,
// between the marks of the source.
func (in *inline) marked(n ast.Node, style, look theme.Style, mark string) {
	if look != "" {
		in.children(n, style.With(look))
		return
	}
	in.add(mark, style)
	in.children(n, style)
	in.add(mark, style)
}

func (in *inline) code(n *ast.CodeSpan, style theme.Style) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(in.source))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if in.cell {
		code = strings.ReplaceAll(code, `\|`, "|")
	}
	look := in.theme.Code
	switch {
	case look == "":
		code = "`" + code + "`"
	case in.head:
		look = ""
	}
	in.add(code, style.With(look))
}

// address adds where a link leads, unless its text said so.
func (in *inline) address(destination string, text []span, style theme.Style) {
	destination = safe(unescape(destination))
	var b strings.Builder
	for _, s := range text {
		b.WriteString(s.text)
	}
	said := b.String()
	if destination == "" || bare(said) == bare(destination) {
		return
	}
	if said != "" {
		in.add(" ", style)
		destination = "(" + destination + ")"
	}
	in.add(destination, style.With(in.theme.Dim))
}

// bare is an address without what people leave out.
func bare(address string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok {
			return strings.TrimSuffix(rest, "/")
		}
	}
	return strings.TrimSuffix(address, "/")
}

func (in *inline) html(n *ast.RawHTML, style theme.Style) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(in.source))
	}
	tag := b.String()
	switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
	case "<br>", "<br/>":
		in.spans = append(in.spans, span{text: "\n"})
	default:
		in.add(tag, style.With(in.theme.Dim))
	}
}
