package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

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
			n = in.text(t, style)
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

// text adds a text and those after it that belong to the same line, and is the
// last of them.
func (in *inline) text(t *ast.Text, style theme.Style) ast.Node {
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
// characters, which are written without.
func (in *inline) softBreak(t *ast.Text, style theme.Style) {
	if next, ok := t.NextSibling().(*ast.Text); ok && len(in.spans) > 0 {
		before := []rune(in.spans[len(in.spans)-1].text)
		after, _ := cluster(string(next.Segment.Value(in.source)))
		if wide(string(before[len(before)-1:])) && wide(after) {
			return
		}
	}
	in.add(" ", style)
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
		in.add("[image: ", style.With(in.theme.Dim))
		before := len(in.spans)
		in.children(n, style)
		in.add("]", style.With(in.theme.Dim))
		in.address(string(n.Destination), in.spans[before:len(in.spans)-1], style)
	case *ast.AutoLink:
		in.add(string(n.Label(in.source)), style.With(in.theme.Link))
	case *ast.RawHTML:
		in.html(n, style)
	default:
		in.children(n, style)
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
	if in.theme.Code == "" {
		code = "`" + code + "`"
	}
	in.add(code, style.With(in.theme.Code))
}

// address adds where a link leads, unless its text said so.
func (in *inline) address(destination string, text []span, style theme.Style) {
	destination = safe(unescape(destination))
	var b strings.Builder
	for _, s := range text {
		b.WriteString(s.text)
	}
	said := b.String()
	if destination == "" || said == destination || "mailto:"+said == destination || "https://"+said == destination {
		return
	}
	if said != "" {
		in.add(" ", style)
		destination = "(" + destination + ")"
	}
	in.add(destination, style.With(in.theme.Dim))
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
