package prompt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Git runs git with those arguments and returns what it wrote to its standard
// output, at most some 64 KiB of it.
type Git func(ctx context.Context, args ...string) ([]byte, error)

// Where is what [Observe] looks at.
type Where struct {
	Now    time.Time // in the person's time zone
	Cwd    string
	Root   string // the project's root
	System string // such as linux/amd64
	Shell  string // what runs commands, such as bash
	Git    Git    // nil: git is not asked
}

// State is the surroundings at one moment, each in the words for the model.
type State struct {
	Date, Cwd, Root, System, Shell, Git string
}

// gitDeadline is how long the first prompt may wait for git.
const gitDeadline = time.Second

// Observe looks at the surroundings. It waits at most a second for git.
func Observe(ctx context.Context, w Where) State {
	s := State{Date: w.Now.Format("Monday, 2 January 2006"), Cwd: w.Cwd, Root: w.Root, System: w.System, Shell: w.Shell}
	if w.Git != nil && inWorkTree(w.Cwd) {
		ctx, cancel := context.WithTimeout(ctx, gitDeadline)
		defer cancel()
		s.Git = gitState(ctx, w.Git)
	}
	return s
}

// Environment is the text for the first note of a session.
func Environment(s State) string {
	var b strings.Builder
	put := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	put("Date", s.Date)
	put("Working directory", shown(s.Cwd))
	if s.Root != s.Cwd {
		put("Project root", shown(s.Root))
	}
	put("Git", s.Git)
	put("System", s.System)
	put("Shell", s.Shell)
	return strings.TrimSuffix(b.String(), "\n")
}

// News is the text for a note to a model that has these notes, oldest first:
// all of its surroundings, or what of them is no longer as the notes say; ""
// when nothing is.
func News(notes []string, now State) string {
	var was map[string]string // as the notes say; nil when none tells of it all
	for _, note := range notes {
		whole := strings.HasPrefix(note, "Date: ")
		if whole {
			was = map[string]string{}
		}
		for line := range strings.SplitSeq(note, "\n") {
			if name, value, ok := strings.Cut(line, ": "); ok && was != nil {
				if name, changed := strings.CutSuffix(name, " is now"); changed != whole {
					was[name] = value
				}
			}
		}
	}
	if was == nil {
		return Environment(now)
	}
	if was["Project root"] == "" {
		was["Project root"] = was["Working directory"]
	}
	var lines []string
	for _, f := range [][2]string{
		{"Date", now.Date}, {"Working directory", shown(now.Cwd)}, {"Project root", shown(now.Root)}, {"Git", now.Git}, {"Shell", now.Shell},
	} {
		name, is := f[0], f[1]
		if is == "" {
			is = "none"
		}
		if is != was[name] && (is != "none" || was[name] != "") {
			lines = append(lines, name+" is now: "+is)
		}
	}
	return strings.Join(lines, "\n")
}

// shown keeps names that come from outside from being read as markup.
func shown(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == '<' || r == '>' || !strconv.IsGraphic(r) }) < 0 {
		return s
	}
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(strconv.Quote(s))
}

// inWorkTree spares a start of git where there is nothing to ask it about.
func inWorkTree(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// gitState is branch and status in one line.
//
// A repository can name programs in its own configuration, and git would run
// some of them to find out what changed. So monitors, hooks and transports are
// turned off, submodules are not entered, and every filter is emptied.
func gitState(ctx context.Context, git Git) string {
	args := []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never"}
	filters, err := git(ctx, "config", "--name-only", "--get-regexp", `^filter\..*\.(clean|process|required)$`)
	if err != nil && ctx.Err() != nil {
		return "did not answer within " + gitDeadline.String()
	}
	for key := range strings.FieldsFuncSeq(string(filters), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if strings.Contains(key, "=") { // it could not be turned off
			return "not asked, since the repository has the filter " + shown(key)
		}
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		args = append(args, "-c", key+"="+value)
	}
	out, err := git(ctx, append(args, "status", "--porcelain=v2", "--branch", "--untracked-files=normal", "--ignore-submodules=all")...)
	switch {
	case ctx.Err() != nil:
		return "did not answer within " + gitDeadline.String()
	case err != nil:
		return "cannot be asked (" + shown(clip(line(err.Error()), 200)) + ")"
	}
	return parseStatus(out)
}

// parseStatus reads git status --porcelain=v2 --branch.
func parseStatus(out []byte) string {
	branch, upstream, ahead, behind, start := "", "", "", "", ""
	changed, conflicts, untracked := 0, 0, 0
	for l := range bytes.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimRight(string(l), "\r\n"), " ")
		switch kind {
		case "#":
			name, value, _ := strings.Cut(rest, " ")
			switch name {
			case "branch.oid":
				start = value
			case "branch.head":
				branch = value
			case "branch.upstream":
				upstream = value
			case "branch.ab":
				a, b, _ := strings.Cut(value, " ")
				ahead, behind = strings.TrimPrefix(a, "+"), strings.TrimPrefix(b, "-")
			}
		case "1", "2":
			changed++
		case "u":
			conflicts++
		case "?":
			untracked++
		}
	}
	text := "branch " + shown(branch)
	switch {
	case branch == "(detached)":
		text = "no branch, at commit " + shown(start[:min(12, len(start))])
	case start == "(initial)":
		text += ", without commits"
	}
	if upstream != "" && ahead != "" && (ahead != "0" || behind != "0") {
		text += fmt.Sprintf(", %s ahead and %s behind %s", shown(ahead), shown(behind), shown(upstream))
	}
	var counts []string
	for _, c := range []struct {
		n    int
		what string
	}{{conflicts, "in conflict"}, {changed, "changed"}, {untracked, "untracked"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(counts) == 0 {
		return text + "; clean"
	}
	if len(out) >= maxGitOutput {
		counts = append(counts, "and more")
	}
	return text + "; files: " + strings.Join(counts, ", ")
}

// maxGitOutput bounds what is kept of git's output, in bytes.
const maxGitOutput = 64 << 10

// GitIn runs the git program in dir, with environ as its environment.
func GitIn(dir string, environ []string) Git {
	return func(ctx context.Context, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.WaitDelay = dir, 100*time.Millisecond
		cmd.Env = append(environ[:len(environ):len(environ)], "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
		var out, diagnosis head
		cmd.Stdout, cmd.Stderr = &out, &diagnosis
		err := cmd.Run()
		if err != nil && diagnosis.Len() > 0 {
			err = errors.New(diagnosis.String())
		}
		return out.Bytes(), err
	}
}

// head keeps the first maxGitOutput bytes and swallows the rest.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), maxGitOutput-h.Len())])
	return len(p), nil
}
