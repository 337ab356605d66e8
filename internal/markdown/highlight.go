package markdown

import (
	"embed"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/minicode-go/minicode/internal/theme"
)

// The grammars come from Chroma (see lexers/COPYING), except Go's, which is
// ours. Each is read when its language is first seen.
//
//go:embed lexers/*.xml
var grammars embed.FS

const (
	// highlighted is how much of a block is highlighted, in bytes. The grammars
	// are regular expressions and manage about a megabyte in a second.
	highlighted = 16 << 10
	// patience bounds the time for one block: a grammar may be slow on text
	// that was made for it.
	patience = 200 * time.Millisecond
	// kept is how much code is remembered, so that drawing again is cheap.
	kept = 512 << 10
)

// highlighter gives code its colours.
type highlighter struct {
	theme    theme.Theme
	now      func() time.Time
	registry *chroma.LexerRegistry
	loaded   map[string]chroma.Lexer // nil for what cannot be loaded
	cache    map[block][]span
	cached   int // bytes of code in cache
}

type block struct{ language, code string }

// lines are the lines of code, in colours if the language is known. Their text
// is not yet safe, and has tabs.
func (h *highlighter) lines(language, code string, base theme.Style) [][]span {
	spans := h.spans(grammar(language), code)
	if base != "" {
		for i, s := range spans {
			spans[i].style = base.With(s.style)
		}
	}
	return split(spans)
}

func (h *highlighter) spans(grammar, code string) []span {
	if grammar == "" || h.theme.Keyword == "" || code == "" {
		return []span{{code, ""}}
	}
	key := block{grammar, code}
	if found, ok := h.cache[key]; ok {
		return append([]span(nil), found...)
	}
	head, rest := code, ""
	if len(code) > highlighted {
		at := strings.LastIndexByte(code[:highlighted], '\n') + 1
		head, rest = code[:at], code[at:]
	}
	spans := h.tokens(h.lexer(grammar), head)
	if rest != "" {
		spans = append(spans, span{rest, ""})
	}
	if h.cached += len(code); h.cache == nil || h.cached > kept {
		h.cache, h.cached = map[block][]span{}, len(code)
	}
	h.cache[key] = spans
	return append([]span(nil), spans...)
}

// tokens are the tokens of code. Whatever goes wrong in a grammar, the code is
// shown.
func (h *highlighter) tokens(lexer chroma.Lexer, code string) (spans []span) {
	if lexer == nil {
		return []span{{code, ""}}
	}
	shown := 0
	defer func() {
		if recover() != nil || shown < len(code) {
			spans = append(spans, span{code[shown:], ""})
		}
	}()
	next, err := lexer.Tokenise(nil, code)
	if err != nil {
		return nil
	}
	deadline := h.now().Add(patience)
	for token := next(); token != chroma.EOF && h.now().Before(deadline); token = next() {
		text := token.Value
		if !strings.HasPrefix(code[shown:], text) {
			text = strings.TrimSuffix(text, "\n") // some grammars add one
			if !strings.HasPrefix(code[shown:], text) {
				return spans
			}
		}
		style := h.style(token.Type)
		if n := len(spans); n > 0 && spans[n-1].style == style {
			spans[n-1].text = code[shown-len(spans[n-1].text) : shown+len(text)]
		} else if text != "" {
			spans = append(spans, span{text, style})
		}
		shown += len(text)
	}
	return spans
}

// lexer is that of a grammar, with those that it embeds.
func (h *highlighter) lexer(name string) chroma.Lexer {
	if found, ok := h.loaded[name]; ok {
		return found
	}
	if h.registry == nil {
		h.registry, h.loaded = chroma.NewLexerRegistry(), map[string]chroma.Lexer{}
	}
	h.loaded[name] = nil
	path := "lexers/" + name + ".xml"
	data, err := grammars.ReadFile(path)
	if err != nil {
		return nil
	}
	lexer, err := chroma.NewXMLLexer(grammars, path)
	if err != nil {
		return nil
	}
	h.loaded[name] = h.registry.Register(lexer)
	for _, part := range strings.Split(string(data), `<using lexer="`)[1:] {
		embedded, _, _ := strings.Cut(part, `"`)
		h.lexer(grammar(embedded))
	}
	return h.loaded[name]
}

func (h *highlighter) style(t chroma.TokenType) theme.Style {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException, chroma.NameNamespace, chroma.NameAttribute:
		return h.theme.Type
	case chroma.KeywordConstant, chroma.NameConstant, chroma.NameEntity:
		return h.theme.Number
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameTag, chroma.NameDecorator, chroma.NameProperty:
		return h.theme.Function
	case chroma.OperatorWord, chroma.CommentPreproc:
		return h.theme.Keyword
	case chroma.GenericInserted:
		return h.theme.Added
	case chroma.GenericDeleted:
		return h.theme.Removed
	case chroma.GenericHeading, chroma.GenericSubheading:
		return h.theme.Accent
	case chroma.GenericPrompt, chroma.GenericOutput:
		return h.theme.Dim
	case chroma.GenericStrong:
		return h.theme.Strong
	case chroma.GenericEmph:
		return h.theme.Emphasis
	}
	switch t.Category() {
	case chroma.Keyword:
		return h.theme.Keyword
	case chroma.Comment:
		return h.theme.Comment
	case chroma.Literal:
		if t.InSubCategory(chroma.LiteralNumber) {
			return h.theme.Number
		}
		return h.theme.Literal
	}
	return ""
}

// grammar is the file that has the grammar of a language, by any of the names
// people write after ```; "" if there is none.
func grammar(language string) string {
	language, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(language)), "{")
	language, _, _ = strings.Cut(language, ",")
	switch language {
	case "bash", "sh", "shell", "zsh", "ksh", "bashrc", "env":
		return "bash"
	case "console", "shell-session", "bash-session", "shellsession", "terminal":
		return "bash_session"
	case "c", "h":
		return "c"
	case "c++", "cpp", "cc", "cxx", "hpp", "hh":
		return "cpp"
	case "c#", "csharp", "cs":
		return "csharp"
	case "diff", "patch", "udiff":
		return "diff"
	case "docker", "dockerfile", "containerfile":
		return "docker"
	case "elixir", "ex", "exs":
		return "elixir"
	case "go", "golang":
		return "go"
	case "graphql", "gql":
		return "graphql"
	case "haskell", "hs":
		return "haskell"
	case "hcl", "terraform", "tf":
		return "hcl"
	case "html", "htm", "xhtml", "vue", "svelte":
		return "html"
	case "ini", "cfg", "conf", "properties", "editorconfig":
		return "ini"
	case "js", "javascript", "mjs", "cjs", "node":
		return "javascript"
	case "jsx", "tsx", "react":
		return "react"
	case "json", "jsonc", "json5", "jsonl", "ndjson":
		return "json"
	case "kotlin", "kt", "kts":
		return "kotlin"
	case "make", "makefile", "mk":
		return "makefile"
	case "perl", "pl":
		return "perl"
	case "powershell", "ps1", "pwsh", "posh":
		return "powershell"
	case "proto", "protobuf":
		return "protobuf"
	case "py", "python", "python3", "py3", "pyi", "starlark":
		return "python"
	case "rb", "ruby":
		return "ruby"
	case "rs", "rust":
		return "rust"
	case "scss", "sass", "less":
		return "scss"
	case "sql", "mysql", "postgres", "postgresql", "plpgsql", "sqlite":
		return "sql"
	case "ts", "typescript", "mts", "cts":
		return "typescript"
	case "xml", "svg", "xsl", "xsd", "plist":
		return "xml"
	case "yaml", "yml":
		return "yaml"
	case "css", "dart", "java", "lua", "nix", "php", "r", "scala", "swift", "toml", "zig":
		return language
	}
	return ""
}
