package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// Sweep is what a command reads of a directory without naming it.
type Sweep struct {
	Dir    string // absolute
	Hidden bool   // names that begin with a dot too
	Links  bool   // symbolic links that are met are followed

	// Want says of a path relative to Dir, with slashes, whether the command
	// reads it or, if it is a directory, goes into it; nil: all of them.
	Want func(path string, dir bool) bool
}

// sweep notes the files that a command comes upon and that need a decision of
// their own.
func (a *analyser) sweep(c command, s Sweep) {
	if a.env.Met == nil || !a.env.inside(s.Dir) {
		return // what is outside asks as it is
	}
	paths, complete := a.env.Met(s)
	for _, p := range paths {
		a.read(c.f, p)
	}
	if !complete {
		c.f.raise(event.NeedsAsk, "reads more files of "+s.Dir+" than could be looked at")
	}
}

// matched sweeps what a pattern stands for; deep: and all that lies below.
func (a *analyser) matched(c command, w word, deep Sweep) {
	parts := strings.Split(strings.TrimPrefix(w.text, patternDir(w.text)), "/")
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "." || s == ".." })
	dirs, _ := resolve(w, c.st.dirs)
	for _, dir := range dirs {
		a.sweep(c, Sweep{Dir: dir, Hidden: true, Links: true, Want: func(path string, dir bool) bool {
			names := strings.Split(path, "/")
			for i, name := range names {
				switch {
				case i >= len(parts): // below what the pattern stands for
					return deep.Dir != "" && (deep.Want == nil || deep.Want(path, dir)) && (deep.Hidden || !hiddenName(names[i:]))
				case hiddenName([]string{name}) && !strings.HasPrefix(parts[i], "."), !globs(parts[i], name):
					return false
				}
			}
			if dir {
				return len(names) < len(parts) || deep.Dir != ""
			}
			return len(names) == len(parts)
		}})
	}
}

func hiddenName(names []string) bool {
	return slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(s, ".") })
}

// globs is glob for what a shell or a program takes for a pattern. Sets are
// taken for anything, for they are not the same everywhere.
func globs(pattern, name string) bool {
	if from := strings.IndexAny(pattern, "[\\"+hole); from >= 0 {
		to := strings.LastIndexAny(pattern, "]\\"+hole)
		pattern = pattern[:from] + "*" + strings.TrimPrefix(pattern[max(from, to):], "]")
		pattern = strings.NewReplacer("\\", "*", hole, "*", "[", "*").Replace(pattern)
	}
	return glob(pattern, name)
}

// searches sweeps the directories that a command goes through by itself.
func (a *analyser) searches(c command, u usage, files []word) {
	s := Sweep{Dir: "."}
	switch c.name() {
	case "grep", "egrep", "fgrep":
		s.Hidden = true
		s.Links = u.hasAny([]string{"-R", "--dereference-recursive"})
		if !s.Links && !u.hasAny([]string{"-r", "--recursive"}) && !slices.ContainsFunc(u.values, func(w word) bool { return w.text == "recurse" }) {
			return
		}
		s.Want = narrowed(c.words).wants
	case "diff":
		s.Hidden, s.Links = true, !u.hasAny([]string{"--no-dereference"})
		if !u.hasAny([]string{"-r", "--recursive"}) {
			return
		}
	case "rg":
		if u.hasAny([]string{"--files", "--type-list"}) {
			return // it tells of files only that they are there
		}
		s.Hidden = u.hasAny([]string{"--hidden", "-.", "-u", "--unrestricted"})
		s.Links = u.hasAny([]string{"-L", "--follow"})
		n := narrowed(c.words)
		if len(n.only) > 0 {
			s.Hidden, n.not = true, nil // what a glob names is searched though it is hidden, and the last one decides
		}
		s.Want = n.wants
	default:
		return
	}
	if len(files) == 0 && (c.name() != "rg" || c.in.kind == empty) {
		files = []word{{text: "."}}
	}
	for _, w := range files {
		if w.glob {
			a.matched(c, w, s)
			continue
		}
		dirs, _ := resolve(w, c.st.dirs)
		for _, dir := range dirs {
			one := s
			one.Dir = dir
			a.sweep(c, one)
		}
	}
}

// choice is how a search is restricted by globs of names.
type choice struct {
	only    []string // files; none: all
	not     []string // files
	without []string // directories that are not gone into
}

func (c choice) wants(path string, dir bool) bool {
	base := filepath.Base(path)
	fits := func(list []string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return globs(p, base) })
	}
	if dir {
		return !fits(c.without)
	}
	return !fits(c.not) && (len(c.only) == 0 || fits(c.only))
}

// narrowed reads the globs of a search, those that leave out as far as they are
// understood.
func narrowed(words []word) choice {
	c := choice{not: given(words, "--exclude"), without: given(words, "--exclude-dir")}
	for _, g := range given(words, "--include", "-g", "--glob", "--iglob") {
		if left, ok := strings.CutPrefix(g, "!"); ok {
			c.not = append(c.not, left)
		} else {
			c.only = append(c.only, lastNames(g)...)
		}
	}
	sure := func(list []string) []string {
		return slices.DeleteFunc(list, func(g string) bool { return strings.ContainsAny(g, "[\\/{"+hole) })
	}
	c.not, c.without = sure(c.not), sure(c.without)
	return c
}

// given are the arguments of some flags.
func given(words []word, flags ...string) []string {
	var out []string
	for i := 1; i < len(words) && words[i].text != "--"; i++ {
		for _, flag := range flags {
			val, ok := strings.CutPrefix(words[i].text, flag)
			switch {
			case !ok:
			case val == "" && i+1 < len(words):
				out = append(out, words[i+1].text)
			case strings.HasPrefix(val, "="):
				out = append(out, val[1:])
			case val != "" && !strings.HasPrefix(flag, "--"):
				out = append(out, val)
			}
		}
	}
	return out
}

// lastNames are the patterns of the last name of a glob, with one pair of
// braces written out.
func lastNames(g string) []string {
	if g == "" || strings.Contains(g, hole) {
		return []string{"*"}
	}
	alternatives := []string{g}
	if from := strings.IndexByte(g, '{'); from >= 0 {
		to := strings.IndexByte(g[from:], '}')
		if to < 0 || strings.Count(g, "{") > 1 {
			return []string{"*"}
		}
		alternatives = nil
		for piece := range strings.SplitSeq(g[from+1:from+to], ",") {
			alternatives = append(alternatives, g[:from]+piece+g[from+to+1:])
		}
	}
	for i, p := range alternatives {
		alternatives[i] = p[strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1:]
		if strings.HasSuffix(p, "/") {
			alternatives[i] = "*"
		}
	}
	return alternatives
}
