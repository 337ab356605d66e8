package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Marks in the decoded words of rules and commands.
const (
	any1 = "\x02" // a wildcard of a rule
	star = "\x03" // a "*" that the shell expands
)

// Match reports whether the body of an allow rule covers one simple command,
// given as [Part.Target]. Words are compared decoded, so that quotes and
// backslashes change nothing:
//
//	npm run test:*   these words, and any after them
//	git log *        the same; "git logout" is another word
//	ls*              the command ls with any words, never lsof
//	git * main       a "*" alone is any number of words, within a word any text
//	rm \*.o          a "*" that the shell expands, as it stands in the command
//	FOO=1 bar        assignments count, unless they are harmless (LANG=C)
//
// A directory of the system before the command's name does not count. What
// find does with what it finds must be named (-delete). Nothing matches
// [Unparsed], or a command that hides text.
func Match(rule, command string) bool {
	if strings.TrimSpace(command) == Unparsed || strings.TrimSpace(rule) == "" || hidden(command) != "" {
		return false
	}
	p, ok := pattern(rule)
	words, parsed := decode(command, false)
	if !ok || !parsed {
		return strings.TrimSpace(rule) == strings.TrimSpace(command)
	}
	words = relevant(words)
	if len(words) > 0 && words[0] == "find" && slices.ContainsFunc(words, func(w string) bool { return acts(w) && !slices.Contains(p.words, w) }) {
		return false
	}
	return p.covers(words)
}

// acts reports whether a word makes find do more than look; a rule must name
// it.
func acts(w string) bool {
	switch w {
	case "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls":
		return true
	}
	return false
}

// Catches reports whether the body of a deny or ask rule is about one simple
// command. It sees more than [Match]: through every assignment and wrapper,
// and any directory before the command's name, in any letter case; for git
// also through the options before the subcommand.
func Catches(rule, command string) bool {
	if strings.TrimSpace(rule) == "" {
		return false
	}
	p, ok := pattern(rule)
	if !ok {
		return strings.TrimSpace(rule) == strings.TrimSpace(command)
	}
	if len(p.words) == 0 && p.rest {
		return true
	}
	texts := []string{command}
	for _, part := range Analyse(command, Env{Cwd: "/", Root: "/"}).Parts {
		texts = append(texts, part.Text)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		words, ok := decode(text, false)
		if !ok {
			words = strings.Fields(text)
		}
		if p.covers(relevant(words)) {
			return true
		}
		for len(words) > 1 && assignment(words[0]) {
			words = words[1:]
		}
		return p.covers(loosened(words)) || p.covers(subcommandOf(loosened(words)))
	})
}

// Exact returns the rule body that matches this simple command and no other.
func Exact(command string) string {
	var stars []int // negative: behind a backslash
	ok := eachWord(command, func(w *syntax.Word) {
		for _, part := range w.Parts {
			lit, isLit := part.(*syntax.Lit)
			if !isLit {
				continue
			}
			for i := int(lit.Pos().Offset()); i < int(lit.End().Offset()) && i < len(command); i++ {
				switch {
				case command[i] == '*':
					stars = append(stars, i)
				case command[i] == '\\':
					if i++; i < len(command) && command[i] == '*' {
						stars = append(stars, -i)
					}
				}
			}
		}
	})
	if !ok || command != mask(command) {
		return command
	}
	for _, i := range slices.Backward(stars) {
		if i < 0 {
			command = command[:-i-1] + "'*'" + command[-i+1:] // "\*" is something else in a rule
		} else {
			command = command[:i] + `\` + command[i:]
		}
	}
	return command
}

// IsExact reports whether a rule body has no wildcard, so that it is one
// command and no other.
func IsExact(rule string) bool {
	p, ok := pattern(rule)
	return !ok || !p.rest && !slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(w, any1) })
}

// Quote returns words as one simple command, for a program that is run without
// a shell.
func Quote(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		quoted, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			quoted = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" // as unreadable as w is
		}
		out[i] = quoted
	}
	return strings.Join(out, " ")
}

// rulePattern is a parsed rule body.
type rulePattern struct {
	words []string
	rest  bool // any words may follow
}

// pattern parses a rule body; false if it is no simple command.
func pattern(rule string) (rulePattern, bool) {
	words, ok := decode(rule, true)
	if !ok || len(words) == 0 {
		return rulePattern{}, false
	}
	words = relevant(words)
	p := rulePattern{words: words}
	if len(words) == 0 {
		return p, false
	}
	last := len(words) - 1
	switch w := words[last]; {
	case w == any1 || w == ":"+any1:
		p.words, p.rest = words[:last], true
	case strings.HasSuffix(w, ":"+any1):
		p.words[last], p.rest = strings.TrimSuffix(w, ":"+any1), true
	case strings.HasSuffix(w, any1):
		p.rest = true
		if last == 0 && !strings.HasSuffix(w, "/"+any1) {
			p.words[0] = strings.TrimSuffix(w, any1) // a command, never the beginning of its name
		}
	}
	return p, true
}

// covers reports whether the pattern matches decoded words.
func (p rulePattern) covers(words []string) bool {
	reached := make([]bool, len(words)+1) // how many words the patterns so far can take
	reached[0] = true
	for i, pat := range p.words {
		next := make([]bool, len(words)+1)
		for n, ok := range reached {
			switch {
			case pat == any1 && i > 0:
				next[n] = ok || n > 0 && next[n-1]
			case ok && n < len(words) && coversWord(pat, words[n], i == 0):
				next[n+1] = true
			}
		}
		reached = next
	}
	return reached[len(words)] || p.rest && slices.Contains(reached, true)
}

// coversWord matches one word; the wildcard of a command's name leaves its
// directory neither downwards nor upwards.
func coversWord(pat, w string, name bool) bool {
	if !strings.Contains(pat, any1) {
		return pat == w
	}
	if name && (strings.Contains(w, "..") || strings.Count(w, "/") != strings.Count(pat, "/")) {
		return false
	}
	pieces := strings.Split(pat, any1)
	rest, ok := strings.CutPrefix(w, pieces[0])
	if !ok {
		return false
	}
	tail := pieces[len(pieces)-1]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return len(rest) >= len(tail) && strings.HasSuffix(rest, tail)
}

// relevant drops harmless assignments, and the system's directory before the
// command's name.
func relevant(words []string) []string {
	t := &table{}
	out := slices.Clone(words)
	i := 0
	for i < len(out)-1 && assignment(out[i]) {
		name, _, _ := strings.Cut(out[i], "=")
		if t.list("var harmless", name) || t.list("var harmless", out[i]) {
			out = slices.Delete(out, i, i+1)
			continue
		}
		i++
	}
	if i < len(out) && strings.HasPrefix(out[i], "/") && systemBin(path.Dir(out[i])) {
		out[i] = path.Base(out[i])
	}
	return out
}

// loosened is how a command looks to a rule that must not miss it.
func loosened(words []string) []string {
	out := slices.Clone(words)
	if len(out) > 0 {
		out[0] = strings.ToLower(path.Base(out[0]))
	}
	return out
}

// subcommandOf drops the options between git and its subcommand.
func subcommandOf(words []string) []string {
	if len(words) < 2 || words[0] != "git" {
		return words
	}
	i := 1
	for i < len(words) && strings.HasPrefix(words[i], "-") {
		switch words[i] {
		case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path":
			i++
		}
		i++
	}
	return append([]string{"git"}, words[min(i, len(words)):]...)
}

func assignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && isName(name)
}

// eachWord yields the words of a text; false if it is more than words.
func eachWord(text string, do func(*syntax.Word)) bool {
	for w, err := range syntax.NewParser(syntax.Variant(syntax.LangBash)).WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return false
		}
		do(w)
	}
	return true
}

// decode returns the words of one simple command. An expansion stays as it is
// written, but is never equal to the same characters in quotes.
func decode(text string, rule bool) ([]string, bool) {
	text = strings.NewReplacer(any1, crMask, star, crMask).Replace(mask(text))
	var out []string
	ok := eachWord(text, func(w *syntax.Word) {
		var b strings.Builder
		for i, part := range w.Parts {
			decodePart(&b, text, part, rule, i == 0)
		}
		out = append(out, b.String())
	})
	return out, ok && len(out) > 0
}

func decodePart(b *strings.Builder, text string, part syntax.WordPart, rule, first bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		decodeLit(b, part.Value, rule, first)
	case *syntax.SglQuoted:
		if part.Dollar {
			b.WriteString(ansi(part.Value))
		} else {
			b.WriteString(part.Value)
		}
	case *syntax.DblQuoted:
		if part.Dollar {
			b.WriteString(hole + slice(text, part) + hole)
			return
		}
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				b.WriteString(unescape(lit.Value, "$`\"\\"))
			} else {
				b.WriteString(hole + `"` + slice(text, inner) + hole)
			}
		}
	default:
		b.WriteString(hole + slice(text, part) + hole)
	}
}

// decodeLit decodes unquoted text. A star is a wildcard of a rule, and of a
// command what "\*" stands for in a rule.
func decodeLit(b *strings.Builder, value string, rule, first bool) {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			switch {
			case value[i] == '\n':
			case value[i] == '*' && rule:
				b.WriteString(star)
			default:
				b.WriteByte(value[i])
			}
		case c == '*' && rule:
			b.WriteString(any1)
		case c == '*':
			b.WriteString(star)
		case c == '?' || c == '[' || c == '{' || c == '~' && first && i == 0:
			b.WriteString(hole)
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
}
