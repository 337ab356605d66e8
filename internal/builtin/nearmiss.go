package builtin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostPlaces   = 10  // places that an error lists
	mostPairs    = 3   // differing lines that an error shows
	previewRunes = 120 // of a line in an error
	mostLines    = 50_000
)

// lineOf is the number, from 1, of the line that the place at lies in.
func lineOf(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

// lineAt is the line that the place at lies in, without its end.
func lineAt(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return strings.TrimSuffix(line, "\r")
}

func ambiguous(text string, places []int, loose string) error {
	var b strings.Builder
	if loose == "" {
		fmt.Fprintf(&b, "search stands at %d places:", len(places))
	} else {
		fmt.Fprintf(&b, "search is not there exactly, and but for %s it fits at %d places:", loose, len(places))
	}
	for i, at := range places {
		if i == mostPlaces {
			fmt.Fprintf(&b, "\n  and %d more", len(places)-i)
			break
		}
		fmt.Fprintf(&b, "\n  line %d: %s", lineOf(text, at), clip(strings.TrimSpace(lineAt(text, at)), previewRunes))
	}
	b.WriteString("\nAdd lines around the one that is meant")
	if loose == "" {
		b.WriteString(", or set replaceAll")
	}
	return &matchError{notUnique, b.String() + "."}
}

// clip is s, cut to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// explain is why r's search text was not found and what would be: the
// mistake in it, that the edit is already done, or the nearest lines.
func explain(text string, r replacement) string {
	first, _, more := strings.Cut(strings.TrimLeft(r.Search, "\r\n"), "\n")
	quoted := fmt.Sprintf("%q", clip(first, 60))
	if more {
		quoted += " and what follows it"
	}
	b := "search was not found: " + quoted + "."
	if at := alreadyThere(text, r.Replace); at >= 0 {
		b += fmt.Sprintf("\nThe new text is already there (line %d): the edit may have been made before.", lineOf(text, at))
	}
	if hint := mistake(text, r.Search); hint != "" {
		return b + "\n" + hint
	}
	return b + "\n" + nearest(text, r.Search)
}

// alreadyThere is where new text stands, or -1. A few characters stand
// anywhere by chance: they must be a whole line.
func alreadyThere(text, replace string) int {
	const few = 6
	trimmed := strings.TrimSpace(replace)
	for from := 0; trimmed != ""; {
		i := strings.Index(text[from:], replace)
		if i < 0 {
			break
		}
		if at := from + i; len(trimmed) >= few || strings.TrimSpace(lineAt(text, at)) == trimmed {
			return at
		}
		from += i + len(replace)
	}
	return -1
}

// mistake recognises what models put into a search text that a file does not
// have.
func mistake(text, search string) string {
	has := func(s string) bool { return strings.TrimSpace(s) != "" && s != search && strings.Contains(text, s) }
	lines := strings.Split(search, "\n")
	switch {
	case has(eachLine(lines, withoutNumber)):
		return "It begins with line numbers: leave out each number and the tab after it."
	case len(lines) > 2 && strings.HasPrefix(lines[0], "```") && has(strings.Join(lines[1:len(lines)-1], "\n")):
		return "It stands in a code fence: leave out the lines of backquotes."
	case has(eachLine(lines, withoutMark)):
		return "It has the marks of a diff (+, -) at the start of its lines: give the text of the file."
	case has(strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(search)):
		return `The file has backslash sequences (\n, \t) where search has the characters themselves: double the backslashes.`
	case has(strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(search)):
		return `The file has the characters themselves where search has backslash sequences (\n, \t, \").`
	case has(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&").Replace(search)):
		return "The file has the characters themselves where search has entities such as &amp;."
	case strings.HasSuffix(search, "\n") && strings.HasSuffix(text, strings.TrimRight(search, "\r\n")) && strings.Trim(search, "\r\n") != "":
		return "The file does not end with a line break; search does."
	}
	return ""
}

// eachLine is the lines with f taken to each, or "" where f does not fit one
// that is not empty.
func eachLine(lines []string, f func(string) (string, bool)) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		s, ok := f(line)
		if !ok && line != "" {
			return ""
		}
		out[i] = s
	}
	return strings.Join(out, "\n")
}

func withoutNumber(line string) (string, bool) {
	rest := strings.TrimLeft(line, " ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits == 0 {
		return "", false
	}
	rest = rest[digits:]
	for _, mark := range []string{"\t", "→", ": ", ":", " | ", "|"} {
		if after, ok := strings.CutPrefix(rest, mark); ok {
			return after, true
		}
	}
	return "", rest == ""
}

func withoutMark(line string) (string, bool) {
	if line != "" && strings.ContainsRune("+- ", rune(line[0])) {
		return line[1:], true
	}
	return "", false
}

// nearest shows the lines of text that are most like search.
func nearest(text, search string) string {
	lines := splitLines(text)
	if len(lines) > mostLines {
		lines = lines[:mostLines]
	}
	want := splitLines(strings.Trim(search, "\n"))
	at, ok := alignment(lines, want)
	if !ok {
		return "Nothing in the file is like it: read the file again."
	}
	var b strings.Builder
	shown, differ := 0, 0
	for i, w := range want {
		got, there := "", at+i >= 0 && at+i < len(lines)
		if there {
			got = lines[at+i]
		}
		if got == w && there || !there && w == "" {
			continue
		}
		if differ++; shown == mostPairs {
			continue
		}
		shown++
		if !there {
			fmt.Fprintf(&b, "\n  the file ends before %s", show(w))
			continue
		}
		fmt.Fprintf(&b, "\n  line %d differs%s\n    file:   %s\n    search: %s", at+i+1, difference(got, w), show(got), show(w))
	}
	if differ == 0 {
		return fmt.Sprintf("The nearest is at line %d, where only the line ends differ.", at+1)
	}
	head := fmt.Sprintf("The nearest is at line %d (→ is a tab, · a blank at an end):", at+1)
	if differ > shown {
		fmt.Fprintf(&b, "\n  and %d more lines differ", differ-shown)
	}
	return head + b.String()
}

func splitLines(s string) []string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// alignment is the line of the text at which the wanted lines fit best: by
// the number of lines that are the same but for blanks, else by the likeness
// of the longest.
func alignment(lines, want []string) (int, bool) {
	index := map[string][]int{}
	longest := 0
	for i, w := range want {
		if s := squeeze(w); s != "" {
			index[s] = append(index[s], i)
		}
		if len(w) > len(want[longest]) {
			longest = i
		}
	}
	votes := map[int]int{}
	best, most := 0, 0
	for j, line := range lines {
		for _, i := range index[squeeze(line)] {
			votes[j-i]++
			if n := votes[j-i]; n > most {
				best, most = j-i, n
			}
		}
	}
	if most > 0 {
		return best, true
	}
	top := 0.45
	pairs := bigrams(want[longest])
	found := false
	for j, line := range lines {
		if s := likeness(pairs, line); s > top {
			best, top, found = j-longest, s, true
		}
	}
	return best, found
}

// squeeze is a line without blanks, in small letters, with characters that
// look alike made the same.
func squeeze(s string) string {
	if !isASCII(s) {
		s = plain(s)
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s))
}

// bigrams counts the pairs of neighbours in a line without its blanks.
func bigrams(s string) map[[2]byte]int {
	s = squeeze(clip(s, 500))
	pairs := make(map[[2]byte]int, len(s))
	for i := 1; i < len(s); i++ {
		pairs[[2]byte{s[i-1], s[i]}]++
	}
	return pairs
}

// likeness is the share of pairs that a line has in common with those given
// (Dice's coefficient).
func likeness(pairs map[[2]byte]int, line string) float64 {
	other := bigrams(line)
	total, both := 0, 0
	for p, n := range pairs {
		total += n
		both += min(n, other[p])
	}
	for _, n := range other {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(both) / float64(total)
}

// difference names what alone differs in two lines, if it has a name.
func difference(file, search string) string {
	blanks := func(s string) string { return strings.Join(strings.Fields(s), "") }
	switch {
	case strings.TrimRight(file, " \t") == strings.TrimRight(search, " \t"):
		return " only in blanks at its end:"
	case strings.TrimLeft(file, " \t") == strings.TrimLeft(search, " \t"):
		return fmt.Sprintf(" only in its indentation (file: %s, search: %s):", indentation(file), indentation(search))
	case blanks(file) == blanks(search):
		return " only in blanks:"
	case strings.EqualFold(file, search):
		return " only in the case of letters:"
	case squeeze(file) == squeeze(search):
		a, b := firstDifference(file, search)
		return fmt.Sprintf(" in characters that look alike (file: %s, search: %s):", a, b)
	}
	return ":"
}

func indentation(line string) string {
	blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	tabs := strings.Count(blanks, "\t")
	spaces := len(blanks) - tabs
	switch {
	case tabs == 0:
		return fmt.Sprintf("%d spaces", spaces)
	case spaces == 0:
		return fmt.Sprintf("%d tabs", tabs)
	}
	return fmt.Sprintf("%d tabs, %d spaces", tabs, spaces)
}

// firstDifference is the first character in which two lines differ, of each,
// with its code point.
func firstDifference(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	name := func(rs []rune) string {
		if i >= len(rs) {
			return "the end"
		}
		if rs[i] < utf8.RuneSelf || !unicode.IsGraphic(rs[i]) {
			return fmt.Sprintf("U+%04X", rs[i])
		}
		return fmt.Sprintf("%c U+%04X", rs[i], rs[i])
	}
	return name(x), name(y)
}

// show is a line with what the eye does not see made visible.
func show(line string) string {
	line = clip(line, previewRunes)
	body := strings.Trim(line, " \t")
	start := strings.Index(line, body)
	var b strings.Builder
	for i, r := range line {
		switch {
		case r == '\t':
			b.WriteRune('→')
		case r == ' ' && (body == "" || i < start || i >= start+len(body)):
			b.WriteRune('·')
		case r == utf8.RuneError, r != ' ' && !unicode.IsGraphic(r), r != ' ' && unicode.IsSpace(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
