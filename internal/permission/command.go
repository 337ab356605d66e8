package permission

import (
	"strings"
	"unicode/utf8"

	"github.com/minicode-go/minicode/internal/shell"
)

// commandFits is whether the spec of a rule for commands covers one simple
// command, or, where it narrows, is about it: through whatever stands before
// its name.
func commandFits(spec, target string, narrows bool) bool {
	if narrows {
		return mayName(spec, target) && shell.Catches(spec, target)
	}
	return shell.Match(spec, target)
}

// mayName is false only where the command holds the name of the rule's
// program nowhere, which saves parsing it for each rule. Where quotes or
// expansions could hide a name it is true.
func mayName(spec, target string) bool {
	const hiding = "$`'\"\\*?[{=\n"
	fields := strings.Fields(spec)
	if len(fields) == 0 {
		return true
	}
	name := strings.TrimSuffix(fields[0], ":*")
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name == "" || strings.ContainsAny(name, hiding) || strings.ContainsAny(target, hiding) {
		return true
	}
	return strings.Contains(strings.ToLower(target), strings.ToLower(name))
}

// exactly is whether the spec is that command, word for word.
func exactly(spec, target string) bool { return target != "?" && spec == shell.Exact(target) }

// broader is the spec that the person is offered to allow for longer than a
// turn: as many leading words as name what is done, where the program is
// known to take its orders that way; else the command itself.
func broader(target string) string {
	words := strings.Fields(target)
	n := leadingWords(words)
	if n == 0 || n > len(words) || strings.ContainsAny(strings.Join(words[:n], ""), "'\"\\$`*?[]{}()<>|&;#~=") {
		return shell.Exact(target)
	}
	spec := strings.Join(words[:n], " ") + ":*"
	if !shell.Match(spec, target) {
		return shell.Exact(target)
	}
	return spec
}

// leadingWords is how many words of a command say what it does; 0 where that
// is not known, as for all that runs what it is given.
func leadingWords(words []string) int {
	if len(words) == 0 {
		return 0
	}
	second, third := word(words, 1), word(words, 2)
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun":
		switch second {
		case "run":
			if third != "" {
				return 3
			}
			return 0
		case "", "x", "exec", "dlx", "config", "set":
			return 0
		}
		return 2
	case "uv", "poetry", "pipenv", "hatch", "bundle":
		if second != "run" && second != "exec" {
			return 0
		}
		if n := leadingWords(words[2:]); n > 0 {
			return 2 + n
		}
		return 0
	case "git", "go", "cargo", "gradle", "./gradlew", "mvn", "./mvnw", "dotnet", "swift", "mix", "composer", "pip", "pip3", "flutter", "dart":
		switch second {
		case "", "run", "config", "env", "tool", "exec":
			return 0
		}
		return 2
	case "pytest", "tsc", "eslint", "prettier", "ruff", "mypy", "black", "gofmt", "golangci-lint", "staticcheck", "jest", "vitest", "rspec", "rubocop", "phpunit", "phpstan", "ctest":
		return 1
	}
	return 0
}

// word is the word at i if it is a plain name, else "".
func word(words []string, i int) string {
	if i >= len(words) {
		return ""
	}
	for _, r := range words[i] {
		if r != '-' && r != '_' && r != ':' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return ""
		}
	}
	if words[i][0] == '-' || words[i][0] == '.' {
		return ""
	}
	return words[i]
}

// oneLine is a command as it stands in a sentence.
func oneLine(command string) string {
	line, _, cut := strings.Cut(command, "\n")
	for n := maxInSentence; len(line) > maxInSentence; n-- {
		if utf8.RuneStart(line[n]) {
			line, cut = line[:n], true
		}
	}
	if cut {
		line += " …"
	}
	return line
}

// maxInSentence is how much of a command a reason quotes, in bytes.
const maxInSentence = 120

func reasonOr(reason, otherwise string) string {
	if reason == "" {
		return otherwise
	}
	return reason
}

func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}
