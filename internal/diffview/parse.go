package diffview

import (
	"strconv"
	"strings"
)

// Kind says what a line of a diff is.
type Kind int

// The kinds.
const (
	Context Kind = iota // in both texts
	Added
	Removed
	Note // not of a text: that something was left out, that files are binary
)

// Line is one line of a diff.
type Line struct {
	Kind Kind
	// Old and New are its numbers in the texts, from 1; 0 in a text that it is
	// not in, and where a diff that was cut short no longer says.
	Old, New int
	// Text is the line without its sign and its line feed.
	Text string
	// NoNewline is set for the last line of a text that does not end with a
	// line feed.
	NoNewline bool
}

// Hunk is one place that changes, with lines around it that do not.
type Hunk struct {
	// Path is the file: the new name, or the old one of a file that is deleted;
	// empty if the diff does not say.
	Path string
	// Old and New are the numbers of the first lines; that of the line before,
	// if there are none.
	Old, OldLines int
	New, NewLines int
	// Section is what stands behind the numbers: often the function.
	Section string
	Lines   []Line
	// Diff is the hunk as a diff of its own, without the names of the files.
	Diff string
	// Complete is false for a hunk that does not have the lines it announces.
	Complete bool

	headed bool // else lines without a beginning
}

// file is the part of a diff about one file.
type file struct {
	old, new string // as they are written: a/x, b/x, /dev/null
	header   string // the lines before the first hunk, as they are
	hunks    []*Hunk
}

// Hunks is all hunks of a diff, of all its files.
func Hunks(diff string) []Hunk {
	var out []Hunk
	for _, f := range parse(diff) {
		for _, h := range f.hunks {
			if h.headed {
				out = append(out, *h)
			}
		}
	}
	return out
}

// Stat is how many lines a diff adds and removes.
func Stat(diff string) (added, removed int) {
	for _, f := range parse(diff) {
		a, r := f.stat()
		added, removed = added+a, removed+r
	}
	return added, removed
}

func (f *file) stat() (added, removed int) {
	for _, h := range f.hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case Added:
				added++
			case Removed:
				removed++
			}
		}
	}
	return added, removed
}

// path is the name that a person knows the file by.
func (f *file) path() string {
	name := f.new
	if name == "" || name == "/dev/null" {
		name = f.old
	}
	if name == "/dev/null" {
		return ""
	}
	if strings.HasPrefix(name, "a/") || strings.HasPrefix(name, "b/") {
		return name[2:]
	}
	return name
}

// parser reads a diff line by line.
type parser struct {
	diff  string
	at    int // the line being read
	files []*file
	hunk  *Hunk // being read, or nil
	start int   // where it begins
	// what is still to come of it
	old, new         int
	nextOld, nextNew int
	loose            bool // what comes cannot be counted
	fresh            bool // the header of the last file goes on
}

func parse(diff string) []*file {
	p := &parser{diff: diff}
	for p.at < len(diff) {
		line := lineAt(diff, p.at)
		next := lineAt(diff, p.at+len(line))
		switch {
		case p.counted(line):
		case strings.HasPrefix(line, "@@ ") && p.begin(line):
		case strings.HasPrefix(line, "--- ") && strings.HasPrefix(next, "+++ "):
			p.names(line, next)
			p.at += len(next)
		case strings.HasPrefix(line, "diff --git "):
			p.git(line)
		case p.fresh:
			p.header(line)
		default:
			p.other(line)
		}
		p.at += len(line)
	}
	return p.files
}

// lineAt is the line that begins at a place, with its end.
func lineAt(text string, at int) string {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return text[at : at+end+1]
	}
	return text[at:]
}

// extend takes the line being read into the hunk.
func (p *parser) extend(line string) { p.hunk.Diff = p.diff[p.start : p.at+len(line)] }

// counted takes a line that the hunk announced.
func (p *parser) counted(line string) bool {
	h := p.hunk
	if h == nil || p.loose {
		return false
	}
	text := strings.TrimSuffix(line, "\n")
	if strings.HasPrefix(text, `\`) && len(h.Lines) > 0 {
		p.extend(line)
		h.Lines[len(h.Lines)-1].NoNewline = true
		return true
	}
	if p.old == 0 && p.new == 0 {
		return false
	}
	l := Line{Old: p.nextOld, New: p.nextNew, Text: text}
	if text != "" { // an empty one is one of the context that lost its blank
		l.Text = text[1:]
		switch text[0] {
		case ' ':
		case '-':
			l.Kind, l.New = Removed, 0
		case '+':
			l.Kind, l.Old = Added, 0
		default:
			p.loose = true
			return false
		}
	}
	if l.Old > 0 && p.old == 0 || l.New > 0 && p.new == 0 {
		p.loose = true
		return false
	}
	if l.Old > 0 {
		p.old--
		p.nextOld++
	}
	if l.New > 0 {
		p.new--
		p.nextNew++
	}
	p.extend(line)
	h.Lines = append(h.Lines, l)
	h.Complete = p.old == 0 && p.new == 0
	return true
}

// begin reads "@@ -1,2 +1,3 @@ section".
func (p *parser) begin(line string) bool {
	numbers, section, ok := strings.Cut(strings.TrimSuffix(line, "\n")[3:], " @@")
	if !ok {
		return false
	}
	from, to, ok := strings.Cut(numbers, " ")
	if !ok || !strings.HasPrefix(from, "-") || !strings.HasPrefix(to, "+") {
		return false
	}
	h := &Hunk{Section: strings.TrimPrefix(section, " "), Diff: line, headed: true}
	var ok1, ok2 bool
	h.Old, h.OldLines, ok1 = span(from[1:])
	h.New, h.NewLines, ok2 = span(to[1:])
	if !ok1 || !ok2 {
		return false
	}
	p.old, p.new, p.nextOld, p.nextNew = h.OldLines, h.NewLines, max(1, h.Old), max(1, h.New)
	h.Complete = p.old == 0 && p.new == 0
	p.add(h)
	p.loose = false
	return true
}

// span reads "3,2", or "3" for one line.
func span(text string) (start, lines int, ok bool) {
	const most = 1 << 40 // so that adding never overflows
	first, second, two := strings.Cut(text, ",")
	start, err := strconv.Atoi(first)
	if err != nil || start < 0 || start > most {
		return 0, 0, false
	}
	if !two {
		return start, 1, true
	}
	lines, err = strconv.Atoi(second)
	return start, lines, err == nil && lines >= 0 && lines <= most
}

// add puts a hunk to the last file.
func (p *parser) add(h *Hunk) {
	if len(p.files) == 0 {
		p.file()
	}
	f := p.files[len(p.files)-1]
	h.Path = f.path()
	f.hunks = append(f.hunks, h)
	p.hunk, p.start, p.fresh = h, p.at, false
}

// file begins a file.
func (p *parser) file() *file {
	f := &file{}
	p.files = append(p.files, f)
	p.hunk, p.loose = nil, false
	return f
}

// git begins a file by "diff --git a/x b/x". Where both names are the same, it
// is known what they are, even if none follow.
func (p *parser) git(line string) {
	f := p.file()
	f.header = line
	p.fresh = true
	names := strings.TrimRight(strings.TrimPrefix(line, "diff --git "), "\r\n")
	old, new := names[:len(names)/2], names[(len(names)+1)/2:]
	if len(names)%2 == 1 && strings.HasPrefix(old, "a/") && strings.HasPrefix(new, "b/") && old[2:] == new[2:] {
		f.old, f.new = old, new
	}
}

// names reads "--- a/x" and "+++ b/x".
func (p *parser) names(from, to string) {
	var f *file
	if p.fresh {
		f = p.files[len(p.files)-1]
	} else {
		f = p.file()
	}
	f.header += from + to
	f.old, f.new = fileName(from), fileName(to)
	p.fresh, p.hunk, p.loose = false, nil, false
}

// fileName is the name without the time that some tools put behind it.
func fileName(line string) string {
	name, _, _ := strings.Cut(strings.TrimRight(line[4:], "\r\n"), "\t")
	return name
}

// header reads a line between "diff --git" and the names. Such files may have
// neither names nor hunks.
func (p *parser) header(line string) {
	f := p.files[len(p.files)-1]
	text := strings.TrimRight(line, "\r\n")
	switch word, rest, _ := strings.Cut(text, " "); {
	case word == "index" || text == "" || word == "similarity":
	case text == "new file mode 100644" || strings.HasPrefix(text, "deleted file mode "): // the title says it
	case word == "rename" && strings.HasPrefix(rest, "from "):
		f.old = strings.TrimPrefix(rest, "from ")
	case word == "rename" && strings.HasPrefix(rest, "to "):
		f.new = strings.TrimPrefix(rest, "to ")
	default:
		h := &Hunk{Lines: []Line{{Kind: Note, Text: text}}, Path: f.path()}
		f.hunks = append(f.hunks, h)
	}
	f.header += line
}

// other takes a line that no hunk announced.
func (p *parser) other(line string) {
	text := strings.TrimSuffix(line, "\n")
	if p.hunk == nil || p.hunk.Complete {
		if text == "" {
			return
		}
		p.add(&Hunk{})
	}
	p.loose = true
	l := Line{Kind: Note, Text: text}
	for i, sign := range []string{" ", "+", "-"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			l.Kind, l.Text = Kind(i), rest
		}
	}
	p.extend(line)
	p.hunk.Lines = append(p.hunk.Lines, l)
}
