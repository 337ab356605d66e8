package config

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Dirs are the directories that MiniCode keeps its files in.
type Dirs struct {
	Config string // settings, skills, agents, commands, rules
	State  string // projects with their sessions, logs
	Cache  string // what can be made again
	goos   string
}

// Settings is the person's settings file.
func (d Dirs) Settings() string { return joined(d.goos, d.Config, "settings.json") }

// In is a directory or file in the config directory, such as "skills".
func (d Dirs) In(name string) string { return joined(d.goos, d.Config, name) }

// Projects holds the sessions of all projects.
func (d Dirs) Projects() string { return joined(d.goos, d.State, "projects") }

// Logs holds the log files.
func (d Dirs) Logs() string { return joined(d.goos, d.State, "logs") }

// Directories finds MiniCode's directories on the system goos. MINICODE_HOME
// holds everything if it is set; a relative one counts from cwd. Else they are
// those of the XDG base directories, also on macOS where a variable says so,
// and the native ones on macOS and Windows.
func Directories(env map[string]string, home, cwd, goos string) (Dirs, error) {
	if all := env["MINICODE_HOME"]; all != "" {
		if !absolute(goos, all) {
			all = joined(goos, cwd, all)
		}
		return Dirs{Config: all, State: all, Cache: joined(goos, all, "cache"), goos: goos}, nil
	}
	if home == "" {
		return Dirs{}, errors.New("there is no home directory to keep settings in: set HOME, or set MINICODE_HOME to a directory of your own")
	}
	config, state, cache := joined(goos, home, ".config"), joined(goos, home, ".local", "state"), joined(goos, home, ".cache")
	switch goos {
	case "windows":
		config, state = joined(goos, home, "AppData", "Roaming"), joined(goos, home, "AppData", "Local")
		config, state = absoluteOr(goos, env["APPDATA"], config), absoluteOr(goos, env["LOCALAPPDATA"], state)
		return Dirs{
			Config: joined(goos, config, "minicode"), State: joined(goos, state, "minicode"),
			Cache: joined(goos, state, "minicode", "cache"), goos: goos,
		}, nil
	case "darwin":
		config = joined(goos, home, "Library", "Application Support")
		state, cache = config, joined(goos, home, "Library", "Caches")
	}
	// The XDG specification says that a relative path counts as unset.
	config = absoluteOr(goos, env["XDG_CONFIG_HOME"], config)
	state = absoluteOr(goos, env["XDG_STATE_HOME"], state)
	cache = absoluteOr(goos, env["XDG_CACHE_HOME"], cache)
	return Dirs{Config: joined(goos, config, "minicode"), State: joined(goos, state, "minicode"), Cache: joined(goos, cache, "minicode"), goos: goos}, nil
}

func absoluteOr(goos, p, otherwise string) string {
	if absolute(goos, p) {
		return p
	}
	return otherwise
}

func absolute(goos, p string) bool {
	if goos != "windows" {
		return strings.HasPrefix(p, "/")
	}
	p = strings.ReplaceAll(p, "/", `\`)
	return strings.HasPrefix(p, `\\`) || len(p) >= 3 && letter(p[0]) && p[1] == ':' && p[2] == '\\'
}

func joined(goos string, elems ...string) string {
	if goos != "windows" {
		return path.Join(elems...)
	}
	for i, e := range elems {
		elems[i] = strings.TrimRight(strings.ReplaceAll(e, "/", `\`), `\`)
	}
	return strings.Join(elems, `\`)
}

// CanonicalPath is the one spelling of a path on the system goos: absolute and
// clean, on Windows with a drive and backslashes, whichever way it was written
// (D:\p, D:/p, /d/p and /cygdrive/d/p of Git's bash, /mnt/d/p of WSL). cwd is
// absolute. It looks at no files. ok is false for what has no one spelling and
// so must be asked about: Windows' network and device paths, device names,
// alternate streams, short names, and a path on another drive's own current
// directory.
func CanonicalPath(goos, cwd, p string) (canonical string, ok bool) {
	if goos != "windows" {
		if !strings.HasPrefix(p, "/") {
			p = cwd + "/" + p
		}
		return path.Clean(p), !strings.ContainsRune(p, 0)
	}
	s := strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(s, "//") {
		return strings.ReplaceAll(s, "/", `\`), false
	}
	rooted := false
	if !strings.HasPrefix(p, `\`) { // a bash does not write that
		s, rooted = driveOf(s)
	}
	if !rooted {
		base, _ := driveOf(strings.ReplaceAll(cwd, `\`, "/"))
		switch {
		case len(s) >= 2 && letter(s[0]) && s[1] == ':': // D:file
			if !strings.EqualFold(s[:1], base[:min(1, len(base))]) {
				return strings.ReplaceAll(p, "/", `\`), false
			}
			s = base + "/" + s[2:]
		case strings.HasPrefix(s, "/"):
			s = base[:min(2, len(base))] + s
		default:
			s = base + "/" + s
		}
	}
	if len(s) < 2 || s[1] != ':' {
		return strings.ReplaceAll(s, "/", `\`), false
	}
	ok = true
	var parts []string
	for part := range strings.SplitSeq(s[2:], "/") {
		name := strings.TrimRight(part, ". ")
		switch {
		case part == "..":
			parts = parts[:max(0, len(parts)-1)]
			continue
		case part == "." || part == "":
			continue
		case name == "" || strings.ContainsAny(name, ":\x00<>|\"?*") || shortName(name) || deviceName(name):
			ok = false
		}
		parts = append(parts, name)
	}
	return strings.ToUpper(s[:1]) + `:\` + strings.Join(parts, `\`), ok
}

// driveOf rewrites the spellings of a path on a drive to D:/path; rooted says
// that it was one.
func driveOf(s string) (out string, rooted bool) {
	if len(s) >= 3 && letter(s[0]) && s[1] == ':' && s[2] == '/' {
		return s, true
	}
	for _, prefix := range []string{"/mnt/", "/cygdrive/", "/"} {
		rest, found := strings.CutPrefix(s, prefix)
		if found && len(rest) >= 1 && letter(rest[0]) && (len(rest) == 1 || rest[1] == '/') {
			return rest[:1] + ":/" + strings.TrimPrefix(rest[1:], "/"), true
		}
	}
	return s, false
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// shortName recognises the 8.3 form, PROGRA~1, which is another name for a
// file that may have a rule.
func shortName(name string) bool {
	_, after, found := strings.Cut(name, "~")
	return found && len(name) <= 12 && after != "" && after[0] >= '0' && after[0] <= '9'
}

// deviceName recognises the names that mean a device in every directory, with
// any extension.
func deviceName(name string) bool {
	name, _, _ = strings.Cut(strings.ToUpper(name), ".")
	name = strings.TrimRight(name, " ")
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "COM") || strings.HasPrefix(name, "LPT")) && name[3] >= '0' && name[3] <= '9'
}

// PathIdentity is what two canonical paths have in common when the system
// takes them for the same file: letter case on Windows and macOS, Unicode form
// on macOS.
func PathIdentity(goos, canonical string) string {
	switch goos {
	case "windows":
		return strings.ToLower(canonical)
	case "darwin", "ios":
		return strings.ToLower(norm.NFC.String(canonical))
	}
	return canonical
}
