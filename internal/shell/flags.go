package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/event"
)

// usage is how a command line uses the flags of its row.
type usage struct {
	operands []word
	has      []string // flags as in the table
	values   []word   // arguments of flags that are text
	reads    []word
	writes   []word
	next     int    // of the first word that is no flag, when stopped there
	bad      string // why the row does not cover it
}

func (u *usage) fail(why string) {
	if u.bad == "" {
		u.bad = why
	}
}

func (u *usage) hasAny(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(u.has, f) })
}

// reader goes through the words after a command's name.
type reader struct {
	s     *spec
	words []word
	stop  bool // at the first operand
	loose bool // unknown flags are passed over
	u     usage
	i     int
}

// parse reads the flags of words.
func (s *spec) parse(words []word, stop, loose bool) usage {
	r := &reader{s: s, words: words, stop: stop, loose: loose}
	for r.i < len(words) {
		w := words[r.i]
		begins := w.prefix()
		switch {
		case s.operands == "any":
			r.u.operands = append(r.u.operands, w)
			r.i++
		case begins == "--" && w.known():
			r.i++
			if stop {
				r.u.next = r.i
				return r.u
			}
			r.u.operands = append(r.u.operands, words[r.i:]...)
			r.i = len(words)
		case strings.HasPrefix(begins, "-") && len(begins) > 1:
			r.flag(w)
		default:
			if (w.multi || !w.known() && !w.number()) && begins == "" || w.glob && begins != "" && strings.IndexAny(begins[:1], "*?[") == 0 {
				if !s.open && !loose {
					r.u.fail("a word that is not known before the run may be a flag")
				}
			}
			if stop {
				r.u.next = r.i
				return r.u
			}
			if r.i++; !s.plus || !w.exact() || !strings.HasPrefix(w.text, "+") {
				r.u.operands = append(r.u.operands, w)
			}
		}
	}
	r.u.next = r.i
	return r.u
}

// flag reads one word that begins with "-".
func (r *reader) flag(w word) {
	text := w.text
	if kind, ok := r.s.flags[text]; ok {
		r.i++
		r.take(text, kind, w, "", false)
		return
	}
	if name, val, has := strings.Cut(text, "="); has && strings.HasPrefix(text, "--") {
		kind, ok := r.s.flags[name]
		r.i++
		if !ok || kind == bare || kind == two || kind == twoRead {
			r.unknown(name)
			return
		}
		if w.multi && !r.s.open {
			r.u.fail("an argument that is not known before the run may be several")
		}
		r.take(name, kind, w, val, true)
		return
	}
	if r.s.number && len(text) > 1 && strings.Trim(text[1:], "0123456789") == "" {
		r.i++
		return
	}
	r.i++
	if strings.HasPrefix(text, "--") || !w.known() && strings.Contains(text[:strings.Index(text, hole)], "=") {
		r.unknown(text)
		return
	}
	r.cluster(w)
}

// cluster reads short flags written together.
func (r *reader) cluster(w word) {
	text := w.text
	for i := 1; i < len(text); i++ {
		name := "-" + text[i:i+1]
		kind, ok := r.s.flags[name]
		if !ok {
			if r.s.number && text[i] >= '0' && text[i] <= '9' {
				continue
			}
			if r.loose {
				continue
			}
			r.unknown(name)
			return
		}
		if kind == bare {
			r.u.has = append(r.u.has, name)
			continue
		}
		r.take(name, kind, w, text[i+1:], i+1 < len(text))
		return
	}
}

func (r *reader) unknown(flag string) {
	if r.loose {
		return
	}
	r.u.fail("the flag " + strings.ReplaceAll(flag, hole, "…") + " is not on the list of those that only read")
}

// take notes a flag and reads its argument.
func (r *reader) take(name string, kind arity, w word, val string, has bool) {
	r.u.has = append(r.u.has, name)
	count := 1
	switch kind {
	case bare:
		return
	case attached:
		if has {
			w.text = val
			r.u.values = append(r.u.values, w)
		}
		return
	case two, twoRead:
		count, has = 2, false
	}
	for n := range count {
		arg := w
		arg.text = val
		if !has {
			if r.i >= len(r.words) {
				r.u.fail("the flag " + name + " lacks its argument")
				return
			}
			arg = r.words[r.i]
			r.i++
			if arg.multi && !r.s.open {
				r.u.fail("an argument that is not known before the run may be several")
			}
		}
		switch {
		case kind == source || kind == twoRead && n == 1:
			r.u.reads = append(r.u.reads, arg)
		case kind == target:
			r.u.writes = append(r.u.writes, arg)
		default:
			r.u.values = append(r.u.values, arg)
		}
	}
}

// readOnly looks a command up among those that only read; path is its name and
// subcommands. It reports whether a row is about it; if none covers it, the
// class is raised, unless something else knows more of the command.
func (a *analyser) readOnly(c command, path []string) bool {
	rows := a.table.rows("read", path[0])
	var failed *found
	for n := len(path); n > 0 && failed == nil; n-- {
		for _, r := range rows {
			if len(r.head) != n || !slices.Equal(r.head, path[:n]) || n == 1 && path[0] == "git" {
				continue // of git alone only the options are known
			}
			trial := *c.f
			trial.class, trial.reads, trial.writes = event.ReadOnly, map[string]bool{}, map[string]bool{}
			t := c
			t.f = &trial
			s := a.table.spec("read", r)
			if a.covers(t, s, n) {
				a.adopt(c.f, &trial)
				return true
			}
			if len(s.must) == 0 && (failed == nil || rank(trial.class) > rank(failed.class)) {
				failed = &trial
			}
		}
	}
	if failed == nil || a.table.has("run", path[0], nil) || len(a.table.rows("write", path[0])) > 0 {
		return false
	}
	a.adopt(c.f, failed)
	return true
}

// adopt takes over what was found of a command on trial.
func (a *analyser) adopt(f, trial *found) {
	for p := range trial.reads {
		f.reads[p] = true
	}
	for p := range trial.writes {
		f.writes[p] = true
	}
	if trial.class != event.ReadOnly {
		f.raise(trial.class, trial.reason)
	}
}

// covers judges a command by one row. It is false if the command asks.
func (a *analyser) covers(c command, s *spec, n int) bool {
	if s.operands == "special" {
		return a.special(c)
	}
	u := s.parse(c.words[n:], false, false)
	switch {
	case len(s.must) > 0 && !u.hasAny(s.must):
		u.fail("it does more than read")
	case len(s.list) > 0 && len(u.operands) > 0 && !u.hasAny(s.list):
		u.fail("with a name it changes something")
	case s.max >= 0 && len(u.operands) > s.max, s.operands == "none" && len(u.operands) > 0, s.operands == "file" && len(u.operands) > 1:
		u.fail("with so many words it does more than read")
	case c.more && (!s.open || s.operands != "text" && s.operands != "any"):
		u.fail("words that are not known before the run follow")
	}
	for _, w := range append(append(slices.Clip(u.operands), u.values...), append(u.reads, u.writes...)...) {
		if w.env != "" {
			u.fail("uses the value of $" + w.env)
		}
		if w.trick != "" {
			u.fail(w.trick)
		}
	}
	if len(u.writes) > 0 {
		u.fail("writes a file")
	}
	if u.bad != "" {
		c.f.raise(event.NeedsAsk, u.bad)
		return false
	}
	return a.operands(c, s, u)
}

// operands notes what the operands of a reader name.
func (a *analyser) operands(c command, s *spec, u usage) bool {
	files := u.operands
	switch s.operands {
	case "text", "any", "none":
		files = nil
	case "pattern", "script":
		files = a.afterPattern(c, s, u)
	case "revs":
		return a.revisions(c, u)
	}
	if c.f.class != event.ReadOnly {
		return false
	}
	for _, w := range append(slices.Clip(files), u.reads...) {
		if w.exact() && w.text == "-" {
			continue
		}
		if !a.reads(c, w) {
			return false
		}
	}
	a.searches(c, u, files)
	if len(files) == 0 && s.cwd && c.in.kind == empty {
		for _, dir := range c.st.dirs.list {
			a.read(c.f, dir)
		}
		if c.st.dirs.unknown {
			c.f.raise(event.NeedsAsk, "the directory is not known before the run")
			return false
		}
	}
	return true
}

// reads notes that a word names a file that is read.
func (a *analyser) reads(c command, w word) bool {
	if w.text == "" {
		return true
	}
	paths, ok := resolve(w, c.st.dirs)
	for _, p := range paths {
		if network(p) {
			c.f.raise(event.Dangerous, "opens a connection to another machine")
		}
		if a.env.Secrets != nil && a.env.Secrets(p) && a.env.inside(p) && looks(c.name()) {
			p = filepath.Dir(p)
		}
		a.read(c.f, p)
	}
	if w.glob {
		for _, p := range a.secrets(w, c.st.dirs) {
			a.read(c.f, p)
		}
		if !looks(c.name()) {
			a.matched(c, w, Sweep{})
		}
	}
	if !ok {
		c.f.raise(event.NeedsAsk, "reads a file whose name is not known before the run")
	}
	return ok
}

// looks reports whether a command tells of files only that they are there.
func looks(name string) bool {
	switch name {
	case "ls", "dir", "vdir", "stat", "test", "[", "[[", "du", "find", "gfind", "tree", "realpath", "readlink", "file":
		return true
	}
	return false
}

// afterPattern returns the files of a command whose first operand is a pattern
// or a script, and looks at the script.
func (a *analyser) afterPattern(c command, s *spec, u usage) []word {
	given := u.hasAny([]string{"-e", "--regexp", "--expression", "-f", "--file", "--files", "--type-list"})
	scripts, files := u.values, u.operands
	if !given {
		if len(files) == 0 {
			return nil
		}
		scripts, files = files[:1], files[1:]
	}
	if s.operands != "script" {
		return files
	}
	for _, w := range scripts {
		if !w.known() || w.trick != "" {
			c.f.raise(event.NeedsAsk, "the script is not known before the run")
			return nil
		}
	}
	switch c.name() {
	case "sed", "gsed":
		a.sed(c, scripts, given)
	case "jq", "gojq", "jaq", "yq":
		jq(c, scripts)
	default:
		files = a.awk(c, scripts, files)
	}
	return files
}
