package builtin

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// withoutLooseBraces puts a backslash before each brace that does not begin a
// repetition, such as the one in interface{}: Go takes it for itself, rg
// refuses the pattern.
func withoutLooseBraces(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		n := patternToken(pattern[i:])
		if pattern[i] == '{' && (i == 0 || !isRepetition(pattern[i:])) {
			b.WriteByte('\\')
		}
		b.WriteString(pattern[i : i+n])
		i += n
	}
	return b.String()
}

// patternToken is the length of the escape, the class or the single
// character that a pattern begins with.
func patternToken(p string) int {
	switch p[0] {
	case '\\':
		if len(p) < 2 {
			return 1
		}
		if strings.IndexByte("pPx", p[1]) >= 0 && len(p) > 2 && p[2] == '{' {
			if end := strings.IndexByte(p, '}'); end > 0 {
				return end + 1
			}
		}
		return 2
	case '[':
		for i := 1; i < len(p); i++ {
			switch {
			case p[i] == '\\':
				i++
			case p[i] == '[' && i+1 < len(p) && p[i+1] == ':':
				if end := strings.Index(p[i:], ":]"); end > 0 {
					i += end + 1
				}
			case p[i] == ']' && i > 1 && (i > 2 || p[1] != '^'):
				return i + 1
			}
		}
	}
	return 1
}

func isRepetition(p string) bool {
	body, _, ok := strings.Cut(p[1:], "}")
	if !ok {
		return false
	}
	low, high, _ := strings.Cut(body, ",")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return low != "" && digits(low) && digits(high)
}

// hasLineBreak says whether a pattern asks for a line break outright.
func hasLineBreak(pattern string) bool {
	for i := 0; i < len(pattern); {
		n := patternToken(pattern[i:])
		if t := pattern[i : i+n]; t == "\n" || t == `\n` {
			return true
		}
		i += n
	}
	return false
}

// rgDialect is a pattern with the borders of words that Go has, which know
// the letters of ASCII only.
func rgDialect(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		n := patternToken(pattern[i:])
		t := pattern[i : i+n]
		i += n
		if t == `\b` || t == `\B` {
			t = "(?-u:" + t + ")"
		}
		b.WriteString(t)
	}
	return b.String()
}

// goDialect is a pattern with the classes of letters, digits and blanks that
// rg has, which are those of Unicode.
func goDialect(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		n := patternToken(pattern[i:])
		t := pattern[i : i+n]
		i += n
		switch {
		case t == `\w`:
			t = `[\pL\pM\p{Nd}\p{Pc}]`
		case t == `\W`:
			t = `[^\pL\pM\p{Nd}\p{Pc}]`
		case t == `\d`:
			t = `\p{Nd}`
		case t == `\D`:
			t = `\P{Nd}`
		case t == `\s`:
			t = `[\s\v\x{85}\pZ]`
		case t == `\S`:
			t = `[^\s\v\x{85}\pZ]`
		case n > 1 && t[0] == '[':
			t = strings.NewReplacer(`\\`, `\\`, `\w`, `\pL\pM\p{Nd}\p{Pc}`, `\d`, `\p{Nd}`, `\D`, `\P{Nd}`, `\s`, `\s\v\x{85}\pZ`).Replace(t)
		}
		b.WriteString(t)
	}
	return b.String()
}

// compiled is a pattern ready for the searcher of our own.
type compiled struct {
	re      *regexp.Regexp
	literal []byte // stands in everything that matches; nil: nothing is known
	fold    bool   // but for the case of ASCII letters
	plain   bool   // literal is the whole pattern
}

func compile(q query) (compiled, error) {
	flags := "(?m)"
	if q.in.Multiline {
		flags = "(?ms)"
	}
	if q.in.IgnoreCase {
		flags = strings.Replace(flags, "(?", "(?i", 1)
	}
	text := flags + goDialect(q.pattern)
	re, err := regexp.Compile(text)
	if err != nil {
		return compiled{}, fmt.Errorf("the pattern is not valid: %w", err)
	}
	c := compiled{re: re}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return c, nil
	}
	literal, fold := required(tree.Simplify())
	if literal != "" {
		c.literal, c.fold = []byte(literal), fold
		c.plain = !fold && literal == q.pattern && !strings.ContainsAny(literal, `\.+*?()|[]{}^$`)
	}
	return c, nil
}

// required is the longest text that everything that matches the expression
// has in it.
func required(re *syntax.Regexp) (literal string, fold bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if l, f := required(sub); len(l) > len(literal) {
				literal, fold = l, f
			}
		}
	}
	return literal, fold
}

// literalOf is the text of a literal. Where case does not count it is the
// longest run of ASCII letters and marks that have no other relatives in
// Unicode, in small letters.
func literalOf(re *syntax.Regexp) (string, bool) {
	if re.Flags&syntax.FoldCase == 0 {
		return string(re.Rune), false
	}
	best := ""
	var run []rune
	for _, r := range append(re.Rune[:len(re.Rune):len(re.Rune)], unicode.MaxRune) {
		if l := unicode.ToLower(r); l < 0x80 && l != 'k' && l != 's' {
			run = append(run, l)
			continue
		}
		if len(run) > len(best) {
			best = string(run)
		}
		run = run[:0]
	}
	return best, true
}
