package markdown

import (
	"embed"
	"encoding/xml"
	"strings"

	"github.com/alecthomas/chroma/v2"

	"github.com/minicode-go/minicode/internal/theme"
)

// The grammars come from Chroma (see lexers/COPYING), except Go's, which is
// ours, and two rules of HTML's: scripts and styles may go on on the next line.
// Each is read when its language is first seen.
//
//go:embed lexers/*.xml
var grammars embed.FS

// lexer is a grammar that can be left at the end of a line and entered again
// at the next.
type lexer struct {
	chroma.Lexer
	enter []string           // the states to begin the line in
	state *chroma.LexerState // of the line at hand; nil before its beginning
}

// lineState is the state in which each line begins. Its only rule goes on to
// those that the line before ended in.
const lineState = "minicode line"

// readLexer reads the grammar of that name.
func readLexer(name string) (*lexer, error) {
	data, err := grammars.ReadFile("lexers/" + name + ".xml")
	if err != nil {
		return nil, err
	}
	var file struct {
		Config chroma.Config `xml:"config"`
		Rules  chroma.Rules  `xml:"rules"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	l := &lexer{}
	file.Rules[lineState] = []chroma.Rule{{Mutator: chroma.MutatorFunc(l.begin)}}
	l.Lexer, err = chroma.NewLexer(&file.Config, func() chroma.Rules { return file.Rules })
	return l, err
}

// begin goes to the states that the line begins in. The lexer comes back here
// when it knows nothing to do with the line's end, and begins anew behind it.
func (l *lexer) begin(state *chroma.LexerState) error {
	if l.state == nil {
		state.Stack = append([]string(nil), l.enter...)
	} else {
		state.Stack = []string{"root"}
		state.Pos++
	}
	l.state = state
	return nil
}

// lexer is that of a grammar, with those that it embeds.
func (h *highlighter) lexer(name string) *lexer {
	if found, ok := h.loaded[name]; ok {
		return found
	}
	if h.registry == nil {
		h.registry, h.loaded = chroma.NewLexerRegistry(), map[string]*lexer{}
	}
	h.loaded[name] = nil
	l, err := readLexer(name)
	if err != nil {
		return nil
	}
	h.loaded[name] = l
	h.registry.Register(l.Lexer)
	data, _ := grammars.ReadFile("lexers/" + name + ".xml")
	for _, part := range strings.Split(string(data), `<using lexer="`)[1:] {
		embedded, _, _ := strings.Cut(part, `"`)
		h.lexer(grammar(embedded))
	}
	return l
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

// construct is what may go on over several lines.
type construct struct {
	open, close string
	comment     bool
}

// constructs are those that a grammar knows only as a whole, so that it does not
// see one that is not closed on its line.
func constructs(grammar string) []construct {
	comment := construct{"/*", "*/", true}
	text := construct{`"""`, `"""`, false}
	switch grammar {
	case "c", "cpp", "css", "dart", "hcl", "java", "javascript", "kotlin", "php", "protobuf", "react", "scss", "typescript":
		return []construct{comment}
	case "csharp", "scala":
		return []construct{comment, text}
	case "go":
		return []construct{comment, {"`", "`", false}}
	case "graphql":
		return []construct{text}
	case "toml":
		return []construct{text, {"'''", "'''", false}}
	case "bash":
		return []construct{{"'", "'", false}}
	case "lua":
		return []construct{{"--[[", "]]", true}, {"[[", "]]", false}}
	case "powershell":
		return []construct{{"<#", "#>", true}, {"@'", "'@", false}}
	case "ruby":
		return []construct{{"=begin", "=end", true}}
	case "rust":
		return []construct{{`r#"`, `"#`, false}}
	}
	return nil
}

// heredoc is the word that ends the text which begins on the next line, as in
// cat <<EOF; "" if none begins at the start of s.
func heredoc(grammar, s string) string {
	switch grammar {
	case "bash", "ruby", "perl", "hcl":
		s = strings.TrimPrefix(s, "<<")
	case "php":
		s = strings.TrimPrefix(s, "<<<")
	}
	s = strings.TrimLeft(s, "-~ \\'\"")
	n := 0
	for n < len(s) && (s[n] >= 'A' && s[n] <= 'Z' || s[n] == '_' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	if n < 2 || n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		return "" // more likely a shift
	}
	return s[:n]
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
