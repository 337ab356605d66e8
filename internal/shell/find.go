package shell

import (
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// findTests reports what a test or action of find that only looks takes: the
// number of its arguments, and whether it is a file.
func findTests(name string) (args int, file, ok bool) {
	switch name {
	case "-true", "-false", "-depth", "-d", "-daystart", "-follow", "-mount", "-xdev", "-noleaf", "-warn", "-nowarn",
		"-ignore_readdir_race", "-noignore_readdir_race", "-empty", "-executable", "-nogroup", "-nouser", "-readable", "-writable",
		"-print", "-print0", "-ls", "-prune", "-quit", "-o", "-a", "-or", "-and", "-not", "!", "(", ")", ",":
		return 0, false, true
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname", "-type", "-xtype",
		"-size", "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum", "-fstype", "-amin", "-cmin", "-mmin", "-atime", "-ctime",
		"-mtime", "-used", "-newermt", "-newerat", "-newerct", "-maxdepth", "-mindepth", "-regextype", "-printf", "-context", "-flags":
		return 1, false, true
	case "-newer", "-anewer", "-cnewer", "-samefile":
		return 1, true, true
	}
	return 0, false, false
}

// selects reports whether a test of find leaves files out by what they are.
func selects(name string) bool {
	switch name {
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname", "-size", "-perm", "-user",
		"-group", "-empty", "-newer", "-newermt", "-amin", "-cmin", "-mmin", "-atime", "-ctime", "-mtime", "-nouser", "-nogroup", "-prune",
		"-executable", "-samefile", "-inum", "-links":
		return true
	}
	return false
}

// find judges find: what it runs, what it removes, where it looks.
func (a *analyser) find(c command) {
	words := c.words[1:]
	if c.more {
		c.f.raise(event.NeedsAsk, "words that are not known before the run follow")
	}
	i := 0
	for i < len(words) && (slices.Contains([]string{"-H", "-L", "-P"}, words[i].text) || strings.HasPrefix(words[i].text, "-O")) {
		i++
	}
	var starts []word
	for ; i < len(words); i++ {
		w := words[i]
		if begins := w.prefix(); strings.HasPrefix(begins, "-") || begins == "(" || begins == "!" || begins == ")" || begins == "," {
			break
		}
		if w.multi && w.prefix() == "" || w.glob && strings.IndexAny(w.text[:1], "*?[") == 0 || w.env != "" {
			c.f.raise(event.NeedsAsk, "a word that is not known before the run may be an action of find")
		}
		starts = append(starts, w)
	}
	if len(starts) == 0 {
		starts = []word{{text: "."}}
	}
	for _, w := range starts {
		a.reads(c, w)
	}
	selected := slices.ContainsFunc(words[i:], func(w word) bool { return selects(w.text) })
	for i < len(words) {
		i = a.action(c, words, i, starts, selected)
	}
}

// action judges one test or action of find and returns where the next one is.
func (a *analyser) action(c command, words []word, i int, starts []word, selected bool) int {
	w := words[i]
	if !w.exact() {
		c.f.raise(event.NeedsAsk, "a word that is not known before the run may be an action of find")
		return i + 1
	}
	switch w.text {
	case "-exec", "-execdir", "-ok", "-okdir":
		return a.executes(c, words, i, below(starts, selected))
	case "-delete":
		c.f.raise(event.NeedsAsk, "find removes files")
		for _, start := range starts {
			paths, ok := resolve(start, c.st.dirs)
			for _, p := range paths {
				a.write(c.f, p)
				if what := a.env.whole(p); what != "" && p != a.env.Root && !selected {
					c.f.raise(event.Critical, "removes "+what)
				}
				if !a.env.inside(p) && !temporary(p) {
					c.f.raise(event.Dangerous, "removes files outside the workspace")
				}
			}
			if !ok {
				c.f.raise(event.Dangerous, "removes files in a directory that is not known before the run")
			}
		}
		return i + 1
	case "-fprint", "-fprint0", "-fls", "-fprintf":
		c.f.raise(event.NeedsAsk, "find writes a file")
		if i+1 < len(words) {
			a.writes1(c, words[i+1])
		}
		return i + 2
	}
	n, file, ok := findTests(w.text)
	if !ok {
		c.f.raise(event.NeedsAsk, w.text+" is not on the list of what find may do unasked")
		return i + 1
	}
	for _, arg := range words[i+1 : min(i+1+n, len(words))] {
		switch {
		case file:
			a.reads(c, arg)
		case arg.env != "" || arg.trick != "" || arg.multi && !arg.known():
			c.f.raise(event.NeedsAsk, "an argument is not known before the run")
		}
	}
	return i + 1 + n
}

// executes follows the command that find runs for what it finds, for which
// "{}" stands.
func (a *analyser) executes(c command, words []word, i int, under *word) int {
	c.f.raise(event.NeedsAsk, "find runs a command for what it finds")
	end := i + 1
	for end < len(words) && words[end].text != ";" && !(words[end].text == "+" && words[end-1].text == "{}") {
		end++
	}
	t := c
	t.words = slices.Clone(c.words)
	t.in = input{}
	for n := 1 + i + 1; n < 1+end; n++ {
		w := &t.words[n]
		if w.text == "{}" && under != nil {
			// Something below a starting point: a pattern, as it were.
			*w = word{text: under.text, glob: true, quoted: true, pos: w.pos, end: w.end, mark: "{}"}
			continue
		}
		if strings.Contains(w.text, "{}") {
			w.text = strings.ReplaceAll(w.text, "{}", hole)
			w.expanded, w.mark = true, "{}"
		}
	}
	st := c.st.fork()
	if strings.HasSuffix(words[i].text, "dir") {
		st.dirs.unknown = true
	}
	a.inner(t, i+1, end, st, false)
	return end + 1
}

// below is a pattern for what is found below the starting points, nil if there
// is no one such pattern.
func below(starts []word, selected bool) *word {
	if len(starts) != 1 || !starts[0].exact() || strings.HasPrefix(starts[0].text, "-") {
		return nil
	}
	w := starts[0]
	w.text = strings.TrimSuffix(w.text, "/") + "/**"
	if selected {
		w.text += "/{}" // not everything
	}
	return &w
}
