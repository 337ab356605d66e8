package config

import (
	"errors"
	"path"
	"strings"
)

// Dirs are the directories that MiniCode keeps its files in.
type Dirs struct {
	Config string // settings, skills, agents, commands, rules
	State  string // projects with their sessions
	Cache  string // what can be made again
	goos   string
}

// Settings is the person's settings file.
func (d Dirs) Settings() string { return joined(d.goos, d.Config, "settings.json") }

// In is a directory or file in the config directory, such as "skills".
func (d Dirs) In(name string) string { return joined(d.goos, d.Config, name) }

// Projects holds the sessions of all projects.
func (d Dirs) Projects() string { return joined(d.goos, d.State, "projects") }

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

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
