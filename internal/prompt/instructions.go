package prompt

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Places is where instruction files are looked for, and how much of them is
// used. All directories are absolute; an empty one is not looked at.
type Places struct {
	Root   string // the project's root; "": Cwd
	Cwd    string
	Home   string // for ~/.claude
	Config string // MiniCode's own config directory
	Legacy string // MiniCode TypeScript's, such as ~/.mini-code

	PerFile int // characters of one file, at least 200; 0: 8,000
	Budget  int // characters in all; 0: 40,000

	// Secret says that a file holds secrets and so is neither used nor
	// included, whatever its name says. It gets the path with links followed.
	Secret func(path string) bool
}

// Use is what became of an instruction file.
type Use string

// What becomes of a file.
const (
	Whole   Use = "loaded"
	Cut     Use = "cut"     // its end is left out
	Omitted Use = "omitted" // the budget was used up by closer files
	Same    Use = "same"    // a closer file says the same
	Skipped Use = "skipped" // it cannot be used; Why says the reason
)

// File is one instruction file that was found.
type File struct {
	Path  string // as it was looked for
	Real  string // with symbolic links followed
	Name  string // in its directory, such as .claude/CLAUDE.md
	Scope string // for whom it is: the directory, and where a link of the person's own leads
	Text  string // what is used of it, with what it includes
	Lines int    // of the whole
	Chars int    // of the whole
	Use   Use
	Why   string

	link string // where a symbolic link leads out of the directory
	sum  [sha256.Size]byte
}

const (
	defaultPerFile = 8_000
	defaultBudget  = 40_000
	maxBytes       = 1 << 20 // of a file; what is longer was not written to instruct
	minPiece       = 200     // characters; a shorter rest of a file says nothing

	heading      = "# Instructions"
	cutMark      = "\n[truncated]"
	omittedMark  = "_Additional instruction content omitted after reaching the prompt budget._"
	skipIncluded = "<!-- include skipped: %s %s -->"
)

func (p Places) filled() Places {
	if p.Root == "" {
		p.Root = p.Cwd
	}
	if p.PerFile <= 0 {
		p.PerFile = defaultPerFile
	}
	p.PerFile = max(p.PerFile, minPiece)
	if p.Budget <= 0 {
		p.Budget = defaultBudget
	}
	return p
}

// Instructions finds and reads the instruction files of the person, then those
// of the project from its root down to the working directory, the closest
// last. Closer files have the budget first.
func Instructions(p Places) []File {
	p = p.filled()
	var files []File
	add := func(base, scope string, inside bool, names ...string) {
		for _, name := range names {
			if f, ok := p.read(filepath.Join(base, name), name, scope, base, inside); ok {
				files = append(files, f)
			}
		}
	}
	if p.Home != "" {
		claude := filepath.Join(p.Home, ".claude")
		add(claude, "user", false, append([]string{"CLAUDE.md"}, rules(claude, "rules")...)...)
	}
	if p.Legacy != "" {
		before := len(files)
		if add(p.Legacy, "user", false, "MINI.md"); len(files) == before {
			add(p.Legacy, "user", false, "CLAUDE.md")
		}
		add(p.Legacy, "user", false, rules(p.Legacy, "rules")...)
	}
	if p.Config != "" {
		add(p.Config, "user", false, append([]string{"AGENTS.md", "MINI.md", "CLAUDE.md"}, rules(p.Config, "rules")...)...)
	}
	for _, dir := range down(p.Root, p.Cwd) {
		add(dir, dir, true, inDirectory(dir)...)
	}
	return p.share(files)
}

// Nested reads the instruction files between the project's root and the
// directory of path, a file that is about to be read, as far as they are not
// in have. It finds nothing outside of the project or in other people's code
// inside it.
func Nested(p Places, path string, have []File) []File {
	p = p.filled()
	root, err := filepath.EvalSymlinks(p.Root)
	if err != nil {
		return nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || !within(root, dir) {
		return nil
	}
	var files []File
	for _, d := range down(root, dir) {
		if base := filepath.Base(d); d != root && (base == ".git" || base == "node_modules" || base == "vendor") {
			break
		}
		d = filepath.Join(p.Root, strings.TrimPrefix(d, root)) // as it was asked for
		for _, name := range inDirectory(d) {
			path := filepath.Join(d, name)
			if slices.ContainsFunc(have, func(h File) bool { return h.Path == path }) {
				continue
			}
			f, ok := p.read(path, name, d, d, true)
			if ok && !slices.ContainsFunc(have, func(h File) bool { return h.Real == f.Real || f.Text != "" && h.sum == f.sum }) {
				files = append(files, f)
			}
		}
	}
	return p.share(files)
}

// inDirectory are the names that count in a directory, the most general first.
func inDirectory(dir string) []string {
	names := []string{"AGENTS.md", "MINI.md", "MINI.local.md", ".mini-code/MINI.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"}
	for _, sub := range []string{".claude/rules", ".mini-code/rules", ".minicode/rules"} {
		names = append(names, rules(dir, sub)...)
	}
	return names
}

// rules are the Markdown files in a directory of rules, sorted.
func rules(base, sub string) []string {
	entries, err := os.ReadDir(filepath.Join(base, sub))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
			names = append(names, sub+"/"+e.Name())
		}
	}
	return names
}

// down is every directory from root to dir; dir alone when it is not below.
func down(root, dir string) []string {
	if !within(root, dir) {
		return []string{dir}
	}
	dirs := []string{dir}
	for dir != root && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	slices.Reverse(dirs)
	return dirs
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// read reads one instruction file; ok is false when there is none or it is
// blank. base is where its includes must lie; a file inside the project may
// include from all of it.
func (p Places) read(path, name, scope, base string, inside bool) (f File, ok bool) {
	f = File{Path: path, Real: path, Name: name, Scope: scope}
	text, real, err := p.text(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false
	}
	f.Real = real
	if inside {
		base = p.Root
	}
	if base, linkErr := filepath.EvalSymlinks(base); linkErr == nil && real != path && !within(base, real) {
		f.link = "a link to " + real
		f.Scope += ", " + f.link
		if inside && err == nil {
			// Whoever made the repository would choose what the model is sent.
			f.Use, f.Why = Skipped, "a link that leads out of the project"
			return f, true
		}
	}
	if err != nil {
		f.Use, f.Why = Skipped, err.Error()
		return f, true
	}
	x := includer{places: p, base: base, limit: 8 * p.PerFile}
	f.Text = strings.TrimSpace(x.expand(text, path, []string{real}))
	if f.Text == "" {
		return f, false
	}
	f.Lines, f.Chars = strings.Count(f.Text, "\n")+1, utf8.RuneCountInString(f.Text)
	f.sum = sha256.Sum256([]byte(f.Text))
	return f, true
}

// text reads a file that may be an instruction: regular, not large, UTF-8.
func (p Places) text(path string) (text, real string, err error) {
	// What lies behind a file, or in a directory that may not be searched,
	// counts as not there.
	info, err := os.Lstat(path)
	if err != nil {
		return "", path, fs.ErrNotExist
	}
	real, err = filepath.EvalSymlinks(path)
	if err != nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", path, errors.New("a link that leads nowhere")
	}
	if err != nil {
		return "", path, fs.ErrNotExist
	}
	info, err = os.Stat(real)
	switch {
	case err != nil:
		return "", real, fs.ErrNotExist
	case !info.Mode().IsRegular():
		return "", real, errors.New("not a regular file")
	case info.Size() > maxBytes:
		return "", real, fmt.Errorf("too large to be an instruction file: %d bytes, at most %d", info.Size(), maxBytes)
	case p.Secret != nil && p.Secret(real):
		return "", real, errors.New("holds secrets")
	}
	content, err := os.ReadFile(real)
	if err != nil {
		var fault *fs.PathError
		if errors.As(err, &fault) {
			err = fault.Err
		}
		// Not wrapped: a file that vanished meanwhile is no file that never was.
		return "", real, errors.New("cannot be read: " + err.Error())
	}
	if len(content) > maxBytes || bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
		return "", real, errors.New("not text in UTF-8")
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	return strings.ReplaceAll(string(content), "\r\n", "\n"), real, nil
}

// share gives each file its part of the budget, the closest first. Once one
// file does not fit, no farther one gets anything.
func (p Places) share(files []File) []File {
	room := p.Budget - len(heading) - 2 - len(omittedMark)
	said := map[[sha256.Size]byte]bool{}
	read := map[string]bool{}
	for i := len(files) - 1; i >= 0; i-- {
		f := &files[i]
		if f.Use == Skipped {
			continue
		}
		if said[f.sum] || read[f.Real] {
			f.Use, f.Why, f.Text = Same, "a closer file says the same", ""
			continue
		}
		said[f.sum], read[f.Real] = true, true
		room -= utf8.RuneCountInString(f.title()) + 4
		limit := min(p.PerFile, room)
		switch {
		case f.Chars <= limit:
			f.Use = Whole
		case limit < minPiece:
			f.Use, f.Why, f.Text = Omitted, "the budget for instruction files was used up by closer files", ""
			room = 0
			continue
		default:
			f.Use, f.Why = Cut, fmt.Sprintf("only the first %d of %d characters are used", limit-len(cutMark), f.Chars)
			f.Text = string([]rune(f.Text)[:limit-len(cutMark)]) + cutMark
			if limit < p.PerFile {
				room = 0
				continue
			}
		}
		room -= utf8.RuneCountInString(f.Text)
	}
	return files
}

func (f File) title() string { return "## " + f.Name + " (scope: " + shown(f.Scope) + ")" }

// Render is the part of the system prompt, or of a note, that holds the
// instruction files; "" when there are none.
func Render(files []File) string {
	parts := []string{heading}
	omitted := false
	for _, f := range files {
		switch f.Use {
		case Whole, Cut:
			parts = append(parts, f.title()+"\n\n"+f.Text)
		case Omitted:
			omitted = true
		}
	}
	if omitted {
		parts = append(parts, omittedMark)
	}
	if len(parts) == 1 || len(parts) == 2 && omitted {
		return ""
	}
	return strings.Join(parts, "\n\n")
}

// Report tells a person which files are in use and what was cut.
func Report(files []File) string {
	if len(files) == 0 {
		return "No instruction files were found. /init begins an AGENTS.md.\n" + reportEnd
	}
	var b strings.Builder
	used := 0
	for _, f := range files {
		if f.Use == Whole || f.Use == Cut {
			used++
		}
	}
	fmt.Fprintf(&b, "%d of %d instruction files are in use:\n", used, len(files))
	for _, f := range files {
		fmt.Fprintf(&b, "  %-7s %s", f.Use, shown(f.Path))
		if f.link != "" {
			b.WriteString(" (" + shown(f.link) + ")")
		}
		if f.Chars > 0 {
			fmt.Fprintf(&b, ", %d lines, %d characters", f.Lines, f.Chars)
		}
		if f.Why != "" {
			b.WriteString(": " + f.Why)
		}
		b.WriteByte('\n')
	}
	return b.String() + reportEnd
}

// reportEnd says what the model has of the files that were reported.
const reportEnd = `That is how they are now. The model has them as they were when the session was opened or last summarized; /new reads
them anew. Those of directories below are told when a file there is first read.
`
