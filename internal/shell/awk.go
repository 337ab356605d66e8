package shell

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// awk judges the program of awk: it may print, but not write, read or run
// anything that the program names. It returns the operands that are files.
func (a *analyser) awk(c command, scripts, files []word) []word {
	if len(scripts) == 0 {
		c.f.raise(event.NeedsAsk, "the program of awk is not known")
	}
	for i, w := range scripts {
		why := awkProgram(w.text)
		if why == "" {
			continue
		}
		c.f.raise(event.NeedsAsk, why)
		runs, writes := awkStrings(w.text)
		for n, text := range runs {
			t := w
			t.text, t.glob = text, false
			t.pos++
			a.text(c, t, c.st.fork(), 100+10*i+n)
		}
		for _, name := range writes {
			t := w
			t.text, t.glob = name, false
			a.writes1(c, t)
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(w word) bool {
		name, _, ok := strings.Cut(w.text, "=")
		return ok && isName(name) // an assignment
	})
}

// awkStrings returns the strings of a program that are run and the files that
// are written, as far as they stand there as they are.
func awkStrings(text string) (runs, writes []string) {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			return runs, writes
		}
		before := strings.TrimRight(text[:i], " \t")
		after := strings.TrimLeft(text[end+1:], " \t")
		value := ansi(text[i+1 : end])
		switch {
		case strings.HasSuffix(before, "system("), strings.HasSuffix(before, "|"), strings.HasPrefix(after, "|") && !strings.HasPrefix(after, "||"):
			runs = append(runs, value)
		case strings.HasSuffix(before, ">"):
			writes = append(writes, value)
		}
		i = end
	}
	return runs, writes
}

// awkProgram says what a program of awk does besides printing. Words that
// could do harm are looked for in the whole text, strings included: what is a
// string and what is not is too easily got wrong.
func awkProgram(text string) string {
	for _, w := range []struct{ word, why string }{
		{"system", "system in awk runs a command"},
		{"getline", "getline in awk reads files and runs commands"},
		{"ENVIRON", "ENVIRON in awk shows variables, and so the secrets in them"},
		{"ARGV", "ARGV in awk changes which files it reads"},
		{"ARGC", "ARGC in awk changes which files it reads"},
		{"SYMTAB", "SYMTAB in awk sets variables by name"},
		{"FUNCTAB", "FUNCTAB in awk calls functions by name"},
		{"PROCINFO", "PROCINFO in awk changes how it reads"},
		{"@", "@ in awk loads or calls something by name"},
		{"extension", "extension in awk loads code"},
		{"|&", "|& in awk runs a command"},
	} {
		if strings.Contains(text, w.word) {
			return w.why
		}
	}
	return (&awkScanner{text: text}).scan()
}

// awkScanner finds the pipes and redirections of a program: those outside of
// strings, regular expressions and comparisons.
type awkScanner struct {
	text   string
	i      int
	depth  int    // of parentheses
	prints int    // the depth at which a print statement is open, -1: none
	last   string // the token before
}

func (s *awkScanner) scan() string {
	s.prints = -1
	for s.i < len(s.text) {
		c := s.text[s.i]
		switch {
		case c == '"':
			if !s.quoted('"') {
				return "the program of awk is not understood"
			}
			s.last = `"`
			continue
		case c == '/' && s.regexp():
			from := s.i
			if clear := s.clear(); !s.quoted('/') || !clear && strings.ContainsAny(s.text[from:s.i], `"|>`) {
				return "the program of awk is not understood"
			}
			s.last = "/re/"
			continue
		case c == '/' && s.last == ")":
			// A division, or after "if (...)" a regular expression.
			if piece, _, more := strings.Cut(s.text[s.i+1:], "/"); more && strings.Contains(piece, `"`) {
				return "the program of awk is not understood"
			}
		case c == '#':
			for s.i < len(s.text) && s.text[s.i] != '\n' {
				s.i++
			}
			continue
		case c == '(':
			s.depth++
		case c == ')':
			s.depth--
		case c == '\n' && strings.Contains(",&|?:", s.last):
			s.i++ // the statement goes on
			continue
		case c == '\\':
			if s.i++; strings.HasPrefix(s.text[s.i:], "\r") {
				s.i++
			}
			if !strings.HasPrefix(s.text[s.i:], "\n") {
				return "the program of awk is not understood"
			}
			s.i++ // the line goes on
			continue
		case c == ';' || c == '}' || c == '{' || c == '\n':
			s.prints = -1
		case c == '|':
			if s.i+1 < len(s.text) && s.text[s.i+1] == '|' {
				s.i++
				break
			}
			return "a pipe in awk runs a command"
		case c == '>':
			if s.prints >= 0 && s.depth <= s.prints {
				return "a redirection in awk writes a file"
			}
		case isWord(c):
			s.token()
			continue
		}
		if c != ' ' && c != '\t' {
			s.last = string(c)
		}
		s.i++
	}
	return ""
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *awkScanner) token() {
	from := s.i
	for s.i < len(s.text) && isWord(s.text[s.i]) {
		s.i++
	}
	if s.last = s.text[from:s.i]; s.last == "print" || s.last == "printf" {
		s.prints = s.depth
	}
}

// regexp reports whether a slash begins a regular expression: it is a division
// after a value.
func (s *awkScanner) regexp() bool {
	switch s.last {
	case ")", "]", `"`, "$", "/re/":
		return false
	case "print", "printf", "return", "in", "case", "else", "do", "exit":
		return true
	}
	return s.last == "" || !isWord(s.last[0])
}

// clear reports whether a slash can be nothing but the beginning of a regular
// expression: after x++ it is a division.
func (s *awkScanner) clear() bool {
	return s.last == "" || strings.Contains("{};\n(,!~&|", s.last)
}

// quoted passes a string or regular expression; a line end ends neither.
func (s *awkScanner) quoted(end byte) bool {
	bracket := false
	for s.i++; s.i < len(s.text); s.i++ {
		switch c := s.text[s.i]; {
		case c == '\\':
			s.i++
		case c == '\n':
			return false
		case end == '/' && c == '[':
			bracket = true
		case end == '/' && c == ']':
			bracket = false
		case c == end && bracket:
			return false // awks differ on whether it ends here
		case c == end:
			s.i++
			return true
		}
	}
	return false
}

// jq judges the filter of jq and yq, which can show the environment and load
// files.
func jq(c command, scripts []word) {
	for _, w := range scripts {
		for _, bad := range []string{"env", "ENV", "import", "include", "load", "input_filename", "$__", "eval", "system", "modulemeta", "get_search_list", "halt_error"} {
			if strings.Contains(w.text, bad) {
				c.f.raise(event.NeedsAsk, bad+" in the filter may show variables or read files")
			}
		}
	}
}
