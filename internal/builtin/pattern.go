package builtin

import (
	"bytes"
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
	re       *regexp.Regexp
	literals []literal // one of them stands in everything that matches; none: nothing is known
	plain    bool      // the literal is the whole pattern
}

// literal is text that matches have in them.
type literal struct {
	text []byte
	fold bool // but for the case of ASCII letters, which are small in text
}

// mostLiterals is how many texts are looked for side by side.
const mostLiterals = 8

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
	if c.literals = required(tree.Simplify()); len(c.literals) == 1 {
		only := c.literals[0]
		c.plain = !only.fold && string(only.text) == q.pattern && !bytes.ContainsAny(only.text, `\.+*?()|[]{}^$`)
	}
	return c, nil
}

// required is texts of which everything that matches the expression has one
// in it; none when there are no such texts, or too many.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		if l := literalOf(re); len(l.text) > 0 {
			return []literal{l}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if ls := required(sub); shortest(ls) > shortest(best) {
				best = ls
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			ls := required(sub)
			if len(ls) == 0 || len(all)+len(ls) > mostLiterals {
				return nil
			}
			all = append(all, ls...)
		}
		return all
	}
	return nil
}

func shortest(ls []literal) int {
	n := 0
	for i, l := range ls {
		if i == 0 || len(l.text) < n {
			n = len(l.text)
		}
	}
	return n
}

// literalOf is the text of a literal. Where case does not count it is the
// longest run of ASCII letters and marks that have no other relatives in
// Unicode, in small letters.
func literalOf(re *syntax.Regexp) literal {
	if re.Flags&syntax.FoldCase == 0 {
		return literal{text: []byte(string(re.Rune))}
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
	return literal{text: []byte(best), fold: true}
}

// index is where the literal stands in text from pos on, or -1.
func (l literal) index(text []byte, pos int) int {
	var i int
	if l.fold {
		i = indexFold(text[pos:], l.text)
	} else {
		i = bytes.Index(text[pos:], l.text)
	}
	if i < 0 {
		return -1
	}
	return pos + i
}

// finder looks for the places in a text where a pattern could match, in
// order.
type finder struct {
	compiled
	in   []byte
	next []int // of each literal: where it stands next, -1: nowhere any more
}

func (c compiled) finder(text []byte) *finder {
	f := &finder{compiled: c, in: text, next: make([]int, len(c.literals))}
	for i, l := range c.literals {
		f.next[i] = l.index(text, 0)
	}
	return f
}

// candidate is a place, from pos on, in the next line that could match, or
// -1. pos is the beginning of a line, and not before that of the last call. A
// match within a line is one within the whole text as well, so the first that
// is found in the text shows the first line that could have one.
func (f *finder) candidate(pos int) int {
	if len(f.literals) == 0 {
		loc := f.re.FindIndex(f.in[pos:])
		if loc == nil || pos+loc[0] == len(f.in) && pos < len(f.in) && f.in[len(f.in)-1] == '\n' {
			return -1 // after the last line end there is no line
		}
		return pos + loc[0]
	}
	first := -1
	for i, at := range f.next {
		if at >= 0 && at < pos {
			at = f.literals[i].index(f.in, pos)
			f.next[i] = at
		}
		if at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}
