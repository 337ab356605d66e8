package builtin

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement is one wish of a model: put Replace where Search stands.
type replacement struct {
	Search     string `json:"search"`
	Replace    string `json:"replace"`
	ReplaceAll bool   `json:"replaceAll,omitempty"`
}

// matchError says why a replacement was not made. Its text is for the model.
type matchError struct {
	kind matchKind
	text string
}

type matchKind string

const (
	notFound     matchKind = "not_found"
	notUnique    matchKind = "not_unique"
	noChange     matchKind = "no_change"
	fileNotEmpty matchKind = "file_not_empty"
)

func (e *matchError) Error() string { return e.text }

// matched is where a replacement goes, and what is to be written there.
type matched struct {
	edits []edit
	loose string // what was overlooked to find it; "" when the text was exact
}

// largestFolded is the longest text that is looked through for anything but
// the exact words.
const largestFolded = 32 << 20

// match finds the places where r applies in text: every place where the
// exact words stand, which must be one unless r is for all; else the single
// place where they stand but for what does not count. The edits are in order
// and apart.
func match(text string, r replacement) (matched, error) {
	if r.Search == "" {
		if text != "" {
			return matched{}, &matchError{fileNotEmpty, "search is empty, but the file is not: give the text that is to be replaced"}
		}
		if r.Replace == "" {
			return matched{}, &matchError{noChange, "search and replace are both empty: nothing would change"}
		}
		return matched{edits: []edit{{text: r.Replace}}}, nil
	}
	if r.Search == r.Replace {
		return matched{}, &matchError{noChange, "search and replace are the same: nothing would change"}
	}
	places := occurrences(text, r.Search, !r.ReplaceAll)
	if len(places) > 1 && !r.ReplaceAll {
		return matched{}, ambiguous(text, places, "")
	}
	if len(places) > 0 {
		m := matched{edits: make([]edit, len(places))}
		for i, at := range places {
			end := at + len(r.Search)
			if at > 0 && text[at-1:at+1] == "\r\n" && !strings.Contains(r.Search, "\r") {
				at-- // a line end is never cut in two
			}
			m.edits[i] = edit{at, end, withLineEnds(text, at, end, r)}
		}
		return m, nil
	}
	if len(text) <= largestFolded {
		for _, step := range ladder(text, r.Search) {
			if m, ok, err := step.match(text, r); ok || err != nil {
				return m, err
			}
		}
	}
	return matched{}, &matchError{notFound, explain(text, r)}
}

// occurrences is where search stands in text. With overlaps, places that
// share characters count too: a text that stands in two ways is not unique.
func occurrences(text, search string, overlaps bool) []int {
	var places []int
	for at := 0; ; {
		i := strings.Index(text[at:], search)
		if i < 0 {
			return places
		}
		places = append(places, at+i)
		if overlaps {
			at += i + 1
		} else {
			at += i + len(search)
		}
	}
}

// withLineEnds is r.Replace with the line ends of the file. A reader of lines
// never sees a CR, so a model that gives none does not ask for its removal.
func withLineEnds(text string, start, end int, r replacement) string {
	if strings.Contains(r.Search, "\r") || !strings.Contains(r.Replace, "\n") || lineEnd(text, start, end) == "\n" {
		return r.Replace
	}
	return strings.ReplaceAll(strings.ReplaceAll(r.Replace, "\r\n", "\n"), "\n", "\r\n")
}

// lineEnd is how lines end in [start, end), else at the line that it is in,
// else at the line before.
func lineEnd(text string, start, end int) string {
	nl := strings.LastIndexByte(text[start:end], '\n')
	if nl >= 0 {
		nl += start
	} else if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		nl = end + i
	} else {
		nl = strings.LastIndexByte(text[:start], '\n')
	}
	if nl > 0 && text[nl-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// step is one rung of the ladder: the differences that do not count, in
// words, and the ways to overlook them.
type step struct {
	loose string
	ways  []folding
}

// ladder is the steps that could help to find search in text, strictest
// first. Each overlooks what the ones before it do.
func ladder(text, search string) []step {
	var steps []step
	if strings.Contains(search, "\n") {
		steps = append(steps, step{"line endings", []folding{{eol: true}}})
	}
	steps = append(steps, step{"trailing blanks", []folding{{eol: true, trailing: true}}})
	tabs := strings.Contains(text, "\t") || strings.Contains(search, "\t")
	widths := []int{4, 8, 2, 3, 1, 5, 6, 7}
	indent := func(loose string, base folding) step {
		s := step{loose: loose}
		for _, w := range widths {
			base.tab = w
			s.ways = append(s.ways, base)
		}
		return s
	}
	if tabs {
		steps = append(steps, indent("tabs against spaces in the indentation", folding{eol: true, trailing: true}))
	}
	if !isASCII(text) || !isASCII(search) {
		alike := folding{eol: true, trailing: true, alike: true}
		steps = append(steps, step{"characters that look alike", []folding{alike}})
		if tabs {
			steps = append(steps, indent("characters that look alike, and tabs against spaces in the indentation", alike))
		}
	}
	return steps
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// match is true when exactly one place fits. Several are an error: no later
// step could tell them apart.
func (s step) match(text string, r replacement) (matched, bool, error) {
	var found []edit
	for _, way := range s.ways {
		search := way.fold(r.Search)
		if strings.TrimSpace(search.text) == "" || search.text == way.fold(r.Replace).text {
			continue // what this step overlooks is the very change that is wanted
		}
		in := way.fold(text)
		for _, at := range occurrences(in.text, search.text, true) {
			start, end, ok := in.original(at, at+len(search.text))
			if !ok || !edgesFit(text, start, end, way, r.Search) {
				continue
			}
			if !slices.ContainsFunc(found, func(e edit) bool { return e.start == start && e.end == end }) {
				found = append(found, edit{start, end, restyle{way, in, search, at, r}.write()})
			}
		}
	}
	switch {
	case len(found) == 0:
		return matched{}, false, nil
	case len(found) > 1:
		places := make([]int, len(found))
		for i, e := range found {
			places[i] = e.start
		}
		slices.Sort(places)
		return matched{}, false, ambiguous(text, places, s.loose)
	case text[found[0].start:found[0].end] == found[0].text:
		line := lineOf(text, found[0].start)
		return matched{}, false, &matchError{noChange, fmt.Sprintf("nothing would change: the new text is already there (line %d)", line)}
	}
	return matched{edits: found, loose: s.loose}, true, nil
}

// edgesFit says whether a loose match ends where the search text says that a
// line does: one that ends in blanks ends a line, and where indentation is
// compared the whole of it is.
func edgesFit(text string, start, end int, way folding, search string) bool {
	if way.trailing && strings.TrimRight(search, " \t") != search {
		rest := strings.TrimLeft(text[end:], " \t\r")
		if rest != "" && rest[0] != '\n' {
			return false
		}
	}
	if way.tab > 0 && (search[0] == ' ' || search[0] == '\t') {
		return start == 0 || text[start-1] == '\n'
	}
	return true
}

// restyle writes a replacement in the style of the file: where the model
// repeats what it searched for, the file's own bytes stay.
type restyle struct {
	way    folding
	in     folded // the file's text
	search folded
	at     int // where search begins in in.text
	r      replacement
}

func (s restyle) write() string {
	replace := s.way.fold(s.r.Replace)
	old, new := tokens(s.search.text), tokens(replace.text)
	start, end, _ := s.in.original(s.at, s.at+len(s.search.text))
	eol := lineEnd(s.in.from, start, end)
	atLine := start == 0 || s.in.from[start-1] == '\n'
	indents := s.indents(old, atLine)
	var b strings.Builder
	for _, run := range common(old, new) {
		if run.same {
			from, to, ok := s.in.original(s.at+run.oldStart, s.at+run.oldEnd)
			if !ok {
				return withLineEnds(s.in.from, start, end, s.r)
			}
			b.WriteString(s.in.from[from:to])
			continue
		}
		from, to, ok := replace.original(run.newStart, run.newEnd)
		if !ok {
			return withLineEnds(s.in.from, start, end, s.r)
		}
		lineStart := atLine
		if run.newStart > 0 {
			lineStart = replace.text[run.newStart-1] == '\n'
		}
		b.WriteString(s.restyleNew(s.r.Replace[from:to], lineStart, eol, indents))
	}
	if tail := replace.tail(); tail != s.search.tail() {
		b.WriteString(tail)
	}
	return b.String()
}

// indents is the file's own spelling of each indentation of the searched
// text.
func (s restyle) indents(old []string, atLine bool) map[string]string {
	if s.way.tab == 0 {
		return nil
	}
	spelled := map[string]string{}
	at := s.at
	for i, t := range old {
		if strings.Trim(t, " ") == "" && (i == 0 && atLine || i > 0 && old[i-1] == "\n") {
			if from, to, ok := s.in.original(at, at+len(t)); ok {
				spelled[t] = s.in.from[from:to]
			}
		}
		at += len(t)
	}
	return spelled
}

// restyleNew gives lines that are new in the file its line ends and its
// indentation. lineStart says whether they begin at the start of a line.
func (s restyle) restyleNew(text string, lineStart bool, eol string, indents map[string]string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		if (i > 0 || lineStart) && s.way.tab > 0 {
			body := strings.TrimLeft(line, " \t")
			b.WriteString(s.indent(line[:len(line)-len(body)], indents))
			line = body
		}
		if body, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimSuffix(body, "\r") + eol
		}
		b.WriteString(line)
	}
	return b.String()
}

// indent writes blanks as the file's indentation does.
func (s restyle) indent(blanks string, indents map[string]string) string {
	columns := s.way.fold(blanks + "x").text
	columns = columns[:len(columns)-1]
	if spelled, ok := indents[columns]; ok {
		return spelled
	}
	tabs := false
	for _, spelled := range indents {
		tabs = tabs || strings.Contains(spelled, "\t")
	}
	switch {
	case !tabs:
		return columns
	case strings.Contains(blanks, "\t"):
		return blanks
	}
	return strings.Repeat("\t", len(columns)/s.way.tab) + strings.Repeat(" ", len(columns)%s.way.tab)
}

// tokens cuts folded text into line ends, runs of blanks, words, and single
// other characters.
func tokens(s string) []string {
	var out []string
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		class := classOf(r)
		for class != 0 && n < len(s) {
			r, size := utf8.DecodeRuneInString(s[n:])
			if c := classOf(r); c != class && !unicode.Is(unicode.M, r) {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// classOf is 0 for characters that are a token each.
func classOf(r rune) int {
	switch {
	case r == ' ' || r == '\t':
		return 1
	case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
		return 2
	}
	return 0
}
