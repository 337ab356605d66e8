package shell

import (
	"strconv"
	"strings"
)

// GitDrivers are the arguments with which git lists the programs that the
// configuration of a repository names, NUL-separated, without running any.
// What it prints goes to [SafeEnv].
func GitDrivers() []string {
	return []string{"config", "-z", "--name-only", "--get-regexp", `^((diff|filter|hook|merge)\.(.*\.)?(external|textconv|command|clean|smudge|process|driver)|submodule\..*\.ignore|core\.worktree)$`}
}

// GitSubmodules are the arguments that follow "git config" and the file, with
// which git lists what a .gitmodules file says of looking into submodules,
// NUL-separated. What it prints goes to [SafeEnv] as well.
func GitSubmodules() []string {
	return []string{"-z", "--name-only", "--get-regexp", `^submodule\..*\.ignore$`}
}

// SafeEnv returns the variables, as "NAME=value", with which a command of
// class read_only is run so that git starts no program: no pager, external
// diff, file system monitor, hook, signature check or download. Which filters
// and diff drivers there are, only the repository knows: drivers are the keys
// that [GitDrivers] lists there, and each is given a harmless value. The
// variables are not for other commands, which may need what they switch off.
func SafeEnv(drivers ...string) []string {
	settings := [][2]string{
		{"core.fsmonitor", "false"},
		{"core.hooksPath", "/dev/null"},
		{"core.pager", "cat"},
		{"log.showSignature", "false"},
		// A format or an order of the repository's can ask for signatures as well.
		{"gpg.program", "false"},
		{"gpg.openpgp.program", "false"},
		{"gpg.x509.program", "false"},
		{"gpg.ssh.program", "false"},
		// A submodule has a configuration of its own, which git in it obeys.
		{"diff.ignoreSubmodules", "dirty"},
		{"diff.submodule", "short"},
		{"status.submoduleSummary", "false"},
		{"safe.bareRepository", "explicit"},
	}
	for _, key := range drivers {
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			continue
		}
		switch key[dot+1:] {
		case "clean", "smudge", "process":
			settings = append(settings, [2]string{key, ""}, [2]string{key[:dot] + ".required", "false"})
		case "ignore":
			settings = append(settings, [2]string{key, "dirty"})
		case "driver":
			settings = append(settings, [2]string{key, "false"})
		case "textconv":
			settings = append(settings, [2]string{key, "cat"})
		case "external", "command":
			if strings.HasPrefix(key, "hook.") {
				settings = append(settings, [2]string{key, "true"})
				break
			}
			// An empty command is an error; this one prints what git would.
			settings = append(settings, [2]string{key, `sh -c 'printf "diff --git a/%s b/%s\n" "$1" "$1"; diff -u --label "a/$1" --label "b/$1" "$2" "$5"; :' --`})
		}
	}
	env := []string{
		"GIT_PAGER=cat",
		"PAGER=cat",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings)),
	}
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
	}
	return env
}
