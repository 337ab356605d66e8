package builtin

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/minicode-go/minicode/internal/process"
)

// What editors say when a command starts one. The sequence editor has no word
// about "true": an interactive rebase must not go through as it stands.
const (
	noEditor   = `echo "Interactive programs are not available: give the text by an option such as -m, or keep the prepared text with: git -c core.editor=true ..." >&2; false`
	noSequence = `echo "Interactive programs are not available: git rebase -i cannot be edited here, nothing was rewritten." >&2; false`
	noProgram  = "interactive-programs-are-not-available" // for EDITOR: run as a program it fails by that name
	noVim      = "autocmd VimEnter * cquit"               // without a terminal vim reads its error output, for ever
)

// commandEnv is the environment of a command: env without what would make a
// shell run or find something else than its text says, and with settings that
// make everything interactive fail at once.
func commandEnv(env []string) []string {
	out := make([]string, 0, len(env)+32)
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH") {
			kv = name + "=" + absolutePath(value)
		}
		if !startsShell(name) {
			out = append(out, kv)
		}
	}
	return append(out,
		"TERM=dumb", "NO_COLOR=1",
		"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GH_PAGER=cat", "SYSTEMD_PAGER=cat", "AWS_PAGER=cat",
		"EDITOR="+noProgram, "VISUAL="+noProgram,
		"GIT_EDITOR="+noEditor, "GIT_SEQUENCE_EDITOR="+noSequence, "VIMINIT="+noVim,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "GCM_INTERACTIVE=never",
		"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "SUDO_ASKPASS=false",
		"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1",
	)
}

// absolutePath is a PATH without the directories that are another one
// wherever a command runs: a program of the directory that is worked in would
// take the place of the one that the command means.
func absolutePath(value string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(value), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// startsShell names variables that a shell takes code, functions or options
// from before it comes to its text.
func startsShell(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_XTRACEFD", "CDPATH", "GLOBIGNORE", "PROMPT_COMMAND", process.MarkerName:
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

// fillsScreen names programs that are of no use without a terminal.
func fillsScreen(program string) bool {
	switch program {
	case "vi", "vim", "nvim", "view", "nano", "pico", "emacs", "joe", "micro", "hx",
		"less", "more", "most", "top", "htop", "btop", "tmux", "screen", "dialog", "whiptail":
		return true
	}
	return false
}

// mayAsk names programs that fail when they want an answer and get none.
func mayAsk(program string) bool {
	switch program {
	case "ssh", "scp", "sftp", "telnet", "ftp", "su", "sudo", "doas", "passwd", "login", "crontab", "visudo", "vipw",
		"read", "select", "gdb":
		return true
	}
	return false
}

// wantsPerson tells by what programs say of it that one asked for a terminal
// or an answer. It is a hint for a note and decides nothing.
func wantsPerson(output string) bool {
	output = strings.ToLower(output)
	for _, sign := range []string{
		"/dev/tty", "not a terminal", "not a tty", "not to a terminal", "no tty", "a terminal is required",
		"eof when reading a line", "terminal prompts disabled", "askpass", "host key verification failed", noProgram,
	} {
		if strings.Contains(output, sign) {
			return true
		}
	}
	return false
}
