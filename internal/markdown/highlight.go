package markdown

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/minicode-go/minicode/internal/theme"
)

const (
	// highlighted is how much of a block is highlighted, in bytes. The grammars
	// are regular expressions and manage about a megabyte in a second.
	highlighted = 64 << 10
	// longestLine is the longest line that is highlighted, in bytes: what is
	// longer was not written by hand.
	longestLine = 1 << 10
	// patience bounds the time for one line: a grammar may be slow on text that
	// was made for it.
	patience = 500 * time.Millisecond
	// kept is how much code is remembered, so that drawing again is cheap.
	kept = 512 << 10
)

// highlighter gives code its colours, line by line: those of a line depend on
// the lines before it alone, so that a line that was shown never changes.
type highlighter struct {
	theme    theme.Theme
	now      func() time.Time
	registry *chroma.LexerRegistry
	loaded   map[string]*lexer // nil for what cannot be loaded
	cache    map[codeLine]coloured
	cached   int // bytes of code in cache
}

type codeLine struct {
	grammar string
	scan    scan
	text    string
}

type coloured struct {
	spans []span
	after scan
}

// scan is what the lines before leave behind for the next one.
type scan struct {
	states string // of the grammar, by lines
	until  string // what ends the text or comment begun before; "" for none
	alone  bool   // it must be all of a line
	deeper int    // as long as lines are indented by as much, they are text
	style  theme.Style
	weary  bool // no more is highlighted
}

// line is a line of code in colours, if the grammar is known, and s what comes
// after it. Its text is not yet safe. The spans belong to the highlighter.
func (h *highlighter) line(grammar string, s scan, text string) ([]span, scan) {
	if grammar == "" || h.theme.Keyword == "" || text == "" || s.weary || len(text) > longestLine {
		return []span{{text, ""}}, s
	}
	if grammar == "diff" {
		return h.diff(s, text)
	}
	key := codeLine{grammar, s, text}
	if found, ok := h.cache[key]; ok {
		return found.spans, found.after
	}
	spans, after := h.colour(grammar, s, text)
	if h.cached += len(text) + len(s.states); h.cache == nil || h.cached > kept {
		h.cache, h.cached = map[codeLine]coloured{}, len(text)
	}
	h.cache[key] = coloured{spans, after}
	return spans, after
}

// diff colours a line by its first characters.
func (h *highlighter) diff(s scan, text string) ([]span, scan) {
	const hunk = "hunk"
	style := theme.Style("")
	switch text[0] {
	case '+':
		style = h.theme.Added
	case '-':
		style = h.theme.Removed
	case '@':
		s.states, style = hunk, h.theme.Dim
	case ' ':
	default:
		if s.states != hunk || strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "Index: ") {
			s.states, style = "", h.theme.Dim
		}
	}
	for _, name := range []string{"+++ ", "--- "} {
		if rest, ok := strings.CutPrefix(text, name); ok && (s.states != hunk || strings.HasPrefix(rest, "a/") || rest == "/dev/null") {
			s.states, style = "", h.theme.Strong
		}
	}
	return []span{{text, style}}, s
}

// colour highlights a line that is not remembered.
func (h *highlighter) colour(grammar string, s scan, text string) (spans []span, after scan) {
	if s.until != "" {
		end := s.end(text)
		if end < 0 {
			return []span{{text, s.style}}, s
		}
		spans = append(spans, span{text[:end], s.style})
		text = text[end:]
		s.until, s.alone, s.style = "", false, ""
	}
	if s.deeper > 0 && indented(text) >= s.deeper {
		return []span{{text, h.theme.Literal}}, s
	}
	s.deeper = 0
	l := h.lexer(grammar)
	if text == "" || l == nil {
		return append(spans, span{text, ""}), s
	}
	tokens, states, weary := h.tokens(l, s.states, text)
	at, open := unclosed(grammar, tokens, text)
	if at >= 0 && !open.alone {
		tokens, states, weary = h.tokens(l, s.states, text[:at])
	}
	for _, t := range tokens {
		spans = push(spans, t.text, h.style(t.kind))
	}
	s.states, s.weary = states, weary
	if grammar == "yaml" && blockScalar(text) {
		s.deeper = indented(text) + 1
	}
	if at >= 0 {
		s.until, s.alone, s.style = open.close, open.alone, h.theme.Literal
		if open.comment {
			s.style = h.theme.Comment
		}
		if !open.alone {
			spans = push(spans, text[at:], s.style)
		}
	}
	return spans, s
}

// end is the offset behind what ends a construct begun before; -1 if the line
// does not.
func (s *scan) end(text string) int {
	if s.alone {
		if strings.TrimRight(strings.TrimSpace(text), ";") == s.until {
			return len(text)
		}
		return -1
	}
	at := strings.Index(text, s.until)
	if at < 0 {
		return -1
	}
	return at + len(s.until)
}

// push adds text to spans of one line.
func push(spans []span, text string, style theme.Style) []span {
	if n := len(spans); n > 0 && spans[n-1].style == style {
		spans[n-1].text += text
		return spans
	}
	return append(spans, span{text, style})
}

// opening is a construct that begins on a line and does not end there.
type opening struct {
	construct
	alone bool // it begins on the next line and ends with a line of its own
}

// unclosed finds the first construct that a line leaves open: -1 if there is
// none. What is within comments and text does not begin one.
func unclosed(grammar string, tokens []token, text string) (at int, found opening) {
	at = -1
	for _, c := range constructs(grammar) {
		for from := 0; ; {
			i := strings.Index(text[from:], c.open)
			if i < 0 {
				break
			}
			i += from
			from = i + len(c.open)
			if strings.Contains(text[from:], c.close) || (at >= 0 && i >= at) || !begins(tokens, i, c) {
				continue
			}
			at, found = i, opening{construct: c}
		}
	}
	if at >= 0 {
		return at, found
	}
	if i := strings.Index(text, "<<"); i >= 0 {
		if word := heredoc(grammar, text[i:]); word != "" && begins(tokens, i, construct{}) {
			return i, opening{construct: construct{close: word}, alone: true}
		}
	}
	return -1, found
}

// begins tells whether c may begin at an offset: it is not within a comment or a
// text. Some grammars take a comment that is not closed for one, and three quotes
// for an empty text and what follows.
func begins(tokens []token, at int, c construct) bool {
	offset := 0
	for _, t := range tokens {
		if at >= offset+len(t.text) {
			offset += len(t.text)
			continue
		}
		switch {
		case t.kind.InCategory(chroma.Comment):
			return c.comment && at == offset
		case t.kind.InSubCategory(chroma.LiteralString):
			return at == offset && len(t.text) > 1 && strings.HasPrefix(c.open, t.text)
		}
		return true
	}
	return true
}

func indented(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// blockScalar tells whether a line of YAML ends with the sign that text follows.
func blockScalar(text string) bool {
	text = strings.TrimRight(text, "+-0123456789")
	before, ok := strings.CutSuffix(text, "|")
	if !ok {
		before, ok = strings.CutSuffix(text, ">")
	}
	return ok && (strings.HasSuffix(before, ": ") || strings.HasSuffix(before, "- ")) && !strings.HasPrefix(strings.TrimSpace(before), "#")
}

type token struct {
	text string
	kind chroma.TokenType
}

// tokens are the tokens of a line that begins in the given states, and those
// that it ends in. Whatever goes wrong in a grammar, the code is shown.
func (h *highlighter) tokens(l *lexer, states, text string) (tokens []token, after string, weary bool) {
	shown := 0
	after = states
	defer func() {
		if recover() != nil || shown < len(text) {
			weary = weary || shown < len(text)
			tokens = append(tokens, token{text[shown:], chroma.Text})
		}
	}()
	l.enter, l.state = []string{"root"}, nil
	if states != "" {
		l.enter = strings.Split(states, "\n")
	}
	next, err := l.Tokenise(&chroma.TokeniseOptions{State: lineState}, text+"\n")
	if err != nil {
		return nil, states, true
	}
	deadline := h.now().Add(patience)
	for t := next(); t != chroma.EOF; t = next() {
		value := t.Value
		if shown+len(value) > len(text) {
			value = strings.TrimSuffix(value, "\n")
		}
		if !strings.HasPrefix(text[shown:], value) {
			return tokens, states, true
		}
		if value != "" {
			tokens = append(tokens, token{value, t.Type})
		}
		shown += len(value)
		if h.now().After(deadline) {
			return tokens, states, true
		}
	}
	if l.state != nil {
		after = ended(l.state.Stack)
	}
	return tokens, after, false
}

// deepest is how many states of a grammar are remembered: what is nested deeper
// has lost its way.
const deepest = 32

func ended(stack []string) string {
	if len(stack) == 0 || len(stack) > deepest || len(stack) == 1 && stack[0] == "root" {
		return ""
	}
	return strings.Join(stack, "\n")
}
