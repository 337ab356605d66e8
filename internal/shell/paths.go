package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// dirs is the set of directories that a program may be in.
type dirs struct {
	list    []string
	unknown bool // also others
}

const maxDirs = 8

func (d dirs) none() bool { return len(d.list) == 0 && !d.unknown }

// or is the union.
func (d dirs) or(e dirs) dirs {
	out := dirs{list: slices.Clone(d.list), unknown: d.unknown || e.unknown}
	for _, dir := range e.list {
		if !slices.Contains(out.list, dir) {
			out.list = append(out.list, dir)
		}
	}
	if len(out.list) > maxDirs {
		out.list, out.unknown = out.list[:maxDirs], true
	}
	return out
}

func (d dirs) equal(e dirs) bool {
	return d.unknown == e.unknown && len(d.list) == len(e.list) && len(d.or(e).list) == len(d.list)
}

// resolve returns the absolute paths that a word may name, lexically cleaned.
// Of a pattern it is the directory in which the pattern begins. False: there
// may be others.
func resolve(w word, from dirs) ([]string, bool) {
	text := scope{}.unmask(w.text)
	if !w.known() || w.trick != "" {
		return nil, false
	}
	if w.glob {
		text = patternDir(text)
	}
	if filepath.IsAbs(text) || strings.HasPrefix(text, "/") {
		return through("/", text), true
	}
	var out []string
	for _, dir := range from.list {
		out = append(out, through(dir, text)...)
	}
	return out, !from.unknown && len(from.list) > 0
}

// through returns the path that text names from dir, cleaned, and the
// directories that its spelling enters and leaves again by "..": where one is
// a symbolic link, ".." leads somewhere else, so whoever judges the path must
// see them.
func through(dir, text string) []string {
	out := []string{filepath.Join(dir, text)}
	at, entered := dir, false
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." && entered && !slices.Contains(out, at) {
			out = append(out, at)
		}
		at, entered = filepath.Join(at, part), part != "" && part != "." && part != ".."
	}
	return out
}

// patternDir is the directory part of a pattern that has no wildcard, and
// what is left of it can only be below; a ".." after the wildcard is not.
func patternDir(pattern string) string {
	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		return pattern
	}
	dir := pattern[:strings.LastIndexByte(pattern[:at], '/')+1]
	for part := range strings.SplitSeq(pattern[at:], "/") {
		if part == ".." {
			dir += "../"
		}
	}
	if dir == "" {
		return "."
	}
	return dir
}

// patternBase is the rest of the pattern.
func patternBase(pattern string) string {
	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		at = len(pattern)
	}
	return pattern[strings.LastIndexByte(pattern[:at], '/')+1:]
}

// everything reports whether a pattern is nothing but wildcards, so that it
// stands for all that is in its directory.
func everything(pattern string) bool {
	base := patternBase(pattern)
	return strings.Trim(base, "*?./") == "" || base == "[!.]*" || base == "[^.]*" || base == ".[!.]*" || base == ".[^.]*"
}

// under reports whether path is dir or below it.
func under(dir, path string) bool {
	if dir == "" {
		return false
	}
	dir = filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// inside reports whether a path is in the workspace.
func (e Env) inside(path string) bool {
	return under(e.Root, path) || slices.ContainsFunc(e.Additional, func(dir string) bool { return under(dir, path) })
}

// device reports whether a path is a device that keeps nothing and tells
// nothing.
func device(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2", "/dev/fd/63":
		return true
	}
	return false
}

// network reports whether a path is one that bash opens as a connection.
func network(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// system reports whether a path is a place where writing changes the system,
// who may log in, or what runs later.
func (a *analyser) system(path string) bool {
	if device(path) || a.env.inside(path) {
		return false
	}
	home := a.env.Home
	for _, dir := range a.table.words("system") {
		if rest, ok := strings.CutPrefix(dir, "~"); ok {
			if home != "" && under(home+rest, path) {
				return true
			}
			continue
		}
		if under(dir, path) && (home == "" || !under(home, path)) {
			return true
		}
	}
	return false
}

// whole says what would be gone if everything below path were, "" if it is
// nothing that nobody could want to lose.
func (e Env) whole(path string) string {
	switch {
	case path == "/":
		return "everything on this machine"
	case filepath.Dir(path) == "/" && path != e.Root:
		return "all of " + path
	case e.Home != "" && under(path, filepath.Clean(e.Home)):
		return "the home directory"
	case e.Root != "" && path == filepath.Clean(e.Root):
		return "the whole workspace"
	case e.Root != "" && under(path, filepath.Clean(e.Root)):
		return path + ", which holds the workspace"
	}
	return ""
}

// secrets returns the well-known names of secret files that a pattern takes
// in. A pattern of wildcards alone is none of a secret.
func (a *analyser) secrets(w word, from dirs) []string {
	base := patternBase(w.text)
	if a.env.Secrets == nil || strings.Trim(base, "*?") == "" || strings.Contains(base, "/") {
		return nil
	}
	var out []string
	for _, name := range []string{
		".env", ".env.local", ".env.production", ".env.development", ".npmrc", ".netrc", ".pypirc", ".git-credentials",
		"id_rsa", "id_ed25519", "id_ecdsa", "server.key", "server.pem", "private.pem", "cert.p12", "key.pfx", "credentials", "credentials.json",
		"secrets.json", "secrets.yaml", "secrets.yml", "service-account.json", "kubeconfig",
	} {
		if !glob(base, name) {
			continue
		}
		paths, _ := resolve(word{text: patternDir(w.text) + "/" + name}, from)
		for _, p := range paths {
			if a.env.Secrets(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// temporary reports whether a path is in a directory for temporary files.
func temporary(path string) bool {
	for _, dir := range []string{"/tmp", "/var/tmp", "/private/tmp", "/var/folders"} {
		if under(dir, path) && path != dir {
			return true
		}
	}
	return false
}
